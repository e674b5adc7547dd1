/*
 * cmd_names.c: git name-rev and cherry.
 */
#include "revs.h"

#include <ctype.h>

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);

/* ---- name-rev: a commit by the reference that reaches it over the fewest steps */

typedef struct {
    const char *tip; /* NULL: nothing reaches it */
    git_time_t date;
    int steps, distance;
    bool from_tag;
} rev_name;
typedef struct {
    rev *commit;
    rev_name name;
} named;
static named *names;
static size_t name_count, name_cap;

static int tags_only, name_only, all, annotate, undefined = 1, always;
static string_list refs, excluded;

enum { MERGE_WEIGHT = 65535, SLOP = 86400 };

static rev_name *name_of(rev *r) {
    /* degree is free here: the place in `names`, from 1 */
    if (!r->degree) {
        if (name_count == name_cap) names = g_more(names, &name_cap, sizeof *names);
        names[name_count++] = (named){.commit = r};
        r->degree = (int)name_count;
    }
    return &names[r->degree - 1].name;
}

static int weight(int distance, int steps) { return distance + (steps > 0 ? MERGE_WEIGHT : 0); }

static bool better(const rev_name *old, const rev_name *new_) {
    if (!old->tip) return true;
    if (old->from_tag && new_->from_tag) return weight(old->distance, old->steps) > weight(new_->distance, new_->steps);
    if (old->from_tag != new_->from_tag) return new_->from_tag;
    if (weight(old->distance, old->steps) != weight(new_->distance, new_->steps))
        return weight(old->distance, old->steps) > weight(new_->distance, new_->steps);
    return old->date != new_->date && old->date > new_->date;
}

static void spread(git_oid id, rev_name first) {
    rev_list todo = {0};
    rev *start = rev_of(&id);
    rev_parse(start);
    if (!better(name_of(start), &first)) return;
    *name_of(start) = first;
    todo.items = g_more(todo.items, &todo.cap, sizeof *todo.items);
    todo.items[todo.count++] = start;
    while (todo.count) {
        rev *r = todo.items[--todo.count];
        rev_name here = *name_of(r);
        for (unsigned i = r->count; i-- > 0;) {
            rev *p = r->parents[i];
            rev_name next = here;
            g_text tip = {0};
            rev_parse(p);
            if (i) {
                size_t len = strlen(here.tip);
                if (len > 2 && strcmp(here.tip + len - 2, "^0") == 0) len -= 2;
                if (here.steps) g_text_addf(&tip, "%.*s~%d^%u", (int)len, here.tip, here.steps, i + 1);
                else g_text_addf(&tip, "%.*s^%u", (int)len, here.tip, i + 1);
                next.tip = tip.s;
                next.steps = 0;
                next.distance += MERGE_WEIGHT;
            } else {
                next.steps++;
                next.distance++;
            }
            if (!better(name_of(p), &next)) {
                g_text_free(&tip);
                continue;
            }
            *name_of(p) = next;
            if (todo.count == todo.cap) todo.items = g_more(todo.items, &todo.cap, sizeof *todo.items);
            todo.items[todo.count++] = p;
        }
    }
}

static bool chosen(const char *full) {
    bool hit = !refs.count;
    for (int i = 0; i < excluded.count + refs.count; i++) {
        bool out = i < excluded.count, matches = false;
        const char *pattern = out ? excluded.items[i] : refs.items[i - excluded.count];
        for (const char *at = full; at && !matches; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) matches = wildmatch(pattern, at, 0) == 0;
        if (matches && out) return false;
        hit |= matches;
    }
    return hit;
}

typedef struct {
    git_oid id;
    rev_name name;
} tip;

static int tip_order(const void *a, const void *b) {
    const tip *x = a, *y = b;
    if (x->name.from_tag != y->name.from_tag) return y->name.from_tag - x->name.from_tag;
    if (x->name.date != y->name.date) return x->name.date < y->name.date ? -1 : 1;
    return 0;
}

static void name_all(void) {
    git_reference_iterator *at;
    const char *full;
    tip *tips = NULL;
    size_t count = 0, cap = 0;
    check(git_reference_iterator_new(&at, repo));
    while (git_reference_next_name(&full, at) == 0) {
        bool tag = strncmp(full, "refs/tags/", 10) == 0, branch = strncmp(full, "refs/heads/", 11) == 0;
        if ((tags_only && !tag) || !chosen(full)) continue;
        git_object *object = object_named(full), *commit;
        g_text name = {0};
        if (!object || git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) continue;
        bool annotated = git_object_type(object) == GIT_OBJECT_TAG;
        const git_signature *who = annotated ? git_tag_tagger((git_tag *)object) : NULL;
        bool bare = (tags_only && name_only && tag) || branch;
        const char *text = branch ? full + 11 : strncmp(full, "refs/", 5) == 0 ? full + 5 : full;
        if (bare && tag) text = full + 10;
        g_text_addf(&name, "%s%s", text, annotated ? "^0" : "");
        if (count == cap) tips = g_more(tips, &cap, sizeof *tips);
        tips[count++] = (tip){*git_object_id(commit), {name.s, who ? who->when.time : git_commit_time((git_commit *)commit), 0, 0, tag}};
    }
    if (count) qsort(tips, count, sizeof *tips, tip_order);
    for (size_t i = 0; i < count; i++) spread(tips[i].id, tips[i].name);
}

/* Fresh memory; NULL when nothing reaches it. */
static char *name_text(const git_oid *id) {
    rev *r = rev_of(id);
    const rev_name *n = r->degree ? name_of(r) : NULL;
    g_text text = {0};
    if (!n || !n->tip) return NULL;
    size_t len = strlen(n->tip);
    if (n->steps && len > 2 && strcmp(n->tip + len - 2, "^0") == 0) len -= 2;
    g_text_addf(&text, "%.*s", (int)len, n->tip);
    if (n->steps) g_text_addf(&text, "~%d", n->steps);
    return text.s;
}

static void show_name(const char *given, const git_oid *id) {
    char *text = name_text(id);
    if (!name_only) g_outf("%s ", given ? given : full_id(id));
    if (text) g_outf("%s\n", text);
    else if (undefined) g_outs("undefined\n");
    else if (always) g_outf("%s\n", short_id(id));
    else die("cannot describe '%s'", full_id(id));
    free(text);
}

static void annotate_text(void) {
    g_text in = {0};
    read_stdin(&in);
    for (const char *p = in.s; p && *p;) {
        size_t hex = strspn(p, "0123456789abcdef");
        git_oid id;
        char *text = NULL;
        if (hex == OID_HEX && git_oid_fromstrn(&id, p, OID_HEX) == 0) text = name_text(&id);
        if (hex && !(text && name_only)) g_out(p, hex);
        if (text) g_outf(name_only ? "%s" : " (%s)", text);
        free(text);
        p += hex;
        if (!hex) {
            size_t word = 0;
            while (isalnum((unsigned char)p[word])) word++;
            if (!word) word = 1;
            g_out(p, word);
            p += word;
        }
    }
}

static int by_id(const void *a, const void *b) { return git_oid_cmp(&((const named *)a)->commit->id, &((const named *)b)->commit->id); }

int cmd_name_rev(int argc, char **argv) {
    static const option table[] = {
        FLAG(0, "name-only", name_only, "print only ref-based names (no object names)"), FLAG(0, "tags", tags_only, "only use tags to name the commits"),
        {OPT_LIST, 0, "refs", &refs, "pattern", "only use refs matching <pattern>", 0, NULL, NULL, 0},
        {OPT_LIST, 0, "exclude", &excluded, "pattern", "ignore refs matching <pattern>", 0, NULL, NULL, 0},
        {OPT_GROUP, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}, FLAG(0, "all", all, "list all commits reachable from all refs"),
        FLAG(0, "stdin", annotate, "deprecated: use --annotate-stdin instead"), FLAG(0, "annotate-stdin", annotate, "annotate text from stdin"),
        FLAG(0, "undefined", undefined, "allow to print `undefined` names (default)"), FLAG(0, "always", always, "show abbreviated commit object as fallback"), END};
    int n = options(argc, argv, table, "git name-rev [<options>] <commit>...\ngit name-rev [<options>] --all\ngit name-rev [<options>] --annotate-stdin", 0);
    if (!!all + !!annotate + !!n > 1) {
        error("Specify either a list, or --all, not both!");
        usage_error(NULL);
    }
    revs_defaults();
    name_all();
    if (annotate) annotate_text();
    if (all) {
        size_t count = name_count;
        named *sorted = g_zalloc((count + 1) * sizeof *sorted);
        memcpy(sorted, names, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_id);
        for (size_t i = 0; i < count; i++) show_name(NULL, &sorted[i].commit->id);
    }
    for (int i = 0; i < n; i++) {
        git_object *object = object_named(argv[i]), *commit;
        if (!object) {
            note("Could not get sha1 for %s. Skipping.", argv[i]);
            continue;
        }
        if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) commit = object;
        show_name(argv[i], git_object_id(commit));
    }
    return 0;
}

/* ---- cherry */

static git_oid patch_of(rev *r) {
    git_oid id = {0};
    git_tree *old = r->count ? tree_of(commit_of(git_commit_parent_id(r->commit, 0))) : NULL;
    git_diff *diff = diff_trees(old, tree_of(r->commit));
    git_diff_patchid(&id, diff, NULL);
    git_diff_free(diff);
    return id;
}

int cmd_cherry(int argc, char **argv) {
    static int verbose, abbrev;
    static const char *digits;
    static const option table[] = {{OPT_MAYBE, 0, "abbrev", &digits, "n", "use <n> digits to display object names", 0, "7", NULL, 0},
                                   FLAG('v', "verbose", verbose, "be verbose"), END};
    int n = options(argc, argv, table, "git cherry [-v] [<upstream> [<head> [<limit>]]]", 0);
    git_buf up = {0};
    char *head = head_target();
    if (n > 3) usage_error(NULL);
    if (digits) abbrev = atoi(digits);
    if (!n && (!head || git_branch_upstream_name(&up, repo, head) < 0)) {
        note("Could not find a tracked remote branch, please specify <upstream> manually.");
        usage_error(NULL);
    }
    diff_defaults();
    revs_defaults();
    const char *upstream = n ? argv[0] : up.ptr, *mine = n > 1 ? argv[1] : "HEAD";
    if (!commit_named(mine)) die("unknown commit %s", mine);
    if (!commit_named(upstream)) die("unknown commit %s", upstream);
    if (n > 2 && !commit_named(argv[2])) die("unknown commit %s", argv[2]);
    git_oid a = *git_commit_id(commit_named(mine)), b = *git_commit_id(commit_named(upstream));
    if (git_oid_equal(&a, &b)) return 0;
    revs_add_id(&a, false);
    revs_add_id(&b, false);
    rev_of(&a)->left = true;
    git_oidarray bases = {0};
    if (git_merge_bases(&bases, repo, &a, &b) == 0)
        for (size_t i = 0; i < bases.count; i++) revs_add_id(&bases.ids[i], true);
    if (n > 2) revs_add_id(git_commit_id(commit_named(argv[2])), true);
    revs.max_parents = 1;
    revs.reverse = 1;
    revs_start();
    rev_list list = revs_all();
    git_oid *ids = g_zalloc((list.count + 1) * sizeof *ids);
    for (size_t i = 0; i < list.count; i++) ids[i] = patch_of(list.items[i]);
    for (size_t i = 0; i < list.count; i++) {
        bool there = false;
        if (!list.items[i]->left) continue;
        for (size_t k = 0; k < list.count; k++) there |= !list.items[k]->left && git_oid_equal(&ids[i], &ids[k]);
        g_outf("%c %s", there ? '-' : '+', abbrev ? abbreviated(&list.items[i]->id, abbrev) : full_id(&list.items[i]->id));
        if (verbose) g_outf(" %s", subject_of(git_commit_message(list.items[i]->commit)));
        g_outc('\n');
    }
    return 0;
}
