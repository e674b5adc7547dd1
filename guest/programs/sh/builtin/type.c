/*
 * builtin/type.c: type, command -v and -V, hash, enable.
 */
#include "builtin.h"


bool sh_is_keyword(const char *s) {
    static const char *const words[] = {"if", "then", "else", "elif", "fi", "case", "esac", "for",
                                        "select", "while", "until", "do", "done", "in", "function",
                                        "time", "{", "}", "!", "[[", "]]", "coproc"};
    for (int i = 0; i < DIM(words); i++)
        if (strcmp(s, words[i]) == 0) return true;
    return false;
}

/* How an answer looks. */
struct style {
    char kind;      /* 'V' sentence, 'v' command -v, 't' one word, 'p' path only */
    bool all;       /* -a */
    bool no_functions;
    bool force_path; /* -P */
};

static void say_function(struct shell *sh, const char *name, const struct style *s) {
    struct func *f = func_find(sh, name);
    if (s->kind == 't') {
        out_puts(sh, "function\n");
    } else if (s->kind == 'v') {
        out_printf(sh, "%s\n", name);
    } else if (s->kind == 'V') {
        out_printf(sh, "%s is a function\n", name);
        sb text = {0};
        print_function(&text, name, f->body);
        sb_putc(&text, '\n');
        out_put(sh, text.s, text.n);
        sb_free(&text);
    }
}

static void say_alias(struct shell *sh, const char *name, const char *value, const struct style *s) {
    if (s->kind == 't') {
        out_puts(sh, "alias\n");
    } else if (s->kind == 'v') {
        sb text = {0};
        sb_printf(&text, "alias %s=", name);
        quote_single(&text, value);
        sb_putc(&text, '\n');
        out_put(sh, text.s, text.n);
        sb_free(&text);
    } else if (s->kind == 'V') {
        out_printf(sh, "%s is aliased to `%s'\n", name, value);
    }
}

static void say_plain(struct shell *sh, const char *name, const struct style *s, const char *word,
                      const char *sentence) {
    if (s->kind == 't') out_printf(sh, "%s\n", word);
    else if (s->kind == 'v') out_printf(sh, "%s\n", name);
    else if (s->kind == 'V') out_printf(sh, "%s is a %s\n", name, sentence);
}

static void say_file(struct shell *sh, const char *name, const char *path, bool hashed,
                     const struct style *s) {
    if (s->kind == 't') out_puts(sh, "file\n");
    else if (s->kind == 'V' && hashed) out_printf(sh, "%s is hashed (%s)\n", name, path);
    else if (s->kind == 'V') out_printf(sh, "%s is %s\n", name, path);
    else out_printf(sh, "%s\n", path);
}

static int describe_files(struct shell *sh, const char *name, const struct style *s) {
    int found = 0, error;
    if (strchr(name, '/')) {
        if (!path_is_executable(name)) return 0;
        say_file(sh, name, name, false, s);
        return 1;
    }
    struct hashed *h = path_hashed(sh, name);
    if (h && !s->all) {
        h->hits++;
        say_file(sh, name, h->path, true, s);
        return 1;
    }
    const char *path = var_get(sh, "PATH");
    for (int i = 0; path; i++) {
        const char *full = path_search(sh, path, name, &error, i);
        if (!full || error) break;
        say_file(sh, name, full, false, s);
        found++;
        if (!s->all) break;
    }
    return found;
}

static int describe(struct shell *sh, const char *name, const struct style *s) {
    int found = 0;
    bool more = s->all;
    const struct alias *a = (struct alias *)table_find(sh->aliases, name, strlen(name));
    if (!s->force_path) {
        if (a && sh->shopt[SHOPT_EXPAND_ALIASES]) {
            say_alias(sh, name, a->value, s);
            if (found++, !more) return found;
        }
        if (sh_is_keyword(name)) {
            say_plain(sh, name, s, "keyword", "shell keyword");
            if (found++, !more) return found;
        }
        if (!s->no_functions && func_find(sh, name)) {
            say_function(sh, name, s);
            if (found++, !more) return found;
        }
        const struct builtin *b = builtin_find(sh, name);
        if (b) {
            bool special = (b->flags & B_SPECIAL) && sh->posix;
            say_plain(sh, name, s, "builtin", special ? "special shell builtin" : "shell builtin");
            if (found++, !more) return found;
        }
    }
    return found + describe_files(sh, name, s);
}

int type_describe(struct shell *sh, const char *name, const char *mode) {
    struct style s = {.kind = *mode};
    int found = describe(sh, name, &s);
    if (!found && *mode == 'V') sh_builtin_error(sh, "%s: not found", name);
    return found > 0;
}

BUILTIN(type) {
    struct bopt o = bopt_new(argc, argv);
    struct style s = {.kind = 'V'};
    for (int c; (c = bopt_next(sh, &o, "afptP", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'a') s.all = true;
        else if (c == 'f') s.no_functions = true;
        else if (c == 't') s.kind = 't';
        else s.kind = 'p';
        if (c == 'P') s.force_path = true;
    }
    int status = 0;
    for (int i = o.index; i < argc; i++) {
        if (describe(sh, argv[i], &s)) continue;
        status = 1;
        if (s.kind == 'V') sh_builtin_error(sh, "%s: not found", argv[i]);
    }
    return status;
}

/* ------------------------------------------------------------------ hash */

static void hash_line(struct shell *sh, const char *name, const struct hashed *h) {
    out_printf(sh, "builtin hash -p %s %s\n", h->path, name);
}

/* In the order of bash's table. */
static int hash_print(struct shell *sh, bool reusable) {
    int count;
    char **names, **paths;
    struct entry **list = table_sorted(sh->hash, &sh->tmp, &count);
    struct assoc *order = assoc_new_sized(HASH_BUCKETS);
    for (int i = 0; i < count; i++)
        if (path_hashed(sh, list[i]->key)) assoc_set(order, list[i]->key, "");
    assoc_list(order, &sh->tmp, &names, &paths);
    count = assoc_count(order);
    for (int i = 0; i < count; i++) list[i] = &path_hashed(sh, names[i])->entry;
    assoc_free(order);
    if (count == 0) {
        if (!reusable && !sh->posix) out_puts(sh, "hash: hash table empty\n");
        return 0;
    }
    if (!reusable) out_puts(sh, "hits\tcommand\n");
    for (int i = 0; i < count; i++) {
        const struct hashed *h = (struct hashed *)list[i];
        if (reusable) hash_line(sh, h->entry.key, h);
        else out_printf(sh, "%4d\t%s\n", h->hits, h->path);
    }
    return 0;
}

static int hash_one(struct shell *sh, const char *name, const char *path, bool forget, bool show,
                    bool reusable, bool many) {
    struct hashed *h = path_hashed(sh, name);
    int error;
    if (forget || show) {
        if (!h) {
            sh_builtin_error(sh, "%s: not found", name);
            return 1;
        }
        h->hits += show;
        if (forget) path_hash_forget(sh, h);
        else if (reusable) hash_line(sh, name, h);
        else if (many) out_printf(sh, "%s\t%s\n", name, h->path);
        else out_printf(sh, "%s\n", h->path);
        return 0;
    }
    if (path) {
        path_hash_keep(sh, name, path, 0);
        return 0;
    }
    if (strchr(name, '/') || func_find(sh, name) || builtin_find(sh, name)) return 0;
    const char *search = var_get(sh, "PATH");
    const char *found = path_search(sh, search ? search : "", name, &error, 0);
    if (!found || error) {
        sh_builtin_error(sh, "%s: not found", name);
        return 1;
    }
    path_hash_keep(sh, name, found, 0);
    return 0;
}

BUILTIN(hash) {
    struct bopt o = bopt_new(argc, argv);
    const char *path = NULL;
    bool forget = false, show = false, reusable = false, clear = false;
    for (int c; (c = bopt_next(sh, &o, "dlp:rt", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'd') forget = true;
        else if (c == 'l') reusable = true;
        else if (c == 'p') path = o.arg;
        else if (c == 'r') clear = true;
        else show = true;
    }
    if (path && sh->restricted && strchr(path, '/')) return sh_restricted(sh, path);
    if (clear) path_hash_clear(sh);
    if (o.index >= argc && (forget || show)) {
        sh_builtin_error(sh, "-%c: option requires an argument", forget ? 'd' : 't');
        return 1;
    }
    if (o.index >= argc) return clear ? 0 : hash_print(sh, reusable);
    int status = 0;
    for (int i = o.index; i < argc; i++)
        if (hash_one(sh, argv[i], path, forget, show, reusable, argc - o.index > 1)) status = 1;
    return status;
}

/* ------------------------------------------------------------------ enable */

/* There are no builtins in files: -f finds none, and -d has nothing to take away. */
static void no_object(struct shell *sh, const struct builtin *b, const char *name,
                      const char *file) {
    if (file)
        sh_builtin_error(sh, "cannot open shared object %s: %s: cannot open shared object file: "
                         "No such file or directory", file, file);
    else
        sh_builtin_error(sh, "%s: not %s", name, b ? "dynamically loaded" : "a shell builtin");
}

BUILTIN(enable) {
    struct bopt o = bopt_new(argc, argv);
    bool off = false, all = false, special = false;
    int dynamic = 0;
    const char *file = NULL;
    for (int c; (c = bopt_next(sh, &o, "adnpsf:", NULL));) {
        if (bopt_over(c)) return 2;
        if (c == 'n') off = true;
        else if (c == 'a') all = true;
        else if (c == 's') special = true;
        else if (c == 'd' || c == 'f') {
            if (sh->restricted) return sh_restricted(sh, NULL);
            dynamic = c;
            file = o.arg;
        }
    }
    int count, status = 0;
    const struct builtin *table = builtin_table(&count);
    if (dynamic == 'f' && o.index >= argc) dynamic = 0;
    if (o.index >= argc) {
        for (int i = 0; i < count; i++) {
            bool on = builtin_enabled(sh, i);
            if ((!all && on == off) || (special && !(table[i].flags & B_SPECIAL))) continue;
            out_printf(sh, "enable %s%s\n", on ? "" : "-n ", table[i].name);
        }
        return 0;
    }
    for (int i = o.index; i < argc; i++) {
        const struct builtin *b = builtin_find_any(argv[i]);
        if (dynamic) {
            no_object(sh, b, argv[i], dynamic == 'f' ? file : NULL);
            status = 1;
        } else if (b) {
            builtin_enable(sh, (int)(b - table), !off);
        } else {
            sh_builtin_error(sh, "%s: not a shell builtin", argv[i]);
            status = 1;
        }
    }
    return status;
}
