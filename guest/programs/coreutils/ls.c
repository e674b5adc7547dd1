/*
 * ls.c: lists files and directories.
 *
 * This file reads the options and goes from directory to directory; ls_list.c collects and sorts,
 * ls_print.c prints, ls_color.c colours. Names sort by bytes, as in the C.UTF-8 locale.
 * Deviations: -Z shows "?" for every file; -D (--dired) is refused.
 *
 * help ls dir vdir:
 *   Usage: @NAME@ [OPTION]... [FILE]...
 *   List information about the FILEs (the current directory by default).
 *   Sort entries alphabetically if none of -cftuvSUX nor --sort is specified.
 *
 *     -a, --all                  do not ignore entries starting with .
 *     -A, --almost-all           do not list implied . and ..
 *         --author               with -l, print the author of each file
 *     -b, --escape               print C-style escapes for nongraphic characters
 *         --block-size=SIZE      with -l, scale sizes by SIZE when printing them
 *     -B, --ignore-backups       do not list implied entries ending with ~
 *     -c                         with -lt: sort by, and show, ctime; with -l: show ctime and sort
 *                                  by name; otherwise: sort by ctime, newest first
 *     -C                         list entries by columns
 *         --color[=WHEN]         colorize the output: always, auto, never
 *     -d, --directory            list directories themselves, not their contents
 *     -f                         do not sort, enable -aU, disable -ls --color
 *     -F, --classify[=WHEN]      append indicator (one of @*@/=>@|) to entries
 *         --file-type            likewise, except do not append '*'
 *         --format=WORD          across -x, commas -m, long -l, single-column -1, verbose -l,
 *                                  vertical -C
 *         --full-time            like -l --time-style=full-iso
 *     -g                         like -l, but do not list owner
 *         --group-directories-first  group directories before files
 *     -G, --no-group             in a long listing, don't print group names
 *     -h, --human-readable       with -l and -s, print sizes like 1K 234M 2G etc.
 *         --si                   likewise, but use powers of 1000 not 1024
 *     -H, --dereference-command-line  follow symbolic links listed on the command line
 *         --hide=PATTERN         do not list implied entries matching shell PATTERN
 *         --indicator-style=WORD  append indicator: none, slash (-p), file-type, classify (-F)
 *     -i, --inode                print the index number of each file
 *     -I, --ignore=PATTERN       do not list implied entries matching shell PATTERN
 *     -k, --kibibytes            default to 1024-byte blocks for file system usage
 *     -l                         use a long listing format
 *     -L, --dereference          show information for the file a link references
 *     -m                         fill width with a comma separated list of entries
 *     -n, --numeric-uid-gid      like -l, but list numeric user and group IDs
 *     -N, --literal              print entry names without quoting
 *     -o                         like -l, but do not list group information
 *     -p, --indicator-style=slash  append / indicator to directories
 *     -q, --hide-control-chars   print ? instead of nongraphic characters
 *     -Q, --quote-name           enclose entry names in double quotes
 *         --quoting-style=WORD   literal, locale, shell, shell-always, shell-escape,
 *                                  shell-escape-always, c, escape
 *     -r, --reverse              reverse order while sorting
 *     -R, --recursive            list subdirectories recursively
 *     -s, --size                 print the allocated size of each file, in blocks
 *     -S                         sort by file size, largest first
 *         --sort=WORD            none (-U), size (-S), time (-t), version (-v), extension (-X), width
 *         --time=WORD            atime access use (-u), ctime status (-c), birth creation,
 *         --time-style=STYLE     full-iso, long-iso, iso, locale, or +FORMAT
 *     -t                         sort by time, newest first
 *     -T, --tabsize=COLS         assume tab stops at each COLS instead of 8
 *     -u                         with access time, as -c
 *     -U                         do not sort; list entries in directory order
 *     -v                         natural sort of (version) numbers within text
 *     -w, --width=COLS           set output width to COLS. 0 means no limit
 *     -x                         list entries by lines instead of by columns
 *     -X                         sort alphabetically by entry extension
 *         --zero                 end each output line with NUL, not newline
 *     -1                         list one file per line
 *         --help                 display this help and exit
 *         --version              output version information and exit
 *
 *   Exit status: 0 if OK, 1 if minor problems (e.g., cannot access subdirectory),
 *   2 if serious trouble (e.g., cannot access command-line argument).
 */
#include "ls.h"
#include "g_file.h"
#include "g_number.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Directories still to be listed, the next one last; with -R also ends of directories. */
typedef struct {
    char *path;
    bool operand;
    dev_t dev;
    ino_t ino;
    bool end; /* a marker: the directory that is being listed ends here */
} pending;

typedef struct {
    pending *items;
    size_t count, cap;
} stack;

static void push(stack *s, char *path, bool operand) {
    if (s->count == s->cap) s->items = g_more(s->items, &s->cap, sizeof *s->items);
    s->items[s->count++] = (pending){.path = path, .operand = operand};
}

static bool ignored(const ls_options *o, const char *name) {
    if (*name == '.' && !o->all) {
        if (!o->almost_all) return true;
        if (name[1 + (name[1] == '.')] == '\0') return true;
    }
    for (size_t i = 0; i < o->ignore_count; i++)
        if (fnmatch(o->ignore[i], name, FNM_PERIOD) == 0) return true;
    for (size_t i = 0; !o->all && !o->almost_all && i < o->hide_count; i++)
        if (fnmatch(o->hide[i], name, FNM_PERIOD) == 0) return true;
    return false;
}

/* Whether the directory that is about to be listed contains itself (with -L). */
static bool is_loop(stack *s, const char *path) {
    struct stat st;
    if (stat(path, &st) < 0) return false;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].end && s->items[i].ino == st.st_ino && s->items[i].dev == st.st_dev) return true;
    push(s, NULL, false);
    s->items[s->count - 1].end = true;
    s->items[s->count - 1].dev = st.st_dev;
    s->items[s->count - 1].ino = st.st_ino;
    return false;
}

static void put_heading(const ls_options *o, const char *path) {
    ls_file f = {.name = (char *)path};
    ls_quote_name(o, &f);
    g_out(f.shown, f.shown_len);
    g_outs(":\n");
    free(f.shown);
}

static void list_directory(const ls_options *o, stack *s, ls_list *list, const pending *p,
                           bool heading, bool *first, int *status) {
    int serious = p->operand ? 2 : 1;
    DIR *dir = opendir(p->path);
    if (!dir) {
        g_warn_errno(errno, "cannot open directory %s", g_quoteaf(p->path));
        if (*status < serious) *status = serious;
        return;
    }
    if (o->recursive && is_loop(s, p->path)) {
        g_warn("%s: not listing already-listed directory", g_quotef(p->path));
        closedir(dir);
        *status = 2;
        return;
    }
    if (heading) {
        if (!*first) g_outc('\n');
        put_heading(o, p->path);
    }
    *first = false;
    ls_clear(list);
    errno = 0;
    for (struct dirent *d; (d = readdir(dir)); errno = 0)
        if (!ignored(o, d->d_name)) ls_add(o, list, p->path, d->d_name, false, d->d_type, status);
    if (errno) {
        g_warn_errno(errno, "reading directory %s", g_quoteaf(p->path));
        if (*status < serious) *status = serious;
    }
    closedir(dir);
    ls_sort_list(o, list);
    if (o->format == LS_LONG || o->blocks) ls_print_total(o, list);
    ls_print(o, list, list);
    for (size_t i = list->count; o->recursive && i-- > 0;) {
        const ls_file *f = &list->files[i];
        if (!S_ISDIR(f->st.st_mode) || strcmp(f->name, ".") == 0 || strcmp(f->name, "..") == 0) continue;
        push(s, g_join(p->path, f->name), false);
    }
}

static void list_pending(const ls_options *o, stack *s, ls_list *list, bool headings, bool first,
                         int *status) {
    while (s->count > 0) {
        pending p = s->items[--s->count];
        if (p.end) continue;
        list_directory(o, s, list, &p, headings || o->recursive, &first, status);
        free(p.path);
    }
}

/* Options */

enum { AUTHOR = 256, BLOCK_SIZE, COLOR, FILE_TYPE, FORMAT, FULL_TIME, DIRS_FIRST, HIDE, INDICATOR,
       QUOTING, SHOW_CONTROL, SI, SORT, TIME, TIME_STYLE, ZERO, DEREF_DIR, HYPERLINK };
static const g_long longs[] = {
    {"all", 'a', G_NONE}, {"escape", 'b', G_NONE}, {"directory", 'd', G_NONE},
    {"dired", 'D', G_NONE}, {"full-time", FULL_TIME, G_NONE},
    {"group-directories-first", DIRS_FIRST, G_NONE}, {"human-readable", 'h', G_NONE},
    {"inode", 'i', G_NONE}, {"kibibytes", 'k', G_NONE}, {"numeric-uid-gid", 'n', G_NONE},
    {"no-group", 'G', G_NONE}, {"hide-control-chars", 'q', G_NONE}, {"reverse", 'r', G_NONE},
    {"size", 's', G_NONE}, {"width", 'w', G_REQUIRED}, {"almost-all", 'A', G_NONE},
    {"ignore-backups", 'B', G_NONE}, {"classify", 'F', G_OPTIONAL},
    {"file-type", FILE_TYPE, G_NONE}, {"si", SI, G_NONE},
    {"dereference-command-line", 'H', G_NONE},
    {"dereference-command-line-symlink-to-dir", DEREF_DIR, G_NONE}, {"hide", HIDE, G_REQUIRED},
    {"ignore", 'I', G_REQUIRED}, {"indicator-style", INDICATOR, G_REQUIRED},
    {"dereference", 'L', G_NONE}, {"literal", 'N', G_NONE}, {"quote-name", 'Q', G_NONE},
    {"quoting-style", QUOTING, G_REQUIRED}, {"recursive", 'R', G_NONE},
    {"format", FORMAT, G_REQUIRED}, {"show-control-chars", SHOW_CONTROL, G_NONE},
    {"sort", SORT, G_REQUIRED}, {"tabsize", 'T', G_REQUIRED}, {"time", TIME, G_REQUIRED},
    {"time-style", TIME_STYLE, G_REQUIRED}, {"zero", ZERO, G_NONE}, {"color", COLOR, G_OPTIONAL},
    {"hyperlink", HYPERLINK, G_OPTIONAL}, {"block-size", BLOCK_SIZE, G_REQUIRED},
    {"context", 'Z', G_NONE}, {"author", AUTHOR, G_NONE}, {0}};

static const g_word whens[] = {{"always", 2}, {"yes", 2}, {"force", 2}, {"never", 0}, {"no", 0},
                               {"none", 0},   {"auto", 1}, {"tty", 1},  {"if-tty", 1}, {0}};
static const g_word formats[] = {{"verbose", LS_LONG}, {"long", LS_LONG}, {"commas", LS_COMMAS},
                                 {"horizontal", LS_ACROSS}, {"across", LS_ACROSS},
                                 {"vertical", LS_COLUMNS}, {"single-column", LS_ONE}, {0}};
static const g_word sorts[] = {{"none", LS_BY_NOTHING}, {"time", LS_BY_TIME}, {"size", LS_BY_SIZE},
                               {"extension", LS_BY_ENDING}, {"version", LS_BY_VERSION},
                               {"width", LS_BY_WIDTH}, {0}};
static const g_word times[] = {{"atime", LS_ATIME}, {"access", LS_ATIME}, {"use", LS_ATIME},
                               {"ctime", LS_CTIME}, {"status", LS_CTIME}, {"birth", LS_BTIME},
                               {"creation", LS_BTIME}, {0}};
static const g_word marks[] = {{"none", LS_NO_MARK}, {"slash", LS_SLASH},
                               {"file-type", LS_FILE_TYPE}, {"classify", LS_CLASSIFY}, {0}};
static const g_word quotes[] = {{"literal", LS_LITERAL}, {"shell", LS_SHELL},
                                {"shell-always", LS_SHELL_ALWAYS},
                                {"shell-escape", LS_SHELL_ESCAPE},
                                {"shell-escape-always", LS_SHELL_ESCAPE_ALWAYS}, {"c", LS_C},
                                {"c-maybe", LS_C_MAYBE}, {"escape", LS_ESCAPE},
                                {"locale", LS_LOCALE}, {"clocale", LS_CLOCALE}, {0}};

static void set_time_style(ls_options *o, const char *style) {
    if (strncmp(style, "posix-", 6) == 0) style += 6;
    if (*style == '+') {
        const char *newline = strchr(style, '\n');
        o->old_format = o->recent_format = style + 1;
        if (newline) {
            if (strchr(newline + 1, '\n')) g_die(2, "invalid time style format %s", g_quote(style + 1));
            o->old_format = g_copy_bytes(style + 1, (size_t)(newline - style - 1));
            o->recent_format = newline + 1;
        }
    } else if (strcmp(style, "full-iso") == 0) {
        o->old_format = o->recent_format = "%Y-%m-%d %H:%M:%S.%N %z";
    } else if (strcmp(style, "long-iso") == 0) {
        o->old_format = o->recent_format = "%Y-%m-%d %H:%M";
    } else if (strcmp(style, "iso") == 0) {
        o->old_format = "%Y-%m-%d ";
        o->recent_format = "%m-%d %H:%M";
    } else if (strcmp(style, "locale") == 0) {
        o->old_format = "%b %e  %Y";
        o->recent_format = "%b %e %H:%M";
    } else {
        g_warn("invalid argument %s for %s", g_quote(style), g_quote("time style"));
        static const char valid[] = "Valid arguments are:\n"
                                    "  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n"
                                    "  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a "
                                    "'date'-style format\n";
        if (write(STDERR_FILENO, valid, sizeof valid - 1) < 0) g_exit(2);
        g_try_help(2);
    }
}

static void add_pattern(const char ***list, size_t *count, const char *pattern) {
    *list = g_resize(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = pattern;
}

/* What was chosen explicitly; the rest follows from the terminal and the environment. */
typedef struct {
    int format, sort, quote, hide_control;
    bool time, kibibytes, block_size;
    const char *width, *style;
    bool has_tab;
} choices;

static void set_long(choices *c) { c->format = LS_LONG; }

static void set_hyperlink(ls_options *o, const char *when) {
    static char host[256];
    int value = when ? g_match_word("--hyperlink", when, whens) : 2;
    o->hyperlink_host = NULL;
    if (value != 2 && !(value == 1 && isatty(STDOUT_FILENO))) return;
    if (gethostname(host, sizeof host - 1) < 0) host[0] = '\0';
    o->hyperlink_host = host;
}

static void one_option(ls_options *o, choices *c, int option, const char *arg) {
    switch (option) {
    case 'a':
        o->all = true;
        o->almost_all = false;
        break;
    case 'A':
        o->almost_all = true;
        o->all = false;
        break;
    case AUTHOR: o->author = true; break;
    case 'b': c->quote = LS_ESCAPE; break;
    case 'B':
        add_pattern(&o->ignore, &o->ignore_count, "*~");
        add_pattern(&o->ignore, &o->ignore_count, ".*~");
        break;
    case BLOCK_SIZE:
        if (!g_size_style_parse(arg, &o->block_size))
            g_die(2, "invalid --block-size argument '%s'", arg);
        o->file_size = o->block_size;
        c->block_size = true;
        break;
    case 'c': o->time = LS_CTIME; c->time = true; break;
    case 'C': c->format = LS_COLUMNS; break;
    case COLOR: {
        int when = arg ? g_match_word("--color", arg, whens) : 2;
        o->color = when == 2 || (when == 1 && isatty(STDOUT_FILENO));
        break;
    }
    case 'd': o->directories_as_files = true; break;
    case 'f':
        o->all = true;
        c->sort = LS_BY_NOTHING;
        if (c->format == LS_LONG) c->format = -1;
        o->blocks = o->color = false;
        break;
    case 'F': {
        int when = arg ? g_match_word("--classify", arg, whens) : 2;
        if (when == 2 || (when == 1 && isatty(STDOUT_FILENO))) o->mark = LS_CLASSIFY;
        break;
    }
    case FILE_TYPE: o->mark = LS_FILE_TYPE; break;
    case FORMAT: c->format = g_match_word("--format", arg, formats); break;
    case FULL_TIME: set_long(c); c->style = "full-iso"; break;
    case 'g': set_long(c); o->no_owner = true; break;
    case DIRS_FIRST: o->directories_first = true; break;
    case 'G': o->no_group = true; break;
    case 'h': case SI:
        o->file_size = o->block_size = (g_size_style){.base = option == 'h' ? 1024 : 1000, .block = 1};
        c->block_size = true;
        break;
    case 'H': o->links = LS_FOLLOW_OPERANDS; break;
    case DEREF_DIR: o->links = LS_FOLLOW_OPERAND_DIRS; break;
    case HIDE: add_pattern(&o->hide, &o->hide_count, arg); break;
    case INDICATOR: o->mark = (enum ls_mark)g_match_word("--indicator-style", arg, marks); break;
    case 'i': o->inode = true; break;
    case 'I': add_pattern(&o->ignore, &o->ignore_count, arg); break;
    case 'k': c->kibibytes = true; break;
    case 'l': set_long(c); break;
    case 'L': o->links = LS_FOLLOW_ALL; break;
    case 'm': c->format = LS_COMMAS; break;
    case 'n': set_long(c); o->numeric = true; break;
    case 'N': c->quote = LS_LITERAL; break;
    case 'o': set_long(c); o->no_group = true; break;
    case 'p': o->mark = LS_SLASH; break;
    case 'q': c->hide_control = 1; break;
    case 'Q': c->quote = LS_C; break;
    case QUOTING: c->quote = g_match_word("--quoting-style", arg, quotes); break;
    case 'r': o->reverse = true; break;
    case 'R': o->recursive = true; break;
    case 's': o->blocks = true; break;
    case 'S': c->sort = LS_BY_SIZE; break;
    case SHOW_CONTROL: c->hide_control = 0; break;
    case SORT: c->sort = g_match_word("--sort", arg, sorts); break;
    case TIME: o->time = (enum ls_time)g_match_word("--time", arg, times); c->time = true; break;
    case TIME_STYLE: c->style = arg; break;
    case 't': c->sort = LS_BY_TIME; break;
    case 'T':
        c->has_tab = true;
        o->tab = (size_t)g_number(arg, "", 0, 1 << 20, "invalid tab size");
        break;
    case 'u': o->time = LS_ATIME; c->time = true; break;
    case 'U': c->sort = LS_BY_NOTHING; break;
    case 'v': c->sort = LS_BY_VERSION; break;
    case 'w': c->width = arg; break;
    case 'x': c->format = LS_ACROSS; break;
    case 'X': c->sort = LS_BY_ENDING; break;
    case 'Z': o->context = true; break;
    case ZERO:
        o->end = '\0';
        if (c->format != LS_LONG) c->format = LS_ONE;
        o->color = false;
        c->quote = LS_LITERAL;
        c->hide_control = 0;
        break;
    case '1':
        if (c->format != LS_LONG) c->format = LS_ONE;
        break;
    case HYPERLINK: set_hyperlink(o, arg); break;
    default: g_die(2, "--dired is not available");
    }
}

/* The style of that name, in full; -1: there is none, which is said. */
static int quote_named(const char *name) {
    for (const g_word *w = quotes; w->word; w++)
        if (strcmp(w->word, name) == 0) return w->value;
    g_warn("ignoring invalid value of environment variable QUOTING_STYLE: %s", g_quote(name));
    return -1;
}

static void settle(ls_options *o, const choices *c) {
    int named;
    bool tty = isatty(STDOUT_FILENO);
    const char *called = strrchr(g_name(), '/');
    called = called ? called + 1 : g_name();
    bool is_dir = strcmp(called, "dir") == 0, is_vdir = strcmp(called, "vdir") == 0;
    enum ls_format usual = is_dir || tty ? LS_COLUMNS : LS_ONE;
    if (is_vdir) usual = LS_LONG;
    o->format = c->format >= 0 ? (enum ls_format)c->format : usual;
    o->sort = c->sort >= 0 ? (enum ls_sort)c->sort
              : c->time && o->format != LS_LONG ? LS_BY_TIME : LS_BY_NAME;
    const char *env = getenv("QUOTING_STYLE");
    o->quote = c->quote >= 0 ? (enum ls_quote)c->quote
               : env && (named = quote_named(env)) >= 0 ? (enum ls_quote)named
               : is_dir || is_vdir ? LS_ESCAPE
               : tty ? LS_SHELL_ESCAPE : LS_LITERAL;
    o->hide_control = c->hide_control >= 0 ? c->hide_control : tty && o->quote == LS_LITERAL;
    o->line_width = 80;
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    uint64_t value;
    if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col) o->line_width = size.ws_col;
    if (columns && *columns && !c->width) {
        if (g_parse_unsigned(columns, "", &value, NULL) == G_NUMBER_OK)
            o->line_width = (size_t)value;
        else
            g_warn("ignoring invalid width in environment variable COLUMNS: %s", g_quote(columns));
    }
    const char *tab = getenv("TABSIZE");
    if (!c->has_tab && tab && g_parse_unsigned(tab, "", &value, NULL) == G_NUMBER_OK)
        o->tab = (size_t)value;
    else if (!c->has_tab && tab)
        g_warn("ignoring invalid tab size in environment variable TABSIZE: %s", g_quote(tab));
    if (c->width) {
        enum g_number_result result = g_parse_unsigned(c->width, "", &value, NULL);
        /* A zero in front makes it octal. */
        char *end = NULL;
        if (*c->width == '0') value = strtoull(c->width, &end, 0);
        if (end ? *end : result == G_NUMBER_BAD || result == G_NUMBER_SUFFIX)
            g_die(2, "invalid line width: %s", g_quote(c->width));
        o->line_width = value > SIZE_MAX / 4 ? 0 : (size_t)value;
    }
    if (!c->block_size) {
        const char *block = getenv("LS_BLOCK_SIZE");
        if (!block) block = getenv("BLOCK_SIZE");
        o->file_size = (g_size_style){.block = 1, .suffix = ""};
        o->block_size = (g_size_style){.block = getenv("POSIXLY_CORRECT") ? 512 : 1024, .suffix = ""};
        if (c->kibibytes) o->block_size.block = 1024;
        else if (block && g_size_style_parse(block, &o->block_size)) o->file_size = o->block_size;
    }
    if (o->format == LS_LONG) {
        const char *style = c->style ? c->style : getenv("TIME_STYLE");
        set_time_style(o, style && *style ? style : "locale");
    }
    if (o->links == LS_NO_FOLLOW && !o->directories_as_files && o->format != LS_LONG &&
        o->mark != LS_CLASSIFY) {
        o->links = LS_FOLLOW_OPERAND_DIRS;
    }
    o->color = o->color && ls_color_init();
    if (o->color) o->tab = 0;
    if (o->directories_as_files) o->recursive = false;
}

int ls_main(int argc, char **argv) {
    ls_options opt = {.end = '\n', .tab = 8};
    choices c = {.format = -1, .sort = -1, .quote = -1, .hide_control = -1};
    g_set_failure(2);
    g_options o = g_options_of(argc, argv, "abcdfghiklmnopqrstuvw:xABCDFGHI:LNQRST:UXZ1", longs);
    for (int option; (option = g_option(&o)) >= 0;) one_option(&opt, &c, option, o.arg);
    settle(&opt, &c);
    ls_list list = {0};
    stack dirs = {0};
    int status = 0, operands = argc - o.at;
    for (int i = o.at; i < argc; i++) ls_add(&opt, &list, NULL, argv[i], true, 0, &status);
    if (operands == 0) {
        if (opt.directories_as_files) ls_add(&opt, &list, NULL, ".", true, 0, &status);
        else push(&dirs, g_copy_string("."), true);
    }
    ls_sort_list(&opt, &list);
    /* Directories among the operands are listed after the other files. */
    ls_list files = {0};
    for (size_t i = list.count; !opt.directories_as_files && i-- > 0;) {
        if (!S_ISDIR(list.files[i].st.st_mode)) continue;
        push(&dirs, g_copy_string(list.files[i].name), true);
    }
    for (size_t i = 0; i < list.count; i++) {
        ls_file *f = &list.files[i];
        if (!opt.directories_as_files && S_ISDIR(f->st.st_mode)) continue;
        if (files.count == files.cap) files.files = g_more(files.files, &files.cap, sizeof *files.files);
        files.any_quoted = files.any_quoted || f->quoted;
        files.files[files.count++] = *f;
    }
    bool printed = files.count > 0;
    ls_print(&opt, &files, &list);
    free(files.files);
    ls_clear(&list);
    list_pending(&opt, &dirs, &list, operands > 1, !printed, &status);
    return status;
}
