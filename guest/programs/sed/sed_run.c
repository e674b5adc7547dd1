/*
 * sed_run.c: the cycle: a line into the pattern space, the commands, the line out.
 */
#include "lib/utf8/utf8.h"
#include "pf.h"
#include "sed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a and r put behind the line: text, a file, or a line of a file (R). */
typedef struct {
    const char *text, *file;
    size_t len;
    sed_input_file *line_of;
} appended;

typedef struct {
    sed_program *p;
    sed_input *in;
    g_text space, hold, spare;
    bool chomped;      /* the pattern space's line had its end */
    bool hold_chomped; /* the hold space's: g, G, h, H and x take it along */
    bool replaced;     /* for t and T */
    bool skip_reading; /* D: the next cycle goes on with what is left */
    appended *queue;
    size_t queue_count, queue_cap;
} runner;

/* The last expression used, for the empty one. */
static pf_regex *last_used;

bool sed_search(sed_program *p, const sed_regex *r, const char *s, size_t len, size_t from,
                pf_range *ranges, size_t count) {
    (void)p;
    if (r->re) last_used = r->re;
    if (!last_used) g_die(1, "-e expression #1, char 0: no previous regular expression");
    int status = pf_regex_search(last_used, s ? s : "", len, from, 0, ranges, count);
    if (status == PF_RE_NOMEM) g_die(1, "memory exhausted");
    if (status == PF_RE_LIMIT)
        g_die(1, "the expression's back-references take too long on this text");
    return status == PF_RE_OK;
}

static bool address_matches(runner *r, const sed_address *a) {
    uint64_t line = sed_input_number(r->in);
    pf_range range;
    switch (a->kind) {
    case ADDRESS_NONE: return true;
    case ADDRESS_LINE: return line == a->first;
    case ADDRESS_STEP:
        if (a->step == 0) return line == a->first;
        return line >= a->first && (line - a->first) % a->step == 0;
    case ADDRESS_LAST: return sed_input_is_last(r->in);
    case ADDRESS_REGEX: return sed_search(r->p, &a->regex, r->space.s, r->space.len, 0, &range, 1);
    default: return false;
    }
}

/* A range that begins here, and perhaps ends here, too. */
static void begin_range(sed_command *c, uint64_t line) {
    c->active = true;
    switch (c->to.kind) {
    case ADDRESS_LINE:
        c->range_end = c->to.first;
        if (line >= c->range_end) c->active = false;
        break;
    case ADDRESS_PLUS:
        c->range_end = line + c->to.first;
        if (c->to.first == 0) c->active = false;
        break;
    case ADDRESS_MULTIPLE:
        c->range_end = c->to.first ? line + c->to.first - line % c->to.first : line;
        if (line >= c->range_end) c->active = false;
        break;
    default: break;
    }
}

/*
 * Whether a range begins here. One that begins at a line number also begins behind it, when that
 * line was never seen because N took it in; but once only, and not behind its last line.
 */
static bool range_begins(runner *r, sed_command *c, uint64_t line) {
    if (c->from.kind != ADDRESS_LINE) return address_matches(r, &c->from);
    if (c->ended || line < c->from.first) return false;
    return line == c->from.first || c->to.kind != ADDRESS_LINE || line <= c->to.first;
}

static bool selected(runner *r, sed_command *c) {
    if (c->from.kind == ADDRESS_NONE) return true;
    if (c->to.kind == ADDRESS_NONE) return address_matches(r, &c->from);
    uint64_t line = sed_input_number(r->in);
    if (!c->active) {
        if (!range_begins(r, c, line)) return false;
        begin_range(c, line);
        if (c->to.kind == ADDRESS_STEP && address_matches(r, &c->to)) c->active = false;
        c->ended = !c->active;
        return true;
    }
    bool counted =
        c->to.kind == ADDRESS_LINE || c->to.kind == ADDRESS_PLUS || c->to.kind == ADDRESS_MULTIPLE;
    if (counted ? line >= c->range_end : address_matches(r, &c->to)) {
        c->active = false;
        c->ended = true;
    }
    return c->to.kind != ADDRESS_LINE || line <= c->range_end;
}

static void enqueue(runner *r, appended item) {
    if (r->queue_count == r->queue_cap)
        r->queue = g_more(r->queue, &r->queue_cap, sizeof *r->queue);
    r->queue[r->queue_count++] = item;
}

static void put_file(runner *r, const char *name) {
    int fd = strcmp(name, "/dev/stdin") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    char *block = g_alloc(65536);
    ssize_t n;
    while ((n = g_read(fd, block, 65536)) > 0)
        sed_put_raw(sed_input_output(r->in), block, (size_t)n);
    free(block);
    g_close_input(fd);
}

static void put_queue(runner *r) {
    sed_output *out = sed_input_output(r->in);
    for (size_t i = 0; i < r->queue_count; i++) {
        const appended *a = &r->queue[i];
        sed_put_missing_newline(r->p, out);
        if (a->text) {
            sed_put_raw(out, a->text, a->len);
        } else if (a->file) {
            put_file(r, a->file);
        } else if (a->line_of->open) {
            g_line line;
            if (g_read_line(&a->line_of->in, &line))
                sed_put(r->p, out, line.s, line.len, line.terminated);
        }
    }
    if (r->queue_count && r->p->unbuffered) sed_flush(out);
    r->queue_count = 0;
}

static void put_space(runner *r, sed_output *out) {
    sed_put(r->p, out, r->space.s ? r->space.s : "", r->space.len, r->chomped);
}

/* The end of a cycle: the line and what was appended to it. */
static void end_cycle(runner *r) {
    if (!r->p->quiet) put_space(r, sed_input_output(r->in));
    put_queue(r);
}

/* 0r: files that stand before the first line. */
static void put_files_before(runner *r) {
    for (size_t i = 0; i < r->p->count; i++) {
        const sed_command *c = &r->p->commands[i];
        if (c->name == 'r' && c->from.kind == ADDRESS_ZERO && c->to.kind == ADDRESS_NONE)
            put_file(r, c->text.s);
    }
}

static bool read_line(runner *r) {
    r->space.len = 0;
    r->replaced = false;
    g_text_add(&r->space, "", 0);
    if (!sed_input_line(r->in, &r->space, &r->chomped)) return false;
    if (sed_input_number(r->in) != 1) return true;
    if (r->p->separate) r->hold.len = 0; /* every file begins anew */
    put_files_before(r);
    return true;
}

/* l: the pattern space without doubt; lines end with \ when they are folded, with $ at the end. */
static void list_space(runner *r, uint64_t width) {
    sed_output *out = sed_input_output(r->in);
    g_text line = {0};
    size_t column = 0, room = width > 0 ? (size_t)width - 1 : SIZE_MAX;
    sed_put_missing_newline(r->p, out);
    for (size_t i = 0; i < r->space.len; i++) {
        unsigned char c = (unsigned char)r->space.s[i];
        static const char letters[] = "abtnvfr";
        char piece[8];
        size_t len = 0;
        if (c == '\\') {
            piece[len++] = '\\';
            piece[len++] = '\\';
        } else if (c >= 7 && c <= 13) {
            piece[len++] = '\\';
            piece[len++] = letters[c - 7];
        } else if (c >= 0x20 && c < 0x7f) {
            piece[len++] = (char)c;
        } else {
            piece[len++] = '\\';
            piece[len++] = (char)('0' + (c >> 6));
            piece[len++] = (char)('0' + (c >> 3 & 7));
            piece[len++] = (char)('0' + (c & 7));
        }
        if (column + len > room) {
            g_text_addc(&line, '\\');
            g_text_addc(&line, r->p->end);
            column = 0;
        }
        g_text_add(&line, piece, len);
        column += len;
    }
    g_text_addc(&line, '$');
    g_text_addc(&line, r->p->end);
    sed_put_raw(out, line.s, line.len);
    g_text_free(&line);
}

enum after { NEXT_COMMAND, NEXT_CYCLE, END_CYCLE, QUIT, QUIT_SILENTLY };

/* n and N when there is no next line: POSIX says quit; GNU prints first unless POSIXLY_CORRECT. */
static enum after no_next_line(const sed_program *p, bool appending) {
    if (appending && (p->posix || getenv("POSIXLY_CORRECT"))) return NEXT_CYCLE;
    return END_CYCLE;
}

static void put_first_line(runner *r, sed_output *out) {
    const char *end = memchr(r->space.s, r->p->end, r->space.len);
    size_t len = end ? (size_t)(end - r->space.s) : r->space.len;
    sed_put(r->p, out, r->space.s ? r->space.s : "", len, end ? true : r->chomped);
}

static enum after copy_spaces(runner *r, const sed_command *c) {
    switch (c->name) {
    case 'g':
        r->chomped = r->hold_chomped;
        r->space.len = 0;
        g_text_add(&r->space, r->hold.s, r->hold.len);
        break;
    case 'G':
        r->chomped = r->hold_chomped;
        g_text_addc(&r->space, r->p->end);
        g_text_add(&r->space, r->hold.s, r->hold.len);
        break;
    case 'h':
        r->hold_chomped = r->chomped;
        r->hold.len = 0;
        g_text_add(&r->hold, r->space.s, r->space.len);
        break;
    case 'H':
        r->hold_chomped = r->chomped;
        g_text_addc(&r->hold, r->p->end);
        g_text_add(&r->hold, r->space.s, r->space.len);
        break;
    case 'x': {
        bool chomped = r->chomped;
        r->chomped = r->hold_chomped;
        r->hold_chomped = chomped;
        g_text swapped = r->space;
        r->space = r->hold;
        r->hold = swapped;
        g_text_add(&r->space, "", 0);
        break;
    }
    }
    return NEXT_COMMAND;
}

static enum after delete_first_line(runner *r) {
    char *end = memchr(r->space.s, r->p->end, r->space.len);
    if (!end) return NEXT_CYCLE;
    size_t cut = (size_t)(end + 1 - r->space.s);
    memmove(r->space.s, r->space.s + cut, r->space.len - cut + 1);
    r->space.len -= cut;
    r->skip_reading = true;
    return NEXT_CYCLE;
}

static enum after next_line(runner *r, bool append) {
    if (sed_input_is_last(r->in)) return no_next_line(r->p, append);
    if (!append && !r->p->quiet) put_space(r, sed_input_output(r->in));
    put_queue(r);
    r->replaced = false;
    if (append)
        g_text_addc(&r->space, r->p->end);
    else
        r->space.len = 0;
    if (!sed_input_line(r->in, &r->space, &r->chomped)) return QUIT;
    return NEXT_COMMAND;
}

/* The text of i and c; its end is that of lines. */
static void put_text(const runner *r, sed_output *out, const g_text *text) {
    if (text->len == 0) return; /* "i\" at the end of the script */
    sed_put_raw(out, text->s, text->len - 1);
    sed_put_raw(out, &r->p->end, 1);
}

/* Executes the command at *at and moves *at to the next one. */
static enum after execute(runner *r, sed_command *c, size_t *at) {
    sed_output *out = sed_input_output(r->in);
    switch (c->name) {
    case '{':
    case '}':
    case ':':
    case 'v': break;
    case '=': {
        char text[32];
        size_t n = sizeof text;
        uint64_t value = sed_input_number(r->in);
        text[--n] = r->p->end;
        do {
            text[--n] = (char)('0' + value % 10);
            value /= 10;
        } while (value);
        sed_put_missing_newline(r->p, out);
        sed_put_raw(out, text + n, sizeof text - n);
        break;
    }
    case 'a': enqueue(r, (appended){.text = c->text.s, .len = c->text.len}); break;
    case 'r': enqueue(r, (appended){.file = c->text.s}); break;
    case 'R': enqueue(r, (appended){.line_of = c->read}); break;
    case 'i':
        sed_put_missing_newline(r->p, out);
        put_text(r, out, &c->text);
        break;
    case 'c':
        if (c->to.kind == ADDRESS_NONE || !c->active || c->negated) {
            sed_put_missing_newline(r->p, out);
            put_text(r, out, &c->text);
        }
        return NEXT_CYCLE;
    case 'b': *at = c->target; break;
    case 't':
        if (r->replaced) *at = c->target;
        r->replaced = false;
        break;
    case 'T':
        if (!r->replaced) *at = c->target;
        r->replaced = false;
        break;
    case 'd': return NEXT_CYCLE;
    case 'D': return delete_first_line(r);
    case 'e':
        if (c->text.len) sed_execute_text(r->p, &c->text, out);
        else sed_execute_space(r->p, &r->space, &r->spare);
        break;
    case 'F':
        sed_put_missing_newline(r->p, out);
        sed_put_raw(out, sed_input_name(r->in), strlen(sed_input_name(r->in)));
        sed_put_raw(out, &r->p->end, 1);
        break;
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'x': return copy_spaces(r, c);
    case 'l': list_space(r, c->number == UINT64_MAX ? r->p->line_width : c->number); break;
    case 'n':
    case 'N': return next_line(r, c->name == 'N');
    case 'p': put_space(r, out); break;
    case 'P': put_first_line(r, out); break;
    case 'q': r->p->status = (int)c->number; return QUIT;
    case 'Q': r->p->status = (int)c->number; return QUIT_SILENTLY;
    case 's':
        if (!sed_replace(r->p, c, &r->space, &r->spare)) break;
        r->replaced = true;
        if (c->print_before) put_space(r, out);
        if (c->evaluate) sed_execute_space(r->p, &r->space, &r->spare);
        if (c->print && !c->print_before) put_space(r, out);
        if (c->out) put_space(r, c->out);
        break;
    case 'w': put_space(r, c->out); break;
    case 'W': put_first_line(r, c->out); break;
    case 'y': sed_translate(c, &r->space, &r->spare); break;
    case 'z': r->space.len = 0; break;
    }
    return NEXT_COMMAND;
}

static enum after run_commands(runner *r) {
    unsigned steps = 0;
    for (size_t at = 0; at < r->p->count;) {
        sed_command *c = &r->p->commands[at++];
        if (++steps % 256 == 0) pf_yield();
        if (selected(r, c) == c->negated) {
            if (c->name == '{') at = c->target;
            continue;
        }
        enum after after = execute(r, c, &at);
        if (after != NEXT_COMMAND) return after;
    }
    return END_CYCLE;
}

int sed_run(sed_program *p, char **files, int count) {
    runner r = {.p = p, .in = sed_input_new(p, files, count), .hold_chomped = true};
    g_text_add(&r.hold, "", 0);
    g_text_add(&r.spare, "", 0);
    bool quit = false; /* what is left of the file is dropped, also with -i */
    for (unsigned cycles = 0; !quit; cycles++) {
        if (cycles % 512 == 0) pf_yield();
        if (!r.skip_reading && !read_line(&r)) break;
        r.skip_reading = false;
        enum after after = run_commands(&r);
        if (after == END_CYCLE || after == QUIT)
            end_cycle(&r);
        else
            put_queue(&r);
        quit = after == QUIT || after == QUIT_SILENTLY;
    }
    sed_input_end(r.in);
    return p->status;
}
