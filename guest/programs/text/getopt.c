/*
 * getopt.c: parses a script's options (util-linux).
 *
 * help getopt:
 *   Usage:
 *    getopt <optstring> <parameters>
 *    getopt [options] [--] <optstring> <parameters>
 *    getopt [options] -o|--options <optstring> [options] [--] <parameters>
 *
 *   Parse command options.
 *
 *   Options:
 *    -a, --alternative             allow long options starting with single -
 *    -l, --longoptions <longopts>  the long options to be recognized
 *    -n, --name <progname>         the name under which errors are reported
 *    -o, --options <optstring>     the short options to be recognized
 *    -q, --quiet                   disable error reporting by getopt(3)
 *    -Q, --quiet-output            no normal output
 *    -s, --shell <shell>           set quoting conventions to those of <shell>
 *    -T, --test                    test for getopt(1) version
 *    -u, --unquoted                do not quote the output
 *    -h, --help                    display this help
 *    -V, --version                 display version
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *shorts, *name;
    g_long *longs;
    size_t count, cap;
    bool alternative, quiet, silent, unquoted, compatible, csh, failed;
    char order; /* '+' stops at the first operand, '-' keeps operands in place, 0 */
} parser;

static void complain(parser *p, const char *format, const char *text) {
    p->failed = true;
    if (p->quiet) return;
    g_text out = {0};
    g_text_addf(&out, "%s: ", p->name);
    for (const char *s = format; *s; s++) {
        if (s[0] == '@')
            g_text_adds(&out, text);
        else
            g_text_addc(&out, *s);
    }
    g_text_addc(&out, '\n');
    g_out_flush();
    if (write(STDERR_FILENO, out.s, out.len) < 0) p->failed = true;
    g_text_free(&out);
}

static void put_quoted(const parser *p, const char *s) {
    if (p->silent) return;
    if (p->unquoted) {
        g_outs(" ");
        g_outs(s);
        return;
    }
    g_outs(" '");
    for (; *s; s++) {
        if (*s == '\'')
            g_outs("'\\''");
        else if (p->csh && *s == '\\')
            g_outs("\\\\");
        else if (p->csh && *s == '!')
            g_outs("'\\!'");
        else if (p->csh && *s == '\n')
            g_outs("\\n");
        else
            g_outc(*s);
    }
    g_outc('\'');
}

static void put_option(const parser *p, const char *dashes, const char *name, size_t len) {
    if (p->silent) return;
    g_outf(" %s", dashes);
    g_out(name, len);
}

static const g_long *find(parser *p, const char *text, size_t len, const char *dashes) {
    const g_long *found = NULL;
    g_text options = {0};
    int matches = 0;
    for (size_t i = 0; i < p->count; i++) {
        const g_long *l = &p->longs[i];
        if (strncmp(l->name, text, len) != 0) continue;
        if (strlen(l->name) == len) return l;
        g_text_addf(&options, " '%s%s'", dashes, l->name);
        found = l;
        matches++;
    }
    if (matches > 1) {
        g_text message = {0};
        g_text_addf(&message, "option '%s%s' is ambiguous; possibilities:%s", dashes, text,
                    options.s);
        complain(p, "@", message.s);
        return NULL;
    }
    if (!found) {
        g_text message = {0};
        g_text_addf(&message, "unrecognized option '%s%.*s'", dashes, (int)strlen(text), text);
        complain(p, "@", message.s);
    }
    return found;
}

/* One word of options at *at; *at moves to the word behind it. */
static void long_option(parser *p, char **argv, int argc, int *at, const char *text,
                        const char *dashes) {
    size_t len = strcspn(text, "=");
    char *name = g_copy_bytes(text, len);
    const g_long *l = find(p, name, len, dashes);
    free(name);
    ++*at;
    if (!l) return;
    g_text shown = {0};
    g_text_addf(&shown, "%s%s", dashes, l->name);
    const char *value = text[len] ? text + len + 1 : NULL;
    if (value && l->argument == G_NONE) {
        complain(p, "option '@' doesn't allow an argument", shown.s);
        return;
    }
    if (!value && l->argument == G_REQUIRED) {
        if (*at >= argc) {
            complain(p, "option '@' requires an argument", shown.s);
            return;
        }
        value = argv[(*at)++];
    }
    put_option(p, "--", l->name, strlen(l->name));
    if (value || l->argument == G_OPTIONAL) put_quoted(p, value ? value : "");
}

static void short_options(parser *p, char **argv, int argc, int *at) {
    const char *text = argv[(*at)++] + 1;
    for (; *text; text++) {
        const char *known = *text == ':' ? NULL : strchr(p->shorts, *text);
        char letter[2] = {*text, 0};
        if (!known) {
            complain(p, "invalid option -- '@'", letter);
            continue;
        }
        if (known[1] != ':') {
            put_option(p, "-", letter, 1);
            continue;
        }
        const char *value = text[1] ? text + 1 : NULL;
        if (!value && known[2] != ':') {
            if (*at >= argc) {
                complain(p, "option requires an argument -- '@'", letter);
                return;
            }
            value = argv[(*at)++];
        }
        put_option(p, "-", letter, 1);
        put_quoted(p, value ? value : "");
        return;
    }
}

/* Whether a word with one dash is a long option (-a). */
static bool is_alternative(parser *p, const char *text) {
    if (!p->alternative) return false;
    size_t len = strcspn(text, "=");
    for (size_t i = 0; i < p->count; i++)
        if (strncmp(p->longs[i].name, text, len) == 0) return true;
    return text[1] && !strchr(p->shorts, *text);
}

static void parse(parser *p, char **argv, int argc) {
    char **operands = g_resize(NULL, (size_t)argc + 1, sizeof *operands);
    int count = 0, at = 0;
    while (at < argc) {
        const char *s = argv[at];
        if (strcmp(s, "--") == 0) {
            at++;
            break;
        }
        if (*s != '-' || !s[1]) {
            if (p->order == '+') break;
            if (p->order == '-')
                put_quoted(p, s);
            else
                operands[count++] = argv[at];
            at++;
        } else if (s[1] == '-') {
            long_option(p, argv, argc, &at, s + 2, "--");
        } else if (is_alternative(p, s + 1)) {
            long_option(p, argv, argc, &at, s + 1, "-");
        } else {
            short_options(p, argv, argc, &at);
        }
    }
    while (at < argc) operands[count++] = argv[at++];
    if (p->silent) return;
    g_outs(" --");
    for (int i = 0; i < count; i++) put_quoted(p, operands[i]);
    g_outc('\n');
    free(operands);
}

static void add_longs(parser *p, const char *list) {
    char *copy = g_copy_string(list);
    for (char *word = strtok(copy, ", \t\n"); word; word = strtok(NULL, ", \t\n")) {
        size_t len = strlen(word);
        g_long l = {.name = word};
        if (len > 0 && word[len - 1] == ':') {
            word[--len] = '\0';
            l.argument = G_REQUIRED;
            if (len > 0 && word[len - 1] == ':') {
                word[--len] = '\0';
                l.argument = G_OPTIONAL;
            }
        }
        if (len == 0) g_die(2, "empty long option after -l or --long argument");
        if (p->count == p->cap) p->longs = g_more(p->longs, &p->cap, sizeof *p->longs);
        p->longs[p->count++] = l;
    }
}

static void set_shell(parser *p, const char *shell) {
    if (strcmp(shell, "csh") == 0 || strcmp(shell, "tcsh") == 0)
        p->csh = true;
    else if (strcmp(shell, "sh") != 0 && strcmp(shell, "bash") != 0)
        g_die(2, "unknown shell after -s or --shell argument");
}

static const g_long longs[] = {{"options", 'o', G_REQUIRED}, {"longoptions", 'l', G_REQUIRED},
                               {"quiet", 'q', G_NONE},       {"quiet-output", 'Q', G_NONE},
                               {"shell", 's', G_REQUIRED},   {"test", 'T', G_NONE},
                               {"unquoted", 'u', G_NONE},    {"alternative", 'a', G_NONE},
                               {"name", 'n', G_REQUIRED},    {0}};

int getopt_main(int argc, char **argv) {
    parser p = {.name = "getopt"};
    g_set_write_error(3, "write error: %s");
    if (argc == 1) {
        g_set_failure(2);
        g_usage("missing optstring argument");
    }
    int at = 1;
    g_set_failure(2);
    if (argv[1][0] != '-') { /* the old form: no quotes, no long options */
        p.shorts = argv[1];
        p.unquoted = p.compatible = true;
        at = 2;
    } else {
        g_options o = g_options_of(argc, argv, "+ao:l:n:qQs:TuhV", longs);
        for (int option; (option = g_option(&o)) >= 0;)
            switch (option) {
            case 'a': p.alternative = true; break;
            case 'o': p.shorts = o.arg; break;
            case 'l': add_longs(&p, o.arg); break;
            case 'n': p.name = o.arg; break;
            case 'q': p.quiet = true; break;
            case 'Q': p.silent = true; break;
            case 's': set_shell(&p, o.arg); break;
            case 'T': g_exit(4);
            case 'u': p.unquoted = true; break;
            case 'h': g_outs(g_help()); return 0;
            case 'V': g_print_version(); return 0;
            }
        at = o.at;
        if (!p.shorts) {
            if (at == argc) g_usage("missing optstring argument");
            p.shorts = argv[at++];
        }
    }
    if (*p.shorts == '+' || *p.shorts == '-') p.order = *p.shorts++;
    if (getenv("POSIXLY_CORRECT") && !p.order) p.order = '+';
    parse(&p, argv + at, argc - at);
    return p.failed;
}
