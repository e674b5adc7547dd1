/*
 * fetch.c: what is fetched, what it is called here, and how it is said; see fetch.h.
 */
#include "fetch.h"
#include "commit.h"

typedef struct {
    const link_ref *from;
    char *to; /* NULL: FETCH_HEAD only */
    bool force, merge, quiet, head;
} mapping;
typedef struct {
    mapping *items;
    size_t count, cap;
} map;

static void add(map *m, const link_ref *from, const char *to, bool force, bool merge, bool head) {
    for (size_t i = 0; i < m->count; i++)
        if (m->items[i].from == from && to && m->items[i].to && strcmp(m->items[i].to, to) == 0) {
            m->items[i].merge |= merge;
            return;
        }
    if (m->count == m->cap) m->items = g_more(m->items, &m->cap, sizeof *m->items);
    m->items[m->count++] = (mapping){from, to ? g_copy_string(to) : NULL, force, merge, false, head};
}

const char *pretty_ref(const char *name) {
    static const char *const begins[] = {"refs/heads/", "refs/tags/", "refs/remotes/"};
    for (int i = 0; i < 3; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) return name + strlen(begins[i]);
    return name;
}

const char *span(const git_oid *from, const git_oid *to, const char *dots) {
    static char text[2 * OID_HEX + 4];
    snprintf(text, sizeof text, "%s%s%s", short_id(from), dots, short_id(to));
    return text;
}

char *plain_url(const char *url) {
    char *copy = g_copy_string(url);
    size_t len = strlen(copy);
    while (len > 1 && copy[len - 1] == '/') copy[--len] = '\0';
    if (len > 4 && strcmp(copy + len - 4, ".git") == 0 && copy[len - 5] != '/') copy[len - 4] = '\0';
    return copy;
}

char *default_remote(void) {
    char key[1000];
    char *branch = current_branch();
    snprintf(key, sizeof key, "branch.%s.remote", branch ? branch : "");
    char *name = branch ? config_string(key) : NULL;
    if (name) return name;
    git_strarray names;
    check(git_remote_list(&names, repo));
    return g_copy_string(names.count == 1 ? names.strings[0] : "origin");
}

/* ---- which */

/* The other side's reference that a short name means. */
static const link_ref *find_short(const remote_link *link, const char *name) {
    static const char *const forms[] = {"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s"};
    char full[1000];
    for (int i = 0; i < 5; i++) {
        snprintf(full, sizeof full, forms[i], name);
        const link_ref *found = link_find(link, full);
        if (found) return found;
    }
    return NULL;
}

static void by_pattern(map *m, const remote_link *link, const git_refspec *spec, const char *merge) {
    for (size_t i = 0; i < link->count; i++) {
        const link_ref *r = &link->refs[i];
        git_buf to = {0};
        if (strcmp(r->name, "HEAD") == 0 || !git_refspec_src_matches(spec, r->name)) continue;
        if (git_refspec_dst(spec) && *git_refspec_dst(spec) && git_refspec_transform(&to, spec, r->name) < 0) continue;
        add(m, r, to.ptr, git_refspec_force(spec), merge && strcmp(merge, r->name) == 0, false);
        git_buf_dispose(&to);
    }
}

static bool by_name(map *m, const remote_link *link, const char *text) {
    bool force = *text == '+';
    const char *colon = strchr(text += force, ':');
    char *from = colon ? g_copy_bytes(text, (size_t)(colon - text)) : g_copy_string(text);
    git_refspec *spec;
    char to[1000];
    if (strchr(from, '*')) {
        if (git_refspec_parse(&spec, text - force, true) < 0) die("invalid refspec '%s'", text - force);
        by_pattern(m, link, spec, NULL);
        git_refspec_free(spec);
        return true;
    }
    const link_ref *found = find_short(link, *from ? from : "HEAD");
    if (!found) return false;
    if (colon && colon[1]) {
        bool tag = strncmp(found->name, "refs/tags/", 10) == 0;
        if (strncmp(colon + 1, "refs/", 5) == 0) snprintf(to, sizeof to, "%s", colon + 1);
        else snprintf(to, sizeof to, "refs/%s/%s", tag ? "tags" : "heads", colon + 1);
    }
    add(m, found, colon && colon[1] ? to : NULL, force, true, true);
    free(from);
    return true;
}

static void map_configured(map *m, const remote_link *link, git_remote *remote, const char *merge) {
    for (size_t i = 0; i < git_remote_refspec_count(remote); i++) {
        const git_refspec *spec = git_remote_get_refspec(remote, i);
        if (git_refspec_direction(spec) == GIT_DIRECTION_FETCH) by_pattern(m, link, spec, merge);
    }
}

/* What was named on the command line also moves the branches that are configured to follow. */
static void add_tracking_refs(map *m, git_remote *remote, size_t named) {
    for (size_t i = 0; i < named; i++) {
        const link_ref *from = m->items[i].from;
        for (size_t k = 0; k < git_remote_refspec_count(remote); k++) {
            const git_refspec *spec = git_remote_get_refspec(remote, k);
            git_buf to = {0};
            if (!git_refspec_src_matches(spec, from->name) || git_refspec_transform(&to, spec, from->name) < 0) continue;
            add(m, from, to.ptr, git_refspec_force(spec), false, false);
            m->items[m->count - 1].quiet = true; /* not in FETCH_HEAD again */
            git_buf_dispose(&to);
        }
    }
}

static bool have_ref(const char *name) {
    git_oid id;
    return git_reference_name_to_id(&id, repo, name) == 0;
}

static void add_tags(map *m, const remote_link *link, bool all) {
    git_odb *odb;
    check(git_repository_odb(&odb, repo));
    for (size_t i = 0; i < link->count; i++) {
        const link_ref *r = &link->refs[i];
        if (strncmp(r->name, "refs/tags/", 10) != 0) continue;
        if (!all && (have_ref(r->name) || !git_odb_exists(odb, &r->peeled) || (!link->other && !git_odb_exists(odb, &r->id)))) continue;
        add(m, r, r->name, false, false, false);
    }
    git_odb_free(odb);
}

/* ---- how it is said */

static const char *shown_url;
static bool headed;
static int column;

static void line(const fetch_opts *how, char mark, const char *what, const char *from, const char *to, const char *why) {
    if (how->quiet) return;
    if (!headed) note("From %s", shown_url);
    headed = true;
    note(" %c %-17s %-*s -> %s%s%s%s", mark, what, column, from, to, why ? "  (" : "", why ? why : "", why ? ")" : "");
}

static void measure(const map *m) {
    column = 10;
    for (size_t i = 0; i < m->count; i++) {
        int from = (int)strlen(pretty_ref(m->items[i].from->name));
        int to = m->items[i].to ? (int)strlen(pretty_ref(m->items[i].to)) : 10;
        if (21 + from + 4 + to < 80 && from > column) column = from;
    }
}

static void set(const mapping *x, const fetch_opts *how, const char *what) {
    git_reference *ref;
    g_text log = {0};
    if (how->dry_run) return;
    g_text_addf(&log, "%s: %s", how->log, what);
    if (git_reference_create(&ref, repo, x->to, &x->from->id, true, log.s) < 0) {
        error("%s", git_message());
        g_exit(1);
    }
    git_reference_free(ref);
    g_text_free(&log);
}

/* One reference here; 1 when it was rejected. */
static int update(const mapping *x, const fetch_opts *how) {
    const char *from = pretty_ref(x->from->name), *to = pretty_ref(x->to), *mine = head_target();
    bool tag = strncmp(x->to, "refs/tags/", 10) == 0, force = x->force || how->force;
    git_oid old;
    if (mine && strcmp(mine, x->to) == 0 && !how->update_head && !git_repository_is_bare(repo) && have_ref(x->to))
        die("refusing to fetch into branch '%s' checked out at '%.*s'", x->to, (int)strlen(workdir()) - 1, workdir());
    if (git_reference_name_to_id(&old, repo, x->to) < 0) {
        bool from_tag = strncmp(x->from->name, "refs/tags/", 10) == 0, branch = strncmp(x->from->name, "refs/heads/", 11) == 0;
        set(x, how, from_tag ? "storing tag" : branch ? "storing head" : "storing ref");
        line(how, '*', from_tag ? "[new tag]" : branch ? "[new branch]" : "[new ref]", from, to, NULL);
        return 0;
    }
    if (git_oid_equal(&old, &x->from->id)) {
        if (how->verbose) line(how, '=', "[up to date]", from, to, NULL);
        return 0;
    }
    if (tag) {
        if (force) set(x, how, "updating tag");
        line(how, force ? 't' : '!', force ? "[tag update]" : "[rejected]", from, to, force ? NULL : "would clobber existing tag");
        return !force;
    }
    if (git_graph_descendant_of(repo, &x->from->id, &old) > 0) {
        set(x, how, "fast-forward");
        line(how, ' ', span(&old, &x->from->id, ".."), from, to, NULL);
        return 0;
    }
    if (force) set(x, how, "forced-update");
    line(how, force ? '+' : '!', force ? span(&old, &x->from->id, "...") : "[rejected]", from, to, force ? "forced update" : "non-fast-forward");
    return !force;
}

static void add_fetch_head(g_text *out, const mapping *x) {
    const char *name = x->from->name, *kind = "", *what = name;
    if (strcmp(name, "HEAD") == 0) what = "";
    else if (strncmp(name, "refs/heads/", 11) == 0) kind = "branch", what = name + 11;
    else if (strncmp(name, "refs/tags/", 10) == 0) kind = "tag", what = name + 10;
    else if (strncmp(name, "refs/remotes/", 13) == 0) kind = "remote-tracking branch", what = name + 13;
    g_text_addf(out, "%s\t%s\t", full_id(&x->from->id), x->merge ? "" : "not-for-merge");
    if (*what) g_text_addf(out, "%s%s'%s' of ", kind, *kind ? " " : "", what);
    g_text_addf(out, "%s\n", shown_url);
}

/* ---- pruning */

void prune_refs(const remote_link *link, git_remote *remote, const fetch_opts *how, bool fetching) {
    git_strarray names;
    check(git_reference_list(&names, repo));
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.strings[i];
        bool ours = how->prune_tags && strncmp(name, "refs/tags/", 10) == 0 && !link_find(link, name);
        for (size_t k = 0; k < git_remote_refspec_count(remote) && !ours; k++) {
            const git_refspec *spec = git_remote_get_refspec(remote, k);
            git_buf there = {0};
            git_reference *ref;
            if (git_refspec_direction(spec) != GIT_DIRECTION_FETCH || !git_refspec_dst_matches(spec, name)) continue;
            if (git_reference_lookup(&ref, repo, name) == 0 && git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC) continue;
            if (git_refspec_rtransform(&there, spec, name) == 0 && !link_find(link, there.ptr)) ours = true;
            git_buf_dispose(&there);
        }
        if (!ours) continue;
        if (!how->dry_run) git_reference_remove(repo, name);
        if (fetching) line(how, '-', "[deleted]", "(none)", pretty_ref(name), NULL);
        else g_outf(" * [%s] %s\n", how->dry_run ? "would prune" : "pruned", pretty_ref(name));
    }
    git_strarray_dispose(&names);
}

/* ---- all of it */

static char *merge_ref(const char *remote) {
    char key[1000];
    char *branch = current_branch();
    if (!branch) return NULL;
    snprintf(key, sizeof key, "branch.%s.remote", branch);
    char *of = config_string(key);
    if (!of || strcmp(of, remote) != 0) return NULL;
    snprintf(key, sizeof key, "branch.%s.merge", branch);
    return config_string(key);
}

static void write_fetch_head(const map *m, const fetch_opts *how) {
    g_text text = {0};
    char *before = how->append ? read_git_file("FETCH_HEAD") : NULL;
    g_text_adds(&text, before ? before : "");
    for (int merging = 1; merging >= 0; merging--)
        for (size_t i = 0; i < m->count; i++)
            if (m->items[i].merge == merging && !m->items[i].quiet) add_fetch_head(&text, &m->items[i]);
    if (!how->dry_run) write_git_file("FETCH_HEAD", text.s);
    g_text_free(&text);
}

static void bring(remote_link *link, const map *m, const fetch_opts *how) {
    const link_ref **wanted = g_zalloc((m->count + 1) * sizeof *wanted);
    for (size_t i = 0; i < m->count; i++) wanted[i] = m->items[i].from;
    link_fetch(link, wanted, m->count, how->unshallow ? 2147483647 : how->depth);
    free(wanted);
}

int fetch_from(const char *name, char **specs, int count, const fetch_opts *how) {
    git_remote *remote = NULL;
    map m = {0};
    int status = 0;
    fetch_opts settings = *how;
    bool configured = git_remote_lookup(&remote, repo, name) == 0;
    remote_link *link = link_open(link_url(name, false), false, NULL);
    char key[1000];
    char *merge = configured ? merge_ref(name) : NULL;
    shown_url = plain_url(link->shown);
    headed = false;
    for (int i = 0; i < count; i++) {
        if (strcmp(specs[i], "tag") == 0 && i + 1 < count) {
            g_text spec = {0};
            g_text_addf(&spec, "refs/tags/%s:refs/tags/%s", specs[i + 1], specs[i + 1]);
            specs[++i] = spec.s;
        }
        if (!by_name(&m, link, specs[i])) die("couldn't find remote ref %.*s", (int)strcspn(specs[i] + (*specs[i] == '+'), ":"), specs[i] + (*specs[i] == '+'));
    }
    size_t named = m.count;
    bool has_specs = configured && git_remote_refspec_count(remote) > 0;
    if (!count && has_specs) map_configured(&m, link, remote, merge);
    else if (!count && link_find(link, "HEAD")) add(&m, link_find(link, "HEAD"), NULL, false, true, false);
    snprintf(key, sizeof key, "remote.%s.prune", name);
    if (settings.prune < 0) settings.prune = configured && (config_bool("fetch.prune", false) || config_bool(key, false));
    if (how->tags) add_tags(&m, link, true);
    if (settings.prune && configured) column = 10, prune_refs(link, remote, &settings, true);
    bring(link, &m, how);
    bool follows = false;
    for (size_t i = 0; i < m.count; i++) follows |= m.items[i].to != NULL;
    if (follows && !how->tags && !how->no_tags) {
        size_t before = m.count;
        add_tags(&m, link, false);
        if (m.count > before && link->other) bring(link, &m, how);
    }
    if (count && configured) add_tracking_refs(&m, remote, named);
    measure(&m);
    write_fetch_head(&m, how);
    for (size_t i = 0; i < m.count; i++) {
        mapping *x = &m.items[i];
        const char *from = pretty_ref(x->from->name);
        if (x->to) status |= update(x, how);
        else line(how, '*', strncmp(x->from->name, "refs/tags/", 10) == 0 ? "tag" : "branch", from, "FETCH_HEAD", NULL);
    }
    return status;
}
