/*
 * cp.c: copies files and directories.
 *
 * Data moves inside the kernel where it can. Deviations: --sparse and -Z change nothing, and
 * --reflink=always fails; there are no such properties here.
 *
 * help cp:
 *   Usage: cp [OPTION]... [-T] SOURCE DEST
 *     or:  cp [OPTION]... SOURCE... DIRECTORY
 *     or:  cp [OPTION]... -t DIRECTORY SOURCE...
 *   Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.
 *
 *     -a, --archive                same as -dR --preserve=all
 *         --attributes-only        don't copy the file data, just the attributes
 *         --backup[=CONTROL]       make a backup of each existing destination file
 *     -b                           like --backup but does not accept an argument
 *         --copy-contents          copy contents of special files when recursive
 *     -d                           same as --no-dereference --preserve=links
 *     -f, --force                  if an existing destination file cannot be opened, remove it and
 *                                    try again
 *     -i, --interactive            prompt before overwrite (overrides a previous -n option)
 *     -H                           follow command-line symbolic links in SOURCE
 *     -l, --link                   hard link files instead of copying
 *     -L, --dereference            always follow symbolic links in SOURCE
 *     -n, --no-clobber             do not overwrite an existing file
 *     -P, --no-dereference         never follow symbolic links in SOURCE
 *     -p                           same as --preserve=mode,ownership,timestamps
 *         --preserve[=ATTR_LIST]   preserve mode, ownership, timestamps, links, all
 *         --no-preserve=ATTR_LIST  don't preserve the specified attributes
 *         --parents                use full source file name under DIRECTORY
 *     -R, -r, --recursive          copy directories recursively
 *         --reflink[=WHEN]         control clone/CoW copies; WHEN: always, auto, never
 *         --remove-destination     remove each existing destination file before opening it
 *         --sparse=WHEN            control creation of sparse files; WHEN: auto, always, never
 *         --strip-trailing-slashes  remove any trailing slashes from each SOURCE argument
 *     -s, --symbolic-link          make symbolic links instead of copying
 *     -S, --suffix=SUFFIX          override the usual backup suffix
 *     -t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY
 *     -T, --no-target-directory    treat DEST as a normal file
 *     -u, --update                 copy only when the SOURCE file is newer than the destination
 *                                    file or when the destination file is missing
 *     -v, --verbose                explain what is being done
 *     -x, --one-file-system        stay on this file system
 *         --help                   display this help and exit
 *         --version                output version information and exit
 */
#include "copy_tree.h"
#include "g_file.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PRESERVE = 256, NO_PRESERVE, PARENTS, REMOVE, STRIP, ATTRIBUTES, CONTENTS, SPARSE, REFLINK };
enum { KEEP_MODE, KEEP_OWNER, KEEP_TIMES, KEEP_LINKS, KEEP_CONTEXT, KEEP_XATTR, KEEP_ALL };
enum { WHEN_NEVER, WHEN_AUTO, WHEN_ALWAYS };
static const g_long longs[] = {
    {"archive", 'a', G_NONE}, {"attributes-only", ATTRIBUTES, G_NONE},
    {"backup", 'b', G_OPTIONAL}, {"copy-contents", CONTENTS, G_NONE},
    {"dereference", 'L', G_NONE}, {"force", 'f', G_NONE}, {"interactive", 'i', G_NONE},
    {"link", 'l', G_NONE}, {"no-clobber", 'n', G_NONE}, {"no-dereference", 'P', G_NONE},
    {"no-preserve", NO_PRESERVE, G_REQUIRED}, {"no-target-directory", 'T', G_NONE},
    {"one-file-system", 'x', G_NONE}, {"parents", PARENTS, G_NONE}, 
    {"preserve", PRESERVE, G_OPTIONAL}, {"recursive", 'R', G_NONE},
    {"remove-destination", REMOVE, G_NONE}, {"sparse", SPARSE, G_REQUIRED},
    {"reflink", REFLINK, G_OPTIONAL}, {"strip-trailing-slashes", STRIP, G_NONE},
    {"suffix", 'S', G_REQUIRED}, {"symbolic-link", 's', G_NONE},
    {"target-directory", 't', G_REQUIRED}, {"update", 'u', G_NONE}, {"verbose", 'v', G_NONE},
    {"context", 'Z', G_OPTIONAL}, {0}};

static const g_word attributes[] = {
    {"mode", KEEP_MODE},        {"timestamps", KEEP_TIMES}, {"ownership", KEEP_OWNER},
    {"links", KEEP_LINKS},      {"context", KEEP_CONTEXT},  {"xattr", KEEP_XATTR},
    {"all", KEEP_ALL},          {0}};
static const g_word sparse_words[] = {
    {"never", WHEN_NEVER}, {"auto", WHEN_AUTO}, {"always", WHEN_ALWAYS}, {0}};
static const g_word reflink_words[] = {
    {"auto", WHEN_AUTO}, {"always", WHEN_ALWAYS}, {"never", WHEN_NEVER}, {0}};

static void keep(copy_options *c, int attribute, bool on) {
    bool all = attribute == KEEP_ALL;
    if (all || attribute == KEEP_MODE) {
        c->keep_mode = on;
        c->no_mode = !on;
    }
    if (all || attribute == KEEP_TIMES) c->keep_times = on;
    if (all || attribute == KEEP_OWNER) c->keep_owner = on;
    if (all || attribute == KEEP_LINKS) c->keep_links = on;
    if (on && attribute == KEEP_CONTEXT)
        g_die(1, "cannot preserve security context without an SELinux-enabled kernel");
}

static void keep_list(copy_options *c, const char *option, const char *list, bool on) {
    for (;;) {
        size_t len = strcspn(list, ",");
        char *word = g_copy_bytes(list, len);
        keep(c, g_match_word(option, word, attributes), on);
        free(word);
        if (!list[len]) return;
        list += len + 1;
    }
}

/* Makes the directories of `path` below `dir` as the source has them (--parents). */
static int make_parents(const copy_options *c, const char *dir, const char *path) {
    g_text made = {0};
    g_text_adds(&made, dir);
    size_t base = made.len;
    for (const char *p = path + strspn(path, "/"); *p;) {
        size_t len = strcspn(p, "/");
        const char *next = p + len + strspn(p + len, "/");
        if (!*next) break;
        g_text_addc(&made, '/');
        g_text_add(&made, p, len);
        p = next;
        struct stat st, source;
        if (stat(made.s, &st) == 0) {
            if (S_ISDIR(st.st_mode)) continue;
            g_warn("%s exists but is not a directory", g_quoteaf(made.s));
            return 1;
        }
        const char *from = made.s + base + (*path != '/');
        int error = stat(from, &source) < 0 ? errno : S_ISDIR(source.st_mode) ? 0 : ENOTDIR;
        if (error) {
            g_warn_errno(error, "failed to get attributes of %s", g_quoteaf(from));
            return 1;
        }
        mode_t mode = source.st_mode & 0777;
        if (mkdir(made.s, mode | 0700) < 0) {
            g_warn_errno(errno, "cannot make directory %s", g_quoteaf(made.s));
            return 1;
        }
        if (c->verbose) g_outf("%s -> %s\n", from, made.s);
    }
    g_text_free(&made);
    return 0;
}

static int copy_into(const copy_options *c, char **sources, int count, const char *dir,
                     bool parents) {
    copy_memory *memory = copy_memory_new();
    int status = 0;
    for (int i = 0; i < count; i++) {
        char *name;
        if (parents) {
            if (make_parents(c, dir, sources[i])) {
                status = 1;
                continue;
            }
            name = g_join(dir, sources[i]);
            g_strip_slashes(name);
        } else {
            char *base = g_base(sources[i]);
            name = strcmp(base, "..") == 0 ? g_copy_string(dir) : g_join(dir, base);
            free(base);
        }
        status |= copy_path(c, memory, sources[i], name);
        free(name);
    }
    copy_memory_free(memory);
    return status;
}

/* cp -b -f x x: the copy is the backup, as nothing else could be meant. */
static char *own_backup(copy_options *c, const char *from, const char *to) {
    struct stat st;
    if (!c->force || !c->backup.mode || strcmp(from, to) != 0) return NULL;
    if (stat(to, &st) < 0 || !S_ISREG(st.st_mode)) return NULL;
    char *name = backup_name(&c->backup, to);
    c->backup.mode = BACKUP_NONE;
    return name;
}

static int copy_one(const copy_options *c, const char *from, const char *to) {
    copy_options options = *c;
    char *backup = own_backup(&options, from, to);
    copy_memory *memory = copy_memory_new();
    int status = copy_path(&options, memory, from, backup ? backup : to);
    copy_memory_free(memory);
    free(backup);
    return status;
}

int cp_main(int argc, char **argv) {
    copy_options c = {0};
    const char *dir = NULL;
    backup_request backup = {0};
    bool parents = false, no_dir = false, strip = false;
    int links = -1, sparse = WHEN_AUTO, reflink = WHEN_AUTO;
    g_options o = g_options_of(argc, argv, "abdfHilLnprst:uvxPRS:TZ", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'a':
            keep(&c, KEEP_ALL, true);
            c.recursive = true;
            links = COPY_NO_FOLLOW;
            break;
        case 'b':
        case 'S': backup_option(&backup, option, o.arg); break;
        case 'd':
            c.keep_links = true;
            links = COPY_NO_FOLLOW;
            break;
        case 'f': c.force = true; break;
        case 'H': links = COPY_FOLLOW_OPERANDS; break;
        case SPARSE: sparse = g_match_word("--sparse", o.arg, sparse_words); break;
        case REFLINK:
            reflink = o.arg ? g_match_word("--reflink", o.arg, reflink_words) : WHEN_ALWAYS;
            break;
        case 'Z':
            if (o.arg)
                g_warn("warning: ignoring --context; it requires an SELinux-enabled kernel");
            break;
        case 'i': c.overwrite = COPY_ASK; break;
        case 'l': c.hard_link = true; break;
        case 'L': links = COPY_FOLLOW_ALL; break;
        case 'n': c.overwrite = COPY_NEVER; break;
        case 'P': links = COPY_NO_FOLLOW; break;
        case 'p': keep_list(&c, "--preserve", "mode,ownership,timestamps", true); break;
        case PRESERVE:
            keep_list(&c, "--preserve", o.arg ? o.arg : "mode,ownership,timestamps", true);
            break;
        case NO_PRESERVE: keep_list(&c, "--no-preserve", o.arg, false); break;
        case PARENTS: parents = true; break;
        case 'R': case 'r': c.recursive = true; break;
        case REMOVE: c.remove_first = true; break;
        case STRIP: strip = true; break;
        case ATTRIBUTES: c.attributes_only = true; break;
        case CONTENTS: c.content_special = true; break;
        case 's': c.symbolic_link = true; break;
        case 't': dir = o.arg; break;
        case 'T': no_dir = true; break;
        case 'u': c.update = true; break;
        case 'v': c.verbose = true; break;
        case 'x': c.same_device = true; break;
        }
    if (links < 0) links = c.recursive ? COPY_NO_FOLLOW : COPY_FOLLOW_ALL;
    c.links = (enum copy_links)links;
    if (c.hard_link && c.symbolic_link) g_usage("cannot make both hard and symbolic links");
    if (backup.wanted && c.overwrite == COPY_NEVER)
        g_usage("options --backup and --no-clobber are mutually exclusive");
    if (reflink == WHEN_ALWAYS && sparse != WHEN_AUTO)
        g_usage("--reflink can be used only with --sparse=auto");
    c.need_clone = reflink == WHEN_ALWAYS;
    c.backup = backup_choose(&backup);
    copy_operands to = copy_operands_of(&c, &o, dir, no_dir, strip);
    if (to.dir) return copy_into(&c, to.files, to.count, to.dir, parents);
    if (parents && !no_dir) g_usage("with --parents, the destination must be a directory");
    return copy_one(&c, to.files[0], to.files[1]);
}
