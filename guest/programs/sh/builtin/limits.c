/*
 * builtin/limits.c: umask and ulimit.
 */
#include "builtin.h"

#include <sys/resource.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------ umask */

static void print_symbolic(struct shell *sh, unsigned mask) {
    static const char who[] = "ugo";
    for (int i = 0; i < 3; i++) {
        unsigned allowed = ~mask >> (6 - 3 * i) & 7;
        out_printf(sh, "%s%c=%s%s%s", i ? "," : "", who[i], allowed & 4 ? "r" : "",
                   allowed & 2 ? "w" : "", allowed & 1 ? "x" : "");
    }
    out_putc(sh, '\n');
}

/* The end of the text is shown as the byte that it is. */
static void wrong_operator(struct shell *sh, char op) {
    sh_builtin_error(sh, "`%c': invalid symbolic mode operator", op);
}

/* u=rwx,g-w: changes what is allowed. -1: malformed, which was said. */
static int symbolic_mask(struct shell *sh, const char *s, unsigned mask) {
    unsigned allowed = ~mask & 0777;
    do {
        unsigned who = 0, bits = 0;
        for (; *s && strchr("ugoa", *s); s++)
            who |= *s == 'u' ? 0700u : *s == 'g' ? 070u : *s == 'o' ? 07u : 0777u;
        if (!who) who = 0777;
        char op = *s;
        if (!op || !strchr("+-=", op)) {
            wrong_operator(sh, op);
            return -1;
        }
        for (s++; *s && *s != ','; s++) {
            if (*s == 'r')
                bits |= 0444;
            else if (*s == 'w')
                bits |= 0222;
            else if (*s == 'x')
                bits |= 0111;
            else {
                sh_builtin_error(sh, "`%c': invalid symbolic mode character", *s);
                return -1;
            }
        }
        bits &= who;
        allowed = op == '+'   ? allowed | bits
                  : op == '-' ? allowed & ~bits
                              : (allowed & ~who) | bits;
        if (*s == ',') s++;
    } while (*s);
    return (int)(~allowed & 0777);
}

BUILTIN(umask) {
    struct bopt o = bopt_new(argc, argv);
    bool symbolic = false, reusable = false;
    for (int c; (c = bopt_next(sh, &o, "Sp", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'S')
            symbolic = true;
        else
            reusable = true;
    }
    mode_t mask = umask(022);
    umask(mask);
    if (o.index < argc) {
        const char *arg = argv[o.index];
        int wanted;
        if (*arg >= '0' && *arg <= '9') {
            char *end;
            long value = strtol(arg, &end, 8);
            if (*end || value > 07777) {
                sh_builtin_error(sh, "%s: octal number out of range", arg);
                return 1;
            }
            wanted = (int)(value & 0777);
        } else {
            wanted = symbolic_mask(sh, arg, mask);
        }
        if (wanted < 0) return 1;
        umask((mode_t)wanted);
        if (symbolic) print_symbolic(sh, (unsigned)wanted);
        return 0;
    }
    if (reusable) out_printf(sh, "umask %s", symbolic ? "-S " : "");
    if (symbolic)
        print_symbolic(sh, mask);
    else
        out_printf(sh, "%04o\n", (unsigned)mask);
    return 0;
}

/* ------------------------------------------------------------------ ulimit */

struct resource {
    char letter;
    int number; /* Linux's; -1: pipe size, which is fixed */
    int64_t unit;
    const char *text; /* as `ulimit -a` names it */
    const char *unit_text;
};

static const struct resource resources[] = {
    {'R', 15, 1, "real-time non-blocking time", "microseconds, -R"},
    {'c', 4, 512, "core file size", "blocks, -c"},
    {'d', 2, 1024, "data seg size", "kbytes, -d"},
    {'e', 13, 1, "scheduling priority", "-e"},
    {'f', 1, 512, "file size", "blocks, -f"},
    {'i', 11, 1, "pending signals", "-i"},
    {'l', 8, 1024, "max locked memory", "kbytes, -l"},
    {'m', 5, 1024, "max memory size", "kbytes, -m"},
    {'n', 7, 1, "open files", "-n"},
    {'p', -1, 512, "pipe size", "512 bytes, -p"},
    {'q', 12, 1, "POSIX message queues", "bytes, -q"},
    {'r', 14, 1, "real-time priority", "-r"},
    {'s', 3, 1024, "stack size", "kbytes, -s"},
    {'t', 0, 1, "cpu time", "seconds, -t"},
    {'u', 6, 1, "max user processes", "-u"},
    {'v', 9, 1024, "virtual memory", "kbytes, -v"},
    {'x', 10, 1, "file locks", "-x"},
};

static int64_t unit_of(const struct shell *sh, const struct resource *r) {
    /* without POSIX mode blocks are of 1024 bytes */
    return r->unit == 512 && r->number >= 0 && !sh->posix ? 1024 : r->unit;
}

static void print_name(struct shell *sh, const struct resource *r) {
    char unit[40];
    snprintf(unit, sizeof unit, "(%s)", r->unit_text);
    out_printf(sh, "%-20s%20s ", r->text, unit);
}

static void print_limit(struct shell *sh, const struct resource *r, bool hard) {
    if (r->number < 0) {
        out_puts(sh, "8\n");
        return;
    }
    struct rlimit limit;
    if (getrlimit(r->number, &limit) < 0) limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
    rlim_t value = hard ? limit.rlim_max : limit.rlim_cur;
    if (value == RLIM_INFINITY)
        out_puts(sh, "unlimited\n");
    else
        out_printf(sh, "%" PRIu64 "\n", (uint64_t)value / (uint64_t)unit_of(sh, r));
}

static int set_limit(struct shell *sh, const struct resource *r, const char *text, bool soft,
                     bool hard) {
    struct rlimit limit;
    int64_t value;
    if (r->number < 0 || getrlimit(r->number, &limit) < 0) {
        sh_builtin_error(sh, "%s: cannot modify limit: %s", "pipe size", strerror(EINVAL));
        return 1;
    }
    rlim_t wanted;
    if (strcmp(text, "unlimited") == 0)
        wanted = RLIM_INFINITY;
    else if (strcmp(text, "hard") == 0)
        wanted = limit.rlim_max;
    else if (strcmp(text, "soft") == 0)
        wanted = limit.rlim_cur;
    else if (parse_int64(text, &value) && value >= 0)
        wanted = (rlim_t)(value * unit_of(sh, r));
    else {
        sh_builtin_error(sh, "%s: invalid number", text);
        return 1;
    }
    if (soft || !hard) limit.rlim_cur = wanted;
    if (hard || !soft) limit.rlim_max = wanted;
    if (setrlimit(r->number, &limit) == 0) return 0;
    sh_builtin_error(sh, "%s: cannot modify limit: %s", r->text, strerror(errno));
    return 1;
}

static const struct resource *resource_of(int letter) {
    for (int i = 0; i < DIM(resources); i++)
        if (resources[i].letter == letter) return &resources[i];
    return NULL;
}

/* What stands behind a resource's letter: its limit, attached or as the next word. */
static const char *limit_arg(struct bopt *o) {
    const char *arg = NULL;
    if (*o->rest) {
        arg = o->rest;
        o->rest = "";
    } else if (o->index < o->argc && *o->argv[o->index] != '-') {
        arg = o->argv[o->index++];
    }
    return arg;
}

static void print_limits(struct shell *sh, bool hard) {
    for (int i = 0; i < DIM(resources); i++) {
        print_name(sh, &resources[i]);
        print_limit(sh, &resources[i], hard);
    }
}

BUILTIN(ulimit) {
    struct bopt o = bopt_new(argc, argv);
    bool soft = false, hard = false, all = false;
    struct {
        const struct resource *resource;
        const char *limit;
    } wanted[DIM(resources)];
    int count = 0;
    for (int c; (c = bopt_next(sh, &o, "SHacdefilmnpqrstuvxR", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'S') {
            soft = true;
        } else if (c == 'H') {
            hard = true;
        } else if (c == 'a') {
            all = true;
        } else if (count < DIM(wanted)) {
            wanted[count].resource = resource_of(c);
            wanted[count++].limit = limit_arg(&o);
        }
    }
    if (all) {
        print_limits(sh, hard && !soft);
        return 0;
    }
    if (count == 0) {
        wanted[count].resource = resource_of('f');
        wanted[count++].limit = o.index < argc ? argv[o.index] : NULL;
    }
    for (int i = 0; i < count; i++) {
        if (wanted[i].limit) {
            if (set_limit(sh, wanted[i].resource, wanted[i].limit, soft, hard)) return 1;
            continue;
        }
        if (count > 1) print_name(sh, wanted[i].resource);
        print_limit(sh, wanted[i].resource, hard && !soft);
    }
    return 0;
}
