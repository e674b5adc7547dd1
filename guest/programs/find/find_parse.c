/*
 * find_parse.c: from the command line to the expression tree.
 *
 * Precedence from weak to strong: the comma, -o, -a (or nothing), !, parentheses. Options such as
 * -maxdepth hold everywhere and are true in the tree.
 */
#include "find.h"
#include "g_regex.h"
#include "g_number.h"
#include "g_option.h"
#include "g_quote.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NESTING_MAX 200

typedef struct {
    find_state *f;
    char **argv;
    int at, argc;
    int depth;
    const char *last_test; /* for the warning about -maxdepth behind tests */
    const char *last_name_pattern;
} parser;

static find_node *comma_list(parser *p);

static find_node *new_node(enum find_op op) {
    find_node *n = g_zalloc(sizeof *n);
    n->op = op;
    return n;
}

static const char *argument(parser *p, const char *predicate) {
    if (p->at >= p->argc) g_die(1, "missing argument to `%s'", predicate);
    return p->argv[p->at++];
}

/* +N, -N or N. */
static const char *comparison(const char *text, enum find_compare *compare) {
    *compare = *text == '+' ? COMPARE_MORE : *text == '-' ? COMPARE_LESS : COMPARE_EQUAL;
    return text + (*text == '+' || *text == '-');
}

static find_node *number_test(parser *p, enum find_op op, const char *predicate) {
    const char *arg = argument(p, predicate);
    find_node *n = new_node(op);
    const char *digits = comparison(arg, &n->compare);
    uint64_t value;
    if (g_parse_unsigned(digits, NULL, &value, NULL) != G_NUMBER_OK || !isdigit((unsigned char)*digits))
        g_die(1, "invalid argument `%s' to `%s'", arg, predicate);
    n->number = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    return n;
}

static find_node *pattern_test(parser *p, enum find_op op, bool fold, const char *predicate) {
    find_node *n = new_node(op);
    n->text = argument(p, predicate);
    n->fold = fold;
    return n;
}

/* Emacs syntax, find's own, as an extended expression: groups and | need backslashes there. */
static char *from_emacs(const char *s) {
    g_text out = {0};
    g_text_adds(&out, "");
    while (*s) {
        if (*s == '\\' && s[1] && strchr("()|", s[1])) {
            g_text_addc(&out, s[1]);
            s += 2;
        } else if (*s == '\\' && s[1]) {
            g_text_add(&out, s, 2);
            s += 2;
        } else if (strchr("()|{}", *s)) {
            g_text_addc(&out, '\\');
            g_text_addc(&out, *s++);
        } else if (*s == '[') {
            const char *start = s++;
            if (*s == '^') s++;
            if (*s == ']') s++;
            while (*s && *s != ']') {
                if (*s == '[' && s[1] && strchr(":.=", s[1])) {
                    char end = s[1];
                    for (s += 2; *s && !(*s == end && s[1] == ']'); s++) {
                    }
                    if (*s) s++;
                }
                if (*s) s++;
            }
            if (*s) s++;
            g_text_add(&out, start, (size_t)(s - start));
        } else {
            g_text_addc(&out, *s++);
        }
    }
    return out.s;
}

static find_node *regex_test(parser *p, bool fold, const char *predicate) {
    find_node *n = new_node(OP_REGEX);
    const char *arg = argument(p, predicate), *message;
    bool emacs = p->f->regex_type == REGEX_EMACS;
    char *pattern = emacs ? from_emacs(arg) : g_copy_string(arg);
    unsigned flags = emacs ? PF_RE_EXTENDED : (unsigned)p->f->regex_type;
    if (fold) flags |= PF_RE_ICASE;
    if (!g_utf8_locale()) flags |= PF_RE_BYTES;
    if (pf_regex_compile(&n->re, pattern, strlen(pattern), flags, &g_regex_host, &message) != PF_RE_OK)
        g_die(1, "failed to compile regular expression '%s': %s", arg, message);
    free(pattern);
    return n;
}

static void set_regex_type(parser *p) {
    static const struct {
        const char *name;
        int flags;
    } types[] = {{"findutils-default", REGEX_EMACS}, {"ed", 0}, {"emacs", REGEX_EMACS},
                 {"gnu-awk", PF_RE_EXTENDED}, {"grep", PF_RE_GREP}, {"posix-awk", PF_RE_EXTENDED},
                 {"awk", PF_RE_EXTENDED}, {"posix-basic", 0}, {"posix-egrep", PF_RE_EXTENDED},
                 {"egrep", PF_RE_EXTENDED | PF_RE_GREP}, {"posix-extended", PF_RE_EXTENDED},
                 {"posix-minimal-basic", 0}, {"sed", 0}};
    const char *arg = argument(p, "-regextype");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(arg, types[i].name) != 0) continue;
        p->f->regex_type = types[i].flags;
        return;
    }
    g_die(1, "Unknown regular expression type %s; valid types are ‘findutils-default’, ‘ed’, "
             "‘emacs’, ‘gnu-awk’, ‘grep’, ‘posix-awk’, ‘awk’, ‘posix-basic’, ‘posix-egrep’, "
             "‘egrep’, ‘posix-extended’, ‘posix-minimal-basic’, ‘sed’.", g_quote(arg));
}

static find_node *type_test(parser *p, enum find_op op, const char *predicate) {
    const char *arg = argument(p, predicate);
    find_node *n = new_node(op);
    if (!*arg) g_die(1, "Arguments to %s should contain at least one letter", predicate);
    for (const char *t = arg;;) {
        mode_t type;
        switch (*t) {
        case 'b': type = S_IFBLK; break;
        case 'c': type = S_IFCHR; break;
        case 'd': type = S_IFDIR; break;
        case 'f': type = S_IFREG; break;
        case 'l': type = S_IFLNK; break;
        case 'p': type = S_IFIFO; break;
        case 's': type = S_IFSOCK; break;
        default: g_die(1, "Unknown argument to %s: %c", predicate, *t);
        }
        n->types |= 1u << (type >> 12);
        if (!*++t) return n;
        if (*t != ',') g_die(1, "Must separate multiple arguments to %s using: ','", predicate);
        if (!*++t)
            g_die(1, "Last file type in list argument to %s is missing, i.e., list is ending on: ','",
                  predicate);
    }
}

static find_node *size_test(parser *p) {
    const char *arg = argument(p, "-size");
    find_node *n = new_node(OP_SIZE);
    const char *digits = comparison(arg, &n->compare), *end;
    uint64_t value;
    if (!isdigit((unsigned char)*digits)) g_die(1, "invalid -size type `%s'", arg);
    g_parse_unsigned(digits, NULL, &value, &end);
    n->number = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    switch (*end) {
    case '\0': case 'b': n->unit = 512; break;
    case 'c': n->unit = 1; break;
    case 'w': n->unit = 2; break;
    case 'k': n->unit = 1024; break;
    case 'M': n->unit = 1024 * 1024; break;
    case 'G': n->unit = 1024 * 1024 * 1024; break;
    default: g_die(1, "invalid -size type `%c'", *end);
    }
    if (*end && end[1]) g_die(1, "invalid argument `%s' to -size", arg);
    return n;
}

static find_node *perm_test(parser *p) {
    const char *arg = argument(p, "-perm"), *text = arg;
    find_node *n = new_node(OP_PERM);
    n->unit = *text == '-' || *text == '/' ? *text++ : '=';
    g_mode_change *change = g_mode_parse(text);
    if (!change) g_die(1, "invalid mode %s", g_quote(arg));
    n->mode_file = g_mode_apply(change, 0, false, 0);
    n->mode_dir = g_mode_apply(change, 0, true, 0);
    free(change);
    return n;
}

static find_node *owner_test(parser *p, bool group) {
    const char *predicate = group ? "-group" : "-user", *arg = argument(p, predicate);
    find_node *n = new_node(group ? OP_GROUP : OP_USER);
    struct passwd *user = group ? NULL : getpwnam(arg);
    struct group *g = group ? getgrnam(arg) : NULL;
    uint64_t id;
    if (user) n->number = user->pw_uid;
    else if (g) n->number = g->gr_gid;
    else if (g_parse_unsigned(arg, "", &id, NULL) == G_NUMBER_OK) n->number = (int64_t)id;
    else if (!*arg) g_die(1, "The argument to %s should not be empty", predicate);
    else g_die(1, "%s is not the name of %s", g_quote(arg), group ? "an existing group" : "a known user");
    return n;
}

static g_moment time_of_file(const struct stat *st, char which) {
    struct timespec t = which == 'a' ? st->st_atim : which == 'c' ? st->st_ctim : st->st_mtim;
    return (g_moment){t.tv_sec, (int)t.tv_nsec};
}

static find_node *newer_test(parser *p, char which, char than, const char *predicate) {
    const char *arg = argument(p, predicate);
    find_node *n = new_node(OP_NEWER);
    struct stat st;
    n->which = which;
    if (than == 't') {
        if (!g_date_parse(arg, p->f->now, &n->moment))
            g_die(1, "I cannot figure out how to interpret %s as a date or time", g_quote(arg));
        return n;
    }
    if ((p->f->follow || p->f->follow_operands ? stat : lstat)(arg, &st) < 0)
        g_die_errno(1, errno, "%s", g_quote(arg));
    n->moment = time_of_file(&st, than);
    return n;
}

/* -mtime and -mmin: `unit` seconds. Written as GNU computes it, with the day's origin. */
static find_node *time_test(parser *p, char which, int64_t unit, const char *predicate) {
    const char *arg = argument(p, predicate);
    find_node *n = new_node(OP_TIME);
    const char *digits = comparison(arg, &n->compare);
    double amount;
    if (!g_parse_real(digits, &amount) || *digits == '-' || *digits == '+')
        g_die(1, "invalid argument `%s' to `%s'", arg, predicate);
    n->which = which;
    n->unit = unit;
    g_moment origin = p->f->day_start;
    if (unit == 60) origin.seconds += 86400;
    else if (n->compare == COMPARE_LESS) origin.seconds += 86399;
    double seconds = amount * (double)unit;
    if (seconds > 9e15) seconds = 9e15;
    int64_t whole = (int64_t)seconds;
    n->moment = origin;
    n->moment.seconds -= whole;
    n->moment.nanoseconds -= (int)((seconds - (double)whole) * 1e9);
    if (n->moment.nanoseconds < 0) {
        n->moment.nanoseconds += 1000000000;
        n->moment.seconds--;
    }
    return n;
}

/* Output files are opened once, however often they are named. */
struct find_output {
    const char *path;
    g_sink sink;
    struct find_output *next;
};

static g_sink *open_output(find_state *f, const char *path) {
    if (strcmp(path, "/dev/stdout") == 0) return NULL;
    for (struct find_output *o = f->outputs; o; o = o->next)
        if (strcmp(o->path, path) == 0) return &o->sink;
    struct find_output *o = g_zalloc(sizeof *o);
    o->path = path;
    o->sink.fd = strcmp(path, "/dev/stderr") == 0
                     ? STDERR_FILENO
                     : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->sink.fd < 0) g_die_errno(1, errno, "%s", g_quote(path));
    o->sink.line_buffered = o->sink.fd == STDERR_FILENO;
    o->next = f->outputs;
    f->outputs = o;
    return &o->sink;
}

void find_flush_outputs(find_state *f) {
    for (struct find_output *o = f->outputs; o; o = o->next) {
        int error = g_sink_flush(&o->sink);
        if (!error) continue;
        g_warn_errno(error, "%s", g_quote(o->path));
        o->sink.error = 0;
        f->status = 1;
    }
}

static find_node *print_action(parser *p, enum find_op op, bool to_file, const char *predicate) {
    find_node *n = new_node(op);
    p->f->has_action = true;
    if (to_file) n->out = open_output(p->f, argument(p, predicate));
    if (op == OP_PRINTF) {
        n->text = argument(p, predicate);
        find_check_format(n->text);
    }
    return n;
}

static find_node *exec_action(parser *p, bool in_dir, bool ask, const char *predicate) {
    find_node *n = new_node(OP_EXEC);
    int first = p->at;
    bool batch = false;
    for (;; p->at++) {
        if (p->at >= p->argc) g_die(1, "missing argument to `%s'", predicate);
        const char *word = p->argv[p->at];
        if (strcmp(word, ";") == 0) break;
        if (!ask && strcmp(word, "+") == 0 && p->at > first && strcmp(p->argv[p->at - 1], "{}") == 0) {
            batch = true;
            break;
        }
        if (!ask && strcmp(word, "+") == 0 && p->at > first + 1 && strstr(p->argv[p->at - 1], "{}") &&
            p->at + 1 == p->argc) {
            g_die(1, "In %s the %s must appear by itself, but you specified %s",
                  in_dir ? "‘-execdir ... {} +’" : "‘-exec ... {} +’", g_quote("{}"),
                  g_quote(p->argv[p->at - 1]));
        }
    }
    int count = p->at++ - first;
    if (count < 1 || (batch && count < 2)) g_die(1, "missing argument to `%s'", predicate);
    p->f->has_action = true;
    for (int i = first; batch && i < first + count - 1; i++)
        if (strstr(p->argv[i], "{}"))
            g_die(1, "Only one instance of {} is supported with -exec%s ... +", in_dir ? "dir" : "");
    n->exec = find_exec_new(p->f, p->argv + first, count - batch, batch, in_dir, ask);
    return n;
}

static int64_t depth_argument(parser *p, const char *predicate) {
    const char *arg = argument(p, predicate);
    uint64_t value;
    if (!isdigit((unsigned char)*arg) || g_parse_unsigned(arg, "", &value, NULL) != G_NUMBER_OK)
        g_die(1, "Expected a positive decimal integer argument to %s, but got %s", predicate,
              g_quote(arg));
    return value > INT32_MAX ? INT32_MAX : (int64_t)value;
}

static void warn_position(parser *p, const char *option) {
    if (!p->last_test || !p->f->warn) return;
    g_warn("warning: you have specified the global option %s after the argument %s, but global "
           "options are not positional, i.e., %s affects tests specified before it as well as those "
           "specified after it.  Please specify global options before other arguments.",
           option, p->last_test, option);
}

/* Options that hold for all of find; true when `s` was one. */
static bool global_option(parser *p, const char *s) {
    find_state *f = p->f;
    if (strcmp(s, "-maxdepth") == 0) f->max_depth = depth_argument(p, s);
    else if (strcmp(s, "-mindepth") == 0) f->min_depth = depth_argument(p, s);
    else if (strcmp(s, "-depth") == 0 || strcmp(s, "-d") == 0) f->depth_first = f->explicit_depth = true;
    else if (strcmp(s, "-mount") == 0 || strcmp(s, "-xdev") == 0) f->same_device = true;
    else if (strcmp(s, "-noleaf") == 0 || strcmp(s, "-ignore_readdir_race") == 0 ||
             strcmp(s, "-noignore_readdir_race") == 0) {
    } else if (strcmp(s, "-files0-from") == 0) {
        f->files_from = argument(p, s);
    } else {
        return false;
    }
    warn_position(p, s);
    return true;
}

static bool positional_option(parser *p, const char *s) {
    find_state *f = p->f;
    if (strcmp(s, "-daystart") == 0) {
        g_civil c;
        f->daystart = true;
        g_civil_local(f->now.seconds, &c);
        f->day_start = (g_moment){f->now.seconds - c.hour * 3600 - c.minute * 60 - c.second, 0};
    } else if (strcmp(s, "-follow") == 0) {
        f->follow = true;
    } else if (strcmp(s, "-regextype") == 0) {
        set_regex_type(p);
    } else if (strcmp(s, "-warn") == 0 || strcmp(s, "-nowarn") == 0) {
        f->warn = s[1] == 'w';
    } else {
        return false;
    }
    return true;
}

static find_node *name_test(parser *p, const char *s) {
    if (strcmp(s, "-name") == 0) {
        find_node *n = pattern_test(p, OP_NAME, false, s);
        if (strchr(n->text, '/') && p->f->warn)
            g_warn("warning: %s matches against basenames only, but the given pattern contains a "
                   "directory separator (%s), thus the expression will evaluate to false all the "
                   "time.  Did you mean %s?", g_quote("-name"), g_quote("/"), g_quote("-wholename"));
        return n;
    }
    if (strcmp(s, "-iname") == 0) return pattern_test(p, OP_NAME, true, s);
    if (strcmp(s, "-path") == 0 || strcmp(s, "-wholename") == 0) return pattern_test(p, OP_PATH, false, s);
    if (strcmp(s, "-ipath") == 0 || strcmp(s, "-iwholename") == 0) return pattern_test(p, OP_PATH, true, s);
    if (strcmp(s, "-lname") == 0) return pattern_test(p, OP_LNAME, false, s);
    if (strcmp(s, "-ilname") == 0) return pattern_test(p, OP_LNAME, true, s);
    if (strcmp(s, "-regex") == 0) return regex_test(p, false, s);
    if (strcmp(s, "-iregex") == 0) return regex_test(p, true, s);
    if (strcmp(s, "-fstype") == 0) return pattern_test(p, OP_FSTYPE, false, s);
    return NULL;
}

static find_node *time_tests(parser *p, const char *s) {
    static const struct {
        const char *name;
        char which;
        int unit;
    } times[] = {{"-atime", 'a', 86400}, {"-ctime", 'c', 86400}, {"-mtime", 'm', 86400},
                 {"-amin", 'a', 60},     {"-cmin", 'c', 60},     {"-mmin", 'm', 60}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(s, times[i].name) == 0) return time_test(p, times[i].which, times[i].unit, s);
    if (strcmp(s, "-newer") == 0) return newer_test(p, 'm', 'm', s);
    if (strcmp(s, "-anewer") == 0) return newer_test(p, 'a', 'm', s);
    if (strcmp(s, "-cnewer") == 0) return newer_test(p, 'c', 'm', s);
    if (strncmp(s, "-newer", 6) == 0 && strlen(s) == 8) {
        if (!strchr("aBcm", s[6]) || !strchr("aBcmt", s[7])) g_die(1, "invalid predicate `%s'", s);
        return newer_test(p, s[6], s[7], s);
    }
    if (strcmp(s, "-used") == 0) return number_test(p, OP_USED, s);
    return NULL;
}

static find_node *file_test(parser *p, const char *s) {
    find_node *n = NULL;
    if (strcmp(s, "-type") == 0) return type_test(p, OP_TYPE, s);
    if (strcmp(s, "-xtype") == 0) return type_test(p, OP_XTYPE, s);
    if (strcmp(s, "-size") == 0) return size_test(p);
    if (strcmp(s, "-empty") == 0) return new_node(OP_EMPTY);
    if (strcmp(s, "-perm") == 0) return perm_test(p);
    if (strcmp(s, "-user") == 0 || strcmp(s, "-group") == 0) return owner_test(p, s[1] == 'g');
    if (strcmp(s, "-uid") == 0) return number_test(p, OP_USER, s);
    if (strcmp(s, "-gid") == 0) return number_test(p, OP_GROUP, s);
    if (strcmp(s, "-nouser") == 0) return new_node(OP_NOUSER);
    if (strcmp(s, "-nogroup") == 0) return new_node(OP_NOGROUP);
    if (strcmp(s, "-links") == 0) return number_test(p, OP_LINKS, s);
    if (strcmp(s, "-inum") == 0) return number_test(p, OP_INUM, s);
    if (strcmp(s, "-true") == 0) return new_node(OP_TRUE);
    if (strcmp(s, "-false") == 0) return new_node(OP_FALSE);
    if (strcmp(s, "-samefile") == 0) {
        struct stat st;
        const char *arg = argument(p, s);
        if ((p->f->follow ? stat : lstat)(arg, &st) < 0) g_die_errno(1, errno, "%s", g_quote(arg));
        n = new_node(OP_SAMEFILE);
        n->dev = (uint64_t)st.st_dev;
        n->ino = (uint64_t)st.st_ino;
        return n;
    }
    if (strcmp(s, "-readable") == 0 || strcmp(s, "-writable") == 0 || strcmp(s, "-executable") == 0) {
        n = new_node(OP_ACCESS);
        n->unit = s[1] == 'r' ? R_OK : s[1] == 'w' ? W_OK : X_OK;
        return n;
    }
    if (strcmp(s, "-context") == 0) g_die(1, "invalid predicate -context: SELinux is not enabled.");
    return NULL;
}

static find_node *action(parser *p, const char *s) {
    if (strcmp(s, "-print") == 0) return print_action(p, OP_PRINT, false, s);
    if (strcmp(s, "-print0") == 0) return print_action(p, OP_PRINT0, false, s);
    if (strcmp(s, "-printf") == 0) return print_action(p, OP_PRINTF, false, s);
    if (strcmp(s, "-ls") == 0) return print_action(p, OP_LS, false, s);
    if (strcmp(s, "-fprint") == 0) return print_action(p, OP_PRINT, true, s);
    if (strcmp(s, "-fprint0") == 0) return print_action(p, OP_PRINT0, true, s);
    if (strcmp(s, "-fprintf") == 0) return print_action(p, OP_PRINTF, true, s);
    if (strcmp(s, "-fls") == 0) return print_action(p, OP_LS, true, s);
    if (strcmp(s, "-exec") == 0) return exec_action(p, false, false, s);
    if (strcmp(s, "-execdir") == 0) return exec_action(p, true, false, s);
    if (strcmp(s, "-ok") == 0) return exec_action(p, false, true, s);
    if (strcmp(s, "-okdir") == 0) return exec_action(p, true, true, s);
    if (strcmp(s, "-prune") == 0) {
        p->f->has_prune = true;
        return new_node(OP_PRUNE);
    }
    if (strcmp(s, "-quit") == 0) return new_node(OP_QUIT);
    if (strcmp(s, "-delete") == 0) {
        p->f->has_action = p->f->has_delete = p->f->depth_first = true;
        return new_node(OP_DELETE);
    }
    return NULL;
}

static void help_or_version(const char *s) {
    if (strcmp(s, "-help") == 0 || strcmp(s, "--help") == 0) {
        g_outs(g_help());
        g_exit(0);
    }
    if (strcmp(s, "-version") == 0 || strcmp(s, "--version") == 0) {
        g_outs("find (pinfold), compatible with GNU findutils 4.9.0\n");
        g_exit(0);
    }
}

bool find_is_expression(const char *arg) {
    return (*arg == '-' && arg[1]) || strcmp(arg, "(") == 0 || strcmp(arg, "!") == 0;
}

static bool is_at(const parser *p, const char *word, const char *other) {
    if (p->at >= p->argc) return false;
    return strcmp(p->argv[p->at], word) == 0 || (other && strcmp(p->argv[p->at], other) == 0);
}

static find_node *primary(parser *p) {
    const char *s = p->argv[p->at];
    if (is_at(p, "(", NULL)) {
        if (++p->depth > NESTING_MAX) g_die(1, "invalid expression; parentheses nested too deeply");
        p->at++;
        if (is_at(p, ")", NULL)) g_die(1, "invalid expression; empty parentheses are not allowed.");
        if (p->at >= p->argc)
            g_die(1, "invalid expression; expected to find a ')' but didn't see one. Perhaps you need "
                     "an extra predicate after '('");
        find_node *n = comma_list(p);
        if (!is_at(p, ")", NULL))
            g_die(1, "invalid expression; I was expecting to find a ')' somewhere but did not see "
                     "one.");
        p->at++;
        p->depth--;
        return n;
    }
    if (is_at(p, "-o", "-or") || is_at(p, "-a", "-and") || is_at(p, ",", NULL))
        g_die(1, "invalid expression; you have used a binary operator '%s' with nothing before it.", s);
    if (is_at(p, ")", NULL)) g_die(1, "invalid expression; you have too many ')'");
    if (*s != '-') {
        g_warn("paths must precede expression: `%s'", s);
        if (p->last_name_pattern && access(p->last_name_pattern, F_OK) == 0)
            g_warn("possible unquoted pattern after predicate `%s'?", p->last_test);
        g_exit(1);
    }
    help_or_version(s);
    p->at++;
    if (global_option(p, s) || positional_option(p, s)) return new_node(OP_TRUE);
    find_node *n = name_test(p, s);
    if (!n) n = time_tests(p, s);
    if (!n) n = file_test(p, s);
    if (!n) n = action(p, s);
    if (!n) g_die(1, "unknown predicate `%s'", s);
    p->last_test = s;
    p->last_name_pattern = n->op == OP_NAME ? n->text : NULL;
    return n;
}

static find_node *negation(parser *p) {
    bool negate = false;
    while (is_at(p, "!", "-not")) {
        const char *word = p->argv[p->at++];
        if (p->at >= p->argc) g_die(1, "expected an expression after '%s'", word);
        negate = !negate;
    }
    find_node *n = primary(p);
    if (!negate) return n;
    find_node *not = new_node(OP_NOT);
    not->child = n;
    return not;
}

/* Children of one operator; `more` says whether another follows and moves past the operator. */
static find_node *list(parser *p, enum find_op op, find_node *(*element)(parser *),
                       bool (*more)(parser *)) {
    find_node *first = element(p), *last = first;
    if (!more(p)) return first;
    find_node *n = new_node(op);
    n->child = first;
    do {
        last->next = element(p);
        last = last->next;
    } while (more(p));
    return n;
}

static void need_right_side(parser *p, const char *word) {
    if (p->at >= p->argc) g_die(1, "invalid expression");
    if (is_at(p, ")", NULL))
        g_die(1, "invalid expression; you have used a binary operator '%s' with nothing after it.", word);
}

static bool more_and(parser *p) {
    if (p->at >= p->argc || is_at(p, ")", NULL) || is_at(p, "-o", "-or") || is_at(p, ",", NULL)) return false;
    if (is_at(p, "-a", "-and")) {
        const char *word = p->argv[p->at++];
        need_right_side(p, word);
    }
    return true;
}

static bool more_or(parser *p) {
    if (!is_at(p, "-o", "-or")) return false;
    const char *word = p->argv[p->at++];
    need_right_side(p, word);
    return true;
}

static bool more_comma(parser *p) {
    if (!is_at(p, ",", NULL)) return false;
    p->at++;
    need_right_side(p, ",");
    return true;
}

static find_node *conjunction(parser *p) { return list(p, OP_AND, negation, more_and); }
static find_node *disjunction(parser *p) { return list(p, OP_OR, conjunction, more_or); }
static find_node *comma_list(parser *p) { return list(p, OP_COMMA, disjunction, more_comma); }

void find_parse(find_state *f, int argc, char **argv, int first) {
    parser p = {.f = f, .argv = argv, .at = first, .argc = argc};
    find_node *root = NULL;
    if (first < argc) {
        root = comma_list(&p);
        if (p.at < argc) g_die(1, "you have too many ')'");
    }
    if (f->has_delete && f->has_prune && !f->explicit_depth)
        g_die(1, "The -delete action automatically turns on -depth, but -prune does nothing when "
                 "-depth is in effect.  If you want to carry on anyway, just explicitly use the "
                 "-depth option.");
    if (!f->has_action) {
        find_node *both = new_node(OP_AND), *print = new_node(OP_PRINT);
        both->child = root ? root : print;
        if (root) root->next = print;
        root = both;
    }
    f->root = root;
}
