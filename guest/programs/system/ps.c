/*
 * ps.c: reports the processes there are.
 *
 * Deviation: the selections and columns below; there are no terminals and no threads.
 *
 * help ps:
 *   Usage:
 *    ps [options]
 *
 *   Selection:
 *    -A, -e               all processes
 *    -a, -d, a, x, T, r   (there are no terminals: processes of this user; ax: all)
 *    -C <command>         command name
 *    -p, p, --pid <PID>   process id
 *    -q, q, --quick-pid <PID>  process id
 *    -u, U, --user <UID>  user id or name
 *    --ppid <PID>         parent process id
 *    -s, --sid <session>  session id
 *
 *   Output formats:
 *    -f, -F               full-format
 *    -j, j                jobs format
 *    -l, l                long format
 *    u                    user-oriented format
 *    -o, o, --format <format>  user-defined format
 *    -h, --no-headers     no header line
 *    --sort <spec>        sort by columns
 *    -w, w, -H, f, --forest, e  (ignored)
 *        --help           display this help and exit
 */
#include "g_out.h"
#include "g_option.h"
#include "g_text.h"
#include "g_time.h"
#include "proc.h"

#include <ctype.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum field {
    PID,
    PPID,
    PGID,
    SID,
    UID,
    USER,
    GID,
    NAME,
    COMMAND,
    STATE,
    STAT,
    TIME,
    MINUTES,
    ELAPSED,
    SECONDS,
    STARTED,
    START,
    STIME,
    LSTART,
    TTY,
    CPU,
    C,
    MEMORY,
    VSZ,
    RSS,
    NICE,
    PRIORITY,
    THREADS,
    WCHAN,
    FLAGS,
    ADDRESS,
    SIZE,
    TPGID
};

typedef struct {
    const char *name, *heading;
    enum field field;
    int width; /* negative: left-aligned */
} column;

static const column known[] = {
    {"pid", "PID", PID, 5},
    {"ppid", "PPID", PPID, 5},
    {"pgid", "PGID", PGID, 5},
    {"pgrp", "PGRP", PGID, 5},
    {"sid", "SID", SID, 5},
    {"sess", "SESS", SID, 5},
    {"uid", "UID", UID, 5},
    {"euid", "EUID", UID, 5},
    {"ruid", "RUID", UID, 5},
    {"user", "USER", USER, -8},
    {"uname", "USER", USER, -8},
    {"euser", "EUSER", USER, -8},
    {"ruser", "RUSER", USER, -8},
    {"gid", "GID", GID, 5},
    {"comm", "COMMAND", NAME, -15},
    {"ucmd", "CMD", NAME, -15},
    {"ucomm", "COMMAND", NAME, -15},
    {"args", "COMMAND", COMMAND, -27},
    {"cmd", "CMD", COMMAND, -27},
    {"command", "COMMAND", COMMAND, -27},
    {"s", "S", STATE, -1},
    {"state", "S", STATE, -1},
    {"stat", "STAT", STAT, -4},
    {"time", "TIME", TIME, 8},
    {"cputime", "TIME", TIME, 8},
    {"bsdtime", "TIME", MINUTES, 6},
    {"etime", "ELAPSED", ELAPSED, 11},
    {"etimes", "ELAPSED", SECONDS, 7},
    {"start", "STARTED", STARTED, 8},
    {"start_time", "START", STIME, 5},
    {"stime", "STIME", STIME, 5},
    {"bsdstart", "START", START, 6},
    {"lstart", "STARTED", LSTART, 24},
    {"tty", "TT", TTY, -8},
    {"tt", "TT", TTY, -8},
    {"tname", "TTY", TTY, -8},
    {"pcpu", "%CPU", CPU, 4},
    {"%cpu", "%CPU", CPU, 4},
    {"c", "C", C, 2},
    {"pmem", "%MEM", MEMORY, 4},
    {"%mem", "%MEM", MEMORY, 4},
    {"vsz", "VSZ", VSZ, 6},
    {"vsize", "VSZ", VSZ, 6},
    {"rss", "RSS", RSS, 5},
    {"rssize", "RSS", RSS, 5},
    {"ni", "NI", NICE, 3},
    {"nice", "NI", NICE, 3},
    {"pri", "PRI", PRIORITY, 3},
    {"nlwp", "NLWP", THREADS, 4},
    {"thcount", "THCNT", THREADS, 5},
    {"wchan", "WCHAN", WCHAN, -6},
    {"f", "F", FLAGS, 1},
    {"flags", "F", FLAGS, 1},
    {"addr", "ADDR", ADDRESS, -4},
    {"sz", "SZ", SIZE, 5},
    {"tpgid", "TPGID", TPGID, 5},
};

typedef struct {
    column columns[64];
    int count;
    bool everything, no_heading, all_users, own;
    const char *pids, *ppids, *names, *users, *sids, *sort;
    int64_t now, boot;
    uint64_t memory;
} lister;

static const column *find_column(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == len && strncasecmp(known[i].name, name, len) == 0)
            return &known[i];
    return NULL;
}

static _Noreturn void usage(const char *text) {
    g_out_flush();
    g_text out = {0};
    g_text_addf(
        &out, "error: %s\n\nUsage:\n ps [options]\n\n Try 'ps --help' for additional help text.\n",
        text);
    if (write(STDERR_FILENO, out.s, out.len) < 0) g_exit(1);
    g_exit(1);
}

/* "pid,comm=NAME": what stands behind = goes to the end of the list. */
static void add_columns(lister *l, const char *list) {
    for (const char *s = list; *s;) {
        s += strspn(s, ", ");
        size_t len = strcspn(s, ", =");
        if (len == 0) break;
        const column *c = find_column(s, len);
        if (!c) usage("unknown user-defined format specifier");
        if (l->count == 64) usage("too many columns");
        column *to = &l->columns[l->count++];
        *to = *c;
        s += len;
        if (*s == '=') {
            const char *heading = ++s;
            size_t size = strcspn(heading, ",");
            to->heading = g_copy_bytes(heading, size);
            s += size;
            if (size == 0) continue;
        }
    }
}

static void set_columns(lister *l, const char *list) {
    l->count = 0;
    add_columns(l, list);
}

static const char *user_name(uid_t uid, char out[24]) {
    struct passwd *user = getpwuid(uid);
    if (user) return user->pw_name;
    snprintf(out, 24, "%u", (unsigned)uid);
    return out;
}

static void clock_text(uint64_t seconds, char *out, size_t room, bool elapsed) {
    unsigned days = (unsigned)(seconds / 86400), hours = (unsigned)(seconds / 3600 % 24);
    unsigned minutes = (unsigned)(seconds / 60 % 60), rest = (unsigned)(seconds % 60);
    if (days)
        snprintf(out, room, "%u-%02u:%02u:%02u", days, hours, minutes, rest);
    else if (hours || !elapsed)
        snprintf(out, room, "%02u:%02u:%02u", hours, minutes, rest);
    else
        snprintf(out, room, "%02u:%02u", minutes, rest);
}

static char *moment_text(int64_t t, const char *format) {
    g_civil civil;
    size_t len;
    g_civil_local(t, &civil);
    return g_strftime(format, &civil, t, 0, &len);
}

static char *value_of(const lister *l, const process *p, enum field field) {
    char text[64] = "", small[24];
    int64_t began = l->boot + (int64_t)(p->start / 100), age = l->now > began ? l->now - began : 0;
    double share = age > 0 ? (double)p->ticks / (double)age : 0; /* per cent: 100 ticks a second */
    switch (field) {
    case PID: snprintf(text, sizeof text, "%d", (int)p->pid); break;
    case PPID: snprintf(text, sizeof text, "%d", (int)p->ppid); break;
    case PGID: snprintf(text, sizeof text, "%d", (int)p->pgid); break;
    case SID: snprintf(text, sizeof text, "%d", (int)p->sid); break;
    case UID: snprintf(text, sizeof text, "%u", (unsigned)p->uid); break;
    case GID: snprintf(text, sizeof text, "%u", (unsigned)p->gid); break;
    case USER: return g_copy_string(user_name(p->uid, small));
    case NAME: return g_copy_string(p->name);
    case COMMAND: return g_copy_string(p->command);
    case STATE: snprintf(text, sizeof text, "%c", p->state); break;
    case STAT: snprintf(text, sizeof text, "%c%s", p->state, p->sid == p->pid ? "s" : ""); break;
    case TIME: clock_text(p->ticks / 100, text, sizeof text, false); break;
    case MINUTES:
        snprintf(text, sizeof text, "%" PRIu64 ":%02u", p->ticks / 6000,
                 (unsigned)(p->ticks / 100 % 60));
        break;
    case ELAPSED: clock_text((uint64_t)age, text, sizeof text, true); break;
    case SECONDS: snprintf(text, sizeof text, "%" PRId64, age); break;
    case STARTED: return moment_text(began, age < 86400 ? "%H:%M:%S" : "  %b %d");
    case START:
    case STIME: return moment_text(began, age < 86400 ? "%H:%M" : "%b%d");
    case LSTART: return moment_text(began, "%a %b %e %H:%M:%S %Y");
    case TTY: return g_copy_string("?");
    case CPU: snprintf(text, sizeof text, "%.1f", share); break;
    case C: snprintf(text, sizeof text, "%d", (int)(share > 99 ? 99 : share)); break;
    case MEMORY:
        snprintf(text, sizeof text, "%.1f",
                 l->memory ? 100.0 * (double)p->rss / (double)l->memory : 0.0);
        break;
    case VSZ: snprintf(text, sizeof text, "%" PRIu64, p->vsize / 1024); break;
    case RSS: snprintf(text, sizeof text, "%" PRIu64, p->rss / 1024); break;
    case SIZE: snprintf(text, sizeof text, "%" PRIu64, p->vsize / 4096); break;
    case NICE: snprintf(text, sizeof text, "%d", p->nice); break;
    case PRIORITY: return g_copy_string("80");
    case THREADS: snprintf(text, sizeof text, "%d", p->threads); break;
    case FLAGS: return g_copy_string("0");
    case TPGID: return g_copy_string("-1");
    case WCHAN:
    case ADDRESS: return g_copy_string("-");
    }
    return g_copy_string(text);
}

static void put_cell(const column *c, const char *text, bool last) {
    size_t len = g_text_width(text, strlen(text)),
           width = (size_t)(c->width < 0 ? -c->width : c->width);
    if (c->width < 0 && !last && len > width && (c->field == NAME || c->field == COMMAND)) {
        g_out(text, width);
        len = width;
    } else if (c->width < 0) {
        g_outs(text);
    }
    if (c->width < 0 && !last && len < width) g_out_fill(' ', width - len);
    if (c->width >= 0) {
        if (len < width) g_out_fill(' ', width - len);
        g_outs(text);
    }
}

static void put_heading(const lister *l) {
    bool any = false;
    for (int i = 0; i < l->count; i++) any = any || *l->columns[i].heading;
    if (l->no_heading || !any) return;
    for (int i = 0; i < l->count; i++) {
        if (i) g_outc(' ');
        put_cell(&l->columns[i], l->columns[i].heading, i + 1 == l->count);
    }
    g_outc('\n');
}

static bool in_numbers(const char *list, int64_t value) {
    for (const char *s = list; *s;) {
        char *end;
        if (strtoll(s, &end, 10) == value && end != s) return true;
        s = *end ? end + 1 : end;
    }
    return false;
}

static bool in_names(const char *list, const char *name) {
    size_t len = strlen(name);
    for (const char *s = list; *s;) {
        size_t size = strcspn(s, ", ");
        if (size == len && strncmp(s, name, len) == 0) return true;
        s += size + (s[size] != 0);
    }
    return false;
}

static bool selected(const lister *l, const process *p) {
    char small[24];
    bool any = l->pids || l->ppids || l->names || l->users || l->sids;
    if (l->everything) return true;
    if (!any) return l->own || p->uid == getuid();
    return (l->pids && in_numbers(l->pids, p->pid)) ||
           (l->ppids && in_numbers(l->ppids, p->ppid)) ||
           (l->sids && in_numbers(l->sids, p->sid)) || (l->names && in_names(l->names, p->name)) ||
           (l->users &&
            (in_names(l->users, user_name(p->uid, small)) || in_numbers(l->users, p->uid)));
}

static const lister *sorting;
static int compare(const void *a, const void *b) {
    const process *x = a, *y = b;
    for (const char *s = sorting->sort; *s;) {
        int sign = *s == '-' ? -1 : 1;
        s += *s == '-' || *s == '+';
        size_t len = strcspn(s, ",");
        const column *c = find_column(s, len);
        if (c) {
            char *p = value_of(sorting, x, c->field), *q = value_of(sorting, y, c->field);
            double m = strtod(p, NULL), n = strtod(q, NULL);
            bool text = c->width < 0 && c->field != STATE;
            int order = text ? strcmp(p, q) : (m > n) - (m < n);
            free(p);
            free(q);
            if (order) return sign * order;
        }
        s += len + (s[len] != 0);
    }
    return x->pid - y->pid;
}

/* The value behind a letter or the next argument. */
static const char *value(char **argv, int argc, int *i, const char *rest) {
    if (*rest) return rest;
    if (*i + 1 >= argc) usage("list of process IDs must follow -p");
    return argv[++*i];
}

static bool unix_letter(lister *l, char **argv, int argc, int *i, const char *s) {
    switch (*s) {
    case 'A':
    case 'e': l->everything = true; return true;
    case 'a':
    case 'd':
    case 'N': l->own = true; return true;
    case 'f':
    case 'F': set_columns(l, "user=UID,pid,ppid,c,stime,tname,time,cmd"); return true;
    case 'j': set_columns(l, "pid,pgid,sid,tname,time,ucmd"); return true;
    case 'l':
        set_columns(l, "f,s,uid,pid,ppid,c,pri,ni,addr,sz,wchan,tname,time,ucmd");
        return true;
    case 'h': l->no_heading = true; return true;
    case 'w':
    case 'H':
    case 'L':
    case 'T':
    case 'y':
    case 'm':
    case 'M': return true;
    case 'p':
    case 'q': l->pids = value(argv, argc, i, s + 1); return false;
    case 'C': l->names = value(argv, argc, i, s + 1); return false;
    case 'u':
    case 'U': l->users = value(argv, argc, i, s + 1); return false;
    case 's': l->sids = value(argv, argc, i, s + 1); return false;
    case 'o':
    case 'O': {
        static bool chosen;
        if (!chosen) l->count = 0;
        chosen = true;
        add_columns(l, value(argv, argc, i, s + 1));
        return false;
    }
    case 't':
    case 'g':
    case 'G': value(argv, argc, i, s + 1); return false;
    default: usage("unsupported SysV option");
    }
}

static bool bsd_letter(lister *l, char **argv, int argc, int *i, const char *s) {
    switch (*s) {
    case 'a':
        l->everything = l->everything || l->own;
        l->all_users = true;
        return true;
    case 'x':
        l->own = true;
        l->everything = l->everything || l->all_users;
        return true;
    case 'u':
        set_columns(l, "user,pid,%cpu,%mem,vsz,rss,tname,stat,start_time,bsdtime,command");
        return true;
    case 'j': set_columns(l, "ppid,pid,pgid,sid,tname,tpgid,stat,uid,bsdtime,command"); return true;
    case 'l':
        set_columns(l, "f,uid,pid,ppid,pri,ni,vsz,rss,wchan,stat,tname,bsdtime,command");
        return true;
    case 'h': l->no_heading = true; return true;
    case 'w':
    case 'f':
    case 'e':
    case 'c':
    case 'r':
    case 'T':
    case 'n':
    case 'S': return true;
    case 'p':
    case 'q': l->pids = value(argv, argc, i, s + 1); return false;
    case 'o': set_columns(l, value(argv, argc, i, s + 1)); return false;
    case 'U': l->users = value(argv, argc, i, s + 1); return false;
    default: usage("unsupported option (BSD syntax)");
    }
}

static void long_option(lister *l, char **argv, int argc, int *i) {
    const char *name = argv[*i] + 2;
    size_t len = strcspn(name, "=");
    const char *attached = name[len] ? name + len + 1 : NULL;
#define IS(word) (strlen(word) == len && strncmp(name, word, len) == 0)
    bool wants = IS("pid") || IS("quick-pid") || IS("ppid") || IS("user") || IS("User") ||
                 IS("format") || IS("sort") || IS("sid");
    if (wants && !attached) attached = value(argv, argc, i, "");
    if (IS("pid") || IS("quick-pid"))
        l->pids = attached;
    else if (IS("ppid"))
        l->ppids = attached;
    else if (IS("user") || IS("User"))
        l->users = attached;
    else if (IS("sid"))
        l->sids = attached;
    else if (IS("format"))
        set_columns(l, attached);
    else if (IS("sort"))
        l->sort = attached;
    else if (IS("no-headers") || IS("no-heading") || IS("noheaders") || IS("noheading"))
        l->no_heading = true;
    else if (IS("forest") || IS("headers") || IS("cumulative") || IS("width") || IS("cols") ||
             IS("columns") || IS("rows"))
        return;
    else if (IS("help") || IS("version")) {
        if (IS("help"))
            g_outs(g_help());
        else
            g_print_version();
        g_exit(0);
    } else
        usage("unknown gnu long option");
#undef IS
}

static uint64_t total_memory(void) {
    FILE *f = fopen("/proc/meminfo", "r");
    unsigned long long kib = 0;
    if (f) {
        if (fscanf(f, "MemTotal: %llu", &kib) != 1) kib = 0;
        fclose(f);
    }
    return (uint64_t)kib * 1024;
}

int ps_main(int argc, char **argv) {
    lister l = {.now = g_now().seconds, .memory = total_memory()};
    l.boot = l.now - (int64_t)proc_uptime();
    set_columns(&l, "pid,tname,time,ucmd");
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        if (strncmp(s, "--", 2) == 0 && s[2]) {
            long_option(&l, argv, argc, &i);
        } else if (isdigit((unsigned char)*s)) {
            l.pids = s;
        } else {
            bool dash = *s == '-';
            for (s += dash; *s; s++)
                if (!(dash ? unix_letter(&l, argv, argc, &i, s)
                           : bsd_letter(&l, argv, argc, &i, s)))
                    break;
        }
    }
    size_t count, shown = 0;
    process *list = proc_list(&count);
    if (l.sort) {
        sorting = &l;
        qsort(list, count, sizeof *list, compare);
    }
    put_heading(&l);
    for (size_t k = 0; k < count; k++) {
        if (!selected(&l, &list[k])) continue;
        for (int i = 0; i < l.count; i++) {
            char *text = value_of(&l, &list[k], l.columns[i].field);
            if (i) g_outc(' ');
            put_cell(&l.columns[i], text, i + 1 == l.count);
            free(text);
        }
        g_outc('\n');
        shown++;
    }
    return shown == 0;
}
