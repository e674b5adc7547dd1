/*
 * cmd_config.c: git config.
 */
#include "color.h"

#include "g_regex.h"

enum action { NONE, GET, GET_ALL, GET_REGEXP, LIST, UNSET, UNSET_ALL, REPLACE_ALL, ADD, RENAME, REMOVE, GET_COLOR, GET_COLORBOOL };
static int action, global, local, system_, bool_, int_, null, show_origin, name_only, show_scope, edit, path_, worktree;
static const char *file, *type, *default_;
#define ACTION(letter, name, value, text) {OPT_SET, letter, name, &action, NULL, text, value, NULL, NULL, 1}
static const option table[] = {
    {OPT_GROUP, 0, NULL, NULL, NULL, "Config file location", 0, NULL, NULL, 0},
    FLAG(0, "global", global, "use global config file"), FLAG(0, "system", system_, "use system config file"),
    FLAG(0, "local", local, "use repository config file"), FLAG(0, "worktree", worktree, "use per-worktree config file"),
    {OPT_STRING, 'f', "file", &file, "file", "use given config file", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "Action", 0, NULL, NULL, 0},
    ACTION(0, "get", GET, "get value: name [value-pattern]"), ACTION(0, "get-all", GET_ALL, "get all values: key [value-pattern]"),
    ACTION(0, "get-regexp", GET_REGEXP, "get values for regexp: name-regex [value-pattern]"),
    ACTION(0, "replace-all", REPLACE_ALL, "replace all matching variables: name value [value-pattern]"),
    ACTION(0, "add", ADD, "add a new variable: name value"), ACTION(0, "unset", UNSET, "remove a variable: name [value-pattern]"),
    ACTION(0, "unset-all", UNSET_ALL, "remove all matches: name [value-pattern]"),
    ACTION(0, "rename-section", RENAME, "rename section: old-name new-name"),
    ACTION(0, "remove-section", REMOVE, "remove a section: name"), ACTION('l', "list", LIST, "list all"),
    FLAG('e', "edit", edit, "open an editor"),
    ACTION(0, "get-color", GET_COLOR, "find the color configured: slot [default]"),
    ACTION(0, "get-colorbool", GET_COLORBOOL, "find the color setting: slot [stdout-is-tty]"),
    {OPT_GROUP, 0, NULL, NULL, NULL, "Type", 0, NULL, NULL, 0},
    {OPT_STRING, 't', "type", &type, "type", "value is given this type", 0, NULL, NULL, 0},
    FLAG(0, "bool", bool_, "value is \"true\" or \"false\""), FLAG(0, "int", int_, "value is decimal number"),
    FLAG(0, "path", path_, "value is a path (file or directory name)"),
    {OPT_GROUP, 0, NULL, NULL, NULL, "Other", 0, NULL, NULL, 0},
    FLAG('z', "null", null, "terminate values with NUL byte"), FLAG(0, "name-only", name_only, "show variable names only"),
    FLAG(0, "show-origin", show_origin, "show origin of config (file, standard input, blob, command line)"),
    FLAG(0, "show-scope", show_scope, "show scope of config (worktree, local, global, system, command)"),
    {OPT_STRING, 0, "default", &default_, "value", "with --get, use default value when missing entry", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static git_config *whole, *writable;

static void open_files(void) {
    char *home = getenv("HOME") ? getenv("HOME") : "/";
    char path[1000];
    if (file || global || system_) {
        snprintf(path, sizeof path, "%s/.gitconfig", home);
        const char *chosen = file ? file : system_ ? "/etc/gitconfig" : path;
        check(git_config_open_ondisk(&writable, chosen));
        whole = writable;
        return;
    }
    if (repo) {
        check(git_repository_config(&whole, repo));
        check(git_config_open_level(&writable, whole, GIT_CONFIG_LEVEL_LOCAL));
        if (local) whole = writable;
    } else {
        if (local) die("--local can only be used inside a git repository");
        check(git_config_open_default(&whole));
    }
}

static bool valid_name(const char *name) {
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name) {
        error("key does not contain a section: %s", name);
        return false;
    }
    if (!dot[1]) {
        error("key does not contain variable name: %s", name);
        return false;
    }
    for (const char *p = dot + 1; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '-' || (*p >= '0' && *p <= '9' && p > dot + 1))) {
            error("invalid key: %s", name);
            return false;
        }
    return true;
}

static char *typed(const char *name, const char *value) {
    char text[50];
    if (type && strcmp(type, "bool") == 0) bool_ = 1;
    if (type && strcmp(type, "int") == 0) int_ = 1;
    if (bool_) {
        int b;
        if (value && git_config_parse_bool(&b, value) < 0) die("bad boolean config value '%s' for '%s'", value, name);
        return g_copy_string(!value || b ? "true" : "false");
    }
    if (int_) {
        int64_t n;
        if (git_config_parse_int64(&n, value) < 0) die("bad numeric config value '%s' for '%s': invalid unit", value, name);
        snprintf(text, sizeof text, "%lld", (long long)n);
        return g_copy_string(text);
    }
    if ((path_ || (type && strcmp(type, "path") == 0)) && value[0] == '~' && value[1] == '/') {
        g_text t = {0};
        g_text_addf(&t, "%s%s", getenv("HOME"), value + 1);
        return t.s;
    }
    return g_copy_string(value ? value : "");
}

static const char *scope_of(const git_config_entry *e) {
    switch (e->level) {
    case GIT_CONFIG_LEVEL_SYSTEM: return "system";
    case GIT_CONFIG_LEVEL_XDG:
    case GIT_CONFIG_LEVEL_GLOBAL: return "global";
    case GIT_CONFIG_LEVEL_WORKTREE: return "worktree";
    case GIT_CONFIG_LEVEL_APP: return "command";
    default: return file ? "command" : global ? "global" : "local";
    }
}

static void print_before(const git_config_entry *e) {
    char tab = null ? '\0' : '\t';
    if (show_scope) g_outf("%s%c", scope_of(e), tab);
    if (!show_origin) return;
    const char *path = e->origin_path;
    if (path && repo && strncmp(path, workdir(), strlen(workdir())) == 0) path += strlen(workdir());
    if (path) g_outf("file:%s%c", path, tab);
    else g_outf("command line:%c", tab);
}

static void print_pair(const git_config_entry *e) {
    print_before(e);
    g_outs(e->name);
    if (!name_only) {
        if (action == LIST || action == GET_REGEXP)
            if (e->value) g_outf("%c%s", null ? '\n' : action == LIST ? '=' : ' ', typed(e->name, e->value));
    }
    g_outc(null ? '\0' : '\n');
}

static int list_all(const char *pattern) {
    git_config_iterator *at;
    git_config_entry *e;
    pf_regex *re = NULL;
    const char *message;
    int found = 0;
    if (pattern && pf_regex_compile(&re, pattern, strlen(pattern), PF_RE_EXTENDED, &g_regex_host, &message) != PF_RE_OK)
        die_status(6, "error: invalid key pattern: %s", pattern);
    check(git_config_iterator_new(&at, whole));
    while (git_config_next(&e, at) == 0) {
        if (re && pf_regex_search(re, e->name, strlen(e->name), 0, 0, NULL, 0) != PF_RE_OK) continue;
        print_pair(e);
        found = 1;
    }
    return !found && pattern;
}

typedef struct { const git_config_entry *last; g_text all; bool any; char *name; } values;

static int collect(const git_config_entry *e, void *payload) {
    values *v = payload;
    g_text one = {0};
    g_text_adds(&one, typed(v->name, e->value));
    if (action != GET_ALL) v->all.len = 0;
    g_text_addf(&v->all, "%s%c", one.s, null ? '\0' : '\n');
    if (action != GET_ALL && show_origin) {
        v->all.len = 0;
        const char *path = e->origin_path;
        if (path && repo && strncmp(path, workdir(), strlen(workdir())) == 0) path += strlen(workdir());
        g_text_addf(&v->all, "file:%s\t%s%c", path ? path : "", one.s, null ? '\0' : '\n');
    }
    v->any = true;
    return 0;
}

static int get(const char *name, const char *pattern) {
    values v = {.name = (char *)name};
    if (!valid_name(name)) return 1;
    git_config_get_multivar_foreach(whole, name, pattern, collect, &v);
    if (!v.any && default_) {
        g_outf("%s\n", typed(name, default_));
        return 0;
    }
    if (v.any) g_out(v.all.s, v.all.len);
    return !v.any;
}

static int count_values(const git_config_entry *e, void *payload) {
    (void)e;
    ++*(int *)payload;
    return 0;
}

static int set(const char *name, const char *value, const char *pattern) {
    int count = 0;
    if (!valid_name(name)) return 1;
    if (!writable) die("not in a git directory");
    value = bool_ || int_ || type ? typed(name, value) : value;
    git_config_get_multivar_foreach(writable, name, pattern, count_values, &count);
    if (action == ADD) return git_config_set_multivar(writable, name, "a^", value) < 0 ? check(-1) : 0;
    if (action != REPLACE_ALL && count > 1) {
        warning("%s has multiple values", name);
        error("cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change %s.", name);
        return 5;
    }
    if (count > 1 || pattern) return git_config_set_multivar(writable, name, pattern ? pattern : ".*", value) < 0 ? check(-1) : 0;
    return check(git_config_set_string(writable, name, value)) != 0;
}

static int unset(const char *name, const char *pattern, bool all) {
    int count = 0;
    if (!valid_name(name)) return 1;
    if (!writable) die("not in a git directory");
    git_config_get_multivar_foreach(writable, name, pattern, count_values, &count);
    if (!count) return 5;
    if (count > 1 && !all) {
        warning("%s has multiple values", name);
        return 5;
    }
    check(git_config_delete_multivar(writable, name, pattern ? pattern : ".*"));
    return 0;
}

static int remove_section(const char *name) {
    git_config_iterator *at;
    git_config_entry *e;
    string_list names = {0};
    size_t len = strlen(name);
    if (!writable) die("not in a git directory");
    check(git_config_iterator_new(&at, writable));
    while (git_config_next(&e, at) == 0) {
        const char *dot = strrchr(e->name, '.');
        if ((size_t)(dot - e->name) == len && strncmp(e->name, name, len) == 0) list_add(&names, e->name);
    }
    if (!names.count) die("no such section: %s", name);
    for (int i = 0; i < names.count; i++) git_config_delete_multivar(writable, names.items[i], ".*");
    return 0;
}

/* "color.diff.old", and what it is when unset: as an escape sequence. */
static int get_color(const char *name, const char *otherwise) {
    char *setting = *name ? config_string(name) : NULL, *code = NULL;
    if (setting && !(code = color_parse(setting))) {
        error("invalid color value: %s", setting);
        die("unable to parse '%s' from configuration", name);
    }
    if (!setting && otherwise && !(code = color_parse(otherwise))) {
        error("invalid color value: %s", otherwise);
        die("unable to parse default color value");
    }
    g_outs(code ? code : "");
    return 0;
}

static int get_colorbool(const char *name, const char *tty) {
    bool to_screen = tty && (strcmp(tty, "true") == 0 || strcmp(tty, "yes") == 0 || strcmp(tty, "1") == 0);
    char *setting = config_string(name);
    if (!setting && strncmp(name, "color.", 6) == 0) setting = config_string("color.ui");
    int when = color_setting(setting);
    bool wanted = when == COLOR_ALWAYS || (when == COLOR_AUTO && to_screen);
    if (tty) g_outf("%s\n", wanted ? "true" : "false");
    return tty ? 0 : !wanted;
}

int cmd_config(int argc, char **argv) {
    int n = options(argc, argv, table, "git config [<options>]", STOP_AT_OPERAND);
    if (edit) die("--edit needs a terminal: use git config <name> <value>");
    if (global + system_ + local + worktree + (file != NULL) > 1) {
        error("only one config file at a time");
        usage_error(NULL);
    }
    open_files();
    if (action == LIST) return list_all(NULL);
    if (!n) usage_error(action ? "error: wrong number of arguments, should be from 1 to 2" : NULL);
    switch (action) {
    case GET:
    case GET_ALL: return get(argv[0], n > 1 ? argv[1] : NULL);
    case GET_REGEXP: return list_all(argv[0]);
    case UNSET:
    case UNSET_ALL: return unset(argv[0], n > 1 ? argv[1] : NULL, action == UNSET_ALL);
    case GET_COLOR: return get_color(argv[0], n > 1 ? argv[1] : NULL);
    case GET_COLORBOOL: return get_colorbool(argv[0], n > 1 ? argv[1] : NULL);
    case REMOVE: return remove_section(argv[0]);
    case RENAME: die("--rename-section is not there: set the values anew and remove the old section");
    }
    if (n == 1) return get(argv[0], NULL);
    if (!writable && !global) {
        if (!repo) die("not in a git directory");
    }
    return set(argv[0], argv[1], n > 2 ? argv[2] : NULL);
}
