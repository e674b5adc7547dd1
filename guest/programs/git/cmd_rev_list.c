/*
 * cmd_rev_list.c: git rev-list: commits, and with --objects what they need.
 */
#include "revs.h"

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static int counting, oneline, abbrev_commit, header, objects, names = 1, usage_size, timestamp, quiet, commit_header = 1, bitmap;
static const char *format, *kept;

static void not_there(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    die("git rev-list --%s is not there", o->name);
}

static void set_abbrev(const option *o, const char *argument, bool unset) {
    (void)o;
    pretty.abbrev = unset ? OID_HEX : argument ? atoi(argument) : 7;
}

static const option table[] = {
    FLAG(0, "count", counting, NULL), FLAG(0, "oneline", oneline, NULL), FLAG(0, "abbrev-commit", abbrev_commit, NULL), FLAG(0, "header", header, NULL),
    {OPT_CALL_MAYBE, 0, "abbrev", NULL, "n", NULL, 0, NULL, set_abbrev, 0},
    {OPT_STRING, 0, "format", &format, "format", NULL, 0, NULL, NULL, 0}, {OPT_MAYBE, 0, "pretty", &format, "format", NULL, 0, "medium", NULL, 0},
    FLAG(0, "objects", objects, NULL), FLAG(0, "objects-edge", objects, NULL), FLAG(0, "objects-edge-aggressive", objects, NULL),
    FLAG(0, "object-names", names, NULL), FLAG(0, "disk-usage", usage_size, NULL), FLAG(0, "timestamp", timestamp, NULL),
    FLAG(0, "quiet", quiet, NULL), FLAG(0, "commit-header", commit_header, NULL), FLAG(0, "use-bitmap-index", bitmap, NULL),
    {OPT_CALL_NONE, 0, "in-commit-order", NULL, NULL, NULL, 0, NULL, not_there, 0}, {OPT_CALL, 0, "filter", NULL, NULL, NULL, 0, NULL, not_there, 0},
    {OPT_CALL_NONE, 0, "bisect-all", NULL, NULL, NULL, 0, NULL, not_there, 0}, {OPT_CALL_NONE, 0, "bisect-vars", NULL, NULL, NULL, 0, NULL, not_there, 0},
    {OPT_CALL, 0, "missing", NULL, NULL, NULL, 0, NULL, not_there, 0}, {OPT_STRING, 0, "keep-pack", &kept, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_TABLE, 0, NULL, (void *)rev_option_table, NULL, NULL, 0, NULL, NULL, 0}, END};

/* ---- objects: each once, without those of commits that are excluded */

typedef struct {
    git_oid id;
    bool used;
} slot;
static slot *slots;
static size_t slot_count, slot_used;

static bool mark(const git_oid *id) {
    if (slot_used * 2 >= slot_count) {
        slot *old = slots;
        size_t count = slot_count;
        slot_count = count ? count * 2 : 1024;
        slots = g_zalloc(slot_count * sizeof *slots);
        slot_used = 0;
        for (size_t i = 0; i < count; i++)
            if (old[i].used) mark(&old[i].id);
        free(old);
    }
    size_t at = ((size_t)id->id[0] | (size_t)id->id[1] << 8 | (size_t)id->id[2] << 16 | (size_t)id->id[3] << 24) % slot_count;
    while (slots[at].used) {
        if (git_oid_equal(&slots[at].id, id)) return false;
        at = (at + 1) % slot_count;
    }
    slots[at] = (slot){*id, true};
    slot_used++;
    return true;
}

static void show_object(const git_oid *id, const char *path) {
    if (quiet || counting || usage_size) return;
    if (names) g_outf("%s %s\n", full_id(id), path);
    else g_outf("%s\n", full_id(id));
}

static int total;

static void walk_tree(const git_oid *id, const char *path, bool show, int depth) {
    git_tree *tree;
    if (!mark(id)) return;
    if (show) total++, show_object(id, path);
    if (depth > 1000) die("the tree nests too deeply");
    check(git_tree_lookup(&tree, repo, id));
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *e = git_tree_entry_byindex(tree, i);
        g_text inner = {0};
        g_text_addf(&inner, "%s%s%s", path, *path ? "/" : "", git_tree_entry_name(e));
        if (!diffs.paths.count || pathspec_match(&diffs.paths, inner.s) || pathspec_below(&diffs.paths, inner.s)) {
            if (git_tree_entry_type(e) == GIT_OBJECT_TREE) walk_tree(git_tree_entry_id(e), inner.s, show, depth + 1);
            else if (git_tree_entry_type(e) == GIT_OBJECT_BLOB && mark(git_tree_entry_id(e)) && show)
                total++, show_object(git_tree_entry_id(e), inner.s);
        }
        g_text_free(&inner);
    }
    git_tree_free(tree);
}

static void show_objects(const rev_list *list) {
    for (size_t i = 0; i < revs.tips.count; i++) {
        rev *r = revs.tips.items[i];
        if (!r->bad) continue;
        rev_parse(r);
        walk_tree(git_commit_tree_id(r->commit), "", false, 0);
    }
    for (int i = 0; i < revs.names.count; i++) {
        git_object *object = object_named(revs.names.items[i]);
        if (object && git_object_type(object) == GIT_OBJECT_TAG && mark(git_object_id(object)))
            total++, show_object(git_object_id(object), git_tag_name((git_tag *)object));
    }
    for (size_t i = 0; i < list->count; i++) walk_tree(git_commit_tree_id(list->items[i]->commit), "", true, 0);
}

static void show(rev *r) {
    g_text out = {0};
    const char *name = !abbrev_commit ? full_id(&r->id) : pretty.abbrev ? abbreviated(&r->id, pretty.abbrev) : short_id(&r->id);
    const char *mark_ = rev_mark(r);
    if (timestamp) g_text_addf(&out, "%lld ", (long long)git_commit_time(r->commit));
    if (oneline) {
        g_text_addf(&out, "%s%s %s\n", mark_, short_id(&r->id), subject_of(git_commit_message(r->commit)));
    } else if (format) {
        if (commit_header || pretty.kind != PRETTY_FORMAT) {
            g_text rest = {0};
            g_text_addf(&out, "commit %s%s\n", mark_, name);
            pretty_commit(&rest, r, "");
            bool own = pretty.kind != PRETTY_FORMAT && strncmp(rest.s, "commit ", 7) == 0;
            g_text_adds(&out, own ? strchr(rest.s, '\n') + 1 : rest.s);
            g_text_free(&rest);
        } else {
            pretty_commit(&out, r, "");
        }
        g_text_addc(&out, '\n');
    } else {
        g_text_addf(&out, "%s%s", mark_, name);
        for (unsigned i = 0; revs.parents && i < r->count; i++) g_text_addf(&out, " %s", full_id(&r->parents[i]->id));
        if (revs.children) add_children(&out, r, false);
        g_text_addc(&out, '\n');
        if (header) {
            const char *message = git_commit_message_raw(r->commit);
            g_text_addf(&out, "%s\n", git_commit_raw_header(r->commit));
            for (const char *at = message; *at;) {
                size_t len = strcspn(at, "\n");
                g_text_addf(&out, "    %.*s\n", (int)len, at);
                at += len + (at[len] != 0);
            }
            g_text_addc(&out, '\0');
        }
    }
    g_out(out.s, out.len);
    g_text_free(&out);
}

int cmd_rev_list(int argc, char **argv) {
    static const char usage[] = "git rev-list [<options>] <commit>... [--] [<path>...]";
    rev_list list = {0};
    revs_defaults();
    pretty_defaults();
    pretty.kind = PRETTY_MEDIUM;
    diff_defaults();
    int n = options(argc, argv, table, usage, KEEP_DASHDASH | NUMBERS), left = 0, equal = 0;
    if (!n && !revs.any) usage_error(NULL);
    if (usage_size) die("git rev-list --disk-usage is not there: git count-objects -v says what the objects take");
    diffs.color = 0;
    revs_operands(n, argv, NULL);
    if (revs.parents) revs.rewrite = 1;
    revs_start();
    if (format) pretty_named(format);
    for (rev *r; (r = revs_next()) != NULL; out_wait(false)) {
        bool same = revs.cherry_mark && r->equal;
        total += !same;
        equal += same;
        left += r->left && !same;
        if (!counting && !quiet) show(r);
        if (!objects || r->boundary) continue;
        if (list.count == list.cap) list.items = g_more(list.items, &list.cap, sizeof *list.items);
        list.items[list.count++] = r;
    }
    if (objects) show_objects(&list);
    if (!counting) return 0;
    if (revs.left_right && revs.cherry_mark) g_outf("%d\t%d\t%d\n", left, total - left, equal);
    else if (revs.left_right) g_outf("%d\t%d\n", left, total - left);
    else if (revs.cherry_mark) g_outf("%d\t%d\n", total, equal);
    else g_outf("%d\n", total);
    return 0;
}
