/*
 * g_option.c: command line options as GNU's getopt_long reads them.
 *
 * Called by nearly every command. Reorders argv so that operands come last, as GNU does.
 */
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const g_long standard[] = {
    {"help", G_OPTION_HELP, G_NONE}, {"version", G_OPTION_VERSION, G_NONE}, {0}};

g_options g_options_of(int argc, char **argv, const char *shorts, const g_long *longs) {
    int first = argc > 0;
    return (g_options){.argc = argc, .argv = argv, .shorts = shorts, .longs = longs,
                       .at = first, .first_operand = first, .last_operand = first};
}

void g_print_version(void) {
    g_outf("%s (pinfold) 9.1, compatible with the GNU tool of that name\n", g_name());
}

/* Moves the operands that were skipped behind the options that followed them. */
static void exchange(g_options *o) {
    int operands = o->last_operand - o->first_operand, options = o->at - o->last_operand;
    if (operands == 0) {
        o->first_operand = o->last_operand = o->at;
        return;
    }
    if (options == 0) return;
    char **saved = g_resize(NULL, (size_t)operands, sizeof *saved);
    memcpy(saved, o->argv + o->first_operand, (size_t)operands * sizeof *saved);
    memmove(o->argv + o->first_operand, o->argv + o->last_operand,
            (size_t)options * sizeof *o->argv);
    o->first_operand += options;
    o->last_operand = o->at;
    memcpy(o->argv + o->first_operand, saved, (size_t)operands * sizeof *saved);
    free(saved);
}

/* Visits the command's own long options and then the standard ones. */
static const g_long *long_at(const g_options *o, size_t index) {
    size_t own = 0;
    while (o->longs && o->longs[own].name) own++;
    if (index < own) return &o->longs[index];
    return index - own < 2 ? &standard[index - own] : NULL;
}

static const g_long *find_long(const g_options *o, const char *text, size_t len) {
    const g_long *found = NULL;
    bool ambiguous = false;
    for (size_t i = 0; long_at(o, i); i++) {
        const g_long *option = long_at(o, i);
        if (strncmp(option->name, text, len) != 0) continue;
        if (strlen(option->name) == len) return option;
        if (!found) found = option;
        else if (found->value != option->value || found->argument != option->argument)
            ambiguous = true;
    }
    if (!ambiguous) return found;
    char *list = g_copy_string("");
    size_t used = 0;
    for (size_t i = 0; long_at(o, i); i++) {
        const char *name = long_at(o, i)->name;
        if (strncmp(name, text, len) != 0) continue;
        list = g_realloc(list, used + strlen(name) + 8);
        memcpy(list + used, " '--", 4);
        memcpy(list + used + 4, name, strlen(name));
        used += 4 + strlen(name);
        memcpy(list + used, "'", 2);
        used++;
    }
    g_usage("option '--%s' is ambiguous; possibilities:%s", text, list);
}

static int long_option(g_options *o, const char *text) {
    size_t len = strcspn(text, "=");
    const g_long *option = find_long(o, text, len);
    if (!option) g_usage("unrecognized option '--%s'", text);
    o->name = option->name;
    o->arg = NULL;
    if (text[len] == '=') {
        if (option->argument == G_NONE)
            g_usage("option '--%s' doesn't allow an argument", option->name);
        o->arg = text + len + 1;
    } else if (option->argument == G_REQUIRED) {
        if (o->at >= o->argc) g_usage("option '--%s' requires an argument", option->name);
        o->arg = o->argv[o->at++];
    }
    if (option->value == G_OPTION_HELP) {
        g_outs(g_help());
        g_exit(0);
    }
    if (option->value == G_OPTION_VERSION) {
        g_print_version();
        g_exit(0);
    }
    return option->value;
}

static int short_option(g_options *o) {
    char letter = *o->cluster++;
    const char *shorts = o->shorts + (*o->shorts == '+');
    const char *known = letter == ':' ? NULL : strchr(shorts, letter);
    if (*o->cluster == '\0') o->at++;
    if (!known) g_usage("invalid option -- '%c'", letter);
    o->name = NULL;
    o->arg = NULL;
    if (known[1] == ':') {
        if (*o->cluster) {
            o->arg = o->cluster;
            o->at++;
        } else if (known[2] != ':') {
            if (o->at >= o->argc) g_usage("option requires an argument -- '%c'", letter);
            o->arg = o->argv[o->at++];
        }
        o->cluster = NULL;
    } else if (*o->cluster == '\0') {
        o->cluster = NULL;
    }
    return (unsigned char)letter;
}

int g_option(g_options *o) {
    if (o->cluster) return short_option(o);
    bool stop_early = *o->shorts == '+' || getenv("POSIXLY_CORRECT");
    exchange(o);
    while (o->at < o->argc && (o->argv[o->at][0] != '-' || o->argv[o->at][1] == '\0')) {
        if (stop_early) return -1;
        o->last_operand = ++o->at;
    }
    if (o->at < o->argc && strcmp(o->argv[o->at], "--") == 0) {
        o->at++;
        exchange(o);
        o->at = o->first_operand;
        return -1;
    }
    if (o->at >= o->argc) {
        o->at = o->first_operand;
        return -1;
    }
    const char *text = o->argv[o->at];
    if (text[1] == '-') {
        o->at++;
        return long_option(o, text + 2);
    }
    o->cluster = text + 1;
    return short_option(o);
}

int g_no_options(int argc, char **argv) {
    g_options o = g_options_of(argc, argv, "", NULL);
    while (g_option(&o) >= 0) {
    }
    return o.at;
}

void g_standard_option(int argc, char **argv) {
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--version") == 0))
        g_no_options(argc, argv);
}

static void list_words(const g_word *words) {
    g_out_flush();
    char line[256];
    size_t used = 0;
    for (const g_word *w = words; w->word; w++) {
        bool first = w == words || w[-1].value != w->value;
        bool last = !w[1].word || w[1].value != w->value;
        const char *quoted = g_quote(w->word);
        size_t len = strlen(quoted);
        if (used + len + 8 > sizeof line) continue;
        memcpy(line + used, first ? "  - " : ", ", first ? 4 : 2);
        used += first ? 4 : 2;
        memcpy(line + used, quoted, len);
        used += len;
        if (!last) continue;
        line[used++] = '\n';
        if (write(STDERR_FILENO, line, used) < 0) return;
        used = 0;
    }
}

static _Noreturn void refuse_word(const char *problem, const char *option, const char *text,
                                  const g_word *words) {
    g_warn("%s argument %s for %s", problem, g_quote(text), g_quote(option));
    static const char heading[] = "Valid arguments are:\n";
    if (write(STDERR_FILENO, heading, sizeof heading - 1) > 0) list_words(words);
    g_try_help(1);
}

int g_match_whole_word(const char *option, const char *text, const g_word *words) {
    for (const g_word *w = words; w->word; w++)
        if (strcmp(w->word, text) == 0) return w->value;
    refuse_word("invalid", option, text, words);
}

int g_match_word(const char *option, const char *text, const g_word *words) {
    const g_word *found = NULL;
    bool ambiguous = false;
    size_t len = strlen(text);
    for (const g_word *w = words; w->word; w++) {
        if (strncmp(w->word, text, len) != 0) continue;
        if (w->word[len] == '\0') return w->value;
        if (!found) found = w;
        else if (found->value != w->value) ambiguous = true;
    }
    if (found && !ambiguous) return found->value;
    refuse_word(ambiguous ? "ambiguous" : "invalid", option, text, words);
}

bool g_plus_is_a_name(void) {
    const char *version = getenv("_POSIX2_VERSION");
    long number = version && *version ? atol(version) : 200809;
    return number >= 200112 && number < 200809;
}

void g_missing_operand(const char *after) {
    if (after) g_usage("missing operand after %s", g_quote(after));
    g_usage("missing operand");
}

void g_extra_operand(const char *operand) { g_usage("extra operand %s", g_quote(operand)); }
