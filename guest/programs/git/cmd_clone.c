/*
 * cmd_clone.c: git clone of repositories that lie in the sandbox, mounted ones as well.
 */
#include "remote_link.h"
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
    if (len > 7 && strcmp(name + len - 7, ".bundle") == 0) name[len - 7] = '\0';
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

static git_repository *source; /* a path of the sandbox; NULL: http */
static remote_link *link_;
static char *made; /* the folder that goes again when nothing comes of it */

static void unmake(const char *dir) {
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char *path = g_join(dir, e->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) unmake(path);
        else unlink(path);
        free(path);
    }
    if (d) closedir(d);
    rmdir(dir);
}

static void give_back(void) { unmake(made); }

static bool ref_wanted(const char *name) {
    bool head = strncmp(name, "refs/heads/", 11) == 0, tag = strncmp(name, "refs/tags/", 10) == 0;
    const link_ref *there = link_find(link_, "HEAD");
    const char *one = branch ? branch : there && there->target ? there->target + 11 : "";
    if (strncmp(name, "refs/", 5) != 0) return false;
    if (mirror) return true;
    if (single && head && strcmp(name + 11, one) != 0) return false;
    if (single && tag && (!branch || strcmp(name + 10, branch) != 0)) return !no_tags && !depth;
    return head || (tag && !no_tags);
}

static void copy_refs(const char *remote, const char *url) {
    char log[1200];
    git_odb *odb;
    check(git_repository_odb(&odb, repo));
    for (size_t i = 0; i < link_->count; i++) {
        const char *name = link_->refs[i].name;
        char to[1000];
        git_reference *ref;
        if (!ref_wanted(name) || !git_odb_exists(odb, &link_->refs[i].id)) continue;
        bool head = strncmp(name, "refs/heads/", 11) == 0;
        if (head && !bare) snprintf(to, sizeof to, "refs/remotes/%s/%s", remote, name + 11);
        else snprintf(to, sizeof to, "%s", name);
        snprintf(log, sizeof log, "clone: from %s", url);
        if (git_reference_create(&ref, repo, to, &link_->refs[i].id, true, log) == 0) git_reference_free(ref);
    }
    git_odb_free(odb);
}

static void bring(void) {
    const link_ref **wanted = g_zalloc((link_->count + 1) * sizeof *wanted);
    size_t count = 0;
    if (source && !single) {
        copy_objects(g_join(git_repository_commondir(source), "objects"), g_join(git_repository_commondir(repo), "objects"));
    } else {
        for (size_t i = 0; i < link_->count; i++)
            if (ref_wanted(link_->refs[i].name)) wanted[count++] = &link_->refs[i];
        const link_ref *head = link_find(link_, "HEAD");
        if (head && !head->target) wanted[count++] = head;
        link_fetch(link_, wanted, count, depth ? atoi(depth) : 0);
    }
    git_odb *odb;
    check(git_repository_odb(&odb, repo));
    git_odb_refresh(odb);
    git_odb_free(odb);
    free(wanted);
}

static void set_config(const char *url, const char *remote) {
    git_config *config;
    char key[1000], value[1000];
    write_first_config(bare);
    check(git_repository_config(&config, repo));
    snprintf(key, sizeof key, "remote.%s.url", remote);
    check(git_config_set_string(config, key, url));
    snprintf(key, sizeof key, "remote.%s.fetch", remote);
    const link_ref *head = link_find(link_, "HEAD");
    const char *one = branch ? branch : head && head->target ? head->target + 11 : NULL;
    if (mirror) snprintf(value, sizeof value, "+refs/*:refs/*");
    else if (single && one) snprintf(value, sizeof value, "+refs/heads/%s:refs/remotes/%s/%s", one, remote, one);
    else snprintf(value, sizeof value, "+refs/heads/*:refs/remotes/%s/*", remote);
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

/* The branch to check out ("main"), or NULL with the commit in *id when HEAD shall be detached. */
static const char *choose_head(const char *remote, git_oid *id, bool *born) {
    char full[1000];
    const link_ref *head = link_find(link_, "HEAD"), *found;
    *born = true;
    if (branch) {
        snprintf(full, sizeof full, "refs/heads/%s", branch);
        if ((found = link_find(link_, full)) != NULL) return *id = found->id, branch;
        snprintf(full, sizeof full, "refs/tags/%s", branch);
        found = link_find(link_, full);
        if (!found) {
            give_back();
            die("Remote branch %s not found in upstream %s", branch, remote);
        }
        *id = found->peeled;
        return NULL;
    }
    if (head) {
        *id = head->id;
        return head->target ? head->target + 11 : NULL;
    }
    *born = false;
    git_reference *unborn;
    if (source && git_reference_lookup(&unborn, source, "HEAD") == 0 && git_reference_type(unborn) == GIT_REFERENCE_SYMBOLIC)
        return git_reference_symbolic_target(unborn) + 11;
    char *name = config_string("init.defaultbranch");
    return name ? name : "master";
}

static bool is_bundle(const char *path) {
    struct stat st;
    return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int cmd_clone(int argc, char **argv) {
    int n = options(argc, argv, table, "git clone [<options>] [--] <repo> [<dir>]", 0);
    git_repository_init_options o = GIT_REPOSITORY_INIT_OPTIONS_INIT;
    git_oid id;
    bool born;
    if (!n) usage_error("fatal: You must specify a repository to clone.\n");
    if (n > 2) usage_error("fatal: Too many arguments.\n");
    bool http = strncasecmp(argv[0], "http://", 7) == 0 || strncasecmp(argv[0], "https://", 8) == 0;
    if (!http || !http_is_there()) refuse_network(argv[0]);
    if (mirror) bare = 1;
    if (depth && atoi(depth) <= 0) die("depth %s is not a positive number", depth);
    if (since) die("--shallow-since is not there: use --depth");
    if (filter) warning("filtering not recognized by server, ignoring");
    if (depth && single == 0) single = 1;
    const char *remote = origin ? origin : "origin";
    char *path = http ? NULL : local_path(argv[0]), *here = g_working_directory();
    char *dir = n > 1 ? g_copy_string(argv[1]) : folder_of(argv[0]);
    bool file = strncmp(argv[0], "file://", 7) == 0;
    bool other = http || is_bundle(path); /* objects come as a pack */
    if (!other && (!path || git_repository_open_ext(&source, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0))
        die("repository '%s' does not exist", argv[0]);
    if (bare && n < 2) {
        g_text with = {0};
        g_text_addf(&with, "%s.git", dir);
        dir = with.s;
    }
    if (!is_empty(dir)) die("destination path '%s' already exists and is not an empty directory.", dir);
    if (!quiet) note(bare ? "Cloning into bare repository '%s'..." : "Cloning into '%s'...", dir);
    if (depth && !other) {
        if (!file) warning("--depth is ignored in local clones; use file:// instead.");
        depth = NULL;
    }
    made = g_join(here, dir);
    if (dir[0] == '/') made = dir;
    o.flags = GIT_REPOSITORY_INIT_MKPATH | (bare ? GIT_REPOSITORY_INIT_BARE : 0);
    if (git_repository_init_ext(&repo, dir, &o) < 0) die("could not create work tree dir '%s': %s", dir, git_message());
    git_signature *who = committer_for_log();
    git_repository_set_ident(repo, who->name, who->email);
    add_settings();
    link_ = link_open(http ? argv[0] : path, false, give_back);
    const char *name = choose_head(remote, &id, &born);
    char *shown = http ? link_->url : argv[0][0] == '/' || file ? argv[0] : g_join(here, argv[0]);
    set_config(shown, remote);
    bring();
    copy_refs(remote, other ? link_->shown : git_repository_path(source));
    if (name) set_branch(remote, name, born ? &id : NULL, http ? link_->shown : path);
    else set_head_detached(&id, "clone");
    if (!born && !branch) warning("You appear to have cloned an empty repository.");
    if (born && !bare && !no_checkout) checkout_forced(tree_of(commit_of(&id)));
    if (!quiet && !other) note("done.");
    if (!name && born && !bare && !quiet) detached_advice(full_id(&id), commit_of(&id));
    return 0;
}
