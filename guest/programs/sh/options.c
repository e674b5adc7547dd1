/*
 * options.c: set -o and shopt: names, letters, and what follows when one changes.
 */
#include "history.h"

struct option_entry {
    const char *name;
    char letter;
    bool on;
};

static const struct option_entry set_table[] = {
#define X(id, name, letter, on) {name, letter, on},
    SET_OPTIONS(X)
#undef X
};

static const struct option_entry shopt_table[] = {
#define X(id, name, on) {name, 0, on},
    SHOPT_OPTIONS(X)
#undef X
};

void option_init(struct shell *sh) {
    for (int i = 0; i < OPT_COUNT; i++) sh->opt[i] = set_table[i].on;
    for (int i = 0; i < SHOPT_COUNT; i++) sh->shopt[i] = shopt_table[i].on;
}

int option_find(const char *name) {
    for (int i = 0; i < OPT_COUNT; i++)
        if (strcmp(set_table[i].name, name) == 0) return i;
    return -1;
}

int option_letter(char letter) {
    for (int i = 0; i < OPT_COUNT; i++)
        if (letter && set_table[i].letter == letter) return i;
    return -1;
}

const char *option_name(int option) { return set_table[option].name; }
char option_letter_of(int option) { return set_table[option].letter; }
const char *shopt_name(int option) { return shopt_table[option].name; }

int shopt_find(const char *name) {
    for (int i = 0; i < SHOPT_COUNT; i++)
        if (strcmp(shopt_table[i].name, name) == 0) return i;
    return -1;
}

/* What POSIX mode brings with it. */
static void posix_set(struct shell *sh, bool on) {
    if (sh->posix == on) return; /* the variable, which changes with it, brought it here */
    sh->posix = on;
    sh->shopt[SHOPT_EXPAND_ALIASES] = on || sh->interactive;
    sh->shopt[SHOPT_SHIFT_VERBOSE] = on;
    if (on) sh->shopt[SHOPT_INTERACTIVE_COMMENTS] = sh->shopt[SHOPT_SOURCEPATH] = true;
    if (on) sh->shopt[SHOPT_INHERIT_ERREXIT] = true;
    if (!sh->vars) return; /* at the start: main.c does it */
    if (on && !var_get(sh, "POSIXLY_CORRECT")) var_set(sh, "POSIXLY_CORRECT", "y");
    struct var *v = var_find_raw(sh, "POSIXLY_CORRECT");
    if (!on && v && (v->flags & V_SET)) var_remove(sh, v);
}

void option_set(struct shell *sh, int option, bool on) {
    sh->opt[option] = on;
    if (option == OPT_POSIX) posix_set(sh, on);
    if (option == OPT_HISTORY && on && sh->vars) history_load(sh);
    if (option == OPT_INTERACTIVE_COMMENTS) sh->shopt[SHOPT_INTERACTIVE_COMMENTS] = on;
    if (option == OPT_EMACS && on) sh->opt[OPT_VI] = false;
    if (option == OPT_VI && on) sh->opt[OPT_EMACS] = false;
}

void option_flags(const struct shell *sh, sb *out) {
    for (const char *p = "abefhikmnprtuvxBCEHPT"; *p; p++)
        if (*p == 'i'   ? sh->interactive
            : *p == 'r' ? sh->restricted
                        : sh->opt[option_letter(*p)])
            sb_putc(out, *p);
    if (sh->command_string) sb_putc(out, 'c');
    if (sh->reads_stdin) sb_putc(out, 's');
}

static void list_names(sb *out, const struct option_entry *table, const bool *on, int count) {
    for (int i = 0; i < count; i++) {
        if (!on[i]) continue;
        if (out->n) sb_putc(out, ':');
        sb_puts(out, table[i].name);
    }
}

void option_list(const struct shell *sh, bool shopts, sb *out) {
    if (shopts) list_names(out, shopt_table, sh->shopt, SHOPT_COUNT);
    else list_names(out, set_table, sh->opt, OPT_COUNT);
}
