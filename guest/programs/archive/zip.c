/*
 * zip.c: makes and changes zip archives.
 *
 * Left out: encryption, split archives, -g, -R, -l, comments.
 *
 * help zip:
 *   Usage: zip [-options] [-x list] zipfile list
 *   The default action is to add or replace zipfile entries from list, which can include the
 *   special name - to compress standard input. If zipfile is -, the archive goes to standard
 *   output.
 *
 *     -r   recurse into directories     -j   junk (don't record) directory names
 *     -d   delete entries in zipfile    -u   update: only changed or new files
 *     -f   freshen: only changed files  -m   move into zipfile (delete OS files)
 *     -0   store only                   -1 … -9  compress faster … better
 *     -q   quiet operation              -v   verbose operation (accepted)
 *     -x   exclude the following names  -i   include only the following names
 *     -y   store symbolic links as the link instead of the referenced file
 *     -D   do not add directory entries -X   eXclude eXtra file attributes
 *     -@   read names from standard input
 */
#include "zip_format.h"
#include "g_file.h"
#include "g_in.h"
#include "g_out.h"
#include "g_time.h"
#include "g_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    bool recursive, junk, delete, update, freshen, move, quiet, links, no_directories, no_extra,
        from_stdin;
    int level;
    const char *archive;
    char **names, **exclude, **include;
    size_t name_count, exclude_count, include_count;
    zip_archive z;
    bool existed, changed, to_stdout, missed;
    char **moved;
    size_t moved_count, moved_cap;
} zipper;

static bool to_stderr; /* messages, when the archive goes to standard output */

static void tell(const char *format, const char *a) {
    if (to_stderr)
        fprintf(stderr, format, a);
    else
        g_outf(format, a);
}

static void say(const zipper *p, const char *format, const char *a) {
    if (!p->quiet) tell(format, a);
}

static _Noreturn void fail(int status, const char *what, const char *archive) {
    tell("\nzip error: %s", what);
    tell(" (%s)\n", archive);
    g_exit(status);
}

static bool left_out(const zipper *p, const char *name) {
    for (size_t i = 0; i < p->exclude_count; i++)
        if (zip_matches(p->exclude[i], name)) return true;
    if (p->include_count == 0) return false;
    for (size_t i = 0; i < p->include_count; i++)
        if (zip_matches(p->include[i], name)) return false;
    return true;
}

/* The name in the archive, in fresh memory; NULL for nothing. */
static char *member_name(const zipper *p, const char *path, bool directory) {
    if (p->junk && directory) return NULL;
    const char *name = p->junk ? g_last_part(path) : path;
    for (;;) {
        if (name[0] == '/')
            name++;
        else if (name[0] == '.' && name[1] == '/')
            name += 2;
        else
            break;
    }
    if (!*name || strcmp(name, ".") == 0) return NULL;
    char *made = g_alloc(strlen(name) + 2);
    size_t len = strlen(name);
    sprintf(made, "%s%s", name, directory && name[len - 1] != '/' ? "/" : "");
    return made;
}

static void put_done(const zipper *p, const zip_entry *e, bool replaced) {
    if (p->quiet) return;
    unsigned percent = e->size ? (unsigned)(100.0 - 100.0 * e->packed / e->size + 0.5) : 0;
    char how[32];
    snprintf(how, sizeof how, "(%s %u%%)\n", e->method == ZIP_STORED ? "stored" : "deflated",
             e->method == ZIP_STORED ? 0 : percent);
    FILE *out = p->to_stdout ? stderr : NULL;
    if (out)
        fprintf(out, "%s: %s %s", replaced ? "updating" : "  adding", e->name, how);
    else
        g_outf("%s: %s %s", replaced ? "updating" : "  adding", e->name, how);
}

static void add(zipper *p, const char *path, const struct stat *st, char *name, const char *bytes,
                size_t len) {
    zip_entry *e = zip_find(&p->z, name);
    bool replaced = e != NULL;
    if (e) {
        if (e->owned) free((char *)e->data);
        free(e->name);
        *e = (zip_entry){0};
    } else {
        e = zip_add(&p->z);
    }
    e->name = name;
    e->mode = st->st_mode;
    e->dos_time = zip_dos_time((int64_t)st->st_mtim.tv_sec);
    e->mtime = p->no_extra ? -1 : (int64_t)st->st_mtim.tv_sec;
    zip_pack(e, bytes, len, p->level);
    p->changed = true;
    put_done(p, e, replaced);
    if (!p->move || !path) return;
    if (p->moved_count == p->moved_cap)
        p->moved = g_more(p->moved, &p->moved_cap, sizeof *p->moved);
    p->moved[p->moved_count++] = g_copy_string(path);
}

static void add_path(zipper *p, const char *path, const struct stat *st) {
    bool directory = S_ISDIR(st->st_mode);
    if (directory && p->no_directories) return;
    char *name = member_name(p, path, directory);
    if (!name || left_out(p, name)) {
        free(name);
        return;
    }
    zip_entry *old = zip_find(&p->z, name);
    bool older =
        old && (old->mtime >= 0 ? old->mtime < (int64_t)st->st_mtim.tv_sec
                                : old->dos_time < zip_dos_time((int64_t)st->st_mtim.tv_sec));
    if ((p->update && old && !older) || (p->freshen && !older)) {
        free(name);
        return;
    }
    size_t len = 0;
    char *bytes;
    if (directory) {
        bytes = g_zalloc(1);
    } else if (S_ISLNK(st->st_mode)) {
        bytes = g_read_link(path);
        len = bytes ? strlen(bytes) : 0;
    } else {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        bytes = fd < 0 ? NULL : g_read_all(fd, &len);
        if (fd >= 0) close(fd);
    }
    if (!bytes) {
        tell("\tzip warning: could not open for reading: %s\n", path);
        p->missed = true;
        free(name);
        return;
    }
    add(p, path, st, name, bytes, len);
    free(bytes);
}

static void add_name(zipper *p, const char *name) {
    struct stat st;
    if (strcmp(name, "-") == 0) {
        size_t len;
        char *bytes = g_read_all(STDIN_FILENO, &len);
        if (!bytes) fail(11, "Read error", "-");
        st = (struct stat){.st_mode = S_IFIFO | 0600};
        st.st_mtim.tv_sec = (time_t)g_now().seconds;
        add(p, NULL, &st, g_copy_string("-"), bytes, len);
        free(bytes);
        return;
    }
    if ((p->links ? lstat(name, &st) : stat(name, &st)) < 0) {
        tell("\tzip warning: name not matched: %s\n", name);
        p->missed = true;
        return;
    }
    if (!S_ISDIR(st.st_mode) || !p->recursive) {
        add_path(p, name, &st);
        return;
    }
    g_walk *walk = g_walk_start(name, p->links ? 0 : G_WALK_FOLLOW);
    for (const g_entry *e; (e = g_walk_next(walk));)
        if (e->kind == G_WALK_DIR ||
            (e->kind == G_WALK_FILE && (S_ISREG(e->st.st_mode) || S_ISLNK(e->st.st_mode))))
            add_path(p, e->path, &e->st);
    g_walk_end(walk);
}

static void delete_names(zipper *p) {
    size_t kept = 0;
    for (size_t i = 0; i < p->z.count; i++) {
        bool gone = false;
        for (size_t k = 0; k < p->name_count; k++)
            gone |= zip_matches(p->names[k], p->z.entries[i].name);
        if (!gone) {
            p->z.entries[kept++] = p->z.entries[i];
            continue;
        }
        say(p, "deleting: %s\n", p->z.entries[i].name);
        p->changed = true;
    }
    for (size_t k = 0; k < p->name_count && !p->changed; k++) {
        tell("\tzip warning: name not matched: %s\n", p->names[k]);
    }
    p->z.count = kept;
}

static void load(zipper *p) {
    p->to_stdout = to_stderr = strcmp(p->archive, "-") == 0;
    int fd = p->to_stdout ? -1 : open(p->archive, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !p->to_stdout && !strchr(g_last_part(p->archive), '.')) {
        char *with = g_alloc(strlen(p->archive) + 5);
        sprintf(with, "%s.zip", p->archive);
        p->archive = with;
        fd = open(with, O_RDONLY | O_CLOEXEC);
    }
    if (fd < 0) return;
    size_t len;
    char *s = g_read_all(fd, &len);
    close(fd);
    p->existed = s && len > 0;
    if (p->existed && zip_read(&p->z, s, len) != ZIP_OK) {
        tell("\tzip warning: missing end signature--probably not a zip file (did you\n"
             "\tzip warning: remember to use binary mode when you transferred it?)\n",
             NULL);
        fail(3, "Zip file structure invalid", p->archive);
    }
}

static void save(zipper *p) {
    g_text out = {0};
    zip_write(&p->z, &out);
    if (p->to_stdout) {
        g_out_block(out.s, out.len);
        return;
    }
    if (p->z.count == 0) {
        tell("\tzip warning: zip file empty\n", NULL);
        unlink(p->archive);
        return;
    }
    int fd = open(p->archive, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    g_sink sink = {.fd = fd};
    if (fd >= 0) g_sink_put(&sink, out.s, out.len);
    int error = fd < 0 ? errno : g_sink_flush(&sink);
    if (fd >= 0 && close(fd) < 0 && !error) error = errno;
    if (error) {
        tell("zip I/O error: %s\n", strerror(error));
        fail(fd < 0 ? 15 : 14,
             fd < 0 ? "Could not create output file" : "Output file write failure", p->archive);
    }
    for (size_t i = p->moved_count; i-- > 0;)
        if (unlink(p->moved[i]) < 0) rmdir(p->moved[i]);
}

static void letters(zipper *p, const char *s) {
    for (; *s; s++) {
        switch (*s) {
        case 'r': p->recursive = true; break;
        case 'j': p->junk = true; break;
        case 'd': p->delete = true; break;
        case 'u': p->update = true; break;
        case 'f': p->freshen = true; break;
        case 'm': p->move = true; break;
        case 'q': p->quiet = true; break;
        case 'y': p->links = true; break;
        case 'D': p->no_directories = true; break;
        case 'X': p->no_extra = true; break;
        case '@': p->from_stdin = true; break;
        case 'v':
        case 'o':
        case 'T':
        case 'S': break;
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9': p->level = *s - '0'; break;
        case 'h':
        case '?': g_outs(g_help()); g_exit(0);
        default: {
            char what[80];
            snprintf(what, sizeof what,
                     "Invalid command arguments (short option '%c' not supported)", *s);
            tell("\nzip error: %s\n", what);
            g_exit(16);
        }
        }
    }
}

static void long_option(zipper *p, const char *name) {
    static const struct {
        const char *name;
        char letter;
    } known[] = {{"recurse-paths", 'r'}, {"junk-paths", 'j'},  {"delete", 'd'},
                 {"update", 'u'},        {"freshen", 'f'},     {"move", 'm'},
                 {"quiet", 'q'},         {"symlinks", 'y'},    {"no-dir-entries", 'D'},
                 {"no-extra", 'X'},      {"names-stdin", '@'}, {"verbose", 'v'},
                 {"test", 'T'},          {"help", 'h'}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) {
            letters(p, (char[2]){known[i].letter, '\0'});
            return;
        }
    tell("\nzip error: Invalid command arguments (long option '%s' not supported)\n", name);
    g_exit(16);
}

int zip_main(int argc, char **argv) {
    zipper p = {.level = 6};
    p.names = g_zalloc((size_t)argc * sizeof *p.names);
    p.exclude = g_zalloc((size_t)argc * sizeof *p.exclude);
    p.include = g_zalloc((size_t)argc * sizeof *p.include);
    char list = 0;
    for (int i = 1; i < argc; i++) {
        char *a = argv[i];
        bool option = a[0] == '-' && a[1];
        if (option && a[1] == '-' && strncmp(a, "--exclude", 9) != 0 &&
            strncmp(a, "--include", 9) != 0) {
            long_option(&p, a + 2);
            list = 0;
        } else if (option && (a[1] == 'x' || a[1] == 'i' || a[1] == '-')) {
            list = a[1] == '-' ? (a[2] == 'e' ? 'x' : 'i') : a[1];
            char *value = a[1] == '-' ? strchr(a, '=') : a[2] ? a + 1 : NULL;
            if (value)
                *(list == 'x' ? &p.exclude[p.exclude_count++] : &p.include[p.include_count++]) =
                    value + 1;
        } else if (option) {
            letters(&p, a + 1);
            list = 0;
        } else if (list == 'x') {
            if (strcmp(a, "@") == 0)
                list = 0;
            else
                p.exclude[p.exclude_count++] = a;
        } else if (list == 'i') {
            if (strcmp(a, "@") == 0)
                list = 0;
            else
                p.include[p.include_count++] = a;
        } else if (!p.archive) {
            p.archive = a;
        } else {
            p.names[p.name_count++] = a;
        }
    }
    if (!p.archive) {
        g_outs(g_help());
        return argc > 1 ? 16 : 0;
    }
    load(&p);
    if (p.delete) {
        if (!p.existed) fail(13, "Missing or empty zip file", p.archive);
        delete_names(&p);
    } else {
        for (size_t i = 0; i < p.name_count; i++) add_name(&p, p.names[i]);
        g_reader in;
        g_line line;
        if (p.from_stdin) {
            g_reader_init(&in, STDIN_FILENO, '\n');
            while (g_read_line(&in, &line)) {
                char *name = g_copy_bytes(line.s, line.len);
                add_name(&p, name);
                free(name);
            }
        }
    }
    if (!p.changed) {
        if ((p.update || p.freshen) && p.existed && !p.missed) return 12;
        fail(12, "Nothing to do!", p.archive);
    }
    save(&p);
    return p.missed ? 18 : 0;
}
