/*
 * cmd_clone.c: git clone of repositories that lie in the sandbox, mounted ones as well.
 */
#include "remote_url.h"
#include "checkout.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"

static int bare, no_checkout, quiet, verbose, mirror, local, no_hardlinks, shared, single, no_tags, progress, recursive;
static const char *branch, *origin, *depth, *upload_pack, *template_, *reference, *separate, *filter, *jobs, *since;
static string_list settings;
#define FLAG(letter, name, field, text) {OPT_FLAG, letter, name, &field, NULL, text, 0, NULL, NULL, 0}
#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG('v', "verbose", verbose, "be more verbose"), FLAG('q', "quiet", quiet, "be more quiet"),
    FLAG(0, "progress", progress, "force progress reporting"), FLAG('n', "no-checkout", no_checkout, "don't create a checkout"),
    FLAG(0, "bare", bare, "create a bare repository"), FLAG(0, "mirror", mirror, "create a mirror repository (implies bare)"),
    FLAG('l', "local", local, "to clone from a local repository"), FLAG(0, "no-hardlinks", no_hardlinks, "don't use local hardlinks, always copy"),
    FLAG('s', "shared", shared, "setup as shared repository"),
    {OPT_MAYBE, 0, "recurse-submodules", &reference, "pathspec", "initialize submodules in the clone", 0, "", NULL, 0},
    FLAG(0, "recursive", recursive, NULL), STRING('j', "jobs", jobs, "n", "number of submodules cloned in parallel"),
    STRING(0, "template", template_, "template-directory", "directory from which templates will be used"),
    STRING('o', "origin", origin, "name", "use <name> instead of 'origin' to track upstream"),
    STRING('b', "branch", branch, "branch", "checkout <branch> instead of the remote's HEAD"),
    STRING('u', "upload-pack", upload_pack, "path", "path to git-upload-pack on the remote"),
    STRING(0, "depth", depth, "depth", "create a shallow clone of that depth"),
    STRING(0, "shallow-since", since, "time", "create a shallow clone since a specific time"),
    FLAG(0, "single-branch", single, "clone only one branch, HEAD or --branch"), FLAG(0, "no-tags", no_tags, "don't clone any tags, and make later fetches not to follow them"),
    STRING(0, "separate-git-dir", separate, "gitdir", "separate git dir from working tree"),
    {OPT_LIST, 'c', "config", &settings, "key=value", "set config inside the new repository", 0, NULL, NULL, 0},
    STRING(0, "filter", filter, "args", "object filtering"), {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

/* "dir/name.git/" -> "name" */
static char *folder_of(const char *url) {
    char *copy = g_copy_string(url);
    g_strip_slashes(copy);
    size_t len = strlen(copy);
    if (len > 5 && strcmp(copy + len - 5, "/.git") == 0) copy[len - 5] = '\0';
    const char *last = g_last_part(copy);
    const char *colon = strrchr(last, ':');
    if (colon) last = colon + 1;
    char *name = g_copy_string(last);
    len = strlen(name);
    if (len > 4 && strcmp(name + len - 4, ".git") == 0) name[len - 4] = '\0';
    if (!*name) die("No directory name could be guessed.\nPlease specify a directory on the command line");
    return name;
}

static bool is_empty(const char *dir) {
    DIR *d = opendir(dir);
    bool empty = true;
    if (!d) return errno == ENOENT;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) empty = false;
    closedir(d);
    return empty;
}

/* Copies what is below `from`; objects never change, so links to them would do, but a mounted folder
 * can only be read. */
static void copy_objects(const char *from, const char *to) {
    DIR *d = opendir(from);
    if (!d) return;
    mkdir(to, 0777);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        struct stat st;
        if (e->d_name[0] == '.' || strncmp(e->d_name, "tmp_", 4) == 0) continue;
        char *a = g_join(from, e->d_name), *b = g_join(to, e->d_name);
        if (lstat(a, &st) == 0 && S_ISDIR(st.st_mode)) {
            copy_objects(a, b);
        } else if (S_ISREG(st.st_mode) && (no_hardlinks || link(a, b) != 0)) {
            size_t len;
            char *text = read_file(a, &len);
            if (text) write_file(b, text, len);
            chmod(b, 0444);
            free(text);
        }
        free(a);
        free(b);
    }
    closedir(d);
}

static git_repository *source;

static void copy_refs(const char *remote) {
    git_reference_iterator *at;
    git_reference *ref, *made;
    check(git_reference_iterator_new(&at, source));
    char log[1200];
    while (git_reference_next(&ref, at) == 0) {
        const char *name = git_reference_name(ref);
        char to[1000];
        git_oid id;
        bool head = strncmp(name, "refs/heads/", 11) == 0, tag = strncmp(name, "refs/tags/", 10) == 0;
        if (git_reference_name_to_id(&id, source, name) < 0) continue;
        if (mirror || (bare && (head || tag)) || (tag && !no_tags)) snprintf(to, sizeof to, "%s", name);
        else if (head && !bare) snprintf(to, sizeof to, "refs/remotes/%s/%s", remote, name + 11);
        else continue;
        snprintf(log, sizeof log, "clone: from %s", git_repository_path(source));
        git_reference_create(&made, repo, to, &id, true, log);
    }
}

static void set_config(const char *url, const char *remote) {
    git_config *config;
    char key[1000], value[1000];
    write_first_config(bare);
    check(git_repository_config(&config, repo));
    snprintf(key, sizeof key, "remote.%s.url", remote);
    check(git_config_set_string(config, key, url));
    snprintf(key, sizeof key, "remote.%s.fetch", remote);
    snprintf(value, sizeof value, mirror ? "+refs/*:refs/*" : "+refs/heads/*:refs/remotes/%s/*", remote);
    if (!bare || mirror) check(git_config_set_string(config, key, value));
    snprintf(key, sizeof key, "remote.%s.mirror", remote);
    if (mirror) check(git_config_set_bool(config, key, true));
    for (int i = 0; i < settings.count; i++) {
        char *equals = strchr(settings.items[i], '=');
        if (equals) *equals = '\0';
        check(git_config_set_string(config, settings.items[i], equals ? equals + 1 : "true"));
    }
}

static void set_branch(const char *remote, const char *name, const git_oid *id, const char *url) {
    char full[1000], key[1000], log[1200];
    git_reference *ref;
    git_config *config;
    snprintf(full, sizeof full, "refs/heads/%s", name);
    check(git_reference_symbolic_create(&ref, repo, "HEAD", full, true, NULL));
    snprintf(log, sizeof log, "clone: from %s", url);
    if (!bare && id) update_ref(full, id, log);
    if (bare) return;
    check(git_repository_config(&config, repo));
    snprintf(key, sizeof key, "branch.%s.remote", name);
    check(git_config_set_string(config, key, remote));
    snprintf(key, sizeof key, "branch.%s.merge", name);
    check(git_config_set_string(config, key, full));
    snprintf(key, sizeof key, "refs/remotes/%s/HEAD", remote);
    snprintf(full, sizeof full, "refs/remotes/%s/%s", remote, name);
    if (id && !branch) git_reference_symbolic_create(&ref, repo, key, full, true, log);
}

int cmd_clone(int argc, char **argv) {
    int n = options(argc, argv, table, "git clone [<options>] [--] <repo> [<dir>]", 0);
    git_repository_init_options o = GIT_REPOSITORY_INIT_OPTIONS_INIT;
    git_oid id;
    if (!n) usage_error("fatal: You must specify a repository to clone.\n");
    if (n > 2) usage_error("fatal: Too many arguments.\n");
    refuse_network(argv[0]);
    if (mirror) bare = 1;
    const char *remote = origin ? origin : "origin";
    char *path = local_path(argv[0]), *here = g_working_directory();
    char *dir = n > 1 ? g_copy_string(argv[1]) : folder_of(argv[0]);
    if (!path || git_repository_open_ext(&source, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0) {
        if (path) die("repository '%s' does not exist", argv[0]);
        die("repository '%s' does not exist", argv[0]);
    }
    if (bare && n < 2) {
        g_text with = {0};
        g_text_addf(&with, "%s.git", dir);
        dir = with.s;
    }
    if (!is_empty(dir)) die("destination path '%s' already exists and is not an empty directory.", dir);
    if (!quiet) note(bare ? "Cloning into bare repository '%s'..." : "Cloning into '%s'...", dir);
    if (depth) warning("--depth is ignored in local clones; use file:// instead.");
    o.flags = GIT_REPOSITORY_INIT_MKPATH | (bare ? GIT_REPOSITORY_INIT_BARE : 0);
    if (git_repository_init_ext(&repo, dir, &o) < 0) die("could not create work tree dir '%s': %s", dir, git_message());
    git_signature *who = committer_for_log();
    git_repository_set_ident(repo, who->name, who->email);
    copy_objects(g_join(git_repository_commondir(source), "objects"), g_join(git_repository_commondir(repo), "objects"));
    git_odb *odb;
    check(git_repository_odb(&odb, repo));
    git_odb_refresh(odb);
    bool url = strncmp(argv[0], "file://", 7) == 0;
    char *shown = argv[0][0] == '/' || url ? argv[0] : g_join(here, argv[0]);
    set_config(shown, remote);
    copy_refs(remote);
    git_reference *head;
    const char *name = NULL;
    check(git_reference_lookup(&head, source, "HEAD"));
    if (git_reference_type(head) == GIT_REFERENCE_SYMBOLIC) name = git_reference_symbolic_target(head) + 11;
    if (branch) {
        char full[1000];
        snprintf(full, sizeof full, "refs/heads/%s", branch);
        if (git_reference_name_to_id(&id, source, full) == 0) name = branch;
        else {
            snprintf(full, sizeof full, "refs/tags/%s", branch);
            git_commit *tagged = git_reference_name_to_id(&id, source, full) == 0 ? commit_named(branch) : NULL;
            if (!tagged) die("Remote branch %s not found in upstream %s", branch, remote);
            name = NULL;
            id = *git_commit_id(tagged);
            set_head_detached(&id, "clone");
        }
    }
    char full[1000];
    bool born = false;
    if (name) {
        snprintf(full, sizeof full, "refs/heads/%s", name);
        born = git_reference_name_to_id(&id, source, full) == 0;
        set_branch(remote, name, born ? &id : NULL, path);
        if (!born && !branch) warning("You appear to have cloned an empty repository.");
    } else if (!branch && git_reference_name_to_id(&id, source, "HEAD") == 0) {
        born = true;
        set_head_detached(&id, "clone");
    } else {
        born = branch != NULL;
    }
    if (born && !bare && !no_checkout) checkout_forced(tree_of(commit_of(&id)));
    if (!quiet) note("done.");
    return 0;
}
