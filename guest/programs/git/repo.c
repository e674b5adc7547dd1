/*
 * repo.c: objects by name, configuration, and files below .git.
 */
#include "git.h"

#include "git2/sys/repository.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"
#include "g_in.h"
#include "g_spawn.h"

/* ":path" and ":2:path": of the index. */
static git_object *object_in_index(const char *name) {
    int stage = 0;
    git_object *object = NULL;
    if (name[0] >= '0' && name[0] <= '3' && name[1] == ':') stage = *name - '0', name += 2;
    const git_index_entry *e = git_index_get_bypath(index_of_repo(), repo_path(name), stage);
    if (e) git_object_lookup(&object, repo, &e->id, GIT_OBJECT_ANY);
    return object;
}

/* "name@{1}" of a reference that has no log: libgit2 takes it for the reference itself. */
static bool lacks_log(const char *name) {
    const char *at = strstr(name, "@{");
    git_reference *ref;
    if (!at || at == name || at[2] < '0' || at[2] > '9') return false;
    char *base = g_copy_bytes(name, (size_t)(at - name));
    bool lacks = git_reference_dwim(&ref, repo, base) == 0 && git_reference_has_log(repo, git_reference_name(ref)) == 0;
    free(base);
    return lacks;
}

/* "name@{9}" when the log of the reference is shorter than that. */
static void die_beyond_log(const char *name) {
    const char *at = strstr(name, "@{");
    char *end;
    git_reference *ref;
    git_reflog *log;
    if (!at || at[2] < '0' || at[2] > '9') return;
    unsigned long place = strtoul(at + 2, &end, 10);
    char *base = at > name ? g_copy_bytes(name, (size_t)(at - name)) : current_branch();
    if (*end != '}' || place > 100000000 || !base || git_reference_dwim(&ref, repo, base) < 0) return;
    const char *named = strcmp(base, "HEAD") == 0 ? base : git_reference_name(ref);
    if (git_reference_has_log(repo, named) != 1 || git_reflog_read(&log, repo, named) < 0) return;
    size_t count = git_reflog_entrycount(log);
    if (count && place >= count) die("log for '%s' only has %zu entries", base, count);
}

git_object *object_named(const char *name) {
    git_object *object = NULL;
    if (lacks_log(name)) return NULL;
    if (name[0] == ':' && name[1] && name[1] != '/' && name[1] != '!' && name[1] != '(') return object_in_index(name + 1);
    if (git_revparse_single(&object, repo, name) == 0) return object;
    die_beyond_log(name);
    if (strcmp(name, "@") != 0 && name[0] != '@') return NULL;
    /* `@` alone, and with what may stand behind it, is HEAD. */
    if (name[1] && !strchr("~^", name[1]) && strncmp(name, "@@{", 3) != 0) return NULL;
    char *full = g_alloc(strlen(name) + 5);
    sprintf(full, "HEAD%s", name + 1);
    git_revparse_single(&object, repo, full);
    free(full);
    return object;
}

git_commit *commit_named(const char *name) {
    git_object *object = object_named(name), *commit = NULL;
    if (!object) return NULL;
    git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
    git_object_free(object);
    return (git_commit *)commit;
}

git_tree *tree_named(const char *name) {
    git_object *object = object_named(name), *tree = NULL;
    if (!object) return NULL;
    git_object_peel(&tree, object, GIT_OBJECT_TREE);
    git_object_free(object);
    return (git_tree *)tree;
}

git_commit *head_commit(void) {
    git_oid id;
    git_commit *commit = NULL;
    if (git_reference_name_to_id(&id, repo, "HEAD") == 0) git_commit_lookup(&commit, repo, &id);
    return commit;
}

git_tree *head_tree(void) {
    git_commit *commit = head_commit();
    return commit ? tree_of(commit) : NULL;
}

git_commit *commit_of(const git_oid *id) {
    git_commit *commit;
    check(git_commit_lookup(&commit, repo, id));
    return commit;
}

git_tree *tree_of(git_commit *commit) {
    git_tree *tree;
    check(git_commit_tree(&tree, commit));
    return tree;
}

void die_unknown_revision(const char *name) {
    const char *colon = strchr(name, ':');
    if (colon && colon > name && name[0] != ':') {
        char *of = g_copy_bytes(name, (size_t)(colon - name));
        if (!object_named(of)) die("invalid object name '%s'.", of);
        die(file_exists(colon + 1) ? "path '%s' exists on disk, but not in '%s'" : "path '%s' does not exist in '%s'", colon + 1, of);
    }
    die("ambiguous argument '%s': unknown revision or path not in the working tree.\n"
        "Use '--' to separate paths from revisions, like this:\n"
        "'git <command> [<revision>...] -- [<file>...]'",
        name);
}

static char *next_of_ring(void) {
    static char ring[8][OID_HEX + 1];
    static int at;
    return ring[at++ % 8];
}

const char *full_id(const git_oid *id) { return git_oid_tostr(next_of_ring(), OID_HEX + 1, id); }

const char *abbreviated(const git_oid *id, int length) {
    char *out = next_of_ring();
    git_odb *odb;
    if (length < 4) length = 4;
    if (length > OID_HEX) length = OID_HEX;
    check(git_repository_odb(&odb, repo));
    for (; length < OID_HEX; length++) {
        git_oid begun = {0}, found;
        git_oid_tostr(out, (size_t)length + 1, id);
        git_oid_fromstrn(&begun, out, (size_t)length);
        int rc = git_odb_exists_prefix(&found, odb, &begun, (size_t)length);
        if (rc != GIT_EAMBIGUOUS) break;
    }
    git_odb_free(odb);
    return git_oid_tostr(out, (size_t)length + 1, id);
}

const char *short_id(const git_oid *id) {
    static int length;
    if (!length) {
        char *text = config_string("core.abbrev");
        length = text && strcmp(text, "no") == 0 ? OID_HEX : text ? atoi(text) : 7;
        if (length < 4) length = 7;
    }
    return abbreviated(id, length);
}

static git_config *configuration(void) {
    git_config *config = NULL, *live;
    if (repo) {
        check(git_repository_config_snapshot(&config, repo));
        return config;
    }
    check(git_config_open_default(&live));
    put_settings(live);
    check(git_config_snapshot(&config, live)); /* strings are read from snapshots alone */
    git_config_free(live);
    return config;
}

bool config_bool(const char *name, bool otherwise) {
    int value = otherwise;
    git_config *config = configuration();
    git_config_get_bool(&value, config, name);
    git_config_free(config);
    return value;
}

int config_int(const char *name, int otherwise) {
    int value = otherwise;
    git_config *config = configuration();
    if (git_config_get_int32(&value, config, name) < 0) value = otherwise;
    git_config_free(config);
    return value;
}

char *config_string(const char *name) {
    const char *value = NULL;
    git_config *config = configuration();
    char *copy = git_config_get_string(&value, config, name) == 0 ? g_copy_string(value) : NULL;
    git_config_free(config);
    return copy;
}

char *git_file(const char *name) {
    bool shared = strncmp(name, "refs/", 5) == 0 || strncmp(name, "hooks/", 6) == 0 ||
                  strncmp(name, "info/", 5) == 0 || strncmp(name, "logs/refs/", 10) == 0 ||
                  strcmp(name, "config") == 0;
    return g_join(shared ? git_repository_commondir(repo) : git_repository_path(repo), name);
}

char *read_git_file(const char *name) {
    size_t len;
    return read_file(git_file(name), &len);
}

void write_git_file(const char *name, const char *text) {
    char *path = git_file(name);
    write_file(path, text, strlen(text));
    free(path);
}

void remove_git_file(const char *name) {
    char *path = git_file(name);
    unlink(path);
    free(path);
}

bool git_file_exists(const char *name) {
    char *path = git_file(name);
    bool there = file_exists(path);
    free(path);
    return there;
}

const char *workdir(void) {
    const char *dir = git_repository_workdir(repo);
    if (!dir) die("this operation must be run in a work tree");
    return dir;
}

char *in_workdir(const char *path) {
    const char *dir = workdir();
    char *full = g_alloc(strlen(dir) + strlen(path) + 1);
    sprintf(full, "%s%s", dir, path);
    return full;
}

git_index *index_of_repo(void) {
    git_index *index;
    if (git_repository_index(&index, repo) < 0 || git_index_read(index, false) < 0)
        die("%s", git_message());
    return index;
}

char *head_target(void) {
    git_reference *head;
    char *name = NULL;
    if (git_reference_lookup(&head, repo, "HEAD") < 0) return NULL;
    if (git_reference_type(head) == GIT_REFERENCE_SYMBOLIC)
        name = g_copy_string(git_reference_symbolic_target(head));
    git_reference_free(head);
    return name;
}

char *current_branch(void) {
    char *name = head_target();
    if (!name || strncmp(name, "refs/heads/", 11) != 0) return name;
    return g_copy_string(name + 11);
}

char *subject_of(const char *message) {
    g_text out = {0};
    g_text_adds(&out, "");
    while (*message == '\n') message++;
    while (*message) {
        size_t len = strcspn(message, "\n"), used = len;
        while (used && strchr(" \t\r\f\v", message[used - 1])) used--;
        if (!used) break;
        if (out.len) g_text_addc(&out, ' ');
        g_text_add(&out, message, used);
        message += len + (message[len] != 0);
    }
    return out.s;
}

const char *body_of(const char *message) {
    while (*message == '\n') message++;
    while (*message) {
        size_t len = strcspn(message, "\n");
        bool blank = strspn(message, " \t\r") >= len;
        message += len + (message[len] != 0);
        if (blank) break;
    }
    while (*message == '\n') message++;
    return message;
}

void read_stdin_within(g_text *text) {
    char buf[4096];
    ssize_t n;
    g_text_adds(text, "");
    while ((n = g_read(0, buf, sizeof buf)) > 0) g_text_add(text, buf, (size_t)n);
}

bool file_exists(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0;
}

char *read_file(const char *path, size_t *len) {
    int fd = open(path, O_RDONLY);
    if (fd < 0) return NULL;
    char *text = g_read_all(fd, len);
    int saved = errno;
    close(fd);
    errno = saved;
    return text;
}

void write_file(const char *path, const char *text, size_t len) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, len, f) != len || fclose(f) != 0)
        die("could not open '%s' for writing: %s", path, strerror(errno));
}

bool remove_tree(const char *path) {
    char *argv[] = {"rm", "-rf", "--", (char *)(uintptr_t)path, NULL};
    pid_t pid = g_spawn(argv, NULL, G_STDIN_NULL);
    return pid > 0 && g_exit_status(g_wait(pid)) == 0;
}
