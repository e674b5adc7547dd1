/*
 * revs.c: names of revisions, and the walk over commits.
 *
 * Without exclusions and order the walk goes by date as it is asked; otherwise everything is found
 * first. Commits that change no path of diffs.paths are left out, and of a merge only the parent is
 * followed that has the same paths.
 */
#include "revs.h"

#include "g_regex.h"

enum { TABLE = 4096 };
static rev *table[TABLE];
static rev_list queue, result;
static size_t result_at;
static bool limited;
static int given;

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);

static void push(rev_list *list, rev *r) {
    if (list->count == list->cap) list->items = g_more(list->items, &list->cap, sizeof *list->items);
    list->items[list->count++] = r;
}

rev *rev_of(const git_oid *id) {
    unsigned slot = (id->id[0] | id->id[1] << 8) % TABLE;
    for (rev *r = table[slot]; r; r = r->next)
        if (git_oid_equal(&r->id, id)) return r;
    rev *r = g_zalloc(sizeof *r);
    r->id = *id;
    r->next = table[slot];
    table[slot] = r;
    return r;
}

void rev_parse(rev *r) {
    if (r->parsed) return;
    r->parsed = true;
    check(git_commit_lookup(&r->commit, repo, &r->id));
    r->date = git_commit_time(r->commit);
    r->count = git_commit_parentcount(r->commit);
    r->parents = g_zalloc((r->count + 1) * sizeof *r->parents);
    for (unsigned i = 0; i < r->count; i++) r->parents[i] = rev_of(git_commit_parent_id(r->commit, i));
}

/* ---- names */

void revs_add_id(const git_oid *id, bool bad) {
    rev *r = rev_of(id);
    if (bad) r->bad = limited = true;
    push(&revs.tips, r);
}

/* --exclude, which is within what --branches and its like go through. */
static bool is_excluded(const char *glob, const char *name) {
    const char *inner = strcmp(glob, "refs/heads/*") == 0 ? name + 11 : strcmp(glob, "refs/tags/*") == 0 ? name + 10 : strcmp(glob, "refs/remotes/*") == 0 ? name + 13 : name;
    for (int i = 0; i < revs.excluded.count; i++)
        if (wildmatch(revs.excluded.items[i], inner, 0) == 0) return true;
    return false;
}

static int add_ref(const char *name, void *payload) {
    const char *glob = ((void **)payload)[0];
    bool bad = ((void **)payload)[1] != NULL;
    git_object *object, *commit;
    if (wildmatch(glob, name, 0) != 0 || is_excluded(glob, name)) return 0;
    if (git_revparse_single(&object, repo, name) < 0) return 0;
    if (!bad) list_add(&revs.names, name);
    if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) return 0;
    revs_add_id(git_object_id(commit), bad);
    rev *r = revs.tips.items[revs.tips.count - 1];
    if (!r->source) r->source = g_copy_string(name);
    return 0;
}

void revs_add_refs(const char *glob, bool negate) {
    void *payload[] = {(void *)glob, negate ? "" : NULL};
    revs.any = true;
    git_reference_foreach_name(repo, add_ref, payload);
    revs.excluded.count = 0;
    git_oid id;
    if (strcmp(glob, "*") == 0 && git_reference_name_to_id(&id, repo, "HEAD") == 0) {
        if (!negate) list_add(&revs.names, "HEAD");
        revs_add_id(&id, negate);
    }
}

static bool add_one(const char *name, bool bad) {
    git_commit *commit = commit_named(*name ? name : "HEAD");
    if (!commit) return false;
    if (!bad) list_add(&revs.names, *name ? name : "HEAD");
    revs_add_id(git_commit_id(commit), bad);
    revs.tips.items[revs.tips.count - 1]->source = g_copy_string(*name ? name : "HEAD");
    return true;
}

static bool add_range(const char *text, const char *dots, bool negate) {
    char *from = g_copy_bytes(text, (size_t)(dots - text));
    bool three = dots[2] == '.';
    const char *to = dots + 2 + three;
    git_commit *a = commit_named(*from ? from : "HEAD"), *b = commit_named(*to ? to : "HEAD");
    if (!a || !b) return false;
    if (three) {
        git_oidarray bases = {0};
        if (git_merge_bases(&bases, repo, git_commit_id(a), git_commit_id(b)) == 0)
            for (size_t i = 0; i < bases.count; i++) revs_add_id(&bases.ids[i], !negate);
        rev_of(git_commit_id(a))->left = true;
        limited = true;
    }
    if (!negate) list_add(&revs.names, *to ? to : "HEAD");
    revs_add_id(git_commit_id(a), three ? negate : !negate);
    revs_add_id(git_commit_id(b), negate);
    return true;
}

/* "<" and its relatives, before a commit's name. */
const char *rev_mark(const rev *r) {
    if (r->boundary) return "-";
    if (revs.cherry_mark && !revs.left_right) return r->equal ? "=" : "+";
    if (r->equal && revs.cherry_mark) return "=";
    return !revs.left_right ? "" : r->left ? "<" : ">";
}

bool revs_add(const char *text, bool negate) {
    const char *dots = strstr(text, "..");
    size_t len = strlen(text);
    git_commit *commit;
    if (dots && (dots != text || dots[2]) && text[len - 1] != '/' && add_range(text, dots, negate)) return true;
    if (*text == '^') return add_one(text + 1, !negate);
    if (len > 2 && strcmp(text + len - 2, "^@") == 0) {
        commit = commit_named(g_copy_bytes(text, len - 2));
        for (unsigned i = 0; commit && i < git_commit_parentcount(commit); i++)
            revs_add_id(git_commit_parent_id(commit, i), negate);
        return commit != NULL;
    }
    if (len > 2 && (strcmp(text + len - 2, "^!") == 0 || strcmp(text + len - 2, "^-") == 0)) {
        commit = commit_named(g_copy_bytes(text, len - 2));
        if (!commit) return false;
        unsigned end = text[len - 1] == '-' ? 1 : git_commit_parentcount(commit);
        for (unsigned i = 0; i < end; i++) revs_add_id(git_commit_parent_id(commit, i), true);
        revs_add_id(git_commit_id(commit), negate);
        return true;
    }
    return add_one(text, negate);
}

void revs_operands(int count, char **operands, const char *otherwise) {
    int dashes = -1, i = 0;
    given = 0;
    for (int k = 0; k < count && dashes < 0; k++)
        if (strcmp(operands[k], "--") == 0) dashes = k;
    for (; i < (dashes >= 0 ? dashes : count); i++) {
        if (revs_add(operands[i], revs_negated(i))) {
            given++;
            if (dashes < 0 && file_exists(operands[i]) && !strpbrk(operands[i], "~^@:"))
                die("ambiguous argument '%s': both revision and filename\n"
                    "Use '--' to separate paths from revisions, like this:\n"
                    "'git <command> [<revision>...] -- [<file>...]'", operands[i]);
            continue;
        }
        if (dashes >= 0) die("bad revision '%s'", operands[i]);
        if (!names_path(operands[i])) {
            size_t len = strlen(operands[i]);
            if (len == OID_HEX && strspn(operands[i], "0123456789abcdef") == len) die("bad object %s", operands[i]);
            die_unknown_revision(operands[i]);
        }
        break;
    }
    if (dashes >= 0) i = dashes + 1;
    for (int k = i; dashes < 0 && k < count; k++)
        if (!names_path(operands[k])) die_unknown_revision(operands[k]);
    pathspec_parse(&diffs.paths, count - i, operands + i);
    if (!given && !revs.any && otherwise) {
        if (!add_one(otherwise, false)) {
            char *branch = current_branch();
            if (strcmp(otherwise, "HEAD") == 0 && branch)
                die("your current branch '%s' does not have any commits yet", branch);
            die("bad default revision '%s'", otherwise);
        }
    }
}

/* ---- the walk */

/* Latest last; among equals the earlier one is taken first. */
static void insert_by_date(rev_list *list, rev *r) {
    size_t at = list->count;
    push(list, r);
    while (at && list->items[at - 1]->date >= r->date) {
        list->items[at] = list->items[at - 1];
        at--;
    }
    list->items[at] = r;
}

static void enqueue(rev *r) {
    rev_parse(r);
    insert_by_date(&queue, r);
}

static rev *dequeue(void) { return queue.count ? queue.items[--queue.count] : NULL; }

static int stop(const git_diff *diff, const git_diff_delta *delta, const char *matched, void *payload) {
    (void)diff, (void)matched, (void)payload;
    bool hit = pathspec_match(&diffs.paths, delta->new_file.path) || pathspec_match(&diffs.paths, delta->old_file.path);
    return hit ? GIT_EUSER : 1;
}

static bool same_paths(rev *r, rev *parent) {
    git_diff *diff = NULL;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    git_tree *a = NULL, *b = tree_of(r->commit);
    if (parent) {
        rev_parse(parent);
        a = tree_of(parent->commit);
        if (git_oid_equal(git_tree_id(a), git_tree_id(b))) return true;
    }
    o.notify_cb = stop;
    int rc = git_diff_tree_to_tree(&diff, repo, a, b, &o);
    git_diff_free(diff);
    git_tree_free(a);
    git_tree_free(b);
    return rc != GIT_EUSER;
}

static void simplify(rev *r) {
    if (revs.by_decoration && !diffs.paths.count) {
        r->same = r->count && !has_decoration(&r->id);
        return;
    }
    if (!diffs.paths.count || revs.follow) return;
    if (!r->count) {
        r->same = same_paths(r, NULL);
        return;
    }
    for (unsigned i = 0; i < (revs.first_parent ? 1 : r->count); i++) {
        if (!same_paths(r, r->parents[i])) continue;
        r->same = !revs.sparse;
        if (!revs.full_history) {
            r->parents[0] = r->parents[i];
            r->count = 1;
        }
        return;
    }
}

static void visit_parents(rev *r) {
    if (r->added) return;
    r->added = true;
    if (!r->bad) simplify(r);
    unsigned end = revs.first_parent && r->count > 1 ? 1 : r->count;
    for (unsigned i = 0; i < end; i++) {
        rev *p = r->parents[i];
        if (r->bad && !p->bad) {
            p->bad = true;
            p->added = false; /* its parents are to be marked, too */
        } else if (p->seen) {
            p->left |= r->left;
            continue;
        }
        p->left |= r->left;
        p->seen = true;
        enqueue(p);
    }
    if (revs.first_parent && r->count > 1) r->count = 1;
}

static bool everything_bad(void) {
    for (size_t i = 0; i < queue.count; i++)
        if (!queue.items[i]->bad) return false;
    return true;
}

static bool regex_hits(const string_list *patterns, const char *text, bool all) {
    for (int i = 0; i < patterns->count; i++) {
        pf_regex *re;
        const char *message;
        unsigned how = PF_RE_NEWLINE | (revs.extended ? PF_RE_EXTENDED : 0) | (revs.fixed ? PF_RE_LITERAL : 0) |
                       (revs.ignore_case ? PF_RE_ICASE : 0);
        if (pf_regex_compile(&re, patterns->items[i], strlen(patterns->items[i]), how, &g_regex_host, &message) != PF_RE_OK)
            die("command line, '%s': %s", patterns->items[i], message);
        bool hit = pf_regex_search(re, text, strlen(text), 0, 0, NULL, 0) == PF_RE_OK;
        pf_regex_free(re);
        if (hit != all) return hit;
    }
    return all;
}

static bool by_person(const string_list *patterns, const git_signature *who) {
    char text[1000];
    if (!patterns->count) return true;
    git_signature *real = mapped(who);
    snprintf(text, sizeof text, "%s <%s>", real->name, real->email);
    git_signature_free(real);
    return regex_hits(patterns, text, false);
}

static bool wanted(rev *r) {
    unsigned parents = git_commit_parentcount(r->commit);
    if (r->bad || r->same) return false;
    if ((revs.left_only && !r->left) || (revs.right_only && r->left)) return false;
    if (revs.cherry_pick && r->equal) return false;
    if (revs.no_merges && parents > 1) return false;
    if ((int)parents < revs.min_parents) return false;
    if (revs.max_parents >= 0 && (int)parents > revs.max_parents) return false;
    if (revs.since && r->date < revs.since) return false;
    if (revs.until && r->date > revs.until) return false;
    if (!by_person(&revs.authors, git_commit_author(r->commit))) return false;
    if (!by_person(&revs.committers, git_commit_committer(r->commit))) return false;
    if (revs.grep.count &&
        regex_hits(&revs.grep, git_commit_message_raw(r->commit), revs.all_match) == (bool)revs.invert_grep)
        return false;
    return true;
}

/* Everything that can be reached, by date, without what is excluded. */
static void find_all(void) {
    rev *r;
    rev_list found = {0};
    int slop = 5;
    while ((r = dequeue()) != NULL) {
        visit_parents(r);
        if (r->bad) {
            if (everything_bad() && --slop < 0) break;
            continue;
        }
        slop = 5;
        if (!r->emitted) push(&found, r);
        r->emitted = true;
    }
    for (size_t i = 0; i < found.count; i++)
        if (!found.items[i]->bad) push(&result, found.items[i]);
}

static git_oid patch_of(rev *r) {
    git_oid id = {0};
    git_diff *diff;
    git_tree *old = r->count ? tree_of(commit_of(git_commit_parent_id(r->commit, 0))) : NULL;
    if (git_commit_parentcount(r->commit) > 1) return id;
    check(git_diff_tree_to_tree(&diff, repo, old, tree_of(r->commit), NULL));
    git_diff_patchid(&id, diff, NULL);
    git_diff_free(diff);
    return id;
}

/* What both sides of a...b changed in the same way. */
static void find_equals(void) {
    git_oid *ids = g_zalloc((result.count + 1) * sizeof *ids);
    for (size_t i = 0; i < result.count; i++) ids[i] = patch_of(result.items[i]);
    for (size_t i = 0; i < result.count; i++)
        for (size_t k = i + 1; k < result.count; k++)
            if (result.items[i]->left != result.items[k]->left && !git_oid_is_zero(&ids[i]) && git_oid_equal(&ids[i], &ids[k]))
                result.items[i]->equal = result.items[k]->equal = true;
    free(ids);
}

/* Keeps what lies between: descendants of the commits that are excluded (or named), and their ancestors. */
static void keep_ancestry_path(void) {
    git_oid ids[64];
    size_t count = 0, kept = 0;
    for (int i = 0; i < revs.path_of.count && count < 64; i++) {
        git_commit *commit = commit_named(revs.path_of.items[i]);
        if (!commit) die("could not get commit for ancestry-path argument %s", revs.path_of.items[i]);
        ids[count++] = *git_commit_id(commit);
    }
    for (size_t i = 0; !revs.path_of.count && i < revs.tips.count && count < 64; i++)
        if (revs.tips.items[i]->bad) ids[count++] = revs.tips.items[i]->id;
    if (!count) die("--ancestry-path given but there are no bottom commits");
    for (size_t i = 0; i < result.count; i++) {
        rev *r = result.items[i];
        bool hit = false;
        for (size_t k = 0; k < count && !hit; k++)
            hit = git_oid_equal(&r->id, &ids[k]) || git_graph_descendant_of(repo, &r->id, &ids[k]) == 1 ||
                  (revs.path_of.count && git_graph_descendant_of(repo, &ids[k], &r->id) == 1);
        if (hit) result.items[kept++] = r;
    }
    result.count = kept;
}

/* Children before parents: by the stack for a graph, otherwise by date. */
static void sort_topologically(void) {
    rev_list ready = {0}, sorted = {0};
    for (size_t i = 0; i < result.count; i++) result.items[i]->degree = 1;
    for (size_t i = 0; i < result.count; i++)
        for (unsigned k = 0; k < result.items[i]->count; k++)
            if (result.items[i]->parents[k]->degree) result.items[i]->parents[k]->degree++;
    for (size_t i = result.count; i-- > 0;)
        if (result.items[i]->degree == 1) push(&ready, result.items[i]);
    while (ready.count) {
        size_t best = ready.count - 1;
        if (revs.order == ORDER_TOPO || revs.order == ORDER_AUTHOR)
            for (size_t i = ready.count; i-- > 0;)
                if (ready.items[i]->date > ready.items[best]->date) best = i;
        rev *r = ready.items[best];
        memmove(ready.items + best, ready.items + best + 1, (ready.count - best - 1) * sizeof *ready.items);
        ready.count--;
        push(&sorted, r);
        r->degree = 0;
        for (unsigned k = 0; k < r->count; k++)
            if (r->parents[k]->degree && --r->parents[k]->degree == 1) push(&ready, r->parents[k]);
    }
    result = sorted;
}

/* The nearest commit that is shown on the way up from r. */
static rev *rewritten(rev *r) {
    while (!r->bad && r->parsed && r->same && r->count == 1) r = r->parents[0];
    return r->same && !r->count ? NULL : r;
}

static void rewrite_parents(void) {
    for (size_t i = 0; i < result.count; i++) {
        rev *r = result.items[i];
        unsigned kept = 0;
        for (unsigned k = 0; k < r->count; k++) {
            rev *p = rewritten(r->parents[k]);
            bool twice = !p;
            for (unsigned j = 0; j < kept; j++) twice |= r->parents[j] == p;
            if (!twice) r->parents[kept++] = p;
        }
        r->count = kept;
    }
}

static rev_list boundary, given_out;
static size_t boundary_at;

static void reverse(rev **items, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        rev *r = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = r;
    }
}

/* Parents of what was shown that are not shown themselves. */
static void find_boundaries(const rev_list *list) {
    for (size_t i = 0; i < list->count; i++) list->items[i]->shown = true;
    for (size_t i = 0; i < list->count; i++)
        for (unsigned k = 0; k < list->items[i]->count; k++) {
            rev *p = list->items[i]->parents[k];
            if (p->shown || p->boundary) continue;
            p->boundary = true;
            rev_parse(p);
            push(&boundary, p);
        }
    reverse(boundary.items, boundary.count);
    rev_list found = result;
    result = boundary;
    sort_topologically();
    boundary = result;
    result = found;
}

void (*revs_narrow)(rev **items, size_t count);

void revs_start(void) {
    for (size_t i = 0; i < revs.tips.count; i++) {
        rev *r = revs.tips.items[i];
        if (r->seen) continue;
        r->seen = true;
        if (revs.no_walk == 2) rev_parse(r), push(&result, r);
        else if (revs.no_walk) rev_parse(r), insert_by_date(&result, r);
        else enqueue(r);
    }
    if (revs.no_walk == 1) reverse(result.items, result.count);
    if (revs.no_walk) limited = true;
    if (revs.rewrite || revs.order || revs.boundary || revs.ancestry_path || revs.cherry_pick || revs.cherry_mark) limited = true;
    if (revs.children || revs.by_decoration || revs_narrow) limited = true;
    if (revs.no_walk) {
    } else if (limited || revs.reverse) {
        limited = true;
        find_all();
        if (revs.cherry_pick || revs.cherry_mark) find_equals();
        if (revs.ancestry_path) keep_ancestry_path();
        if (revs.rewrite && diffs.paths.count) rewrite_parents();
        if (revs_narrow && !revs.order) revs.order = ORDER_GRAPH;
        size_t kept = 0;
        if (revs.order == ORDER_GRAPH || revs.order == ORDER_TOPO || revs.order == ORDER_AUTHOR) sort_topologically();
        if (revs_narrow) {
            revs_narrow(result.items, result.count);
            if (revs.rewrite) rewrite_parents();
        }
        for (size_t i = 0; i < result.count; i++)
            if (wanted(result.items[i])) result.items[kept++] = result.items[i];
        result.count = kept;
    }
    if (revs.reverse) {
        size_t skip = (size_t)revs.skip < result.count ? (size_t)revs.skip : result.count;
        size_t left = result.count - skip;
        if (revs.max >= 0 && (size_t)revs.max < left) left = (size_t)revs.max;
        result.count = skip + left;
        if (revs.boundary) {
            rev_list window = {result.items + skip, left, left};
            find_boundaries(&window);
            for (size_t i = 0; i < boundary.count; i++) push(&result, boundary.items[i]);
            boundary.count = 0;
            revs.max = -1;
        }
        reverse(result.items + skip, result.count - skip);
        result_at = skip;
        revs.skip = 0;
    }
}

static rev *next_found(void) {
    if (limited) return result_at < result.count ? result.items[result_at++] : NULL;
    for (rev *r; (r = dequeue()) != NULL;) {
        visit_parents(r);
        if (wanted(r)) return r;
        if (revs.since && r->date < revs.since && !queue.count) return NULL;
    }
    return NULL;
}

rev *revs_next(void) {
    rev *r;
    while (revs.skip > 0 && (r = next_found()) != NULL) revs.skip--;
    r = revs.max == 0 ? NULL : next_found();
    if (r && revs.max > 0) revs.max--;
    if (r || !revs.boundary || revs.reverse) {
        for (unsigned k = 0; r && revs.boundary && k < r->count; k++) r->parents[k]->child_shown = true;
        if (r && revs.boundary) push(&given_out, r);
        return r;
    }
    if (given_out.count) find_boundaries(&given_out);
    given_out.count = 0;
    return boundary_at < boundary.count ? boundary.items[boundary_at++] : NULL;
}

void add_children(g_text *out, const rev *r, bool abbreviate) {
    for (size_t i = result.count; i-- > 0;)
        for (unsigned k = 0; k < result.items[i]->count; k++)
            if (result.items[i]->parents[k] == r && !result.items[i]->bad)
                g_text_addf(out, " %s", abbreviate ? short_id(&result.items[i]->id) : full_id(&result.items[i]->id));
}

rev_list revs_all(void) {
    rev_list list = {0};
    for (rev *r; (r = revs_next()) != NULL;) push(&list, r);
    return list;
}
