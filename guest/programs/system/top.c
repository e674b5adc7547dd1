/*
 * top.c: the busiest processes, as text: top -b.
 *
 * Without -b it wants a terminal that it could draw on, and ends.
 *
 * help top:
 *   Usage:
 *    top -b [options]
 *
 *   Options:
 *    -b, --batch-mode                run in non-interactive batch mode
 *    -c, --cmdline-toggle            show the command line instead of the name
 *    -d, --delay =SECS               time between two screens (3.0)
 *    -i, --idle-toggle               leave out what is idle
 *    -n, --iterations =NUMBER        end after so many screens
 *    -o, --sort-override =FIELD      %CPU, %MEM, TIME+, PID, RES, VIRT, USER or COMMAND; + and - in
 *                                    front turn the order
 *    -p, --pid =PIDLIST              only these processes
 *    -u, --filter-any-user =USER     only the processes of this user (also -U)
 *    -w, --width [=COLUMNS]          cut lines
 *    -1, -E, -e, -H, -S, -s          (ignored)
 *    -h, --help                      display this help text, then exit
 *    -V, --version                   output version information, then exit
 */
#include "g_in.h"
#include "g_interval.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"
#include "proc.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    bool batch, command, idle;
    double delay;
    long rounds; /* 0: until it is ended */
    const char *order, *user;
    long *pids;
    size_t pid_count, pid_cap, width;
} settings;

typedef struct {
    process p;
    double cpu, memory; /* parts of a hundred */
} row;

static const settings *sorting;

static const g_long longs[] = {{"batch-mode", 'b', G_NONE},
                               {"cmdline-toggle", 'c', G_NONE},
                               {"delay", 'd', G_REQUIRED},
                               {"idle-toggle", 'i', G_NONE},
                               {"iterations", 'n', G_REQUIRED},
                               {"sort-override", 'o', G_REQUIRED},
                               {"pid", 'p', G_REQUIRED},
                               {"filter-any-user", 'U', G_REQUIRED},
                               {"filter-only-euser", 'u', G_REQUIRED},
                               {"width", 'w', G_OPTIONAL},
                               {"secure-mode", 's', G_NONE},
                               {"threads-show", 'H', G_NONE},
                               {"accum-time-toggle", 'S', G_NONE},
                               {"single-cpu-toggle", '1', G_NONE},
                               {"scale-summary-mem", 'E', G_REQUIRED},
                               {"scale-task-mem", 'e', G_REQUIRED},
                               {0}};

static char *file_text(const char *name) {
    size_t len;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (fd >= 0) close(fd);
    return text ? text : g_copy_string("");
}

static double mebibytes(const char *text, const char *name) {
    const char *s = strstr(text, name);
    return s ? strtod(s + strlen(name), NULL) / 1024 : 0;
}

static const char *user_name(uid_t uid) {
    struct passwd *user = getpwuid(uid);
    return user ? user->pw_name : "?";
}

static void put(const settings *s, g_text *line) {
    size_t n = line->len;
    if (s->width && n > s->width) n = s->width;
    g_out(line->s ? line->s : "", n);
    g_outc('\n');
    line->len = 0;
}

static int order_of(const row *a, const row *b) {
    const char *field = sorting->order;
    if (*field == '+' || *field == '-') field++;
    double x = a->cpu, y = b->cpu;
    if (strcmp(field, "%MEM") == 0 || strcmp(field, "RES") == 0)
        x = (double)a->p.rss, y = (double)b->p.rss;
    else if (strcmp(field, "VIRT") == 0)
        x = (double)a->p.vsize, y = (double)b->p.vsize;
    else if (strncmp(field, "TIME", 4) == 0)
        x = (double)a->p.ticks, y = (double)b->p.ticks;
    else if (strcmp(field, "PID") == 0)
        x = a->p.pid, y = b->p.pid;
    else if (strcmp(field, "COMMAND") == 0)
        x = strcmp(a->p.name, b->p.name), y = 0;
    else if (strcmp(field, "USER") == 0)
        x = (double)a->p.uid, y = (double)b->p.uid;
    int order = x > y ? -1 : x < y;
    return *sorting->order == '-' ? -order : order;
}

static int compare(const void *a, const void *b) {
    const row *x = a, *y = b;
    int order = order_of(x, y);
    return order ? order : (x->p.pid > y->p.pid) - (x->p.pid < y->p.pid);
}

static bool wanted(const settings *s, const process *p) {
    if (s->user) {
        struct passwd *user = getpwnam(s->user);
        uid_t uid = user ? user->pw_uid : (uid_t)strtoul(s->user, NULL, 10);
        if (p->uid != uid) return false;
    }
    if (s->pid_count == 0) return true;
    for (size_t i = 0; i < s->pid_count; i++)
        if (s->pids[i] == (long)p->pid) return true;
    return false;
}

static void put_summary(const settings *s, const row *rows, size_t count, double busy) {
    g_text line = {0};
    time_t now = time(NULL);
    struct tm *t = localtime(&now);
    long minutes = (long)proc_uptime() / 60, days = minutes / 1440, hours = minutes / 60 % 24;
    g_text_addf(&line, "top - %02d:%02d:%02d up ", t->tm_hour, t->tm_min, t->tm_sec);
    if (days) g_text_addf(&line, "%ld day%s, ", days, days > 1 ? "s" : "");
    if (hours)
        g_text_addf(&line, "%2ld:%02ld", hours, minutes % 60);
    else
        g_text_addf(&line, "%ld min", minutes % 60);
    char *loads = file_text("/proc/loadavg"), *at = loads;
    double load[3];
    for (int i = 0; i < 3; i++) load[i] = strtod(at, &at);
    g_text_addf(&line, ",  0 user,  load average: %.2f, %.2f, %.2f", load[0], load[1], load[2]);
    put(s, &line);
    free(loads);
    int running = 0, stopped = 0, zombies = 0;
    for (size_t i = 0; i < count; i++) {
        char state = rows[i].p.state;
        running += state == 'R';
        stopped += state == 'T' || state == 't';
        zombies += state == 'Z';
    }
    g_text_addf(&line, "Tasks: %3zu total, %3d running, %3d sleeping, %3d stopped, %3d zombie",
                count, running, (int)count - running - stopped - zombies, stopped, zombies);
    put(s, &line);
    if (busy > 100) busy = 100;
    g_text_addf(
        &line,
        "%%Cpu(s): %4.1f us,  0.0 sy,  0.0 ni, %4.1f id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st ", busy,
        100 - busy);
    put(s, &line);
    char *memory = file_text("/proc/meminfo");
    double total = mebibytes(memory, "MemTotal:"), left = mebibytes(memory, "MemFree:");
    double available = mebibytes(memory, "MemAvailable:"), swap = mebibytes(memory, "SwapTotal:");
    double cache = mebibytes(memory, "Buffers:") + mebibytes(memory, "\nCached:") +
                   mebibytes(memory, "SReclaimable:");
    double swap_left = mebibytes(memory, "SwapFree:");
    g_text_addf(&line, "MiB Mem : %8.1f total, %8.1f free, %8.1f used, %8.1f buff/cache     ",
                total, left, total - available, cache);
    put(s, &line);
    g_text_addf(&line, "MiB Swap: %8.1f total, %8.1f free, %8.1f used. %8.1f avail Mem ", swap,
                swap_left, swap - swap_left, available);
    put(s, &line);
    put(s, &line);
    free(memory);
    g_text_free(&line);
}

/* KiB in so many columns. */
static void put_size(g_text *line, uint64_t bytes, int width) {
    static const char units[] = "mgtp";
    double value = (double)(bytes / 1024);
    char text[32];
    snprintf(text, sizeof text, "%.0f", value);
    for (int i = 0; (int)strlen(text) > width && units[i]; i++) {
        value /= 1024;
        snprintf(text, sizeof text, "%.1f%c", value, units[i]);
    }
    g_text_addf(line, " %*s", width, text);
}

static void put_row(const settings *s, const row *r) {
    g_text line = {0};
    const process *p = &r->p;
    g_text_addf(&line, "%5ld %-8.8s  %2d %3d", (long)p->pid, user_name(p->uid), 20 + p->nice,
                p->nice);
    put_size(&line, p->vsize, 7);
    put_size(&line, p->rss, 6);
    put_size(&line, 0, 6);
    unsigned long long hundredths = p->ticks;
    char when[32];
    snprintf(when, sizeof when, "%llu:%02llu.%02llu", hundredths / 6000, hundredths / 100 % 60,
             hundredths % 100);
    g_text_addf(&line, " %c %5.1f %5.1f %9s %s", p->state, r->cpu, r->memory, when,
                s->command ? p->command : p->name);
    put(s, &line);
    g_text_free(&line);
}

/* Processor time of a process since the last screen, or since it began. */
static double cpu_of(const process *p, const row *before, size_t count, double elapsed) {
    for (size_t i = 0; i < count; i++)
        if (before[i].p.pid == p->pid && before[i].p.start == p->start)
            return elapsed > 0 ? (double)(p->ticks - before[i].p.ticks) / elapsed : 0;
    double age = proc_uptime() - (double)p->start / 100;
    return age > 0.01 ? (double)p->ticks / age : 0;
}

static row *screen(const settings *s, row *before, size_t *before_count, double elapsed) {
    size_t count, kept = 0;
    process *all = proc_list(&count);
    row *rows = g_alloc((count + 1) * sizeof *rows);
    char *memory = file_text("/proc/meminfo");
    double total = mebibytes(memory, "MemTotal:") * 1048576, busy = 0;
    free(memory);
    for (size_t i = 0; i < count; i++) {
        if (!wanted(s, &all[i])) continue;
        row r = {all[i], cpu_of(&all[i], before, *before_count, elapsed), 0};
        r.memory = total > 0 ? 100.0 * (double)all[i].rss / total : 0;
        busy += r.cpu;
        rows[kept++] = r;
    }
    sorting = s;
    qsort(rows, kept, sizeof *rows, compare);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    put_summary(s, rows, kept, busy / (double)(cpus > 0 ? cpus : 1));
    g_text head = {0};
    g_text_addf(&head,
                "  PID USER      PR  NI    VIRT    RES    SHR S  %%CPU  %%MEM     TIME+ COMMAND");
    put(s, &head);
    g_text_free(&head);
    for (size_t i = 0; i < kept; i++)
        if (!s->idle || rows[i].p.state == 'R' || rows[i].cpu > 0) put_row(s, &rows[i]);
    g_out_flush();
    free(before);
    *before_count = kept;
    return rows;
}

static void add_pids(settings *s, const char *list) {
    for (const char *at = list; *at;) {
        char *end;
        long pid = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',')) g_die(1, "bad pid '%s'", at);
        if (s->pid_count == s->pid_cap) s->pids = g_more(s->pids, &s->pid_cap, sizeof *s->pids);
        s->pids[s->pid_count++] = pid;
        at = end + (*end == ',');
    }
}

static void check_order(const char *field) {
    static const char *const known[] = {"%CPU", "%MEM", "TIME+", "TIME",   "PID",
                                        "RES",  "VIRT", "USER",  "COMMAND"};
    const char *name = field + (*field == '+' || *field == '-');
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0) return;
    g_die(1, "unrecognized field name '%s'", name);
}

int top_main(int argc, char **argv) {
    settings s = {.delay = 3, .order = "%CPU"};
    g_set_write_error(1, "write error");
    g_options o = g_options_of(argc, argv, "+bcd:iHn:o:p:u:U:w::s1SE:e:hV", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case 'b': s.batch = true; break;
        case 'c': s.command = true; break;
        case 'i': s.idle = true; break;
        case 'd':
            if (!g_interval(o.arg, &s.delay)) g_die(1, "bad delay interval '%s'", o.arg);
            break;
        case 'n':
            s.rounds = strtol(o.arg, NULL, 10);
            if (s.rounds < 1) g_die(1, "bad iterations argument '%s'", o.arg);
            break;
        case 'o':
            check_order(o.arg);
            s.order = o.arg;
            break;
        case 'p': add_pids(&s, o.arg); break;
        case 'u':
        case 'U': s.user = o.arg; break;
        case 'w': /* its value may stand apart */
            if (!o.arg && o.at < argc && isdigit((unsigned char)*argv[o.at])) o.arg = argv[o.at++];
            s.width = o.arg ? strtoul(o.arg, NULL, 10) : 0;
            break;
        case 'h': g_outs(g_help()); return 0;
        case 'V': g_print_version(); return 0;
        }
    }
    if (o.at < argc) g_die(1, "unknown option '%s'", argv[o.at]);
    if (!s.batch) g_die(1, "failed tty get");
    row *rows = NULL;
    size_t count = 0;
    double then = proc_uptime();
    for (long i = 0; s.rounds == 0 || i < s.rounds; i++) {
        if (i > 0) {
            g_sleep(s.delay);
            g_outc('\n');
        }
        double now = proc_uptime();
        rows = screen(&s, rows, &count, now - then);
        then = now;
    }
    free(rows);
    free(s.pids);
    return 0;
}
