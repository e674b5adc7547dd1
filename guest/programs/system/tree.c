/*
 * tree.c: lists directories as a tree.
 *
 * Deviations: no -H (HTML), --gitignore, --fromfile, --info, -R; links are followed (-l) but a
 * directory within itself is not entered.
 *
 * help tree:
 *   usage: tree [options] [--] [directory ...]
 *     ------- Listing options -------
 *     -a            All files are listed.
 *     -d            List directories only.
 *     -l            Follow symbolic links like directories.
 *     -f            Print the full path prefix for each file.
 *     -x            Stay on current filesystem only.
 *     -L level      Descend only level directories deep.
 *     -P pattern    List only those files that match the pattern given.
 *     -I pattern    Do not list files that match the given pattern.
 *     --ignore-case Ignore case when pattern matching.
 *     --matchdirs   Include directory names in -P pattern matching.
 *     --prune       Prune empty directories from the output.
 *     --noreport    Turn off file/directory count at end of tree listing.
 *     --charset X   Use charset X for the lines of the tree: utf-8 or ascii.
 *     --filelimit # Do not descend dirs with more than # files in them.
 *     -o filename   Output to file instead of stdout.
 *     ------- File options -------
 *     -q            Print non-printable characters as '?'.
 *     -N            Print non-printable characters as is.
 *     -Q            Quote filenames with double quotes.
 *     -p            Print the protections for each file.
 *     -u            Displays file owner or UID number.
 *     -g            Displays file group owner or GID number.
 *     -s            Print the size in bytes of each file.
 *     -h            Print the size in a more human readable way.
 *     --si          Like -h, but use in SI units (powers of 1000).
 *     --du          Compute size of directories by their contents.
 *     -D            Print the date of last modification or (-c) status change.
 *     --timefmt <f> Print and format time according to the format <f>.
 *     -F            Appends '/', '=', '*', '@', '|' or '>' as per ls -F.
 *     --inodes      Print inode number of each file.
 *     --device      Print device ID number to which each file belongs.
 *     ------- Sorting options -------
 *     -v            Sort files alphanumerically by version.
 *     -t            Sort files by last modification time.
 *     -c            Sort files by last status change time.
 *     -U            Leave files unsorted.
 *     -r            Reverse the order of the sort.
 *     --dirsfirst   List directories before files (-U disables).
 *     --filesfirst  List files before directories (-U disables).
 *     --sort X      Select sort: name,version,size,mtime,ctime.
 *     ------- Graphics options -------
 *     -i            Don't print indentation lines.
 *     -n            Turn colorization off always.
 *     -C            Turn colorization on always.
 *     ------- XML/JSON options -------
 *     -X            Prints out an XML representation of the tree.
 *     -J            Prints out an JSON representation of the tree.
 *     ------- Miscellaneous options -------
 *     --help        Print usage and this help message and exit.
 */
#include "tree.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_text.h"
#include "g_version.h"
#include "pf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 400 };

/* One of the alternatives of a pattern, which | separates. */
static bool matches_one(const tree_options *o, const char *pattern, const char *name,
                        bool directory) {
    int flags = o->ignore_case ? FNM_CASEFOLD : 0;
    char *copy = g_copy_string(pattern);
    bool found = false;
    for (char *s = copy, *next; s && !found; s = next) {
        next = strchr(s, '|');
        if (next) *next++ = '\0';
        size_t len = strlen(s);
        if (len > 1 && s[len - 1] == '/') { /* directories only */
            if (!directory) continue;
            s[len - 1] = '\0';
        }
        found = fnmatch(s, name, flags | (*s == '.' ? 0 : o->all ? 0 : FNM_PERIOD)) == 0;
    }
    free(copy);
    return found;
}

static bool matches(const tree_options *o, const char **patterns, size_t count, const char *name,
                    bool directory) {
    for (size_t i = 0; i < count; i++)
        if (matches_one(o, patterns[i], name, directory)) return true;
    return false;
}

static const tree_options *comparing;
static int compare(const void *a, const void *b) {
    const tree_options *o = comparing;
    const tree_node *x = *(tree_node *const *)a, *y = *(tree_node *const *)b;
    if (o->order && x->is_directory != y->is_directory)
        return x->is_directory ? o->order : -o->order;
    int order = 0;
    switch (o->sort) {
    case 't': order = (x->st.st_mtime > y->st.st_mtime) - (x->st.st_mtime < y->st.st_mtime); break;
    case 'c': order = (x->st.st_ctime > y->st.st_ctime) - (x->st.st_ctime < y->st.st_ctime); break;
    case 's': order = (x->st.st_size < y->st.st_size) - (x->st.st_size > y->st.st_size); break;
    case 'v': order = g_version_compare(x->name, strlen(x->name), y->name, strlen(y->name)); break;
    }
    if (order == 0) order = strcmp(x->name, y->name);
    return o->reverse ? -order : order;
}

static tree_node *make_node(const char *path, const char *shown) {
    tree_node *n = g_zalloc(sizeof *n);
    n->path = g_copy_string(path);
    n->name = g_copy_string(shown);
    if (lstat(path, &n->st) < 0) return n;
    n->is_directory = S_ISDIR(n->st.st_mode);
    if (S_ISLNK(n->st.st_mode)) {
        struct stat st;
        n->target = g_read_link(path);
        if (stat(path, &st) == 0) {
            n->target_mode = st.st_mode;
            n->is_directory = S_ISDIR(st.st_mode);
        }
    }
    n->total = (uint64_t)n->st.st_size;
    return n;
}

/* Directories that were entered so far: with -l none is entered twice. */
static bool entered_before(tree_options *o, const struct stat *st) {
    for (size_t i = 0; i < o->entered_count; i++)
        if (o->entered[i].device == st->st_dev && o->entered[i].inode == st->st_ino) return true;
    if (o->entered_count == o->entered_cap)
        o->entered = g_more(o->entered, &o->entered_cap, sizeof *o->entered);
    o->entered[o->entered_count].device = st->st_dev;
    o->entered[o->entered_count++].inode = st->st_ino;
    return false;
}

static void read_directory(tree_options *o, tree_node *n, uint64_t depth);

static bool wanted(const tree_options *o, const tree_node *n, const char *name, bool any) {
    bool real_directory = S_ISDIR(n->st.st_mode) || (o->follow && n->is_directory);
    if (o->directories_only && !n->is_directory) return false;
    if (matches(o, o->exclude, o->exclude_count, name, n->is_directory)) return false;
    if (any || o->include_count == 0 || o->directories_only) return true;
    if (matches(o, o->include, o->include_count, name, n->is_directory)) return true;
    return real_directory;
}

static void enter(tree_options *o, tree_node *n, uint64_t depth) {
    struct stat st;
    bool link = S_ISLNK(n->st.st_mode);
    if (!n->is_directory || (link && !o->follow) || (o->level && depth >= o->level)) return;
    if (stat(n->path, &st) < 0) return;
    if (o->follow && entered_before(o, &st)) {
        n->note = "recursive, not followed";
        return;
    }
    if (o->one_device && st.st_dev != o->device_id) return;
    read_directory(o, n, depth);
}

static void read_directory(tree_options *o, tree_node *n, uint64_t depth) {
    if (depth > DEPTH_MAX) {
        n->note = "nested too deeply";
        return;
    }
    DIR *dir = opendir(n->path);
    if (!dir) {
        n->note = "error opening dir";
        return;
    }
    /* --matchdirs compares the path below the root: a name can only be that of one of its entries.
     * What is in such a directory is listed whatever its name. */
    bool any = o->match_directories && depth == 1 &&
               matches(o, o->include, o->include_count, g_last_part(n->path), true);
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (*name == '.' && !o->all))
            continue;
        char *path = g_join(n->path, name);
        tree_node *child = make_node(path, o->full_path ? path : name);
        free(path);
        if (!wanted(o, child, name, any)) continue;
        if (n->count == n->cap) n->children = g_more(n->children, &n->cap, sizeof *n->children);
        n->children[n->count++] = child;
    }
    closedir(dir);
    pf_yield();
    if (o->file_limit && n->count > o->file_limit) {
        g_text note = {0};
        g_text_addf(&note, "%zu entries exceeds filelimit, not opening dir", n->count);
        n->note = note.s;
        n->count = 0;
        return;
    }
    n->entered = true;
    comparing = o;
    if (o->sort != 'U') qsort(n->children, n->count, sizeof *n->children, compare);
    for (size_t i = 0; i < n->count; i++) enter(o, n->children[i], depth + 1);
    size_t kept = 0;
    for (size_t i = 0; i < n->count; i++) {
        tree_node *child = n->children[i];
        bool named = o->match_directories &&
                     matches(o, o->include, o->include_count, g_last_part(child->path), true);
        if (o->prune && child->is_directory && child->count == 0 && !named && !child->note)
            continue;
        n->children[kept++] = child;
        n->total += child->total;
    }
    n->count = kept;
}

static void list_root(tree_options *o, const char *path, bool last, bool *failed) {
    tree_node *root = make_node(path, path);
    if (!root->st.st_mode || !root->is_directory) {
        root->note = "error opening dir";
        if (root->st.st_mode)
            o->file_count++;
        else
            *failed = true;
    } else {
        struct stat st; /* a link on the command line is followed */
        stat(path, &st);
        o->device_id = st.st_dev;
        if (o->follow) entered_before(o, &st);
        read_directory(o, root, 0);
        o->directory_count += root->count > 0;
        o->byte_count += root->total;
    }
    tree_print(o, root, last);
}

enum {
    SI = 256,
    DU,
    NOREPORT,
    DIRSFIRST,
    FILESFIRST,
    TIMEFMT,
    PRUNE,
    INODES,
    DEVICE,
    CHARSET,
    FILELIMIT,
    MATCHDIRS,
    IGNORE_CASE,
    SORT,
    REFUSED
};
static const g_long longs[] = {{"si", SI, G_NONE},
                               {"du", DU, G_NONE},
                               {"noreport", NOREPORT, G_NONE},
                               {"dirsfirst", DIRSFIRST, G_NONE},
                               {"filesfirst", FILESFIRST, G_NONE},
                               {"timefmt", TIMEFMT, G_REQUIRED},
                               {"prune", PRUNE, G_NONE},
                               {"inodes", INODES, G_NONE},
                               {"device", DEVICE, G_NONE},
                               {"charset", CHARSET, G_REQUIRED},
                               {"filelimit", FILELIMIT, G_REQUIRED},
                               {"matchdirs", MATCHDIRS, G_NONE},
                               {"ignore-case", IGNORE_CASE, G_NONE},
                               {"sort", SORT, G_REQUIRED},
                               {"gitignore", REFUSED, G_NONE},
                               {"gitfile", REFUSED, G_REQUIRED},
                               {"fromfile", REFUSED, G_NONE},
                               {"info", REFUSED, G_NONE},
                               {0}};

static void add_pattern(const char ***list, size_t *count, size_t *cap, const char *pattern) {
    if (*count == *cap) *list = g_more(*list, cap, sizeof **list);
    (*list)[(*count)++] = pattern;
}

static uint64_t positive(const char *text) {
    char *end;
    long long value = strtoll(text, &end, 10);
    if (*end || value <= 0) g_die(1, "Invalid level, must be greater than 0.");
    return (uint64_t)value;
}

static int sort_named(const char *name) {
    static const struct {
        const char *name;
        int sort;
    } sorts[] = {{"name", 'n'},  {"version", 'v'}, {"size", 's'},
                 {"mtime", 't'}, {"ctime", 'c'},   {"none", 'U'}};
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strcmp(name, sorts[i].name) == 0) return sorts[i].sort;
    g_die(1, "Sort type '%s' not valid, should be one of: name,version,size,mtime,ctime,none",
          name);
}

static void open_output(const char *name) {
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) g_die(1, "invalid filename '%s'", name);
    dup2(fd, STDOUT_FILENO);
}

static void read_options(tree_options *t, g_options *o) {
    for (int option; (option = g_option(o)) >= 0;) {
        switch (option) {
        case 'a': t->all = true; break;
        case 'd': t->directories_only = true; break;
        case 'l': t->follow = true; break;
        case 'f': t->full_path = true; break;
        case 'x': t->one_device = true; break;
        case 'L': t->level = positive(o->arg); break;
        case 'P': add_pattern(&t->include, &t->include_count, &t->include_cap, o->arg); break;
        case 'I': add_pattern(&t->exclude, &t->exclude_count, &t->exclude_cap, o->arg); break;
        case 'o': open_output(o->arg); break;
        case 'q': t->question = true; break;
        case 'N': t->literal = true; break;
        case 'Q': t->quote = true; break;
        case 'p': t->protections = true; break;
        case 'u': t->users = true; break;
        case 'g': t->groups = true; break;
        case 's': t->sizes = true; break;
        case 'h': t->sizes = t->human = true; break;
        case SI: t->sizes = t->human = t->si = true; break;
        case DU: t->sizes = t->du = true; break;
        case 'D': t->times = true; break;
        case TIMEFMT:
            t->times = true;
            t->time_format = o->arg;
            break;
        case 'F': t->classify = true; break;
        case 'v':
        case 't':
        case 'c':
        case 'U': t->sort = option; break;
        case SORT: t->sort = sort_named(o->arg); break;
        case 'r': t->reverse = true; break;
        case DIRSFIRST: t->order = -1; break;
        case FILESFIRST: t->order = 1; break;
        case 'i': t->no_indent = true; break;
        case 'n': t->color = false; break;
        case 'C': t->color = getenv("TERM") != NULL || getenv("LS_COLORS") != NULL; break;
        case 'S':
        case 'A': break; /* line graphics of old terminals */
        case CHARSET:
            t->ascii = strcasecmp(o->arg, "utf-8") != 0 && strcasecmp(o->arg, "utf8") != 0;
            break;
        case 'X': t->format = TREE_XML; break;
        case 'J': t->format = TREE_JSON; break;
        case NOREPORT: t->no_report = true; break;
        case PRUNE: t->prune = true; break;
        case INODES: t->inodes = true; break;
        case DEVICE: t->device = true; break;
        case FILELIMIT: t->file_limit = positive(o->arg); break;
        case MATCHDIRS: t->match_directories = true; break;
        case IGNORE_CASE: t->ignore_case = true; break;
        case 'H':
        case 'R': g_die(1, "-%c is not supported", option);
        case REFUSED: g_die(1, "--%s is not supported", o->name);
        }
    }
}

int tree_main(int argc, char **argv) {
    tree_options t = {.sort = 'n', .ascii = !g_utf8_locale()};
    bool failed = false;
    g_options o = g_options_of(argc, argv, "adlfxL:P:I:o:qNQpugshDFvtcUrinCSAXJH:R", longs);
    read_options(&t, &o);
    tree_begin(&t);
    if (o.at == argc) list_root(&t, ".", true, &failed);
    for (int i = o.at; i < argc; i++) {
        list_root(&t, argv[i], i + 1 == argc, &failed);
    }
    tree_end(&t);
    return failed ? 2 : 0;
}
