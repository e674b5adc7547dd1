/*
 * input.c: records from files, and the main input: the files that the command line names.
 *
 * A record is handed out in the reader's buffer. A caller that keeps one must copy it before the
 * buffer moves; the main input does so for $0 (record_own).
 */
#include "awk.h"
#include "g_in.h"
#include "lex.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

struct awk_reader {
    int fd;
    char *buf;
    size_t start, len, cap; /* unread bytes are buf[start .. len) */
    bool eof;
    bool begun; /* a record was handed out: ^ in RS matches no more */
};

static enum { RS_CHAR, RS_REGEX, RS_PARAGRAPHS } rs_kind;
static unsigned char rs_char = '\n';
static awk_regex *rs_regex;
static awk_text *rs_source; /* what rs_regex was made of */

static awk_reader *main_reader;
static int64_t next_operand = 1; /* index into ARGV */
static bool any_file, ended;

awk_reader *reader_new(int fd) {
    awk_reader *r = g_zalloc(sizeof *r);
    r->fd = fd;
    return r;
}

void reader_free(awk_reader *r) {
    if (r->fd > STDIN_FILENO) close(r->fd);
    free(r->buf);
    free(r);
}

/* Reads a block behind the unread bytes: 1, 0 at the end, -1 with errno. */
static int fill(awk_reader *r) {
    if (r == main_reader) record_own();
    if (r->eof) return 0;
    if (r->start > 0) {
        memmove(r->buf, r->buf + r->start, r->len - r->start);
        r->len -= r->start;
        r->start = 0;
    }
    if (r->cap - r->len < BLOCK) {
        r->cap = r->cap ? r->cap * 2 : BLOCK;
        r->buf = g_realloc(r->buf, r->cap);
    }
    ssize_t n = g_read(r->fd, r->buf + r->len, r->cap - r->len);
    if (n <= 0) {
        r->eof = true;
        return n < 0 ? -1 : 0;
    }
    r->len += (size_t)n;
    return 1;
}

static void set_rt(const char *s, size_t len) {
    value *rt = &awk.globals[V_RT];
    if (rt->kind == STRING && rt->text->len == len && memcmp(rt->text->s, s, len) == 0) return;
    value_assign(rt, value_text(text_of(s, len)));
}

static int take(awk_reader *r, size_t record, size_t terminator, const char **s, size_t *len) {
    *s = r->buf + r->start;
    *len = record;
    set_rt(*s + record, terminator);
    r->start += record + terminator;
    r->begun = true;
    return 1;
}

static int next_by_char(awk_reader *r, const char **s, size_t *len) {
    size_t seen = 0;
    for (;;) {
        size_t have = r->len - r->start;
        const char *from = r->buf + r->start;
        const char *end = have > seen ? memchr(from + seen, rs_char, have - seen) : NULL;
        if (end) return take(r, (size_t)(end - from), 1, s, len);
        seen = have;
        int more = fill(r);
        if (more > 0) continue;
        if (have == 0) return more;
        return take(r, have, 0, s, len);
    }
}

/* Where the next match that is not empty lies in the unread bytes. */
static bool find_terminator(awk_reader *r, size_t from, range *out) {
    size_t have = r->len - r->start;
    while (from < have &&
           regex_search(rs_regex, r->buf + r->start, have, from, r->begun || from > 0, out, 1)) {
        if (out->end > out->start) return true;
        from = (size_t)out->start + 1;
    }
    return false;
}

static int next_by_regex(awk_reader *r, const char **s, size_t *len) {
    for (;;) {
        range end;
        bool found = find_terminator(r, 0, &end);
        /* At the edge of what was read a match might be longer. */
        if (found && (r->eof || (size_t)end.end < r->len - r->start))
            return take(r, (size_t)end.start, (size_t)(end.end - end.start), s, len);
        int more = fill(r);
        if (more > 0) continue;
        if (r->len == r->start) return more;
        if (found) return take(r, (size_t)end.start, (size_t)(end.end - end.start), s, len);
        return take(r, r->len - r->start, 0, s, len);
    }
}

/* RS = "": records end at empty lines; newlines before the first one do not count. */
static int next_paragraph(awk_reader *r, const char **s, size_t *len) {
    size_t seen = 0;
    for (;;) {
        while (seen == 0 && r->start < r->len && r->buf[r->start] == '\n') r->start++;
        size_t have = r->len - r->start;
        const char *from = r->buf + r->start, *end = NULL;
        for (size_t at = seen; at + 1 < have; at++) {
            const char *newline = memchr(from + at, '\n', have - at - 1);
            if (!newline) break;
            at = (size_t)(newline - from);
            if (newline[1] != '\n') continue;
            end = newline;
            break;
        }
        if (end) {
            size_t record = (size_t)(end - from), newlines = 2;
            while (record + newlines < have && from[record + newlines] == '\n') newlines++;
            if (record + newlines < have || r->eof) return take(r, record, newlines, s, len);
            seen = record;
        } else {
            seen = have > 0 ? have - 1 : 0;
        }
        int more = fill(r);
        if (more > 0) continue;
        if (end) continue;
        if (have == 0) return more;
        bool newline = r->buf[r->start + have - 1] == '\n';
        return take(r, have - newline, newline, s, len);
    }
}

int reader_next(awk_reader *r, const char **s, size_t *len) {
    switch (rs_kind) {
    case RS_REGEX: return next_by_regex(r, s, len);
    case RS_PARAGRAPHS: return next_paragraph(r, s, len);
    default: return next_by_char(r, s, len);
    }
}

void input_rs_changed(void) {
    awk_text *rs = value_to_text(&awk.globals[V_RS], awk.convfmt);
    if (rs->len == 0) {
        rs_kind = RS_PARAGRAPHS;
    } else if (rs->len == 1) {
        rs_kind = RS_CHAR;
        rs_char = (unsigned char)rs->s[0];
    } else if (rs->len > 1 && awk.posix) {
        rs_kind = RS_CHAR;
        rs_char = (unsigned char)rs->s[0];
    } else {
        rs_kind = RS_REGEX;
        if (!rs_source || !text_equal(rs, rs_source)) {
            if (rs_source) text_drop(rs_source);
            rs_source = text_keep(rs);
            if (rs_regex) regex_free(rs_regex);
            rs_regex = regex_constant(rs->s, rs->len);
        }
    }
    text_drop(rs);
}

/* The main input */

bool awk_is_assignment(const char *operand) {
    if (!isalpha((unsigned char)*operand) && *operand != '_') return false;
    while (isalnum((unsigned char)*operand) || *operand == '_') operand++;
    return *operand == '=';
}

static void assign_text(int special, const char *s) {
    value_assign(&awk.globals[special], value_text(text_ofs(s)));
}

/* BEGINFILE; false when it says nextfile. */
static bool begin_file(const char *name, int error) {
    assign_text(V_FILENAME, name);
    awk.fnr = 0;
    if (error)
        stream_set_errno(error);
    else if (run_has_rules(GROUP_BEGINFILE))
        value_assign(&awk.globals[V_ERRNO], value_text(text_empty()));
    return !run_rules(GROUP_BEGINFILE);
}

static void close_main(void) {
    if (!main_reader) return;
    record_own();
    reader_free(main_reader);
    main_reader = NULL;
}

static void end_file(void) {
    if (!main_reader) return;
    run_rules(GROUP_ENDFILE);
    close_main();
}

void input_skip_file(void) {
    end_file();
}

static bool open_file(const char *name) {
    bool standard = strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0;
    int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC), error = fd < 0 ? errno : 0;
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        error = EISDIR;
        if (!standard) close(fd);
        fd = -1;
    }
    any_file = true;
    if (error == EISDIR && !run_has_rules(GROUP_BEGINFILE)) {
        g_warn("warning: command line argument `%s' is a directory: skipped", name);
        return false;
    }
    if (fd >= 0) main_reader = reader_new(fd);
    if (fd >= 0 && awk.inplace) inplace_begin(name, fd);
    bool wanted = begin_file(name, error);
    if (awk.exiting) return false;
    if (fd < 0 && wanted) g_die_errno(2, error, "fatal: cannot open file `%s' for reading", name);
    if (!wanted) close_main();
    return main_reader != NULL;
}

/* Opens the next file of ARGV that can be read; false when there is none. */
static bool next_file(void) {
    value *argc = &awk.globals[V_ARGC];
    awk_array *argv = awk.globals[V_ARGV].array;
    while (!awk.exiting && next_operand < (int64_t)value_to_number(argc)) {
        int64_t index = next_operand++;
        value subscript = value_number((double)index);
        value *v = array_find(argv, &subscript);
        if (!v) continue;
        awk_text *name = value_to_text(v, awk.convfmt);
        bool opened = false;
        if (name->len > 0) {
            if (awk_is_assignment(name->s)) {
                awk_assign_operand(name->s);
            } else {
                value_assign(&awk.globals[V_ARGIND], value_number((double)index));
                opened = open_file(name->s);
            }
        }
        text_drop(name);
        if (opened) return true;
    }
    if (any_file || awk.exiting) return false;
    return open_file("-");
}

int input_next(const char **s, size_t *len) {
    while (!ended && !awk.exiting) {
        if (!main_reader && !next_file()) {
            if (awk.exiting) break;
            ended = true;
            break;
        }
        int got = reader_next(main_reader, s, len);
        if (got < 0) {
            int error = errno;
            awk_warn("error reading input file `%s': %s", awk.globals[V_FILENAME].text->s,
                     strerror(error));
            awk.exit_status = 2;
        }
        if (got > 0) {
            awk.nr++;
            awk.fnr++;
            return 1;
        }
        end_file();
    }
    return 0;
}

bool input_next_record(void) {
    const char *s;
    size_t len;
    if (input_next(&s, &len) <= 0) return false;
    record_set_borrowed(s, len);
    return true;
}
