/*
 * builtin/compgen.c: compgen lists candidates.
 */
#include "builtin.h"

#include <dirent.h>
#include <pwd.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

struct generator {
    struct shell *sh;
    const char *word; /* candidates start with it */
    struct strings out;
    const char *prefix, *suffix, *filter, *words, *glob, *function, *command;
    bool plus_directories, filenames, defaults;
};

static bool fits(const struct generator *g, const char *s) {
    return strncmp(s, g->word, strlen(g->word)) == 0;
}

static void add(struct generator *g, const char *s) {
    if (fits(g, s)) strings_add(g->sh, &g->out, arena_strdup(&g->sh->tmp, s));
}

/* ------------------------------------------------------------------ actions */

static void add_table(struct generator *g, const struct table *t) {
    int count;
    struct entry **list = table_sorted(t, &g->sh->tmp, &count);
    for (int i = 0; i < count; i++) add(g, list[i]->key);
}

static void add_variables(struct generator *g, unsigned flag) {
    int count;
    struct entry **list = table_sorted(g->sh->vars, &g->sh->tmp, &count);
    for (int i = 0; i < count; i++) {
        struct var *v = (struct var *)list[i];
        bool set = (v->flags & V_SET) || (v->special && v->special->get);
        if (!name_ok(v->entry.key) || (flag ? !(v->flags & flag) : !set)) continue;
        add(g, v->entry.key);
    }
}

static void add_builtins(struct generator *g, int state) { /* 1 enabled, 0 disabled, -1 all */
    int count;
    const struct builtin *table = builtin_table(&count);
    for (int i = 0; i < count; i++)
        if (state < 0 || builtin_enabled(g->sh, i) == (state == 1)) add(g, table[i].name);
}

static void add_keywords(struct generator *g) {
    static const char *const words[] = {"if",   "then", "else",     "elif",  "fi",    "case",
                                        "esac", "for",  "select",   "while", "until", "do",
                                        "done", "in",   "function", "time",  "{",     "}",
                                        "!",    "[[",   "]]",       "coproc"};
    for (int i = 0; i < DIM(words); i++) add(g, words[i]);
}

static void add_files(struct generator *g, bool directories) {
    struct shell *sh = g->sh;
    const char *slash = strrchr(g->word, '/');
    size_t dir_n = slash ? (size_t)(slash - g->word) + 1 : 0;
    char *dir = arena_strndup(&sh->tmp, g->word, dir_n);
    const char *base = g->word + dir_n;
    DIR *d = opendir(dir_n ? dir : ".");
    if (!d) return;
    struct strings names = {0};
    const struct dirent *e;
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (strncmp(e->d_name, base, strlen(base)) != 0) continue;
        char *full = arena_printf(&sh->tmp, "%s%s", dir, e->d_name);
        struct stat st;
        if (directories && (stat(full, &st) < 0 || !S_ISDIR(st.st_mode))) continue;
        strings_add(sh, &names, full);
    }
    closedir(d);
    for (int i = 0; i < names.n; i++) add(g, names.v[i]);
}

/* Executables along PATH. */
static void add_programs(struct generator *g) {
    struct shell *sh = g->sh;
    const char *path = var_get(sh, "PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        char *dir = arena_strndup(&sh->tmp, p, n);
        DIR *d = opendir(*dir ? dir : ".");
        const struct dirent *e;
        while (d && (e = readdir(d))) {
            if (!fits(g, e->d_name)) continue;
            if (path_is_executable(arena_printf(&sh->tmp, "%s/%s", dir, e->d_name)))
                add(g, e->d_name);
        }
        if (d) closedir(d);
        p += n + (p[n] == ':');
    }
}

static void add_commands(struct generator *g) {
    add_table(g, g->sh->aliases);
    add_keywords(g);
    add_table(g, g->sh->funcs);
    add_builtins(g, 1);
    add_programs(g);
}

static void add_jobs(struct generator *g, int state) {
    for (struct job *j = job_list(g->sh); j; j = j->next) {
        if (state >= 0 && (int)job_state(j) != state) continue;
        char *name = arena_strndup(&g->sh->tmp, j->text, strcspn(j->text, " "));
        add(g, name);
    }
}

static void add_users(struct generator *g) {
    const struct passwd *pw;
    setpwent();
    while ((pw = getpwent())) add(g, pw->pw_name);
    endpwent();
}

static void add_groups(struct generator *g) {
    const struct group *gr;
    setgrent();
    while ((gr = getgrent())) add(g, gr->gr_name);
    endgrent();
}

static bool add_action(struct generator *g, const char *name) {
    struct shell *sh = g->sh;
    if (strcmp(name, "alias") == 0)
        add_table(g, sh->aliases);
    else if (strcmp(name, "arrayvar") == 0)
        add_variables(g, V_ARRAY);
    else if (strcmp(name, "builtin") == 0)
        add_builtins(g, -1);
    else if (strcmp(name, "command") == 0)
        add_commands(g);
    else if (strcmp(name, "directory") == 0)
        add_files(g, true);
    else if (strcmp(name, "disabled") == 0)
        add_builtins(g, 0);
    else if (strcmp(name, "enabled") == 0)
        add_builtins(g, 1);
    else if (strcmp(name, "export") == 0)
        add_variables(g, V_EXPORT);
    else if (strcmp(name, "file") == 0)
        add_files(g, false);
    else if (strcmp(name, "function") == 0)
        add_table(g, sh->funcs);
    else if (strcmp(name, "group") == 0)
        add_groups(g);
    else if (strcmp(name, "helptopic") == 0)
        add_builtins(g, -1);
    else if (strcmp(name, "job") == 0)
        add_jobs(g, -1);
    else if (strcmp(name, "keyword") == 0)
        add_keywords(g);
    else if (strcmp(name, "running") == 0)
        add_jobs(g, JOB_RUNNING);
    else if (strcmp(name, "stopped") == 0)
        add_jobs(g, JOB_STOPPED);
    else if (strcmp(name, "setopt") == 0)
        for (int i = 0; i < OPT_COUNT; i++) add(g, option_name(i));
    else if (strcmp(name, "shopt") == 0)
        for (int i = 0; i < SHOPT_COUNT; i++) add(g, shopt_name(i));
    else if (strcmp(name, "signal") == 0) {
        for (int i = 0; i < TRAP_COUNT; i++) {
            const char *n = signal_name(i);
            if (n) add(g, i > 0 && i < 65 ? arena_printf(&sh->tmp, "SIG%s", n) : n);
        }
    } else if (strcmp(name, "user") == 0)
        add_users(g);
    else if (strcmp(name, "variable") == 0)
        add_variables(g, 0);
    else if (strcmp(name, "binding") == 0 || strcmp(name, "hostname") == 0 ||
             strcmp(name, "service") == 0)
        return true;
    else
        return false;
    return true;
}

static const char *action_of_letter(int c) {
    switch (c) {
    case 'a': return "alias";
    case 'b': return "builtin";
    case 'c': return "command";
    case 'd': return "directory";
    case 'e': return "export";
    case 'f': return "file";
    case 'g': return "group";
    case 'j': return "job";
    case 'k': return "keyword";
    case 's': return "service";
    case 'u': return "user";
    case 'v': return "variable";
    default: return NULL;
    }
}

/* ------------------------------------------------------------------ words and functions */

/* Bytes of the word of a -W list at s: up to a delimiter that is not quoted. */
static size_t list_word(const struct shell *sh, const char *s) {
    size_t n = 0;
    while (s[n] && !sh->ifs_class[(unsigned char)s[n]]) {
        size_t behind = brace_skip(s, n);
        n = behind ? behind : n + 1;
    }
    return n;
}

/* -W: the text is split at IFS, minding quotes, and each word expanded. */
static void add_wordlist(struct generator *g) {
    struct shell *sh = g->sh;
    struct tree *t = tree_new();
    const char *builtin = sh->builtin;
    int before = g->out.n;
    sh->builtin = NULL; /* errors are the expansion's, and leave no word */
    for (const char *s = g->words; *s;) {
        size_t n = list_word(sh, s);
        if (sh->flow != FLOW_NONE) break;
        struct word *w = n ? parse_word_text(sh, t, s, n, WM_ALL) : NULL;
        struct strings fields = {0};
        if (w && expand_word(sh, w, &fields))
            for (int i = 0; i < fields.n; i++) add(g, fields.v[i]);
        s += n;
        if (*s) s++;
    }
    if (sh->flow != FLOW_NONE) g->out.n = before;
    sh->builtin = builtin;
    tree_drop(t);
}

static void add_function_results(struct generator *g) {
    struct shell *sh = g->sh;
    struct func *f = func_find(sh, g->function);
    sh_builtin_error(sh, "warning: -F option may not work as you expect");
    if (!f) {
        sh_error(sh, "completion: function `%s' not found", g->function);
        return;
    }
    static const struct { const char *name, *value; } given[] = {
        {"COMP_LINE", ""}, {"COMP_POINT", "0"}, {"COMP_CWORD", "-1"}, {"COMP_KEY", "0"},
        {"COMP_TYPE", "0"}};
    for (int i = 0; i < DIM(given); i++) var_set(sh, given[i].name, given[i].value);
    var_empty_array(sh, var_make(sh, "COMP_WORDS"));
    var_unset(sh, "COMPREPLY");
    char *argv[] = {f->entry.key, (char *)"compgen", (char *)g->word, (char *)"", NULL};
    exec_function(sh, f, 4, argv);
    for (int i = 0; i < DIM(given); i++) var_unset(sh, given[i].name);
    var_unset(sh, "COMP_WORDS");
    struct var *v = var_find(sh, "COMPREPLY");
    if (!v) return;
    if (v->flags & V_ARRAY)
        for (int i = 0; i < array_count(var_array(v)); i++) {
            const char *s = array_at(var_array(v), i, NULL);
            strings_add(sh, &g->out, arena_strdup(&sh->tmp, s));
        }
    else if (var_text(v))
        strings_add(sh, &g->out, arena_strdup(&sh->tmp, var_text(v)));
}

/* -C: each line that the command prints. */
static void add_command_results(struct generator *g) {
    struct shell *sh = g->sh;
    sb out = sb_in(&sh->tmp), text = sb_in(&sh->tmp);
    sh_builtin_error(sh, "warning: -C option may not work as you expect");
    sb_printf(&text, "%s compgen ", g->command);
    quote_single(&text, g->word);
    sb_puts(&text, " ''");
    if (!subst_backquote(sh, sb_str(&text), text.n, sh->line, &out)) return;
    char *rest = sb_str(&out);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line) strings_add(sh, &g->out, line);
}

static bool filtered(const struct generator *g, const char *s) {
    if (!g->filter) return false;
    const char *pattern = g->filter;
    bool keep = *pattern == '!';
    if (keep) pattern++;
    return pattern_match(pattern, s, strlen(s), PAT_EXT) != keep;
}

static int option(struct generator *g, int c, const char *arg) {
    switch (c) {
    case 'A':
        if (add_action(g, arg)) return 0;
        sh_builtin_error(g->sh, "%s: invalid action name", arg);
        return 2;
    case 'o':
        if (strcmp(arg, "plusdirs") == 0)
            g->plus_directories = true;
        else if (strcmp(arg, "default") == 0)
            g->defaults = true;
        else if (strcmp(arg, "filenames") == 0)
            g->filenames = true;
        else if (strcmp(arg, "bashdefault") && strcmp(arg, "dirnames") && strcmp(arg, "noquote") &&
                 strcmp(arg, "nosort") && strcmp(arg, "nospace")) {
            sh_builtin_error(g->sh, "%s: invalid option name", arg);
            return 2;
        }
        return 0;
    case 'G': g->glob = arg; return 0;
    case 'W': g->words = arg; return 0;
    case 'F': g->function = arg; return 0;
    case 'C': g->command = arg; return 0;
    case 'X': g->filter = arg; return 0;
    case 'P': g->prefix = arg; return 0;
    case 'S': g->suffix = arg; return 0;
    default: add_action(g, action_of_letter(c)); return 0;
    }
}

#define OPTIONS "abcdefgjksuvo:A:G:W:F:C:X:P:S:"

BUILTIN(compgen) {
    struct bopt o = bopt_new(argc, argv);
    struct generator g = {.sh = sh, .word = "", .prefix = "", .suffix = ""};
    if (argc == 1) return 0;
    for (int c; (c = bopt_next(sh, &o, OPTIONS, NULL));) /* the word comes after the options */
        if (bopt_over(c)) return 2;
    if (o.index < argc) g.word = argv[o.index];
    o = bopt_new(argc, argv);
    for (int c; (c = bopt_next(sh, &o, OPTIONS, NULL));) {
        int status = option(&g, c, o.arg);
        if (status) return status;
    }
    if (g.glob) glob_expand(sh, g.glob, &g.out);
    if (g.words) add_wordlist(&g);
    if (g.function) add_function_results(&g);
    if (g.command) add_command_results(&g);
    if (g.plus_directories) add_files(&g, true);
    if (g.defaults && g.out.n == 0) add_files(&g, false);
    int printed = 0;
    for (int i = 0; i < g.out.n; i++) {
        if (filtered(&g, g.out.v[i])) continue;
        out_printf(sh, "%s%s%s\n", g.prefix, g.out.v[i], g.suffix);
        printed++;
    }
    return printed > 0 ? 0 : 1;
}
