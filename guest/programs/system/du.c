/*
 * du.c: how much space files take.
 *
 * help du:
 *   Usage: du [OPTION]... [FILE]...
 *     or:  du [OPTION]... --files0-from=F
 *   Summarize disk usage of the set of FILEs, recursively for directories.
 *
 *     -0, --null            end each output line with NUL, not newline
 *     -a, --all             write counts for all files, not just directories
 *         --apparent-size   print apparent sizes rather than disk usage
 *     -B, --block-size=SIZE  scale sizes by SIZE before printing them
 *     -b, --bytes           equivalent to '--apparent-size --block-size=1'
 *     -c, --total           produce a grand total
 *     -D, -H, --dereference-args  dereference only symlinks that are listed on the command line
 *     -d, --max-depth=N     print the total for a directory only if it is N or fewer levels below
 *         --exclude=PATTERN  exclude files that match PATTERN
 *     -X, --exclude-from=FILE  exclude files that match any pattern in FILE
 *         --files0-from=F   summarize the NUL-terminated file names in file F
 *     -h, --human-readable  print sizes in human readable format (e.g., 1K 234M 2G)
 *         --inodes          list inode usage information instead of block usage
 *     -k                    like --block-size=1K
 *     -L, --dereference     dereference all symbolic links
 *     -l, --count-links     count sizes many times if hard linked
 *     -m                    like --block-size=1M
 *     -P, --no-dereference  don't follow any symbolic links (this is the default)
 *     -S, --separate-dirs   for directories do not include size of subdirectories
 *         --si              like -h, but use powers of 1000 not 1024
 *     -s, --summarize       display only a total for each argument
 *     -t, --threshold=SIZE  exclude entries smaller than SIZE if positive, or greater if negative
 *         --time[=WORD]     show time of the last modification of any file in the directory;
 *                             WORD: atime, access, use, ctime or status
 *         --time-style=STYLE  full-iso, long-iso, iso, or +FORMAT
 *     -x, --one-file-system  skip directories on different file systems
 *         --help            display this help and exit
 *         --version         output version information and exit
 */
#include "g_human.h"
#include "g_in.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_time.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint64_t size;
    int64_t newest;
} amount;

typedef struct {
    dev_t device;
    ino_t inode;
} seen_file;

typedef struct {
    bool all, apparent, total, count_links, separate, inodes, bytes;
    unsigned walk;
    int64_t max_depth, threshold;
    g_size_style style;
    char end;
    const char **exclude;
    size_t exclude_count, exclude_cap;
    int time; /* 0 none, m, a, c */
    const char *time_format;
    seen_file *seen; /* files with several names, or all: open addressing, inode 0 is free */
    size_t seen_count, seen_cap;
    bool remember_all;
    amount sum;
    bool failed;
} counter;

static bool excluded(const counter *c, const char *path) {
    for (size_t i = 0; i < c->exclude_count; i++) {
        if (fnmatch(c->exclude[i], path, 0) == 0) return true;
        for (const char *s = path; *s; s++)
            if (*s == '/' && s[1] != '/' && fnmatch(c->exclude[i], s + 1, 0) == 0) return true;
    }
    return false;
}

/* The place of a file in the table: where it is, or a free one. */
static seen_file *place_of(const counter *c, dev_t device, ino_t inode) {
    size_t at = (size_t)(inode * 0x9e3779b97f4a7c15u ^ device) & (c->seen_cap - 1);
    while (c->seen[at].inode && (c->seen[at].inode != inode || c->seen[at].device != device))
        at = (at + 1) & (c->seen_cap - 1);
    return &c->seen[at];
}

static void grow_seen(counter *c) {
    seen_file *old = c->seen;
    size_t count = c->seen_cap;
    c->seen_cap = count ? count * 2 : 256;
    c->seen = g_zalloc(c->seen_cap * sizeof *c->seen);
    for (size_t i = 0; i < count; i++)
        if (old[i].inode) *place_of(c, old[i].device, old[i].inode) = old[i];
    free(old);
}

/* A file with several names counts once; with several operands also one that is named twice. */
static bool counted_before(counter *c, const struct stat *st) {
    if (c->count_links) return false;
    if (!c->remember_all && (S_ISDIR(st->st_mode) || st->st_nlink <= 1)) return false;
    if (c->seen_count * 2 >= c->seen_cap) grow_seen(c);
    seen_file *place = place_of(c, st->st_dev, st->st_ino);
    if (place->inode) return true;
    *place = (seen_file){st->st_dev, st->st_ino};
    c->seen_count++;
    return false;
}

static amount amount_of(const counter *c, const struct stat *st) {
    amount a = {.newest = c->time == 'a'   ? st->st_atime
                          : c->time == 'c' ? st->st_ctime
                                           : st->st_mtime};
    if (c->inodes)
        a.size = 1;
    else if (!c->apparent)
        a.size = (uint64_t)st->st_blocks * 512;
    else
        a.size = S_ISREG(st->st_mode) || S_ISLNK(st->st_mode) || S_ISDIR(st->st_mode)
                     ? (uint64_t)st->st_size
                     : 0;
    return a;
}

static void add(amount *to, const amount *more) {
    to->size += more->size;
    if (more->newest > to->newest) to->newest = more->newest;
}

static void put(const counter *c, const amount *a, const char *path) {
    char text[G_HUMAN_SIZE];
    int64_t size = (int64_t)a->size;
    if (c->threshold > 0 ? size < c->threshold : c->threshold < 0 && size > -c->threshold) return;
    if (c->inodes && !c->style.base)
        g_out_decimal(a->size);
    else
        g_outs(g_human(a->size, &c->style, text));
    if (c->time) {
        g_civil civil;
        size_t len;
        g_civil_local(a->newest, &civil);
        char *when = g_strftime(c->time_format, &civil, a->newest, 0, &len);
        g_outf("\t%s", when);
        free(when);
    }
    g_outf("\t%s", path);
    g_outc(c->end);
}

static void count_tree(counter *c, const char *root) {
    g_walk *walk = g_walk_start(root, c->walk);
    amount *levels = NULL, *own = NULL; /* by depth: with and without subdirectories */
    size_t cap = 0;
    for (const g_entry *e; (e = g_walk_next(walk));) {
        switch (e->kind) {
        case G_WALK_STAT_ERROR:
            g_warn_errno(e->error, "cannot access %s", g_quoteaf(e->path));
            c->failed = true;
            continue;
        case G_WALK_DIR_ERROR:
            g_warn_errno(e->error, "cannot read directory %s", g_quoteaf(e->path));
            c->failed = true;
            continue;
        case G_WALK_CYCLE: continue;
        default: break;
        }
        size_t depth = (size_t)e->depth;
        while (depth + 1 >= cap) {
            size_t old = cap;
            levels = g_more(levels, &cap, sizeof *levels);
            own = g_resize(own, cap, sizeof *own);
            memset(levels + old, 0, (cap - old) * sizeof *levels);
            memset(own + old, 0, (cap - old) * sizeof *own);
        }
        if (e->kind == G_WALK_DIR_END) {
            const amount *shown = c->separate ? &own[depth] : &levels[depth];
            if (e->depth <= c->max_depth) put(c, shown, e->path);
            if (depth > 0)
                add(&levels[depth - 1], &levels[depth]);
            else
                add(&c->sum, &levels[0]);
            continue;
        }
        bool directory = e->kind == G_WALK_DIR;
        if ((c->exclude_count && excluded(c, e->path)) || counted_before(c, &e->st)) {
            if (directory) g_walk_skip(walk);
            continue;
        }
        amount a = amount_of(c, &e->st);
        if (directory) {
            levels[depth] = own[depth] = a;
            continue;
        }
        if (depth == 0) {
            add(&c->sum, &a);
            put(c, &a, e->path);
            continue;
        }
        add(&levels[depth - 1], &a);
        add(&own[depth - 1], &a);
        if (c->all && e->depth <= c->max_depth) put(c, &a, e->path);
    }
    g_walk_end(walk);
    free(levels);
    free(own);
}

static void add_exclude(counter *c, const char *pattern) {
    if (c->exclude_count == c->exclude_cap)
        c->exclude = g_more(c->exclude, &c->exclude_cap, sizeof *c->exclude);
    c->exclude[c->exclude_count++] = pattern;
}

static void exclude_from(counter *c, const char *name) {
    int fd = g_open_input(name);
    if (fd < 0) g_usage(NULL);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\n');
    while (g_read_line(&in, &line))
        if (line.len > 0) add_exclude(c, g_copy_bytes(line.s, line.len));
    g_reader_free(&in);
    g_close_input(fd);
}

static void count_list(counter *c, const char *name) {
    bool standard = strcmp(name, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) g_die_errno(1, errno, "cannot open %s for reading", g_quoteaf(name));
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, '\0');
    for (unsigned long number = 1; g_read_line(&in, &line); number++) {
        char *path = g_copy_bytes(line.s, line.len);
        if (*path) {
            count_tree(c, path);
        } else {
            g_warn("%s:%lu: invalid zero-length file name", g_quotef(name), number);
            c->failed = true;
        }
        free(path);
    }
}

enum { APPARENT = 256, EXCLUDE, FILES0, INODES, SI, TIME, TIME_STYLE };
static const g_long longs[] = {{"all", 'a', G_NONE},
                               {"apparent-size", APPARENT, G_NONE},
                               {"block-size", 'B', G_REQUIRED},
                               {"bytes", 'b', G_NONE},
                               {"count-links", 'l', G_NONE},
                               {"dereference", 'L', G_NONE},
                               {"dereference-args", 'D', G_NONE},
                               {"exclude", EXCLUDE, G_REQUIRED},
                               {"exclude-from", 'X', G_REQUIRED},
                               {"files0-from", FILES0, G_REQUIRED},
                               {"human-readable", 'h', G_NONE},
                               {"inodes", INODES, G_NONE},
                               {"si", SI, G_NONE},
                               {"max-depth", 'd', G_REQUIRED},
                               {"null", '0', G_NONE},
                               {"no-dereference", 'P', G_NONE},
                               {"one-file-system", 'x', G_NONE},
                               {"separate-dirs", 'S', G_NONE},
                               {"summarize", 's', G_NONE},
                               {"total", 'c', G_NONE},
                               {"threshold", 't', G_REQUIRED},
                               {"time", TIME, G_OPTIONAL},
                               {"time-style", TIME_STYLE, G_REQUIRED},
                               {0}};
static const g_word times[] = {{"atime", 'a'}, {"access", 'a'}, {"use", 'a'},
                               {"ctime", 'c'}, {"status", 'c'}, {0}};
static const g_word styles[] = {{"full-iso", 0}, {"long-iso", 1}, {"iso", 2}, {0}};

static void set_time_format(counter *c, const char *style) {
    static const char *const formats[] = {"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M", "%Y-%m-%d"};
    c->time_format =
        *style == '+' ? style + 1 : formats[g_match_word("time style", style, styles)];
}

int du_main(int argc, char **argv) {
    counter c = {.max_depth = -1, .end = '\n', .time_format = "%Y-%m-%d %H:%M"};
    bool summarize = false;
    const char *list = NULL;
    g_size_style_usual("DU_BLOCK_SIZE", &c.style);
    g_set_write_error(1, "write error");
    g_options o = g_options_of(argc, argv, "0abd:chHklmst:xB:DLPSX:", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case '0': c.end = '\0'; break;
        case 'a': c.all = true; break;
        case APPARENT: c.apparent = true; break;
        case 'b':
            c.apparent = true;
            c.style = (g_size_style){.block = 1, .suffix = ""};
            break;
        case 'c': c.total = true; break;
        case 'h': c.style = (g_size_style){.base = 1024, .suffix = ""}; break;
        case SI: c.style = (g_size_style){.base = 1000, .suffix = ""}; break;
        case 'k': c.style = (g_size_style){.block = 1024, .suffix = ""}; break;
        case 'm': c.style = (g_size_style){.block = 1 << 20, .suffix = ""}; break;
        case 'B':
            if (!g_size_style_parse(o.arg, &c.style))
                g_die(1, "invalid %s argument '%s'", o.name ? "--block-size" : "-B", o.arg);
            break;
        case 'd': {
            uint64_t depth;
            if (g_parse_unsigned(o.arg, "", &depth, NULL) != G_NUMBER_OK)
                g_usage("invalid maximum depth %s", g_quote(o.arg));
            c.max_depth = (int64_t)(depth & INT32_MAX);
            break;
        }
        case 't': {
            if (g_parse_signed(o.arg, G_SIZES, &c.threshold, NULL) != G_NUMBER_OK)
                g_die(1, "invalid %s argument '%s'", o.name ? "--threshold" : "-t", o.arg);
            if (c.threshold == 0 && *o.arg == '-') g_die(1, "invalid --threshold argument '-0'");
            break;
        }
        case 'D':
        case 'H': c.walk = (c.walk & ~(unsigned)G_WALK_FOLLOW) | G_WALK_FOLLOW_ROOT; break;
        case 'L': c.walk |= G_WALK_FOLLOW; break;
        case 'P': c.walk &= ~(unsigned)(G_WALK_FOLLOW | G_WALK_FOLLOW_ROOT); break;
        case 'l': c.count_links = true; break;
        case 'S': c.separate = true; break;
        case 's': summarize = true; break;
        case 'x': c.walk |= G_WALK_SAME_DEVICE; break;
        case 'X': exclude_from(&c, o.arg); break;
        case EXCLUDE: add_exclude(&c, o.arg); break;
        case FILES0: list = o.arg; break;
        case INODES: c.inodes = true; break;
        case TIME: c.time = o.arg ? g_match_word("--time", o.arg, times) : 'm'; break;
        case TIME_STYLE: set_time_format(&c, o.arg); break;
        }
    }
    if (c.all && summarize) g_usage("cannot both summarize and show all entries");
    if (summarize && c.max_depth == 0)
        g_warn("warning: summarizing is the same as using --max-depth=0");
    if (summarize && c.max_depth > 0)
        g_usage("warning: summarizing conflicts with --max-depth=%lld", (long long)c.max_depth);
    if (summarize) c.max_depth = 0;
    if (c.max_depth < 0) c.max_depth = INT32_MAX;
    if (c.inodes && c.apparent)
        g_warn("warning: options --apparent-size and -b are ineffective with --inodes");
    c.remember_all = argc - o.at > 1 || list || c.walk & G_WALK_FOLLOW;
    if (list) {
        if (o.at < argc) {
            g_warn("extra operand %s\nfile operands cannot be combined with --files0-from",
                   g_quote(argv[o.at]));
            g_usage(NULL);
        }
        count_list(&c, list);
    } else if (o.at == argc) {
        count_tree(&c, ".");
    }
    for (int i = o.at; i < argc; i++) {
        if (*argv[i]) {
            count_tree(&c, argv[i]);
            continue;
        }
        g_warn("invalid zero-length file name");
        c.failed = true;
    }
    if (c.total) put(&c, &c.sum, "total");
    return c.failed;
}
