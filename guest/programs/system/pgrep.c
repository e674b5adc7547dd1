/*
 * pgrep.c: pgrep, pkill: processes by name.
 *
 * help pgrep:
 *   Usage:
 *    pgrep [options] <pattern>
 *
 *   Options:
 *    -d, --delimiter <string>  specify output delimiter
 *    -l, --list-name           list PID and process name
 *    -a, --list-full           list PID and full command line
 *    -v, --inverse             negates the matching
 *    -c, --count               count of matching processes
 *    -f, --full                use full process name to match
 *    -g, --pgroup <PGID,...>   match listed process group IDs
 *    -i, --ignore-case         match case insensitively
 *    -n, --newest              select most recently started
 *    -o, --oldest              select least recently started
 *    -P, --parent <PPID,...>   match only child processes of the given parent
 *    -s, --session <SID,...>   match session IDs
 *    -u, --euid <ID,...>       match by effective IDs
 *    -U, --uid <ID,...>        match by real IDs
 *    -x, --exact               match exactly with the command name
 *        --help                display this help and exit
 *
 * help pkill:
 *   Usage:
 *    pkill [options] <pattern>
 *
 *   Options:
 *    -<sig>, --signal <sig>    signal to send (either number or name)
 *    -e, --echo                display what is killed
 *    -c, --count               count of matching processes
 *    -f, --full                use full process name to match
 *    -g, --pgroup <PGID,...>   match listed process group IDs
 *    -i, --ignore-case         match case insensitively
 *    -n, --newest              select most recently started
 *    -o, --oldest              select least recently started
 *    -P, --parent <PPID,...>   match only child processes of the given parent
 *    -s, --session <SID,...>   match session IDs
 *    -u, --euid <ID,...>       match by effective IDs
 *    -U, --uid <ID,...>        match by real IDs
 *    -x, --exact               match exactly with the command name
 *        --help                display this help and exit
 */
#include "g_option.h"
#include "g_out.h"
#include "g_signal.h"
#include "g_regex.h"
#include "proc.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    pf_regex *re;
    bool full, exact, inverse, newest, oldest, count, names, commands, echo;
    const char *delimiter, *groups, *parents, *sessions, *users;
} search;

static bool in_list(const char *list, int64_t value, bool users) {
    for (const char *s = list; *s;) {
        size_t len = strcspn(s, ",");
        char *word = g_copy_bytes(s, len), *end;
        int64_t number = strtoll(word, &end, 10);
        struct passwd *user = users && *end ? getpwnam(word) : NULL;
        bool same = *end ? user && user->pw_uid == (uid_t)value : number == value;
        free(word);
        if (same) return true;
        s += len + (s[len] != 0);
    }
    return false;
}

static bool matches(const search *s, const process *p) {
    if (s->groups && !in_list(s->groups, p->pgid, false)) return false;
    if (s->parents && !in_list(s->parents, p->ppid, false)) return false;
    if (s->sessions && !in_list(s->sessions, p->sid, false)) return false;
    if (s->users && !in_list(s->users, p->uid, true)) return false;
    if (!s->re) return true;
    const char *text = s->full ? p->command : p->name;
    pf_range range;
    if (pf_regex_search(s->re, text, strlen(text), 0, 0, &range, 1) != PF_RE_OK) return false;
    return !s->exact || (range.start == 0 && (size_t)range.end == strlen(text));
}

static const g_long longs[] = {
    {"delimiter", 'd', G_REQUIRED}, {"list-name", 'l', G_NONE},   {"list-full", 'a', G_NONE},
    {"inverse", 'v', G_NONE},       {"count", 'c', G_NONE},       {"full", 'f', G_NONE},
    {"pgroup", 'g', G_REQUIRED},    {"ignore-case", 'i', G_NONE}, {"newest", 'n', G_NONE},
    {"oldest", 'o', G_NONE},        {"parent", 'P', G_REQUIRED},  {"session", 's', G_REQUIRED},
    {"euid", 'u', G_REQUIRED},      {"uid", 'U', G_REQUIRED},     {"exact", 'x', G_NONE},
    {"signal", 256, G_REQUIRED},    {"echo", 'e', G_NONE},        {0}};

/* -9, -KILL and -SIGKILL anywhere: taken out of the arguments. */
static int take_signal(int *argc, char **argv) {
    for (int i = 1; i < *argc; i++) {
        const char *s = argv[i];
        if (*s != '-' || !s[1] || s[1] == '-') continue;
        int number = g_signal_number(s + 1);
        if (number < 0 || (!isdigit((unsigned char)s[1]) && strlen(s) == 2)) continue;
        memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof *argv);
        --*argc;
        return number;
    }
    return SIGTERM;
}

static bool act(const search *s, const process *p, int signal_number, bool kills, bool first) {
    if (!kills) {
        if (!first) g_outs(s->delimiter);
        g_outf("%d", (int)p->pid);
        if (s->commands)
            g_outf(" %s", p->command);
        else if (s->names)
            g_outf(" %s", p->name);
        return true;
    }
    if (kill(p->pid, signal_number) == 0) {
        if (s->echo) g_outf("%s killed (pid %d)\n", p->name, (int)p->pid);
        return true;
    }
    if (errno != ESRCH) g_warn_errno(errno, "killing pid %d failed", (int)p->pid);
    return false;
}

static void read_options(search *s, g_options *o, int *signal_number, bool *ignore_case) {
    for (int option; (option = g_option(o)) >= 0;) {
        switch (option) {
        case 'a': s->commands = true; break;
        case 'c': s->count = true; break;
        case 'd': s->delimiter = o->arg; break;
        case 'e': s->echo = true; break;
        case 'f': s->full = true; break;
        case 'g': s->groups = o->arg; break;
        case 'i': *ignore_case = true; break;
        case 'l': s->names = true; break;
        case 'n': s->newest = true; break;
        case 'o': s->oldest = true; break;
        case 'P': s->parents = o->arg; break;
        case 's': s->sessions = o->arg; break;
        case 'u':
        case 'U': s->users = o->arg; break;
        case 'v': s->inverse = true; break;
        case 'x': s->exact = true; break;
        case 256:
            *signal_number = g_signal_number(o->arg);
            if (*signal_number < 0) g_die(2, "Unknown signal \"%s\".", o->arg);
            break;
        }
    }
}

int pgrep_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    bool kills = strcmp(name, "pkill") == 0, ignore_case = false, criteria;
    int signal_number = kills ? take_signal(&argc, argv) : 0;
    search s = {.delimiter = "\n"};
    g_set_failure(2);
    g_set_write_error(1, "write error: %s");
    g_set_hint(kills ? "Try `pkill --help' for more information."
                     : "Try `pgrep --help' for more information.");
    const char *shorts = kills ? "cefg:inoP:s:u:U:x" : "acd:fg:ilnoP:s:u:U:vx";
    g_options o = g_options_of(argc, argv, shorts, longs);
    read_options(&s, &o, &signal_number, &ignore_case);
    criteria = s.groups || s.parents || s.sessions || s.users;
    if (argc - o.at > 1) g_usage("only one pattern can be provided");
    if (o.at == argc && !criteria) g_usage("no matching criteria specified");
    if (o.at < argc) {
        const char *message;
        unsigned flags = PF_RE_EXTENDED | (ignore_case ? PF_RE_ICASE : 0);
        if (pf_regex_compile(&s.re, argv[o.at], strlen(argv[o.at]), flags, &g_regex_host,
                             &message) != PF_RE_OK)
            g_die(2, "%s", message);
    }
    size_t count, found = 0;
    process *list = proc_list(&count), *chosen = NULL;
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        process *p = &list[i];
        if (p->pid == getpid() || matches(&s, p) == s.inverse) continue;
        if (s.newest || s.oldest) {
            if (!chosen || (s.newest ? p->start >= chosen->start : p->start < chosen->start))
                chosen = p;
            continue;
        }
        number++;
        if (s.count && !kills)
            found++;
        else
            found += act(&s, p, signal_number, kills, found == 0);
    }
    if (chosen) {
        number = 1;
        found += s.count && !kills ? 1 : act(&s, chosen, signal_number, kills, true);
    }
    if (s.count)
        g_outf("%llu\n", (unsigned long long)number);
    else if (found && !kills)
        g_outc('\n');
    return found == 0;
}
