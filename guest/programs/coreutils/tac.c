/*
 * tac.c: files in reverse, last line first.
 *
 * help tac:
 *   Usage: tac [OPTION]... [FILE]...
 *   Write each FILE to standard output, last line first.
 *
 *     -b, --before             attach the separator before instead of after
 *     -r, --regex              interpret the separator as a regular expression
 *     -s, --separator=STRING   use STRING as the separator instead of newline
 *         --help               display this help and exit
 *         --version            output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "pf.h"
#include "g_regex.h"
#include "g_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (64u << 10)

typedef struct {
    bool before;
    const char *separator;
    size_t separator_len;
    pf_regex *re;
} reverser;

/* The last separator that ends at or before `end` and starts before it; false for none. */
static bool find_back(const reverser *r, const char *s, size_t end, size_t *start, size_t *stop) {
    if (r->re) {
        /* The separator that begins last, as a search backwards sees it. */
        for (size_t from = end; from-- > 0;) {
            pf_range range;
            if (pf_regex_search(r->re, s, end, from, 0, &range, 1) == PF_RE_OK &&
                (size_t)range.start == from) {
                *start = from;
                *stop = (size_t)range.end;
                return true;
            }
            if (from % 256 == 0) pf_yield();
        }
        return false;
    }
    if (r->separator_len == 1) {
        const char *p = memrchr(s, *r->separator, end);
        if (!p) return false;
        *start = (size_t)(p - s);
        *stop = *start + 1;
        return true;
    }
    for (size_t at = end; at-- >= r->separator_len && at != SIZE_MAX;) {
        size_t begin = at + 1 - r->separator_len;
        if (memcmp(s + begin, r->separator, r->separator_len) == 0) {
            *start = begin;
            *stop = begin + r->separator_len;
            return true;
        }
    }
    return false;
}

static void put_reversed(const reverser *r, const char *s, size_t len) {
    size_t end = len, search = len, start, stop;
    size_t pieces = 0;
    while (search > 0 && find_back(r, s, search, &start, &stop)) {
        size_t cut = r->before ? start : stop;
        if (cut < end || r->before) {
            if (cut < end) g_out(s + cut, end - cut);
            end = cut;
        }
        search = start;
        if (++pieces % 1024 == 0) pf_yield();
    }
    g_out(s, end);
}

/* A file in which one can go back is read from its end, a block at a time. What lies before the last
 * separator found stays at the end of the buffer; a long piece makes that larger. */
static bool reverse_blocks(const reverser *r, int fd, off_t size) {
    size_t cap = BLOCK, held = 0;
    char *buf = g_alloc(cap);
    for (off_t pos = size; pos > 0;) {
        size_t want = pos < (off_t)BLOCK ? (size_t)pos : BLOCK;
        if (cap - held < want) {
            char *larger = g_alloc(2 * cap);
            memcpy(larger + 2 * cap - held, buf + cap - held, held);
            free(buf);
            buf = larger;
            cap *= 2;
        }
        pos -= (off_t)want;
        char *from = buf + cap - held - want;
        size_t got = 0;
        if (lseek(fd, pos, SEEK_SET) < 0) return false;
        for (ssize_t n; got < want; got += (size_t)n) {
            if ((n = g_read(fd, from + got, want - got)) > 0) continue;
            if (n == 0) errno = EIO; /* it became shorter meanwhile */
            return false;
        }
        char *end = buf + cap, *search = from + want, *found;
        while ((found = memrchr(from, *r->separator, (size_t)(search - from)))) {
            char *cut = r->before ? found : found + 1;
            g_out(cut, (size_t)(end - cut));
            end = cut;
            search = found;
        }
        held = (size_t)(end - from);
        memmove(buf + cap - held, from, held);
    }
    g_out(buf + cap - held, held);
    free(buf);
    return true;
}

static int reverse_file(const reverser *r, const char *name) {
    int fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        g_warn_errno(errno, "failed to open %s for reading", g_quoteaf(name));
        return 1;
    }
    size_t len;
    struct stat st;
    bool back = !r->re && r->separator_len == 1 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                st.st_size > 0;
    int status = 0;
    if (back) { /* all of it, wherever the descriptor stands: as GNU */
        if (!reverse_blocks(r, fd, st.st_size)) {
            g_warn_errno(errno, "%s: read error", g_quotef(name));
            status = 1;
        }
        g_close_input(fd);
        return status;
    }
    char *s = g_read_all(fd, &len);
    if (!s) {
        g_warn_errno(errno, "%s: read error", g_quotef(name));
        status = 1;
    } else {
        put_reversed(r, s, len);
    }
    free(s);
    g_close_input(fd);
    return status;
}

/* -r reads Emacs's syntax, which has no intervals and in which + and ? are operators and \+ and \?
 * are characters: the same as a basic expression. */
static void basic_of_emacs(const char *s, g_text *out) {
    bool start = true; /* an operator here is a character */
    for (; *s; s++) {
        if (*s == '[') {
            const char *end = s + 1 + (s[1] == '^');
            if (*end) end = strchr(end + 1, ']');
            if (!end || !*end) break;
            g_text_add(out, s, (size_t)(end + 1 - s));
            s = end;
        } else if (*s == '\\' && s[1]) {
            s++;
            if (!strchr("+?{}", *s)) g_text_addc(out, '\\');
            g_text_addc(out, *s);
            start = *s == '(' || *s == '|';
            continue;
        } else {
            if ((*s == '+' || *s == '?') && !start) g_text_addc(out, '\\');
            g_text_addc(out, *s);
        }
        start = false;
    }
    g_text_adds(out, s);
}

static const g_long longs[] = {
    {"before", 'b', G_NONE}, {"regex", 'r', G_NONE}, {"separator", 's', G_REQUIRED}, {0}};

int tac_main(int argc, char **argv) {
    reverser r = {.separator = "\n"};
    bool regex = false;
    g_options o = g_options_of(argc, argv, "brs:", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        if (option == 'b') r.before = true;
        if (option == 'r') regex = true;
        if (option == 's') r.separator = o.arg;
    }
    r.separator_len = strlen(r.separator);
    if (regex) {
        const char *message;
        if (!r.separator_len) g_die(1, "separator cannot be empty");
        g_text basic = {0};
        basic_of_emacs(r.separator, &basic);
        if (pf_regex_compile(&r.re, basic.s, basic.len, PF_RE_NEWLINE | PF_RE_LENIENT,
                             &g_regex_host, &message))
            g_die(1, "%s", message);
    } else if (r.separator_len == 0) {
        r.separator = "";
        r.separator_len = 1; /* NUL */
    }
    int status = 0;
    if (o.at == argc) status = reverse_file(&r, "-");
    for (int i = o.at; i < argc; i++) status |= reverse_file(&r, argv[i]);
    return status;
}
