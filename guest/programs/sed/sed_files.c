/*
 * sed_files.c: the input files as one stream (or, with -s and -i, one by one), and the outputs.
 */
#include "g_file.h"
#include "g_quote.h"
#include "sed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sed_input {
    sed_program *p;
    char **files;
    int count, next; /* next file to open */
    g_reader in;
    bool open;
    const char *name;
    uint64_t line;
    sed_output standard, *out;
    sed_output edited; /* -i: the new file */
    char *edited_path;
    char *target_path;
    char *followed; /* --follow-symlinks: what the name leads to */
    struct stat st;
};

/* Output */

void sed_put_raw(sed_output *out, const char *s, size_t len) {
    if (out->standard)
        g_out(s, len);
    else
        g_sink_put(&out->sink, s, len);
}

void sed_put_missing_newline(sed_program *p, sed_output *out) {
    if (!out->missing_newline) return;
    sed_put_raw(out, &p->end, 1);
    out->missing_newline = false;
}

void sed_flush(sed_output *out) {
    if (out->standard)
        g_out_flush();
    else if (g_sink_flush(&out->sink))
        g_die_errno(4, out->sink.error, "couldn't write to %s", out->name);
}

void sed_put(sed_program *p, sed_output *out, const char *s, size_t len, bool newline) {
    sed_put_missing_newline(p, out);
    sed_put_raw(out, s, len);
    if (newline)
        sed_put_raw(out, &p->end, 1);
    else
        out->missing_newline = true;
    if (p->unbuffered || out->sink.fd == STDERR_FILENO) sed_flush(out);
}

sed_output *sed_open_output(sed_program *p, const char *name) {
    for (sed_output *o = p->outputs; o; o = o->next)
        if (strcmp(o->name, name) == 0) return o;
    sed_output *o = g_zalloc(sizeof *o);
    o->name = name;
    if (strcmp(name, "/dev/stdout") == 0) {
        o->standard = true;
    } else if (strcmp(name, "/dev/stderr") == 0) {
        o->sink.fd = STDERR_FILENO;
    } else {
        o->sink.fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (o->sink.fd < 0) g_die_errno(4, errno, "couldn't open file %s", name);
    }
    o->next = p->outputs;
    p->outputs = o;
    return o;
}

sed_input_file *sed_open_read(sed_program *p, const char *name) {
    for (sed_input_file *f = p->reads; f; f = f->next)
        if (strcmp(f->name, name) == 0) return f;
    sed_input_file *f = g_zalloc(sizeof *f);
    f->name = name;
    int fd = strcmp(name, "/dev/stdin") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    f->open = fd >= 0;
    if (f->open) g_reader_init(&f->in, fd, p->end);
    f->next = p->reads;
    p->reads = f;
    return f;
}

/* Input */

sed_input *sed_input_new(sed_program *p, char **files, int count) {
    sed_input *in = g_zalloc(sizeof *in);
    in->p = p;
    in->files = files;
    in->count = count;
    in->name = "-";
    in->standard.standard = true;
    in->standard.name = "stdout";
    in->out = &in->standard;
    return in;
}

sed_output *sed_input_output(sed_input *in) {
    return in->out;
}
uint64_t sed_input_number(const sed_input *in) {
    return in->line;
}
const char *sed_input_name(const sed_input *in) {
    return in->followed ? in->followed : in->name;
}

/* The name of the backup: "*" in the suffix stands for the file's name. */
static char *backup_name(const char *path, const char *suffix) {
    const char *base = g_last_part(path);
    g_text name = {0};
    if (!strchr(suffix, '*')) {
        g_text_adds(&name, path);
        g_text_adds(&name, suffix);
        return name.s;
    }
    if (!strchr(suffix, '/')) g_text_add(&name, path, (size_t)(base - path));
    for (const char *s = suffix; *s; s++) {
        if (*s == '*')
            g_text_adds(&name, base);
        else
            g_text_addc(&name, *s);
    }
    return name.s;
}

/* The file that a link leads to, as written in the links. */
static char *follow_link(const char *name) {
    enum { LINKS_MAX = 40 };
    char *path = g_copy_string(name);
    struct stat st;
    for (int i = 0; lstat(path, &st) == 0 && S_ISLNK(st.st_mode); i++) {
        if (i == LINKS_MAX) g_die_errno(4, ELOOP, "couldn't follow symlink %s", name);
        char *target = g_read_link(path);
        if (!target) g_die_errno(4, errno, "couldn't readlink %s", path);
        if (*target != '/') {
            g_text joined = {0};
            g_text_add(&joined, path, (size_t)(g_last_part(path) - path));
            g_text_adds(&joined, target);
            free(target);
            target = joined.s;
        }
        free(path);
        path = target;
    }
    return path;
}

static bool begin_edit(sed_input *in, int fd, const char *name) {
    if (fstat(fd, &in->st) < 0 || !S_ISREG(in->st.st_mode)) {
        g_warn("couldn't edit %s: not a regular file", name);
        in->p->status = 4;
        return false;
    }
    in->target_path = g_copy_string(name);
    if (in->p->follow_links) {
        free(in->target_path);
        in->target_path = follow_link(name);
    }
    g_text path = {0};
    g_text_add(&path, in->target_path, (size_t)(g_last_part(in->target_path) - in->target_path));
    size_t dir = path.len;
    for (unsigned i = 0; i < 10000; i++) {
        path.len = dir;
        g_text_addf(&path, "sed%c%c%04u", 'A' + (int)(i % 26), 'a' + (int)((unsigned)getpid() % 26),
                    i);
        int out = open(path.s, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (out < 0 && errno == EEXIST) continue;
        if (out < 0) g_die_errno(4, errno, "couldn't open temporary file %s", path.s);
        memset(&in->edited, 0, sizeof in->edited);
        in->edited.name = path.s;
        in->edited.sink.fd = out;
        in->edited_path = path.s;
        in->out = &in->edited;
        fchmod(out, in->st.st_mode & 07777);
        return true;
    }
    g_die(4, "couldn't open temporary file %s", path.s);
}

static void finish_edit(sed_input *in) {
    if (!in->edited_path) return;
    sed_flush(&in->edited);
    close(in->edited.sink.fd);
    g_sink_free(&in->edited.sink);
    if (*in->p->in_place) {
        char *backup = backup_name(in->target_path, in->p->in_place);
        if (rename(in->target_path, backup) < 0)
            g_die_errno(4, errno, "cannot rename %s", in->target_path);
        free(backup);
    }
    if (rename(in->edited_path, in->target_path) < 0)
        g_die_errno(4, errno, "cannot rename %s", in->edited_path);
    free(in->edited_path);
    free(in->target_path);
    in->edited_path = in->target_path = NULL;
    in->out = &in->standard;
}

static void close_file(sed_input *in) {
    if (!in->open) return;
    g_reader_free(&in->in);
    g_close_input(in->in.fd);
    in->open = false;
    finish_edit(in);
}

/* With -s and -i every file begins anew: line numbers, ranges and the files of R. */
static void begin_separate_file(sed_input *in) {
    in->line = 0;
    for (size_t i = 0; i < in->p->count; i++) {
        sed_command *c = &in->p->commands[i];
        c->active = c->from.kind == ADDRESS_ZERO && c->to.kind != ADDRESS_NONE;
        c->ended = false;
    }
    for (sed_input_file *f = in->p->reads; f; f = f->next) {
        if (!f->open || lseek(f->in.fd, 0, SEEK_SET) < 0) continue;
        int fd = f->in.fd;
        g_reader_free(&f->in);
        g_reader_init(&f->in, fd, in->p->end);
    }
}

/* Opens the next file that can be read; false when there is none. */
static bool open_next(sed_input *in) {
    while (in->next < in->count) {
        const char *name = in->files[in->next++];
        bool standard = strcmp(name, "-") == 0 && !in->p->in_place;
        int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            g_warn_errno(errno, "can't read %s", name);
            in->p->status = 2;
            continue;
        }
        struct stat st;
        if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
            if (!in->p->in_place) g_die(4, "read error on %s: Is a directory", name);
            g_warn("couldn't edit %s: not a regular file", name);
            in->p->status = 4;
            close(fd);
            continue;
        }
        if (in->p->in_place && !begin_edit(in, fd, name)) {
            close(fd);
            continue;
        }
        g_reader_init(&in->in, fd, in->p->end);
        in->open = true;
        in->name = name;
        free(in->followed);
        in->followed = in->p->follow_links && fd != STDIN_FILENO ? follow_link(name) : NULL;
        if (in->p->separate) begin_separate_file(in);
        return true;
    }
    return false;
}

/* Whether the open file has bytes left; reads ahead if it must. */
static bool has_more(sed_input *in) {
    if (in->in.start < in->in.len) return true;
    char *bytes;
    size_t n = g_read_some(&in->in, &bytes);
    in->in.start -= n; /* only looked at */
    if (in->in.error) {
        g_warn_errno(in->in.error, "couldn't read %s", in->name);
        in->p->status = 2;
        in->in.error = 0;
    }
    return n > 0;
}

bool sed_input_line(sed_input *in, g_text *space, bool *chomped) {
    for (;;) {
        if (!in->open && !open_next(in)) return false;
        if (has_more(in)) break;
        close_file(in);
    }
    g_line line;
    g_read_line(&in->in, &line);
    g_text_add(space, line.s, line.len);
    *chomped = line.terminated;
    in->line++;
    return true;
}

bool sed_input_is_last(sed_input *in) {
    if (in->open && has_more(in)) return false;
    if (in->p->separate) return true;
    /* Look at the files to come without leaving this one's output: without -s there is only one. */
    while (in->next < in->count || in->open) {
        if (in->open && has_more(in)) return false;
        const char *name = in->name;
        close_file(in);
        if (!open_next(in)) {
            in->name = name;
            return true;
        }
    }
    return true;
}

void sed_input_end(sed_input *in) {
    /* Standard input is left behind the last line used. */
    if (in->open && in->in.fd == STDIN_FILENO && in->in.start < in->in.len)
        lseek(STDIN_FILENO, -(off_t)(in->in.len - in->in.start), SEEK_CUR);
    close_file(in);
    for (sed_output *o = in->p->outputs; o; o = o->next) sed_flush(o);
}
