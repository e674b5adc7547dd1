/*
 * builtin/complete.c: complete and compopt: specifications that `complete -p` shows, as bash orders
 * their parts. Nothing completes by them: programs do that which edit lines.
 */
#include "builtin.h"
#include "../state.h"

enum { COMPLETE_BUCKETS = 512 }; /* of bash's table: they decide about the order */

static const char *const option_names[] = {"bashdefault", "default", "dirnames", "filenames",
                                           "noquote",     "nosort",  "nospace",  "plusdirs"};
static const char *const action_names[] = {
    "alias", "builtin", "command",  "directory", "export",    "file",      "group",   "job",
    "keyword", "service", "user",   "variable",  "arrayvar",  "binding",   "disabled", "enabled",
    "function", "helptopic", "hostname", "running", "setopt", "shopt",     "signal",  "stopped"};
static const char action_letters[] = "abcdefgjksuv"; /* of the first ones */

struct spec {
    bool options[DIM(option_names)], actions[DIM(action_names)];
    const char *values[128]; /* by letter: G W P S X C F; NULL: not given */
};

struct completion {
    struct entry entry; /* key: the command's name */
    char *text;         /* options, as `complete -p` prints them */
};

static int index_of(const char *const *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0) return i;
    return -1;
}

static struct completion *find(struct shell *sh, const char *name) {
    if (!sh->completions) sh->completions = table_new();
    return (struct completion *)table_find(sh->completions, name, strlen(name));
}

void complete_keep(struct shell *sh, const char *name, const char *text) {
    if (!sh->completions) sh->completions = table_new();
    struct completion *c = table_entry(sh->completions, name, strlen(name), sizeof *c);
    free(c->text);
    c->text = xstrdup(text);
}

void complete_give(struct shell *sh, sb *out) {
    int count = 0;
    struct entry **list =
        sh->completions ? table_sorted(sh->completions, &sh->tmp, &count) : NULL;
    for (int i = 0; i < count; i++)
        state_put(out, (const char *const[]){"complete", list[i]->key,
                                             ((const struct completion *)list[i])->text, NULL});
}

static void forget(struct shell *sh, struct completion *c) {
    table_swap(sh->completions, &c->entry, NULL);
    free(c->entry.key);
    free(c->text);
    free(c);
}

/* ------------------------------------------------------------------ text */

static void put_options(sb *out, const bool *options) {
    for (int i = 0; i < DIM(option_names); i++)
        if (options[i]) sb_printf(out, "-o %s ", option_names[i]);
}

static char *spec_text(struct shell *sh, const struct spec *s) {
    sb out = sb_in(&sh->tmp);
    int letters = (int)strlen(action_letters);
    put_options(&out, s->options);
    for (int i = 0; i < letters; i++)
        if (s->actions[i]) sb_printf(&out, "-%c ", action_letters[i]);
    for (int i = letters; i < DIM(action_names); i++)
        if (s->actions[i]) sb_printf(&out, "-A %s ", action_names[i]);
    for (const char *c = "GWPSXCF"; *c; c++) {
        const char *value = s->values[(int)*c];
        if (!value) continue;
        sb_printf(&out, "-%c ", *c);
        if (*c == 'F') sb_puts(&out, value);
        else quote_single(&out, value);
        sb_putc(&out, ' ');
    }
    return sb_str(&out);
}

/* The names under which -D, -E and -I are kept. */
static const struct { char letter; const char *name; } special_names[] = {
    {'D', "_DefaultCmD_"}, {'E', "_EmptycmD_"}, {'I', "_InitialWorD_"}};

static void print(struct shell *sh, const struct completion *c) {
    for (int i = 0; i < DIM(special_names); i++) {
        if (strcmp(c->entry.key, special_names[i].name) != 0) continue;
        out_printf(sh, "complete %s-%c\n", c->text, special_names[i].letter);
        return;
    }
    out_printf(sh, "complete %s%s\n", c->text, c->entry.key);
}

static int each(struct shell *sh, bool remove) {
    int count;
    char **names, **values;
    struct entry **list = table_sorted(sh->completions, &sh->tmp, &count);
    struct assoc *order = assoc_new_sized(COMPLETE_BUCKETS);
    for (int i = 0; i < count; i++) assoc_set(order, list[i]->key, "");
    assoc_list(order, &sh->tmp, &names, &values);
    for (int i = 0; i < count; i++) {
        if (remove) forget(sh, find(sh, names[i]));
        else print(sh, find(sh, names[i]));
    }
    assoc_free(order);
    return 0;
}

/* ------------------------------------------------------------------ complete */

/* One option into the specification; a status where it is wrong, which was said. */
static int take_option(struct shell *sh, struct spec *s, int c, const char *arg) {
    if (c == 'o' || c == 'A') {
        int at = c == 'o' ? index_of(option_names, DIM(option_names), arg)
                          : index_of(action_names, DIM(action_names), arg);
        if (at < 0) {
            sh_builtin_error(sh, "%s: invalid %s name", arg, c == 'o' ? "option" : "action");
            return 2;
        }
        *(c == 'o' ? &s->options[at] : &s->actions[at]) = true;
        return 0;
    }
    const char *letter = strchr(action_letters, c);
    if (letter) s->actions[letter - action_letters] = true;
    else s->values[c] = arg;
    if (c != 'F' || !strpbrk(arg, " \t\n|&;()<>")) return 0;
    sh_builtin_error(sh, "`%s': not a valid identifier", arg);
    return 2;
}

static int about_one(struct shell *sh, const char *name, bool do_print, bool remove, const char *text) {
    struct completion *c = find(sh, name);
    if (!do_print && !remove) {
        complete_keep(sh, name, text);
        return 0;
    }
    if (!c) {
        sh_builtin_error(sh, "%s: no completion specification", name);
        return 1;
    }
    if (remove) forget(sh, c);
    else print(sh, c);
    return 0;
}

BUILTIN(complete) {
    struct bopt o = bopt_new(argc, argv);
    bool do_print = false, remove = false;
    const char *name = NULL;
    struct spec spec = {0};
    find(sh, ""); /* there is a table from here on */
    for (int c; (c = bopt_next(sh, &o, "abcdefgjksuvo:A:G:W:F:C:X:P:S:prDEI", NULL));) {
        if (bopt_over(c)) return 2;
        for (int i = 0; i < DIM(special_names); i++)
            if (c == special_names[i].letter) name = special_names[i].name;
        if (strchr("DEI", c)) continue;
        if (c == 'p') do_print = true;
        else if (c == 'r') remove = true;
        else {
            int status = take_option(sh, &spec, c, o.arg);
            if (status) return status;
        }
    }
    char *text = spec_text(sh, &spec);
    if (name) return about_one(sh, name, do_print && !remove, remove, text);
    if (o.index >= argc) {
        if (remove || do_print || argc == 1) return each(sh, remove);
        return sh_usage(sh);
    }
    int status = 0;
    for (int i = o.index; i < argc; i++)
        if (about_one(sh, argv[i], do_print && !remove, remove, text)) status = 1;
    return status;
}

/* ------------------------------------------------------------------ compopt */

/* The options of a specification, which stand at its front; the rest of its text. */
static const char *read_options(const char *text, bool *options) {
    while (strncmp(text, "-o ", 3) == 0) {
        size_t n = strcspn(text + 3, " ");
        for (int i = 0; i < DIM(option_names); i++)
            if (strlen(option_names[i]) == n && memcmp(text + 3, option_names[i], n) == 0)
                options[i] = true;
        text += 3 + n + 1;
    }
    return text;
}

static int change(struct shell *sh, const char *name, const signed char *wanted) {
    struct completion *c = find(sh, name);
    if (!c) {
        sh_builtin_error(sh, "%s: no completion specification", name);
        return 1;
    }
    bool options[DIM(option_names)] = {false};
    const char *rest = read_options(c->text, options);
    sb text = sb_in(&sh->tmp);
    for (int i = 0; i < DIM(option_names); i++)
        if (wanted[i]) options[i] = wanted[i] > 0;
    put_options(&text, options);
    sb_puts(&text, rest);
    complete_keep(sh, name, sb_str(&text));
    return 0;
}

BUILTIN(compopt) {
    struct bopt o = bopt_new(argc, argv);
    signed char wanted[DIM(option_names)] = {0};
    const char *name = NULL;
    bool plus;
    for (int c; (c = bopt_next(sh, &o, "+o:DEI", &plus));) {
        if (bopt_over(c)) return 2;
        for (int i = 0; i < DIM(special_names); i++)
            if (c == special_names[i].letter) name = special_names[i].name;
        if (c != 'o') continue;
        int at = index_of(option_names, DIM(option_names), o.arg);
        if (at < 0) {
            sh_builtin_error(sh, "%s: invalid option name", o.arg);
            return 2;
        }
        wanted[at] = plus ? -1 : 1;
    }
    if (name) return change(sh, name, wanted);
    if (o.index >= argc) {
        sh_builtin_error(sh, "not currently executing completion function");
        return 1;
    }
    int status = 0;
    for (int i = o.index; i < argc; i++)
        if (change(sh, argv[i], wanted)) status = 1;
    return status;
}
