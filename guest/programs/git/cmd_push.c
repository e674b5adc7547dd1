/*
 * cmd_push.c: git push.
 */
#include "fetch.h"

static int verbose, quiet, all, mirror, delete_, tags, dry_run, porcelain, force, prune, upstream, progress, no_verify, follow_tags, atomic, thin, ipv4, ipv6, signed_;
static const char *repository, *recurse, *pack;
static const char *lease;
static string_list leases, server_options;

static void take_lease(const option *o, const char *argument, bool unset) {
    (void)o;
    if (unset) lease = NULL, leases.count = 0;
    else if (argument) list_add(&leases, argument);
    else lease = "";
}

#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG('v', "verbose", verbose, "be more verbose"), FLAG('q', "quiet", quiet, "be more quiet"),
    STRING(0, "repo", repository, "repository", "repository"), FLAG(0, "all", all, "push all refs"),
    FLAG(0, "mirror", mirror, "mirror all refs"), FLAG('d', "delete", delete_, "delete refs"),
    FLAG(0, "tags", tags, "push tags (can't be used with --all or --mirror)"), FLAG('n', "dry-run", dry_run, "dry run"),
    FLAG(0, "porcelain", porcelain, "machine-readable output"), FLAG('f', "force", force, "force updates"),
    {OPT_CALL_MAYBE, 0, "force-with-lease", NULL, "<refname>:<expect>", "require old value of ref to be at this value", 0, NULL, take_lease, 0},
    STRING(0, "recurse-submodules", recurse, "(check|on-demand|no)", "control recursive pushing of submodules"),
    FLAG(0, "thin", thin, "use thin pack"), STRING(0, "receive-pack", pack, "receive-pack", "receive pack program"),
    FLAG('u', "set-upstream", upstream, "set upstream for git pull/status"), FLAG(0, "progress", progress, "force progress reporting"),
    FLAG(0, "prune", prune, "prune locally removed refs"), FLAG(0, "no-verify", no_verify, "bypass pre-push hook"),
    FLAG(0, "follow-tags", follow_tags, "push missing but relevant tags"), FLAG(0, "signed", signed_, NULL),
    FLAG(0, "atomic", atomic, "request atomic transaction on remote side"),
    {OPT_LIST, 'o', "push-option", &server_options, "server-specific", "option to transmit", 0, NULL, NULL, 0},
    FLAG('4', "ipv4", ipv4, "use IPv4 addresses only"), FLAG('6', "ipv6", ipv6, "use IPv6 addresses only"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

typedef struct {
    char *from; /* here, full; NULL: deleted */
    const char *shown;
    char *to;
    git_oid id, old;
    bool force, new_, skip, up_to_date;
    const char *rejected; /* by us */
    const char *problem;  /* by them */
} push_ref;
static push_ref *items;
static size_t item_count, item_cap;

static push_ref *add(const char *from, const char *to, const git_oid *id, bool forced) {
    for (size_t i = 0; i < item_count; i++)
        if (strcmp(items[i].to, to) == 0) return &items[i];
    if (item_count == item_cap) items = g_more(items, &item_cap, sizeof *items);
    push_ref *x = &items[item_count++];
    memset(x, 0, sizeof *x);
    x->from = from ? g_copy_string(from) : NULL;
    x->to = g_copy_string(to);
    if (id) x->id = *id;
    x->force = forced || force;
    return x;
}

static bool bad_specs;

static void unknown_source(const char *name) {
    error("src refspec %s does not match any", name);
    bad_specs = true;
}

/* What a short name means at the other side; NULL: nothing. */
static const char *existing(const remote_link *link, const char *to) {
    static const char *const forms[] = {"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s"};
    char full[1000];
    for (int i = 0; i < 5; i++) {
        snprintf(full, sizeof full, forms[i], to);
        const link_ref *found = strcmp(full, "HEAD") != 0 ? link_find(link, full) : NULL;
        if (found) return found->name;
    }
    return NULL;
}

/* The other side's name for what has no full one. */
static char *full_target(const remote_link *link, const char *from, const char *to, const git_oid *id) {
    char full[1000];
    if (existing(link, to)) return g_copy_string(existing(link, to));
    if (strncmp(to, "refs/", 5) == 0) return g_copy_string(to);
    if (from && (strncmp(from, "refs/heads/", 11) == 0 || strncmp(from, "refs/tags/", 10) == 0)) {
        snprintf(full, sizeof full, "refs/%s/%s", from[5] == 'h' ? "heads" : "tags", to);
        return g_copy_string(full);
    }
    const char *kind = "commit", *space = "heads";
    git_object *object = NULL;
    if (id && git_object_lookup(&object, repo, id, GIT_OBJECT_ANY) == 0 && git_object_type(object) == GIT_OBJECT_TAG) kind = "tag", space = "tags";
    error("The destination you provided is not a full refname (i.e.,\nstarting with \"refs/\"). We tried to guess what you meant by:\n\n"
          "- Looking for a ref that matches '%s' on the remote side.\n- Checking if the <src> being pushed ('%s')\n  is a ref in \"refs/{heads,tags}/\". If so we add a corresponding\n"
          "  refs/{heads,tags}/ prefix on the remote side.\n\nNeither worked, so we gave up. You must fully qualify the ref.", to, from ? from : "");
    hint("The <src> part of the refspec is a %s object.\nDid you mean to create a new %s by pushing to\n'%s:refs/%s/%s'?",
         kind, strcmp(kind, "tag") == 0 ? "tag" : "branch", from ? from : "", space, to);
    bad_specs = true;
    return NULL;
}

static void add_spec(const remote_link *link, const char *text) {
    bool forced = *text == '+';
    git_reference *ref = NULL;
    text += forced;
    if (delete_ && strchr(text, ':')) die("--delete only accepts plain target ref names");
    const char *colon = strchr(text, ':');
    char *from = colon ? g_copy_bytes(text, (size_t)(colon - text)) : g_copy_string(text);
    if (delete_ || (colon && !*from)) {
        const char *name = delete_ ? text : colon + 1;
        const char *to = existing(link, name);
        if (!to) {
            error("unable to delete '%s': remote ref does not exist", name);
            bad_specs = true;
            return;
        }
        add(NULL, to, NULL, forced);
        return;
    }
    if (strchr(from, '*')) {
        git_refspec *spec;
        git_strarray names;
        if (git_refspec_parse(&spec, text, false) < 0) die("invalid refspec '%s'", text);
        check(git_reference_list(&names, repo));
        for (size_t i = 0; i < names.count; i++) {
            git_buf to = {0};
            git_oid id;
            if (!git_refspec_src_matches(spec, names.strings[i]) || git_refspec_transform(&to, spec, names.strings[i]) < 0) continue;
            if (git_reference_name_to_id(&id, repo, names.strings[i]) == 0) add(names.strings[i], to.ptr, &id, forced);
            git_buf_dispose(&to);
        }
        return;
    }
    git_object *object = object_named(from);
    char *full = NULL;
    if (!object) return unknown_source(from);
    char *head = strcmp(from, "HEAD") == 0 || strcmp(from, "@") == 0 ? head_target() : NULL;
    if (head) full = head;
    else if (git_reference_dwim(&ref, repo, from) == 0) full = g_copy_string(git_reference_name(ref));
    const char *want = colon ? colon + 1 : full ? full : from;
    char *to = strncmp(want, "refs/", 5) == 0 ? g_copy_string(want) : full_target(link, full ? full : from, want, git_object_id(object));
    if (!to) return;
    push_ref *added = add(full ? full : from, to, git_object_id(object), forced);
    if (head) added->shown = g_copy_string(from);
}

static void add_all(const char *space) {
    git_strarray names;
    check(git_reference_list(&names, repo));
    for (size_t i = 0; i < names.count; i++) {
        git_oid id;
        if (strncmp(names.strings[i], space, strlen(space)) != 0 || git_reference_name_to_id(&id, repo, names.strings[i]) < 0) continue;
        add(names.strings[i], names.strings[i], &id, mirror);
    }
}

/* Without refspecs: the current branch, to where push.default says. */
static void add_default(const remote_link *link, const char *remote) {
    char *branch = current_branch(), *mode = config_string("push.default"), key[1000], full[1000];
    git_strarray specs;
    git_remote *configured;
    git_oid id;
    (void)link;
    if (git_remote_lookup(&configured, repo, remote) == 0 && git_remote_get_push_refspecs(&specs, configured) == 0 && specs.count) {
        for (size_t i = 0; i < specs.count; i++) add_spec(link, specs.strings[i]);
        return;
    }
    if (mode && strcmp(mode, "nothing") == 0) die("You didn't specify any refspecs to push, and push.default is \"nothing\".");
    if (mode && strcmp(mode, "matching") == 0) {
        for (size_t i = 0; i < link->count; i++)
            if (strncmp(link->refs[i].name, "refs/heads/", 11) == 0 && git_reference_name_to_id(&id, repo, link->refs[i].name) == 0)
                add(link->refs[i].name, link->refs[i].name, &id, false);
        return;
    }
    if (!head_target()) die("You are not currently on a branch.\nTo push the history leading to the current (detached HEAD)\nstate now, use\n\n    git push %s HEAD:<name-of-remote-branch>\n", remote);
    snprintf(full, sizeof full, "refs/heads/%s", branch);
    if (git_reference_name_to_id(&id, repo, full) < 0) return unknown_source(full);
    snprintf(key, sizeof key, "branch.%s.merge", branch);
    char *merge = config_string(key), *to = full;
    bool current = mode && strcmp(mode, "current") == 0, same = strcmp(remote, default_remote()) == 0;
    if (!current && same && !(upstream && !merge) && !(config_bool("push.autosetupremote", false) && !merge)) {
        if (!merge)
            die("The current branch %s has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n"
                "    git push --set-upstream %s %s\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n", branch, remote, branch);
        if ((!mode || strcmp(mode, "upstream") != 0) && strcmp(merge, full) != 0)
            die("The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\non the remote, use\n\n"
                "    git push %s HEAD:%s\n\nTo push to the branch of the same name on the remote, use\n\n    git push %s HEAD\n\n"
                "To choose either option permanently, see push.default in 'git help config'.\n\nTo avoid automatically configuring an upstream branch when its name\n"
                "won't match the local branch, see option 'simple' of branch.autoSetupMerge\nin 'git help config'.\n", remote, pretty_ref(merge), remote);
        to = merge;
    } else if (config_bool("push.autosetupremote", false) && !merge) {
        upstream = 1;
    }
    add(full, to, &id, false);
}

/* ---- what we do not send */

static const char *tracking_name(git_remote *remote, const char *name, git_buf *out) {
    for (size_t i = 0; remote && i < git_remote_refspec_count(remote); i++) {
        const git_refspec *spec = git_remote_get_refspec(remote, i);
        if (git_refspec_direction(spec) == GIT_DIRECTION_FETCH && git_refspec_src_matches(spec, name) && git_refspec_transform(out, spec, name) == 0)
            return out->ptr;
    }
    return NULL;
}

static bool stale(const push_ref *x, git_remote *remote) {
    git_oid expected = {0};
    git_buf name = {0};
    for (int i = 0; i < leases.count; i++) {
        const char *colon = strchr(leases.items[i], ':');
        size_t len = colon ? (size_t)(colon - leases.items[i]) : strlen(leases.items[i]);
        const char *mine = pretty_ref(x->to);
        if ((strlen(mine) != len || strncmp(mine, leases.items[i], len) != 0) && strncmp(x->to, leases.items[i], len + 1) != 0) continue;
        if (colon) {
            git_object *object = colon[1] ? object_named(colon + 1) : NULL;
            if (object) expected = *git_object_id(object);
            return !git_oid_equal(&expected, &x->old);
        }
        lease = "";
    }
    if (!lease) return false;
    const char *tracked = tracking_name(remote, x->to, &name);
    return !tracked || git_reference_name_to_id(&expected, repo, tracked) < 0 || !git_oid_equal(&expected, &x->old);
}

static void judge(push_ref *x, const remote_link *link, git_remote *remote) {
    const link_ref *there = link_find(link, x->to);
    git_odb *odb;
    x->new_ = !there;
    if (there) x->old = there->id;
    if (there && git_oid_equal(&x->old, &x->id)) {
        x->up_to_date = true;
        return;
    }
    if ((lease || leases.count) && stale(x, remote)) {
        x->rejected = "stale info";
        return;
    }
    if ((lease || leases.count) && there) x->force = true;
    if (!x->from || !there || x->force) return;
    check(git_repository_odb(&odb, repo));
    if (strncmp(x->to, "refs/tags/", 10) == 0) x->rejected = "already exists";
    else if (!git_odb_exists(odb, &x->old)) x->rejected = "fetch first";
    else if (git_graph_descendant_of(repo, &x->id, &x->old) <= 0) x->rejected = "non-fast-forward";
    git_odb_free(odb);
}

/* ---- how it is said */

static bool headed;

static void row(const remote_link *link, char mark, const char *what, const push_ref *x, const char *why) {
    const char *from = x->shown ? x->shown : x->from ? pretty_ref(x->from) : NULL, *to = pretty_ref(x->to);
    g_text text = {0};
    if (!headed && porcelain) g_outf("To %s\n", link->shown);
    else if (!headed) note("To %s", link->shown);
    headed = true;
    if (porcelain) {
        g_outf("%c\t%s:%s\t%s%s%s%s\n", mark, x->shown ? x->shown : x->from ? x->from : "", x->to, what, why ? " (" : "", why ? why : "", why ? ")" : "");
        return;
    }
    g_text_addf(&text, " %c %-17s ", mark, what);
    if (from) g_text_addf(&text, "%s -> %s", from, to);
    else g_text_adds(&text, to);
    if (why) g_text_addf(&text, " (%s)", why);
    note("%s", text.s);
    g_text_free(&text);
}

static void say(const remote_link *link, const push_ref *x) {
    if (x->rejected) row(link, '!', "[rejected]", x, x->rejected);
    else if (x->problem) row(link, '!', "[remote rejected]", x, x->problem);
    else if (x->up_to_date) row(link, '=', "[up to date]", x, NULL);
    else if (!x->from) row(link, '-', "[deleted]", x, NULL);
    else if (x->new_) row(link, '*', strncmp(x->to, "refs/tags/", 10) == 0 ? "[new tag]" : strncmp(x->to, "refs/heads/", 11) == 0 ? "[new branch]" : "[new reference]", x, NULL);
    else if (strncmp(x->to, "refs/tags/", 10) != 0 && git_graph_descendant_of(repo, &x->id, &x->old) > 0) row(link, ' ', span(&x->old, &x->id, ".."), x, NULL);
    else row(link, '+', span(&x->old, &x->id, "..."), x, "forced update");
}

static void advise(void) {
    const char *head = head_target();
    bool behind = false, other = false, first = false, exists = false;
    for (size_t i = 0; i < item_count; i++) {
        const char *why = items[i].rejected;
        if (!why) continue;
        if (strcmp(why, "non-fast-forward") == 0) {
            if (head && items[i].from && strcmp(head, items[i].from) == 0) behind = true;
            else other = true;
        }
        first |= strcmp(why, "fetch first") == 0;
        exists |= strcmp(why, "already exists") == 0;
    }
    if (behind)
        hint("Updates were rejected because the tip of your current branch is behind\nits remote counterpart. Integrate the remote changes (e.g.\n'git pull ...') before pushing again.\n"
             "See the 'Note about fast-forwards' in 'git push --help' for details.");
    else if (other)
        hint("Updates were rejected because a pushed branch tip is behind its remote\ncounterpart. Check out this branch and integrate the remote changes\n(e.g. 'git pull ...') before pushing again.\n"
             "See the 'Note about fast-forwards' in 'git push --help' for details.");
    else if (first)
        hint("Updates were rejected because the remote contains work that you do\nnot have locally. This is usually caused by another repository pushing\nto the same ref. You may want to first integrate the remote changes\n"
             "(e.g., 'git pull ...') before pushing again.\nSee the 'Note about fast-forwards' in 'git push --help' for details.");
    else if (exists)
        hint("Updates were rejected because the tag already exists in the remote.");
}

static bool hook_allows(const char *remote, const remote_link *link) {
    g_text lines = {0};
    g_text_adds(&lines, "");
    for (size_t i = 0; i < item_count; i++) {
        const push_ref *x = &items[i];
        if (x->up_to_date || x->rejected) continue;
        g_text_addf(&lines, "%s %s %s %s\n", x->from ? x->from : "(delete)", full_id(&x->id), x->to, full_id(&x->old));
    }
    char *arguments[] = {(char *)remote, link->url, NULL};
    return no_verify || run_hook("pre-push", arguments, lines.s) == 0;
}

static void follow(const push_ref *x, git_remote *remote) {
    git_buf name = {0};
    git_reference *ref;
    const char *tracked = tracking_name(remote, x->to, &name);
    if (!tracked) return;
    if (x->from) {
        if (git_reference_create(&ref, repo, tracked, &x->id, true, "update by push") == 0) git_reference_free(ref);
    } else {
        git_reference_remove(repo, tracked);
    }
    git_buf_dispose(&name);
}

static void set_upstream(const push_ref *x, const char *remote) {
    git_config *config;
    char key[1000];
    if (!x->from || strncmp(x->from, "refs/heads/", 11) != 0) return;
    const char *branch = x->from + 11;
    check(git_repository_config(&config, repo));
    snprintf(key, sizeof key, "branch.%s.remote", branch);
    check(git_config_set_string(config, key, remote));
    snprintf(key, sizeof key, "branch.%s.merge", branch);
    check(git_config_set_string(config, key, x->to));
    if (!quiet) g_outf("branch '%s' set up to track '%s/%s'.\n", branch, remote, pretty_ref(x->to));
}

/* As the other side has them; what is new comes last. */
static void sort(const remote_link *link) {
    push_ref *sorted = g_zalloc((item_count + 1) * sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < link->count; i++)
        for (size_t k = 0; k < item_count; k++)
            if (strcmp(items[k].to, link->refs[i].name) == 0) sorted[count++] = items[k];
    for (size_t k = 0; k < item_count; k++)
        if (!link_find(link, items[k].to)) sorted[count++] = items[k];
    items = sorted;
}

static int send(remote_link *link, const char *name, git_remote *remote) {
    if (verbose) note("Pushing to %s", link->shown);
    sort(link);
    link_update *updates = g_zalloc((item_count + 1) * sizeof *updates);
    size_t count = 0;
    bool failed = bad_specs, any = false;
    for (size_t i = 0; i < item_count; i++) {
        judge(&items[i], link, remote);
        failed |= items[i].rejected != NULL;
        any |= !items[i].up_to_date;
    }
    if (any && !hook_allows(name, link)) return error("failed to push some refs to '%s'", link->shown), 1;
    for (size_t i = 0; i < item_count; i++) {
        push_ref *x = &items[i];
        if (atomic && failed && !x->rejected && !x->up_to_date) x->rejected = "atomic push failed";
        if (x->up_to_date || x->rejected) continue;
        updates[count++] = (link_update){x->to, x->id, x->old, NULL};
    }
    if (count && !dry_run) link_push(link, updates, count);
    for (size_t i = 0, k = 0; i < item_count; i++) {
        push_ref *x = &items[i];
        if (x->up_to_date || x->rejected) continue;
        x->problem = updates[k++].problem;
        failed |= x->problem != NULL;
        if (!x->problem && !dry_run) follow(x, remote);
    }
    for (int bad = 0; bad < 2; bad++)
        for (size_t i = 0; i < item_count; i++) {
            const push_ref *x = &items[i];
            bool is_bad = x->rejected || x->problem;
            if (is_bad == bad && (!x->up_to_date || verbose || porcelain) && (!quiet || is_bad)) say(link, x);
        }
    for (size_t i = 0; i < item_count && verbose && !failed; i++) {
        git_buf tracked = {0};
        if (!items[i].up_to_date && tracking_name(remote, items[i].to, &tracked)) note("updating local tracking ref '%s'", tracked.ptr);
        git_buf_dispose(&tracked);
    }
    for (size_t i = 0; i < item_count && upstream && !dry_run; i++)
        if (!items[i].rejected && !items[i].problem) set_upstream(&items[i], name);
    if (porcelain && !failed) g_outs("Done\n");
    if (failed) {
        error("failed to push some refs to '%s'", link->shown);
        advise();
    } else if (!any && !quiet && !porcelain) {
        note("Everything up-to-date");
    }
    return failed;
}

int cmd_push(int argc, char **argv) {
    int n = options(argc, argv, table, "git push [<options>] [<repository> [<refspec>...]]", 0);
    git_remote *remote = NULL;
    if (delete_ && (all || mirror || tags)) die("options '%s' and '%s' cannot be used together", "--delete", "--all/--mirror/--tags");
    if (delete_ && n < 2) die("--delete doesn't make sense without any refs");
    char *name = n ? argv[0] : repository ? (char *)repository : default_remote();
    char *branch = current_branch(), key[1000];
    snprintf(key, sizeof key, "branch.%s.pushremote", branch ? branch : "");
    if (!n && !repository && config_string(key)) name = config_string(key);
    else if (!n && !repository && config_string("remote.pushdefault")) name = config_string("remote.pushdefault");
    bool configured = git_remote_lookup(&remote, repo, name) == 0;
    if (!configured && !n && !repository)
        die("No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n");
    if (all && n > 1) die("--all can't be combined with refspecs");
    if (mirror && n > 1) die("--mirror can't be combined with refspecs");
    remote_link *link = link_open(link_url(name, true), true, NULL);
    for (int i = 1; i < n; i++) {
        if (strcmp(argv[i], "tag") == 0 && i + 1 < n) {
            g_text spec = {0};
            g_text_addf(&spec, delete_ ? "refs/tags/%s" : "refs/tags/%s:refs/tags/%s", argv[i + 1], argv[i + 1]);
            i++;
            add_spec(link, spec.s);
        } else {
            add_spec(link, argv[i]);
        }
    }
    if (tags) add_all("refs/tags/");
    if (all) add_all("refs/heads/");
    if (mirror) add_all("refs/");
    if (!(all || mirror || tags || n > 1)) add_default(link, name);
    for (size_t i = 0; (mirror || prune) && i < link->count; i++) {
        git_oid id;
        const char *there = link->refs[i].name;
        if (strncmp(there, "refs/", 5) != 0 || git_reference_name_to_id(&id, repo, there) == 0) continue;
        if (mirror || strncmp(there, "refs/heads/", 11) == 0) add(NULL, there, NULL, true);
    }
    if (bad_specs) return error("failed to push some refs to '%s'", link->shown), 1;
    size_t named = item_count;
    for (size_t i = 0; follow_tags && i < named; i++) {
        git_strarray names;
        check(git_tag_list(&names, repo));
        for (size_t k = 0; k < names.count; k++) {
            char full[1000];
            git_oid id;
            git_tag *tag;
            snprintf(full, sizeof full, "refs/tags/%s", names.strings[k]);
            if (link_find(link, full) || git_reference_name_to_id(&id, repo, full) < 0 || git_tag_lookup(&tag, repo, &id) < 0) continue;
            const git_oid *target = git_tag_target_id(tag);
            if (git_oid_equal(target, &items[i].id) || git_graph_descendant_of(repo, &items[i].id, target) > 0) add(full, full, &id, false);
        }
    }
    return send(link, name, remote);
}
