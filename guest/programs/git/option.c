/*
 * option.c: options as git's parse-options reads them; see option.h.
 */
#include "git.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

static const option *current_table;
static const char *current_usage;

enum { USAGE_WIDTH = 24, USAGE_GAP = 2 };

void list_add(string_list *list, const char *text) {
    list->items = g_resize(list->items, (size_t)list->count + 2, sizeof *list->items);
    list->items[list->count++] = g_copy_string(text);
    list->items[list->count] = NULL;
}

bool parse_number(const char *text, long *value) {
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    if (end == text || errno) return false;
    int c = tolower((unsigned char)*end);
    if (c == 'k') n *= 1024;
    else if (c == 'm') n *= 1024 * 1024;
    else if (c == 'g') n *= 1024 * 1024 * 1024;
    else if (c) return false;
    if (*end && end[1]) return false;
    *value = n;
    return true;
}

static void usage_line(FILE *to, const option *o) {
    char text[200];
    size_t at = (size_t)snprintf(text, sizeof text, "    ");
    if (o->kind == OPT_CALL_BARE)
        at += (size_t)snprintf(text + at, sizeof text - at, "%c", o->letter);
    else if (o->letter && o->letter != '#')
        at += (size_t)snprintf(text + at, sizeof text - at, "-%c%s", o->letter, o->name ? ", " : "");
    else if (o->letter == '#')
        at += (size_t)snprintf(text + at, sizeof text - at, "-NUM");
    if (o->name) at += (size_t)snprintf(text + at, sizeof text - at, "--%s", o->name);
    if (o->argument && o->kind != OPT_CALL_BARE && o->kind != OPT_CALL_NONE) {
        bool maybe = o->kind == OPT_MAYBE || (o->kind == OPT_CALL_MAYBE && !o->text);
        const char *form = !maybe ? " %s%s%s" : o->name ? "[=%s%s%s]" : "[%s%s%s]";
        bool plain = strpbrk(o->argument, "()<>[]|") != NULL;
        at += (size_t)snprintf(text + at, sizeof text - at, form, plain ? "" : "<", o->argument,
                               plain ? "" : ">");
    }
    if (at <= USAGE_WIDTH)
        fprintf(to, "%-*s%s\n", USAGE_WIDTH + USAGE_GAP, text, o->help);
    else
        fprintf(to, "%s\n%*s%s\n", text, USAGE_WIDTH + USAGE_GAP, "", o->help);
}

static void usage_table(FILE *to, const option *o) {
    for (; o->kind != OPT_END; o++) {
        if (o->kind == OPT_TABLE) continue; /* the families of log and diff: too many to show */
        if (o->kind == OPT_GROUP) fprintf(to, "\n%s%s", o->help ? o->help : "", o->help ? "\n" : "");
        else if (o->help) usage_line(to, o);
    }
}

static _Noreturn void usage_end(FILE *to) {
    const char *at = current_usage;
    for (bool first = true; *at; first = false) {
        const char *end = strchrnul(at, '\n');
        const char *before = first ? "usage: " : *at == ' ' ? "       " : "   or: ";
        fprintf(to, "%s%.*s\n", before, (int)(end - at), at);
        at = end + (*end == '\n');
    }
    if (current_table && current_table->kind != OPT_GROUP) fputc('\n', to);
    if (current_table) {
        usage_table(to, current_table);
        if (current_table->kind != OPT_END) fputc('\n', to);
    }
    fflush(to);
    g_exit(129);
}

void usage_error(const char *format, ...) {
    g_out_flush();
    if (format) {
        va_list ap;
        va_start(ap, format);
        vfprintf(stderr, format, ap);
        va_end(ap);
        fputc('\n', stderr);
    }
    usage_end(stderr);
}

void option_not_a_number(const option *o, const char *text) {
    (void)text;
    if (o->name) error("option `%s' expects a numerical value", o->name);
    else error("switch `%c' expects a numerical value", o->letter);
    g_exit(129);
}

static bool takes_argument(const option *o) {
    switch (o->kind) {
    case OPT_STRING:
    case OPT_NUMBER:
    case OPT_LIST:
    case OPT_CALL: return true;
    default: return false;
    }
}

static void apply(const option *o, const char *argument, bool unset) {
    long n = 0;
    switch (o->kind) {
    case OPT_FLAG: *(int *)o->value = !unset; break;
    case OPT_COUNT: *(int *)o->value = unset ? 0 : *(int *)o->value + 1; break;
    case OPT_SET: *(int *)o->value = unset ? 0 : o->number; break;
    case OPT_STRING: *(const char **)o->value = unset ? NULL : argument; break;
    case OPT_MAYBE: *(const char **)o->value = unset ? NULL : argument ? argument : o->text; break;
    case OPT_NUMBER:
        if (!unset && !parse_number(argument, &n)) option_not_a_number(o, argument);
        *(int *)o->value = (int)n;
        break;
    case OPT_LIST:
        if (unset) *(string_list *)o->value = (string_list){NULL, 0};
        else list_add(o->value, argument);
        break;
    case OPT_CALL:
    case OPT_CALL_MAYBE:
    case OPT_CALL_BARE:
    case OPT_CALL_NONE: o->call(o, argument, unset); break;
    default: break;
    }
}

static const option *by_letter(const option *o, char letter) {
    for (; o->kind != OPT_END; o++) {
        if (o->kind == OPT_TABLE) {
            const option *found = by_letter(o->value, letter);
            if (found) return found;
        } else if (o->kind != OPT_GROUP && o->letter == letter && letter != '#') {
            return o;
        }
    }
    return NULL;
}

typedef struct {
    const option *exact, *begun, *other;
    bool unset, begun_unset, other_unset;
} search;

static void try_name(search *s, const option *o, const char *name, size_t len, bool unset,
                     const char *candidate) {
    if (strncmp(candidate, name, len) != 0) return;
    if (!candidate[len]) {
        if (!s->exact || (s->unset && !unset)) { /* --no-tags of its own before that of --tags */
            s->exact = o;
            s->unset = unset;
        }
    } else if (!s->begun) {
        s->begun = o;
        s->begun_unset = unset;
    } else if (s->begun != o || s->begun_unset != unset) {
        s->other = o;
        s->other_unset = unset;
    }
}

static void by_name(search *s, const option *o, const char *name, size_t len) {
    for (; o->kind != OPT_END; o++) {
        if (o->kind == OPT_TABLE) by_name(s, o->value, name, len);
        if (o->kind == OPT_TABLE || o->kind == OPT_GROUP || !o->name) continue;
        try_name(s, o, name, len, false, o->name);
        if (o->no_negation) continue;
        if (strncmp(o->name, "no-", 3) == 0) {
            try_name(s, o, name, len, true, o->name + 3);
        } else {
            char negated[80];
            snprintf(negated, sizeof negated, "no-%s", o->name);
            if (len > 3 || strcmp(name, "no-") != 0) try_name(s, o, name, len, true, negated);
        }
    }
}

/* 1 when the argument behind it was used, 0 when not, -1 when the option is unknown. */
static int long_option(const option *table, const char *text, const char *next) {
    size_t len = strcspn(text, "=");
    const char *argument = text[len] ? text + len + 1 : NULL;
    search s = {0};
    by_name(&s, table, text, len);
    if (!s.exact && s.begun && s.other) {
        error("ambiguous option: %.*s (could be --%s%s or --%s%s)", (int)len, text,
              s.begun_unset ? "no-" : "", s.begun->name, s.other_unset ? "no-" : "", s.other->name);
        g_exit(129);
    }
    const option *o = s.exact ? s.exact : s.begun;
    bool unset = s.exact ? s.unset : s.begun_unset;
    if (!o) return -1;
    if (argument && (unset || (!takes_argument(o) && o->kind != OPT_MAYBE && o->kind != OPT_CALL_MAYBE))) {
        error("option `%s%s' takes no value", unset ? "no-" : "", o->name);
        g_exit(129);
    }
    if (o->kind == OPT_CALL_MAYBE && o->text && !argument && !unset && next) {
        apply(o, next, false);
        return 1;
    }
    if (unset || !takes_argument(o) || argument) {
        apply(o, argument, unset);
        return 0;
    }
    if (!next) {
        error("option `%s' requires a value", o->name);
        g_exit(129);
    }
    apply(o, next, false);
    return 1;
}

/* As long_option(), for a cluster of letters. */
static int short_options(const option *table, const char *text, const char *next, unsigned flags) {
    for (const char *at = text; *at; at++) {
        const option *o = by_letter(table, *at);
        if (!o) {
            if (*at == 'h' && at == text && !at[1]) usage_end(stdout);
            if (at == text) return -1;
            if (flags & (UNRECOGNIZED | INVALID)) return -1;
            usage_error("error: unknown switch `%c'", *at);
        }
        if (takes_argument(o)) {
            if (at[1]) {
                apply(o, at + 1, false);
                return 0;
            }
            if (!next) {
                error("switch `%c' requires a value", *at);
                g_exit(129);
            }
            apply(o, next, false);
            return 1;
        }
        if ((o->kind == OPT_MAYBE || o->kind == OPT_CALL_MAYBE) && at[1]) {
            apply(o, at + 1, false);
            return 0;
        }
        apply(o, NULL, false);
    }
    return 0;
}

static const option *number_option(const option *o) {
    for (; o->kind != OPT_END; o++) {
        const option *found = o->kind == OPT_TABLE ? number_option(o->value) : o;
        if (found && found->letter == '#') return found;
    }
    return NULL;
}

static void unknown(const char *argument, unsigned flags) {
    if (flags & UNRECOGNIZED) die("unrecognized argument: %s", argument);
    if (flags & INVALID) {
        error("invalid option: %s", argument);
        g_exit(255); /* no usage, and this status: so does git diff */
    }
    if (argument[1] == '-') usage_error("error: unknown option `%s'", argument + 2);
    usage_error("error: unknown switch `%c'", argument[1]);
}

int options_operands;

int options(int argc, char **argv, const option *table, const char *usage, unsigned flags) {
    int operands = 0;
    current_table = table;
    current_usage = usage;
    for (int i = 1; i < argc; i++) {
        char *argument = argv[i];
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        const option *bare = argument[0] && !argument[1] ? by_letter(table, argument[0]) : NULL;
        if (bare && bare->kind == OPT_CALL_BARE) {
            apply(bare, NULL, false);
            continue;
        }
        if (argument[0] != '-' || !argument[1]) {
            if (flags & STOP_AT_OPERAND) {
                while (i < argc) argv[operands++] = argv[i++];
                break;
            }
            argv[operands++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            if (!(flags & KEEP_DASHDASH)) i++;
            while (i < argc) argv[operands++] = argv[i++];
            break;
        }
        const option *number;
        int used;
        options_operands = operands;
        if ((flags & NUMBERS) && isdigit((unsigned char)argument[1]) &&
            (number = number_option(table)) != NULL) {
            long n;
            if (!parse_number(argument + 1, &n)) unknown(argument, flags);
            *(int *)number->value = (int)n;
            continue;
        }
        if (argument[1] == '-') used = long_option(table, argument + 2, next);
        else used = short_options(table, argument + 1, next, flags);
        if (used < 0 && (flags & KEEP_UNKNOWN)) argv[operands++] = argument;
        else if (used < 0) unknown(argument, flags);
        else i += used;
    }
    argv[operands] = NULL;
    return operands;
}
