/*
 * remote_link.c: another repository: references and objects, see remote_link.h.
 */
#include "remote_link.h"
#include "remote_url.h"

#include <sys/stat.h>

#include "g_file.h"

static void (*undo)(void); /* what a clone that fails leaves behind goes by this */

static _Noreturn void link_failed(const char *message) {
    if (undo) undo();
    die("%s", message);
}

static int by_name(const void *a, const void *b) {
    const link_ref *x = a, *y = b;
    bool head_x = strcmp(x->name, "HEAD") == 0, head_y = strcmp(y->name, "HEAD") == 0;
    return head_x != head_y ? head_y - head_x : strcmp(x->name, y->name);
}

static link_ref *add_ref(remote_link *link, const char *name, const git_oid *id, const char *target) {
    if (link->count == link->cap) link->refs = g_more(link->refs, &link->cap, sizeof *link->refs);
    link->refs[link->count] = (link_ref){g_copy_string(name), *id, *id, target ? g_copy_string(target) : NULL};
    return &link->refs[link->count++];
}

const link_ref *link_find(const remote_link *link, const char *name) {
    for (size_t i = 0; i < link->count; i++)
        if (strcmp(link->refs[i].name, name) == 0) return &link->refs[i];
    return NULL;
}

static void list_local(remote_link *link) {
    git_reference_iterator *at;
    git_reference *ref, *head;
    git_oid id;
    if (git_reference_lookup(&head, link->other, "HEAD") == 0 &&
        git_reference_name_to_id(&id, link->other, "HEAD") == 0)
        add_ref(link, "HEAD", &id, git_reference_type(head) == GIT_REFERENCE_SYMBOLIC ? git_reference_symbolic_target(head) : NULL);
    check(git_reference_iterator_new(&at, link->other));
    while (git_reference_next(&ref, at) == 0) {
        if (git_reference_name_to_id(&id, link->other, git_reference_name(ref)) == 0) {
            link_ref *added = add_ref(link, git_reference_name(ref), &id, NULL);
            git_object *object, *target;
            if (git_object_lookup(&object, link->other, &id, GIT_OBJECT_TAG) == 0 &&
                git_object_peel(&target, object, GIT_OBJECT_ANY) == 0)
                added->peeled = *git_object_id(target);
        }
        git_reference_free(ref);
    }
    git_reference_iterator_free(at);
}

static _Noreturn void not_a_repository(const char *url, void (*cleanup)(void)) {
    if (cleanup) cleanup();
    note("fatal: '%s' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n"
         "Please make sure you have the correct access rights\nand the repository exists.", url);
    g_exit(128);
}

static void open_http(remote_link *link, bool push, void (*cleanup)(void)) {
    git_remote_connect_options o = GIT_REMOTE_CONNECT_OPTIONS_INIT;
    const git_remote_head **heads;
    size_t count;
    if (!http_is_there()) {
        if (cleanup) cleanup();
        refuse_network(link->url);
    }
    char *plain = http_take_credentials(link->url);
    check(git_remote_create_anonymous(&link->remote, repo, plain));
    link->shown = plain;
    if (git_remote_connect_ext(link->remote, push ? GIT_DIRECTION_PUSH : GIT_DIRECTION_FETCH, &o) < 0 ||
        git_remote_ls(&heads, &count, link->remote) < 0) {
        if (cleanup) cleanup();
        die("%s", http_problem ? http_problem : git_message());
    }
    for (size_t i = 0; i < count; i++) {
        bool peeled = strstr(heads[i]->name, "^{}") != NULL;
        if (!peeled) add_ref(link, heads[i]->name, &heads[i]->oid, heads[i]->symref_target);
        else if (link->count) link->refs[link->count - 1].peeled = heads[i]->oid;
    }
}

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* A bundle does not say which branch its HEAD is: the one that git takes for it. */
static const char *branch_of_head(const bundle *b, const git_oid *head) {
    char *own = config_string("init.defaultbranch"), wanted[1000];
    const char *names[] = {own ? own : "master", "master"}, *any = NULL;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < b->count; i++) {
            if (!git_oid_equal(&b->refs[i].id, head) || strncmp(b->refs[i].name, "refs/heads/", 11) != 0) continue;
            snprintf(wanted, sizeof wanted, "refs/heads/%s", names[k]);
            if (strcmp(b->refs[i].name, wanted) == 0) return b->refs[i].name;
            if (!any) any = b->refs[i].name;
        }
    return any;
}

static void open_bundle(remote_link *link, const char *path, void (*cleanup)(void)) {
    link->file = bundle_read(path, path);
    if (!link->file) {
        if (cleanup) cleanup();
        note("fatal: invalid gitfile format: %s\nfatal: Could not read from remote repository.\n\n"
             "Please make sure you have the correct access rights\nand the repository exists.", path);
        g_exit(128);
    }
    for (size_t i = link->file->count; i-- > 0;) { /* in the order in which git lists them */
        const bundle_ref *r = &link->file->refs[i];
        bool head = strcmp(r->name, "HEAD") == 0;
        add_ref(link, r->name, &r->id, head ? branch_of_head(link->file, &r->id) : NULL);
    }
}

remote_link *link_open(const char *url, bool push, void (*cleanup)(void)) {
    remote_link *link = g_zalloc(sizeof *link);
    link->url = g_copy_string(url);
    undo = cleanup;
    if (strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0) {
        open_http(link, push, cleanup);
    } else {
        if (is_network_url(url) && cleanup) cleanup();
        refuse_network(url);
        char *path = local_path(url), *here = g_working_directory();
        if (path && is_file(path)) {
            if (push) die_status(1, "error: failed to push some refs to '%s'", url);
            open_bundle(link, path, cleanup);
        } else if (!path || git_repository_open_ext(&link->other, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0)
            not_a_repository(url, cleanup);
        link->shown = g_copy_string(url);
        free(here);
        if (!link->file) list_local(link);
    }
    if (link->count && !link->file) qsort(link->refs, link->count, sizeof *link->refs, by_name);
    return link;
}

char *link_url(const char *name, bool push) {
    git_remote *remote;
    char *url;
    if (git_remote_lookup(&remote, repo, name) == 0) {
        const char *other = push ? git_remote_pushurl(remote) : NULL;
        url = g_copy_string(other ? other : git_remote_url(remote) ? git_remote_url(remote) : "");
        git_remote_free(remote);
        return url;
    }
    /* an address as it is; what settings say of it (insteadOf) holds */
    if (git_remote_create_anonymous(&remote, repo, name) < 0) return g_copy_string(name);
    url = g_copy_string(git_remote_url(remote));
    git_remote_free(remote);
    return url;
}

/* ---- objects */

static char *pack_folder(git_repository *to) {
    char *dir = g_join(git_repository_commondir(to), "objects/pack");
    mkdir(dir, 0777);
    return dir;
}

static void hide_known(git_revwalk *walk, git_repository *from, git_repository *known) {
    git_reference_iterator *at;
    git_reference *ref;
    git_oid id;
    git_commit *commit;
    check(git_reference_iterator_new(&at, known));
    while (git_reference_next(&ref, at) == 0) {
        if (git_reference_name_to_id(&id, known, git_reference_name(ref)) == 0 &&
            git_commit_lookup(&commit, from, &id) == 0) {
            git_revwalk_hide(walk, &id);
            git_commit_free(commit);
        }
        git_reference_free(ref);
    }
    git_reference_iterator_free(at);
}

/* Objects from one repository of the sandbox to another, as a pack. */
static void copy_objects(git_repository *from, git_repository *to, const git_oid *ids, size_t count) {
    git_packbuilder *pack;
    git_revwalk *walk;
    git_odb *odb;
    bool any = false;
    check(git_repository_odb(&odb, to));
    check(git_packbuilder_new(&pack, from));
    check(git_revwalk_new(&walk, from));
    for (size_t i = 0; i < count; i++) {
        git_object *object, *commit;
        if (git_oid_is_zero(&ids[i]) || git_odb_exists(odb, &ids[i])) continue;
        if (git_object_lookup(&object, from, &ids[i], GIT_OBJECT_ANY) < 0) die("%s", git_message());
        any = true;
        for (git_object *tag = object; git_object_type(tag) == GIT_OBJECT_TAG;) {
            check(git_packbuilder_insert(pack, git_object_id(tag), NULL));
            check(git_tag_target(&tag, (git_tag *)tag));
        }
        if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0) check(git_revwalk_push(walk, git_object_id(commit)));
        else check(git_packbuilder_insert_recur(pack, &ids[i], NULL));
    }
    if (any) {
        hide_known(walk, from, to);
        check(git_packbuilder_insert_walk(pack, walk));
        char *folder = pack_folder(to);
        if (git_packbuilder_object_count(pack)) check(git_packbuilder_write(pack, folder, 0, NULL, NULL));
        free(folder);
    }
    git_packbuilder_free(pack);
    git_revwalk_free(walk);
    git_odb_refresh(odb);
    git_odb_free(odb);
}

static int say_progress(const char *text, int len, void *payload) {
    (void)text, (void)len, (void)payload;
    return 0;
}

void link_fetch(remote_link *link, const link_ref *const *wanted, size_t count, int depth) {
    if (link->other) {
        git_oid *ids = g_zalloc((count + 1) * sizeof *ids);
        for (size_t i = 0; i < count; i++) ids[i] = wanted[i]->id;
        copy_objects(link->other, repo, ids, count);
        free(ids);
        return;
    }
    if (link->file) {
        if (!bundle_fits(link->file) || !bundle_unpack(link->file)) {
            if (undo) link_failed("remote transport reported error");
            g_exit(1);
        }
        for (size_t i = 0; i < link->count; i++) {
            git_object *object = object_named(full_id(&link->refs[i].id)), *target;
            if (object && git_object_type(object) == GIT_OBJECT_TAG && git_object_peel(&target, object, GIT_OBJECT_ANY) == 0)
                link->refs[i].peeled = *git_object_id(target);
        }
        return;
    }
    git_fetch_options o = GIT_FETCH_OPTIONS_INIT;
    git_strarray specs = {g_zalloc((count + 1) * sizeof(char *)), 0};
    git_odb *odb;
    check(git_repository_odb(&odb, repo));
    for (size_t i = 0; i < count; i++)
        if (depth || !git_odb_exists(odb, &wanted[i]->id)) specs.strings[specs.count++] = wanted[i]->name;
    o.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    o.depth = depth;
    o.callbacks.sideband_progress = say_progress;
    if (specs.count && git_remote_download(link->remote, &specs, &o) < 0) link_failed(http_problem ? http_problem : git_message());
    git_odb_refresh(odb);
    git_odb_free(odb);
}

/* ---- pushing */

static link_update *pushed;
static size_t pushed_count;

static int answer(const char *name, const char *status, void *payload) {
    (void)payload;
    for (size_t i = 0; i < pushed_count && status; i++)
        if (strcmp(pushed[i].name, name) == 0) pushed[i].problem = g_copy_string(status);
    return 0;
}

static int remote_says(const char *text, int len, void *payload) {
    static g_text line;
    (void)payload;
    g_text_add(&line, text, (size_t)len);
    for (char *end; line.len && (end = memchr(line.s, '\n', line.len)) != NULL;) {
        fprintf(stderr, "remote: %.*s        \n", (int)(end - line.s), line.s);
        size_t used = (size_t)(end - line.s) + 1;
        memmove(line.s, line.s + used, line.len - used);
        line.len -= used;
    }
    return 0;
}

/* Whether a branch that is checked out there may move; otherwise why not. */
static const char *refused_there(git_repository *other, const char *name, bool deleted) {
    git_reference *head;
    git_config *config;
    const char *rule = NULL;
    if (git_repository_is_bare(other) || git_reference_lookup(&head, other, "HEAD") < 0) return NULL;
    bool current = git_reference_type(head) == GIT_REFERENCE_SYMBOLIC && strcmp(git_reference_symbolic_target(head), name) == 0;
    git_reference_free(head);
    if (!current) return NULL;
    if (git_repository_config_snapshot(&config, other) == 0)
        git_config_get_string(&rule, config, deleted ? "receive.denydeletecurrent" : "receive.denycurrentbranch");
    if (rule && (strcmp(rule, "ignore") == 0 || strcmp(rule, "warn") == 0 || strcmp(rule, "false") == 0)) return NULL;
    if (deleted) {
        note("remote: error: By default, deleting the current branch is denied, because the next        \n"
             "remote: 'git clone' won't result in any file checked out, causing confusion.        \n"
             "remote: \n"
             "remote: You can set 'receive.denyDeleteCurrent' configuration variable to        \n"
             "remote: 'warn' or 'ignore' in the remote repository to allow deleting the        \n"
             "remote: current branch, with or without a warning message.        \n"
             "remote: \n"
             "remote: To squelch this message, you can set it to 'refuse'.        \n"
             "remote: error: refusing to delete the current branch: %s        ", name);
        return "deletion of the current branch prohibited";
    }
    note("remote: error: refusing to update checked out branch: %s        \n"
         "remote: error: By default, updating the current branch in a non-bare repository        \n"
         "remote: is denied, because it will make the index and work tree inconsistent        \n"
         "remote: with what you pushed, and will require 'git reset --hard' to match        \n"
         "remote: the work tree to HEAD.        \n"
         "remote: \n"
         "remote: You can set the 'receive.denyCurrentBranch' configuration variable        \n"
         "remote: to 'ignore' or 'warn' in the remote repository to allow pushing into        \n"
         "remote: its current branch; however, this is not recommended unless you        \n"
         "remote: arranged to update its work tree to match what you pushed in some        \n"
         "remote: other way.        \n"
         "remote: \n"
         "remote: To squelch this message and still keep the default behaviour, set        \n"
         "remote: 'receive.denyCurrentBranch' configuration variable to 'refuse'.        ", name);
    return "branch is currently checked out";
}

static void push_local(remote_link *link, link_update *updates, size_t count) {
    git_oid *ids = g_zalloc((count + 1) * sizeof *ids);
    for (size_t i = 0; i < count; i++) ids[i] = updates[i].id;
    copy_objects(repo, link->other, ids, count);
    for (size_t i = 0; i < count; i++) {
        link_update *u = &updates[i];
        git_reference *ref;
        bool deleted = git_oid_is_zero(&u->id);
        const char *why = refused_there(link->other, u->name, deleted);
        if (why) {
            u->problem = g_copy_string(why);
        } else if (deleted) {
            if (git_reference_remove(link->other, u->name) < 0) u->problem = g_copy_string("failed to delete");
        } else if (git_reference_create(&ref, link->other, u->name, &u->id, true, "push") < 0) {
            u->problem = g_copy_string("failed to update ref");
        }
    }
    free(ids);
}

void link_push(remote_link *link, link_update *updates, size_t count) {
    if (link->other) {
        push_local(link, updates, count);
        return;
    }
    git_push_options o = GIT_PUSH_OPTIONS_INIT;
    git_strarray specs = {g_zalloc((count + 1) * sizeof(char *)), count};
    for (size_t i = 0; i < count; i++) {
        g_text spec = {0};
        bool deleted = git_oid_is_zero(&updates[i].id);
        g_text_addf(&spec, "%s%s:%s", deleted ? "" : "+", deleted ? "" : full_id(&updates[i].id), updates[i].name);
        specs.strings[i] = spec.s;
    }
    pushed = updates;
    pushed_count = count;
    o.callbacks.push_update_reference = answer;
    o.callbacks.sideband_progress = remote_says;
    if (git_remote_upload(link->remote, &specs, &o) < 0) die("%s", http_problem ? http_problem : git_message());
}
