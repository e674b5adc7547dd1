/*
 * printf.c: prints arguments under the control of a format.
 *
 * The shell has its own printf; this is the one that env, xargs and find run. The format is used
 * again as long as arguments are left.
 *
 * help printf:
 *   Usage: printf FORMAT [ARGUMENT]...
 *     or:  printf OPTION
 *   Print ARGUMENT(s) according to FORMAT.
 *
 *   FORMAT controls the output as in C printf. Interpreted sequences are:
 *     \"  \\  \a  \b  \c (no further output)  \e  \f  \n  \r  \t  \v
 *     \NNN  byte with octal value NNN     \xHH  byte with hexadecimal value HH
 *     \uHHHH, \UHHHHHHHH  Unicode character with hexadecimal value
 *     %%  a single %
 *     %b  ARGUMENT as a string with '\' escapes interpreted (octal as \0NNN)
 *     %q  ARGUMENT in a format that can be reused as shell input
 *   and all C format specifications ending with one of diouxXfeEgGcs. Variable widths are handled.
 *
 *         --help     display this help and exit
 *         --version  output version information and exit
 */
#include "extended.h"
#include "g_escape.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "lib/utf8/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    char **args;
    int left;
    int status;
    bool stop;
} printer;

typedef struct {
    char flags[8];
    size_t flag_count;
    int width, precision; /* -1: none */
} spec;

static const char *next_arg(printer *p) {
    if (p->left == 0) return NULL;
    p->left--;
    return *p->args++;
}

/* 'x or "x: the code of the character behind the quote. */
static bool character_value(printer *p, const char *s, uint32_t *code) {
    if ((*s != '"' && *s != '\'') || !s[1]) return false;
    size_t len = strlen(++s);
    *code = (unsigned char)*s;
    int n = 1;
    if (g_utf8_locale() && !(n = pf_utf8_decode(s, len, code))) {
        *code = (unsigned char)*s;
        n = 1;
    }
    if (s[n])
        g_warn("warning: %s: character(s) following character constant have been ignored", s + n);
    (void)p;
    return true;
}

static void verify(printer *p, const char *s, const char *end) {
    if (errno == ERANGE) { /* EINVAL, which musl has for no number at all, is said below */
        g_warn_errno(errno, "%s", g_quote(s));
        p->status = 1;
    } else if (*end) {
        if (s == end) g_warn("%s: expected a numeric value", g_quote(s));
        else g_warn("%s: value not completely converted", g_quote(s));
        p->status = 1;
    }
}

static intmax_t integer(printer *p, const char *s, bool is_signed) {
    uint32_t code;
    if (!s) return 0;
    if (character_value(p, s, &code)) return (intmax_t)code;
    char *end;
    errno = 0;
    intmax_t value = is_signed ? strtoimax(s, &end, 0) : (intmax_t)strtoumax(s, &end, 0);
    verify(p, s, end);
    return value;
}

static extended real(printer *p, const char *s) {
    uint32_t code;
    if (!s) return (extended){0};
    if (character_value(p, s, &code)) return extended_of_unsigned(code);
    const char *end;
    errno = 0;
    extended value = extended_read(s, &end);
    verify(p, s, end);
    return value;
}

static void put_bytes(void *to, const char *text, size_t n) {
    (void)to;
    g_out(text, n);
}

static void put_real(printer *p, const spec *s, const char *arg, char conversion) {
    char flags[sizeof s->flags + 1] = "";
    memcpy(flags, s->flags, s->flag_count);
    extended_format format = {flags, s->width, s->precision, conversion};
    extended n = real(p, arg);
    extended_print(&n, &format, (extended_sink){put_bytes, NULL});
}

/* Builds "%FLAGS*.*" + modifier + conversion for the C library. */
static void c_format(const spec *s, const char *tail, char out[24]) {
    size_t at = 0;
    out[at++] = '%';
    memcpy(out + at, s->flags, s->flag_count);
    at += s->flag_count;
    strcpy(out + at, "*.*");
    strcat(out, tail);
}

static void put_string(const spec *s, const char *text, size_t len) {
    if (s->precision >= 0 && (size_t)s->precision < len) len = (size_t)s->precision;
    bool left = memchr(s->flags, '-', s->flag_count) != NULL;
    size_t pad = s->width > 0 && (size_t)s->width > len ? (size_t)s->width - len : 0;
    if (!left) g_out_fill(' ', pad);
    g_out(text, len);
    if (left) g_out_fill(' ', pad);
}

static void put_escapes(printer *p, const spec *s, const char *arg) {
    g_text out = {0};
    const char *bad = NULL;
    for (size_t len = strlen(arg); len > 0 && !p->stop;) {
        size_t taken =
            *arg == '\\' ? g_escape(arg + 1, len - 1, G_ESCAPE_ARGUMENT, &out, &p->stop, &bad) : 0;
        if (bad) g_die(1, "%s", bad);
        if (taken == 0) g_text_addc(&out, *arg);
        arg += taken + 1;
        len -= taken + 1;
    }
    put_string(s, out.s ? out.s : "", out.len);
    g_text_free(&out);
}

static void put_conversion(printer *p, spec *s, char conversion) {
    char format[24], tail[4] = {'j', conversion, 0};
    const char *arg = next_arg(p);
    int width = s->width < 0 ? 0 : s->width;
    switch (conversion) {
    case 'd': case 'i':
        c_format(s, tail, format);
        g_outf(format, width, s->precision, integer(p, arg, true));
        break;
    case 'o': case 'u': case 'x': case 'X':
        c_format(s, tail, format);
        g_outf(format, width, s->precision, (uintmax_t)integer(p, arg, false));
        break;
    case 'c': {
        char c = arg ? *arg : '\0';
        spec one = *s;
        one.precision = -1;
        if (arg && *arg) put_string(&one, &c, 1);
        else put_string(&one, "", 1);
        break;
    }
    case 's': put_string(s, arg ? arg : "", arg ? strlen(arg) : 0); break;
    case 'b': put_escapes(p, s, arg ? arg : ""); break;
    case 'q': {
        size_t len;
        if (!arg) break;
        char *quoted = g_shell_quote(arg, strlen(arg), false, false, &len);
        put_string(s, quoted, len);
        free(quoted);
        break;
    }
    default: /* a real number */
        put_real(p, s, arg, conversion);
        break;
    }
}

/* A width or precision: digits or '*'. Returns -1 when there is none. */
static int count_of(printer *p, const char **at, const char *what) {
    if (**at == '*') {
        (*at)++;
        const char *arg = next_arg(p);
        intmax_t value = integer(p, arg, true);
        if (value < INT32_MIN / 2 || value > INT32_MAX / 2)
            g_die(1, "invalid %s: %s", what, g_quote(arg));
        return (int)value;
    }
    if (!isdigit((unsigned char)**at)) return -1;
    char *end;
    errno = 0;
    long value = strtol(*at, &end, 10);
    if (errno || value > INT32_MAX / 2) g_die(1, "invalid %s: %.*s", what, (int)(end - *at), *at);
    *at = end;
    return (int)value;
}

static const char *put_directive(printer *p, const char *start) {
    const char *at = start + 1;
    spec s = {.width = -1, .precision = -1};
    if (*at == '%') {
        g_outc('%');
        return at + 1;
    }
    bool given[3] = {false}, fits = true; /* flags that some conversions do not take */
    for (; *at && strchr("-+ #0'I", *at); at++) {
        given[strchr("'I", *at) ? 0 : *at == '#' ? 1 : 2] |= strchr("'I#0", *at) != NULL;
        if (*at == '\'' || *at == 'I') continue; /* no digit grouping in this locale */
        if (!memchr(s.flags, *at, s.flag_count)) s.flags[s.flag_count++] = *at;
    }
    s.width = count_of(p, &at, "field width");
    if (s.width < -1) {
        if (!memchr(s.flags, '-', s.flag_count)) s.flags[s.flag_count++] = '-';
        s.width = -s.width;
    }
    if (*at == '.') {
        at++;
        bool star = *at == '*';
        s.precision = count_of(p, &at, "precision");
        if (s.precision < 0 && !star) s.precision = 0;
    }
    while (*at && strchr("hljLtz", *at)) at++;
    bool alone = at == start + 1;
    const char *excluded[][2] = {{"'I", "aAceEosxX"}, {"#", "cdisu"}, {"0", "cs"}};
    for (int i = 0; i < 3 && *at; i++)
        if (given[i] && strchr(excluded[i][1], *at)) fits = false;
    if (!*at || !fits || !strchr("diouxXfFeEgGaAcsbq", *at) || ((*at == 'b' || *at == 'q') && !alone)) {
        g_die(1, "%.*s: invalid conversion specification", (int)(at + (*at != 0) - start), start);
    }
    put_conversion(p, &s, *at);
    return at + 1;
}

static void put_format(printer *p, const char *at) {
    g_text escaped = {0};
    while (*at && !p->stop) {
        size_t plain = strcspn(at, "\\%");
        g_out(at, plain);
        at += plain;
        if (*at == '%') {
            at = put_directive(p, at);
        } else if (*at == '\\') {
            const char *bad = NULL;
            escaped.len = 0;
            size_t n =
                g_escape(at + 1, strlen(at + 1), G_ESCAPE_FORMAT, &escaped, &p->stop, &bad);
            if (bad) g_die(1, "%s", bad);
            if (n == 0) g_outc('\\');
            else if (escaped.len) g_out(escaped.s, escaped.len);
            at += 1 + n;
        }
    }
    g_text_free(&escaped);
}

int printf_main(int argc, char **argv) {
    int first = 1;
    g_standard_option(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--") == 0) first = 2;
    if (first >= argc) g_missing_operand(NULL);
    printer p = {.args = argv + first + 1, .left = argc - first - 1};
    for (;;) {
        int before = p.left;
        put_format(&p, argv[first]);
        if (p.stop || p.left == 0) return p.status;
        if (p.left == before) break;
    }
    g_warn("warning: ignoring excess arguments, starting with %s", g_quote(*p.args));
    return p.status;
}
