/*
 * builtin/printf.c: printf.
 */
#include "builtin.h"
#include "extended.h"

#include <ctype.h>

#include <time.h>

struct printing {
    struct shell *sh;
    sb out;
    int n, at; /* arguments, and the next one */
    char **args;
    int status;
    bool unsigned_kind; /* the directive takes numbers up to 2^64 */
    bool stop;          /* \c in %b, or an error that ends it */
};

struct directive {
    char flags[8];
    bool left, overflow; /* wider than a number: the C library prints nothing then */
    int width, precision; /* -1: none */
    bool long_kind; /* modifier L */
    char kind;
    const char *time_format;
    size_t time_n;
};

static const char *next_arg(struct printing *p) {
    return p->at < p->n ? p->args[p->at++] : NULL;
}

/* ------------------------------------------------------------------ numbers */

static void bad_number(struct printing *p, const char *arg) {
    const char *digits = arg + (*arg == '-' || *arg == '+');
    bool zero = digits[0] == '0' && digits[1], hex = zero && (digits[1] | 32) == 'x';
    sh_builtin_error(p->sh, "%s: invalid %snumber", arg, hex ? "hex " : zero ? "octal " : "");
    p->status = 1;
}

static void out_of_range(struct printing *p, const char *arg) {
    sh_builtin_error(p->sh, "warning: %s: %s", arg, strerror(ERANGE));
}

/* 'x or "x is the code of x. */
static bool quoted_character(const char *arg, uint32_t *code) {
    if (*arg != '\'' && *arg != '"') return false;
    int len;
    *code = arg[1] ? u8_decode(arg + 1, strlen(arg + 1), &len) : 0;
    if (*code >= 0xdc80 && *code <= 0xdcff) *code -= 0xdc00;
    return true;
}

/* The next argument, to be read as a number; NULL: *code is its value already. */
static const char *number_arg(struct printing *p, uint32_t *code) {
    const char *arg = next_arg(p);
    if (arg && quoted_character(arg, code)) return NULL;
    *code = 0;
    return arg && *arg ? arg : NULL;
}

static int64_t integer_arg(struct printing *p) {
    uint32_t code;
    const char *arg = number_arg(p, &code);
    char *end;
    if (!arg) return code;
    errno = 0;
    int64_t n = p->unsigned_kind ? (int64_t)strtoull(arg, &end, 0) : strtoll(arg, &end, 0);
    if (errno == ERANGE) out_of_range(p, arg);
    if (end == arg || *end) bad_number(p, arg);
    return n;
}

/* In POSIX mode a real number is a double, unless the directive says L. */
static double double_arg(const char *arg, const char **end) {
    char *stop;
    double n = strtod(arg, &stop);
    *end = stop;
    return n;
}

static void make_format(const struct directive *d, const char *length, char *out, size_t size) {
    int n = snprintf(out, size, "%%%s", d->flags);
    if (d->width >= 0) n += snprintf(out + n, size - (size_t)n, "%d", d->width);
    if (d->precision >= 0) n += snprintf(out + n, size - (size_t)n, ".%d", d->precision);
    snprintf(out + n, size - (size_t)n, "%s%c", length, d->kind);
}

static void print_integer(struct printing *p, const struct directive *d) {
    char format[64];
    p->unsigned_kind = d->kind != 'd' && d->kind != 'i';
    int64_t n = integer_arg(p);
    make_format(d, "ll", format, sizeof format);
    sb_printf(&p->out, format, (long long)n);
}

static void put_bytes(void *to, const char *text, size_t n) {
    sb_put(to, text, n);
}

static void print_float(struct printing *p, const struct directive *d) {
    uint32_t code;
    const char *arg = number_arg(p, &code), *end = "";
    extended n = extended_of_unsigned(code);
    double narrow = code;
    bool wide = d->long_kind || !p->sh->posix;
    errno = 0;
    if (arg && wide) n = extended_read(arg, &end);
    else if (arg) narrow = double_arg(arg, &end);
    if (arg && (end == arg || *end)) bad_number(p, arg);
    else if (errno == ERANGE) out_of_range(p, arg);
    if (wide) {
        extended_format format = {d->flags, d->width, d->precision, d->kind};
        extended_print(&n, &format, (extended_sink){put_bytes, &p->out});
    } else {
        char format[64];
        make_format(d, "", format, sizeof format);
        sb_printf(&p->out, format, narrow);
    }
}

/* ------------------------------------------------------------------ text */

static void put_padded(struct printing *p, const struct directive *d, const char *s, size_t n) {
    size_t width = d->width > 0 ? (size_t)d->width : 0;
    size_t pad = width > n ? width - n : 0;
    for (size_t i = 0; i < pad && !d->left; i++) sb_putc(&p->out, ' ');
    sb_put(&p->out, s, n);
    for (size_t i = 0; i < pad && d->left; i++) sb_putc(&p->out, ' ');
}

static size_t limited(const struct directive *d, size_t n) {
    return d->precision >= 0 && (size_t)d->precision < n ? (size_t)d->precision : n;
}

static void print_string(struct printing *p, const struct directive *d) {
    const char *arg = next_arg(p);
    if (!arg) arg = "";
    put_padded(p, d, arg, limited(d, strlen(arg)));
}

static void print_char(struct printing *p, const struct directive *d) {
    const char *arg = next_arg(p);
    size_t at = p->out.n;
    bool nul = !arg || !*arg; /* the character is the one that ends the text */
    put_padded(p, d, nul ? "\1" : arg, 1);
    if (nul) *(char *)memchr(p->out.s + at, '\1', p->out.n - at) = 0;
}

/* \x and \u without a digit stay as they are, which bash remarks upon. */
static void unescape(struct printing *p, sb *out, const char *s, size_t n, char mode) {
    for (size_t i = 0; i + 1 < n; i++) {
        if (s[i] != '\\') continue;
        char c = s[++i];
        bool digit = i + 1 < n && isxdigit((unsigned char)s[i + 1]);
        if (c == 'x' && !digit) sh_builtin_error(p->sh, "missing hex digit for \\x");
        if ((c == 'u' || c == 'U') && !digit)
            sh_builtin_error(p->sh, "missing unicode digit for \\%c", c);
    }
    if (quote_unescape(out, s, n, mode)) p->stop = true;
}

static void print_escaped(struct printing *p, const struct directive *d) {
    const char *arg = next_arg(p);
    sb text = {0};
    if (!arg) arg = "";
    unescape(p, &text, arg, strlen(arg), 'b');
    put_padded(p, d, text.s ? text.s : "", limited(d, text.n));
    sb_free(&text);
}

static void print_quoted(struct printing *p, const struct directive *d) {
    const char *arg = next_arg(p);
    sb text = {0};
    if (!arg) arg = "";
    if (d->kind == 'Q' && d->precision >= 0) {
        char *cut = arena_strndup(&p->sh->tmp, arg, limited(d, strlen(arg)));
        quote_backslash(&text, cut);
        put_padded(p, d, text.s, text.n);
    } else {
        quote_backslash(&text, arg);
        put_padded(p, d, text.s, limited(d, text.n));
    }
    sb_free(&text);
}

static void print_time(struct printing *p, const struct directive *d) {
    char format[256], text[128]; /* as long as bash's: what does not fit is dropped */
    time_t when = time(NULL);
    struct tm tm;
    if (p->at < p->n) {
        int64_t n = integer_arg(p);
        if (n == -2)
            when = (time_t)p->sh->start_time;
        else if (n != -1)
            when = (time_t)n;
    }
    if (d->time_n >= sizeof format) return;
    memcpy(format, d->time_format, d->time_n);
    format[d->time_n] = 0;
    if (!*format) strcpy(format, "%X");
    localtime_r(&when, &tm);
    size_t n = strftime(text, sizeof text, format, &tm);
    put_padded(p, d, text, limited(d, n));
}

/* ------------------------------------------------------------------ the format */

static int literal_number(struct directive *d, const char **at) {
    errno = 0;
    long long n = strtoll(*at, (char **)at, 10);
    if (n < INT_MAX) return (int)n;
    d->overflow = true;
    return 0;
}

static int argument_number(struct printing *p, struct directive *d) {
    int64_t n = integer_arg(p);
    if (n > -INT_MAX && n < INT_MAX) return (int)n;
    out_of_range(p, p->at < p->n ? p->args[p->at] : "");
    d->overflow = true;
    return 0;
}

static void read_width(struct printing *p, struct directive *d, const char **at) {
    if (**at == '*') {
        (*at)++;
        d->width = argument_number(p, d);
        if (d->width < 0) {
            d->left = true;
            if (!strchr(d->flags, '-')) strcat(d->flags, "-");
            d->width = -d->width;
        }
        return;
    }
    if (**at >= '0' && **at <= '9') {
        d->width = literal_number(d, at);
    }
}

static void read_precision(struct printing *p, struct directive *d, const char **at) {
    if (**at != '.') return;
    (*at)++;
    d->precision = 0;
    if (**at == '*') {
        (*at)++;
        d->precision = argument_number(p, d);
        if (d->precision < 0) d->precision = -1;
    } else if (**at >= '0' && **at <= '9') {
        d->precision = literal_number(d, at);
    } else if (**at == '-') { /* a negative one counts as none */
        (*at)++;
        strtol(*at, (char **)at, 10);
        d->precision = -1;
    }
}

static void read_directive(struct printing *p, struct directive *d, const char **at) {
    *d = (struct directive){.width = -1, .precision = -1};
    size_t n = 0;
    for (; **at && strchr("-+ #0'", **at); (*at)++) {
        if (**at == '-') d->left = true;
        if (n < sizeof d->flags - 2 && !strchr(d->flags, **at)) d->flags[n++] = **at;
    }
    read_width(p, d, at);
    read_precision(p, d, at);
    for (; **at && strchr("hlLjzt", **at); (*at)++) d->long_kind |= **at == 'L';
    if (**at == '(') {
        const char *end = strstr(*at, ")T");
        if (end) {
            d->time_format = *at + 1;
            d->time_n = (size_t)(end - *at) - 1;
            *at = end + 1;
        }
    }
    d->kind = **at;
    if (**at) (*at)++;
}

static void print_directive(struct printing *p, const struct directive *d, const char *start) {
    switch (d->kind) {
    case '%':
        if (start[1] != '%') break;
        sb_putc(&p->out, '%');
        return;
    case 's': print_string(p, d); return;
    case 'c': print_char(p, d); return;
    case 'b': print_escaped(p, d); return;
    case 'q':
    case 'Q': print_quoted(p, d); return;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X': print_integer(p, d); return;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': print_float(p, d); return;
    case 'n': {
        const char *name = next_arg(p);
        char text[24];
        snprintf(text, sizeof text, "%zu", p->out.n);
        if (name && name_ok(name)) var_set(p->sh, name, text);
        return;
    }
    case 'T':
        if (d->time_format) {
            print_time(p, d);
            return;
        }
        break;
    case 0:
        sh_builtin_error(p->sh, "`%s': missing format character", start);
        p->stop = true;
        p->status = 1;
        return;
    default: break;
    }
    sh_builtin_error(p->sh, "`%c': invalid format character", d->kind);
    p->stop = true;
    p->status = 1;
}

/* The format once through. */
static void print_once(struct printing *p, const char *format) {
    for (const char *f = format; *f && !p->stop;) {
        if (*f == '%') {
            struct directive d;
            const char *start = f++;
            read_directive(p, &d, &f);
            size_t before = p->out.n;
            print_directive(p, &d, start);
            if (d.overflow) p->out.n = before;
        } else if (*f == '\\') {
            const char *end = f + 1;
            while (*end && *end != '%' && *end != '\\') end++;
            if (*end == '\\' && end == f + 1) end++;
            if (*end == '%' && end == f + 1) end++;
            unescape(p, &p->out, f, (size_t)(end - f), 'f');
            f = end;
        } else {
            size_t n = strcspn(f, "%\\");
            sb_put(&p->out, f, n);
            f += n;
        }
    }
}

BUILTIN(printf) {
    struct bopt o = bopt_new(argc, argv);
    const char *var = NULL;
    for (int c; (c = bopt_next(sh, &o, "v:", NULL));) {
        if (bopt_over(c)) return 2;
        var = o.arg;
    }
    if (var && !assign_valid_lhs(var)) {
        sh_builtin_error(sh, "`%s': not a valid identifier", var);
        return 2;
    }
    if (o.index >= argc) return sh_usage(sh);
    struct printing p = {.sh = sh, .n = argc - o.index - 1, .args = argv + o.index + 1};
    const char *format = argv[o.index];
    int steps = 0, before;
    do {
        before = p.at;
        print_once(&p, format);
        if (++steps % 64 == 0) exec_step(sh);
    } while (!p.stop && p.at < p.n && p.at > before && sh->flow == FLOW_NONE);
    if (var) {
        if (!assign_text(sh, var, sb_str(&p.out), false)) p.status = 1;
    } else {
        out_put(sh, p.out.s ? p.out.s : "", p.out.n);
    }
    sb_free(&p.out);
    return p.status;
}
