/*
 * main.c: git: its own options, the repository, aliases, and the command.
 */
#include "git.h"

#include <ctype.h>
#include "pf.h"

#include "git2/sys/config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"
#include "g_spawn.h"

git_repository *repo;
const char *prefix = "";
const char *command = "git";

enum { BARE_OK = 0, NEED_NONE = 1, NEED_TREE = 2, MAYBE = 4 };

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    int needs;
} command_entry;

#define COMMAND(name, function, needs) int cmd_##function(int argc, char **argv);
#include "commands.def"
#undef COMMAND
static const command_entry commands[] = {
#define COMMAND(name, function, needs) {name, cmd_##function, needs},
#include "commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static string_list settings; /* -c name=value */
static bool opened;

static const char usage_text[] =
    "usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]\n"
    "           [--exec-path[=<path>]] [--html-path] [--man-path] [--info-path]\n"
    "           [-p | --paginate | -P | --no-pager] [--no-replace-objects] [--bare]\n"
    "           [--git-dir=<path>] [--work-tree=<path>] [--namespace=<name>]\n"
    "           [--super-prefix=<path>] [--config-env=<name>=<envvar>]\n"
    "           <command> [<args>]\n";

static const command_entry *find(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

void put_settings(git_config *config) {
    git_config_backend *backend;
    if (!settings.count) return;
    check(git_config_backend_from_values(&backend, (const char **)settings.items,
                                         (size_t)settings.count, NULL));
    check(git_config_add_backend(config, backend, GIT_CONFIG_LEVEL_APP, repo, true));
}

void add_settings(void) {
    git_config *config;
    check(git_repository_config(&config, repo));
    put_settings(config);
    git_config_free(config);
}

static void set_prefix(void) {
    const char *top = git_repository_workdir(repo);
    char *here = g_working_directory();
    if (!top || !here) return;
    char *real = g_canonicalize(here, G_ANY_MISSING, false);
    size_t len = strlen(top) - 1;
    if (real && strncmp(real, top, len) == 0 && real[len] == '/' && real[len + 1]) {
        char *made = g_alloc(strlen(real + len + 1) + 2);
        sprintf(made, "%s/", real + len + 1);
        prefix = made;
    }
}

/* Who stands in the logs of references. */
static void set_identity(void) {
    extern time_t git_log_clock;
    git_signature *who = committer_for_log();
    git_repository_set_ident(repo, who->name, who->email);
    if (getenv("GIT_COMMITTER_DATE")) git_log_clock = (time_t)who->when.time;
    git_signature_free(who);
}

/* GIT_DIR is one, or a file that says where it is. libgit2 would look for another one, from here upwards. */
static bool names_repository(const char *dir) {
    git_repository *named;
    struct stat st;
    if (!dir || (stat(dir, &st) == 0 && S_ISREG(st.st_mode))) return true;
    if (git_repository_open_bare(&named, dir) < 0) return false;
    git_repository_free(named);
    return true;
}

/* false when there is no repository here and `must` is not set */
static bool open_repository(bool must) {
    if (opened) return repo != NULL;
    const char *dir = getenv("GIT_DIR");
    int rc = names_repository(dir) ? git_repository_open_ext(&repo, ".", GIT_REPOSITORY_OPEN_FROM_ENV, NULL) : GIT_ENOTFOUND;
    if (rc < 0) {
        repo = NULL;
        if (!must) return false;
        if (dir) die("not a git repository: '%s'", dir);
        if (rc == GIT_ENOTFOUND)
            die("not a git repository (or any of the parent directories): .git");
        die("%s", git_message());
    }
    opened = true;
    add_settings();
    set_prefix();
    set_identity();
    return true;
}

static void prepare(const command_entry *entry) {
    if (entry->needs & NEED_NONE) return;
    if (!open_repository(!(entry->needs & MAYBE))) return;
    if ((entry->needs & NEED_TREE) && !git_repository_workdir(repo))
        die("this operation must be run in a work tree");
}

int run_command(const char *name, int argc, char **argv) {
    const command_entry *entry = find(name);
    const char *outer = command;
    command = name;
    prepare(entry);
    int status = entry->run(argc, argv);
    command = outer;
    return status;
}

static int distance(const char *a, const char *b) {
    size_t n = strlen(b);
    int row[64];
    if (n > 60) return 99;
    for (size_t j = 0; j <= n; j++) row[j] = (int)j;
    for (size_t i = 1; a[i - 1]; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int up = row[j], best = corner + (a[i - 1] != b[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = up;
            row[j] = best;
        }
    }
    return row[n];
}

static _Noreturn void no_such_command(const char *name) {
    int best = 99, count = 0;
    for (int i = 0; i < COMMANDS; i++) {
        int d = strncmp(commands[i].name, name, strlen(name)) == 0 ? 1 : distance(name, commands[i].name);
        if (d < best) best = d, count = 0;
        count += d == best;
    }
    note("git: '%s' is not a git command. See 'git --help'.", name);
    if (best < 3 && strlen(name) > 2) {
        note("\n%s", count == 1 ? "The most similar command is" : "The most similar commands are");
        for (int i = 0; i < COMMANDS; i++) {
            int d = strncmp(commands[i].name, name, strlen(name)) == 0 ? 1 : distance(name, commands[i].name);
            if (d == best) note("\t%s", commands[i].name);
        }
    }
    g_exit(1);
}

/* The words of an alias, in place of the first argument. NULL when there is none. */
static char **expand_alias(int *argc, char **argv) {
    char key[200];
    snprintf(key, sizeof key, "alias.%s", argv[0]);
    open_repository(false);
    char *text = config_string(key);
    if (!text) return NULL;
    if (*text == '!') {
        g_text line = {0};
        g_text_addf(&line, "%s \"$@\"", text + 1);
        char **words = g_zalloc(((size_t)*argc + 5) * sizeof *words);
        words[0] = "sh", words[1] = "-c", words[2] = line.s, words[3] = (char *)text + 1;
        for (int i = 1; i < *argc; i++) words[3 + i] = argv[i];
        pid_t pid = g_spawn(words, repo ? git_repository_workdir(repo) : NULL, G_STDIN_SAME);
        if (pid < 0) die("cannot run %s", text + 1);
        g_exit(g_exit_status(wait_child(pid)));
    }
    string_list words = {0};
    g_text word = {0};
    bool in_word = false;
    char quote = 0;
    for (const char *p = text;; p++) {
        if (!*p || (!quote && (*p == ' ' || *p == '\t'))) {
            if (in_word) list_add(&words, word.s ? word.s : "");
            word.len = 0;
            in_word = false;
            if (!*p) break;
        } else if (quote ? *p == quote : *p == '\'' || *p == '"') {
            quote = quote ? 0 : *p;
            in_word = true;
            g_text_add(&word, "", 0);
        } else {
            if (*p == '\\' && quote != '\'' && p[1]) p++;
            g_text_addc(&word, *p);
            in_word = true;
        }
    }
    for (int i = 1; i < *argc; i++) list_add(&words, argv[i]);
    *argc = words.count;
    return words.items;
}

static _Noreturn void bad_setting(const char *what, const char *name) {
    error("%s%s", what, name);
    die("unable to parse command-line config");
}

/* -c name=value, or a name alone for true. Sections and variables have no case, subsections have. */
static void take_setting(const char *text) {
    const char *equals = strchr(text, '=');
    char *name = equals ? g_copy_bytes(text, (size_t)(equals - text)) : g_copy_string(text);
    char *first = strchr(name, '.'), *last = strrchr(name, '.');
    g_text whole = {0};
    if (!*name) bad_setting("empty config key", "");
    if (!first || first == name) bad_setting("key does not contain a section: ", name);
    if (!last[1]) bad_setting("key does not contain variable name: ", name);
    for (char *p = name; *p; p++) {
        if (p >= first && p <= last) continue; /* the subsection, with its dots */
        bool fits = isalnum((unsigned char)*p) || *p == '-';
        if (!fits || (p == last + 1 && !isalpha((unsigned char)*p))) bad_setting("invalid key: ", name);
        *p = (char)tolower((unsigned char)*p);
    }
    g_text_addf(&whole, "%s=%s", name, equals ? equals + 1 : "true");
    list_add(&settings, whole.s);
    g_text_free(&whole);
    free(name);
}

/* git's own options; the index of the command. */
static int own_options(int argc, char **argv) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        const char *o = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(o, "-v") == 0 || strcmp(o, "--version") == 0) {
            argv[i] = "version";
            return i;
        } else if (strcmp(o, "-h") == 0 || strcmp(o, "--help") == 0) {
            argv[i] = "help";
            return i;
        } else if (strcmp(o, "-C") == 0) {
            if (!value) die_status(129, "no directory given for '%s' option", "-C");
            if (*value && chdir(value) != 0) die("cannot change to '%s': No such file or directory", value);
            i++;
        } else if (strcmp(o, "-c") == 0) {
            if (!value) die_status(129, "-c expects a configuration string");
            take_setting(value);
            i++;
        } else if (strncmp(o, "--git-dir=", 10) == 0) {
            setenv("GIT_DIR", o + 10, 1);
        } else if (strncmp(o, "--work-tree=", 12) == 0) {
            setenv("GIT_WORK_TREE", o + 12, 1);
        } else if (strcmp(o, "--git-dir") == 0 || strcmp(o, "--work-tree") == 0) {
            if (!value) die_status(129, "no directory given for '%s' option", o);
            setenv(o[2] == 'g' ? "GIT_DIR" : "GIT_WORK_TREE", value, 1);
            i++;
        } else if (strcmp(o, "--bare") == 0) {
            if (!getenv("GIT_DIR")) setenv("GIT_DIR", ".", 0);
        } else if (strcmp(o, "--exec-path") == 0) {
            g_outs("/usr/lib/git-core\n");
            g_exit(0);
        } else if (strcmp(o, "--literal-pathspecs") != 0 && strcmp(o, "--no-pager") != 0 &&
                   strcmp(o, "-P") != 0 && strcmp(o, "-p") != 0 && strcmp(o, "--paginate") != 0 &&
                   strcmp(o, "--no-replace-objects") != 0 && strcmp(o, "--no-optional-locks") != 0) {
            note("unknown option: %s", o);
            die_status(129, "%.*s", (int)sizeof usage_text - 2, usage_text);
        }
    }
    return i;
}

int cmd_version(int argc, char **argv) {
    bool more = argc > 1 && strcmp(argv[1], "--build-options") == 0;
    g_outs("git version 2.39.5 (libgit2 " LIBGIT2_VERSION ")\n");
    if (more) g_outs("http by the tool http/request, no ssh\n");
    return 0;
}

int cmd_help(int argc, char **argv) {
    if (argc > 1 && find(argv[1])) {
        char *again[] = {argv[1], "-h", NULL};
        return find(argv[1])->run(2, again);
    }
    g_outs(usage_text);
    g_outs("\nThese are the Git commands that are here:\n\n");
    for (int i = 0; i < COMMANDS; i++) g_outf("   %s\n", commands[i].name);
    return 0;
}

int main(int argc, char **argv) {
    g_begin("git", usage_text);
    out_begin();
    check(git_libgit2_init());
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)1 << 20);
    git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
    int first = own_options(argc, argv);
    if (first == argc) {
        cmd_help(1, argv);
        g_exit(1);
    }
    argc -= first;
    argv += first;
    for (int depth = 0; !find(argv[0]); depth++) {
        char *name = argv[0];
        argv = depth < 10 ? expand_alias(&argc, argv) : NULL;
        if (!argv || !argc) no_such_command(name);
    }
    int status = run_command(argv[0], argc, argv);
    out_wait(true);
    g_exit(status);
}
