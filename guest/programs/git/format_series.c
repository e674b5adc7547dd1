/*
 * format_series.c: see format_series.h.
 */
#include "format_series.h"

#include <time.h>

/* ---- the cover letter */

typedef struct {
    const char *author, *subject;
    size_t at;
} entry;

static int by_author(const void *a, const void *b) {
    const entry *x = a, *y = b;
    int order = strcmp(x->author, y->author);
    return order ? order : x->at < y->at ? -1 : 1;
}

/* Lines of at most 72 columns, those behind the first further in. */
static void add_wrapped(g_text *out, const char *text) {
    size_t column = 2;
    g_text_adds(out, "  ");
    for (const char *at = text; *at;) {
        size_t word = strcspn(at, " ");
        if (at > text && column + 1 + word > 72) {
            g_text_adds(out, "\n    ");
            column = 4;
        } else if (at > text) {
            g_text_addc(out, ' ');
            column++;
        }
        g_text_add(out, at, word);
        column += word;
        at += word + (at[word] == ' ');
    }
    g_text_addc(out, '\n');
}

void add_cover(g_text *out, git_commit **commits, size_t count, git_commit *before) {
    entry *entries = g_zalloc((count + 1) * sizeof *entries);
    g_text_adds(out, "*** BLURB HERE ***\n\n");
    for (size_t i = 0; i < count; i++) {
        git_signature *who = mapped(git_commit_author(commits[i]));
        entries[i] = (entry){who->name, subject_of(git_commit_message(commits[i])), i};
    }
    qsort(entries, count, sizeof *entries, by_author);
    for (size_t i = 0; i < count;) {
        size_t end = i;
        while (end < count && strcmp(entries[end].author, entries[i].author) == 0) end++;
        g_text_addf(out, "%s (%zu):\n", entries[i].author, end - i);
        for (; i < end; i++) add_wrapped(out, entries[i].subject);
        g_text_addc(out, '\n');
    }
    free(entries);
    if (!before) return;
    git_diff *diff = diff_trees(tree_of(before), tree_of(commits[count - 1]));
    diff_write(out, diff, DIFF_STAT | DIFF_SUMMARY);
    git_diff_free(diff);
    g_text_addc(out, '\n');
}

/* ---- --base */

static git_commit *find_base(const char *base, git_commit *first) {
    git_oid id;
    if (strcmp(base, "auto") != 0) {
        git_commit *commit = commit_named(base);
        if (!commit) die("unknown commit %s", base);
        return commit;
    }
    git_commit *upstream = commit_named("@{upstream}");
    if (!upstream)
        die("failed to get upstream, if you want to record base commit automatically,\n"
            "please use git branch --set-upstream-to to track a remote branch.\n"
            "Or you could specify base commit by --base=<base-commit-id> manually");
    if (git_merge_base(&id, repo, git_commit_id(upstream), git_commit_id(first)) < 0) die("could not find exact merge base");
    return commit_of(&id);
}

static void add_prerequisite(g_text *out, git_commit *commit) {
    git_commit *parent = NULL;
    git_oid id;
    if (git_commit_parentcount(commit) > 1) return;
    if (git_commit_parentcount(commit)) check(git_commit_parent(&parent, commit, 0));
    git_diff *diff;
    check(git_diff_tree_to_tree(&diff, repo, parent ? tree_of(parent) : NULL, tree_of(commit), NULL));
    if (git_diff_patchid(&id, diff, NULL) == 0) g_text_addf(out, "prerequisite-patch-id: %s\n", full_id(&id));
    git_diff_free(diff);
}

char *base_lines(const char *base, git_commit **commits, size_t count) {
    g_text out = {0};
    git_revwalk *walk;
    git_oid id;
    git_commit *from = find_base(base, commits[0]);
    for (size_t i = 0; i < count; i++)
        if (git_oid_equal(git_commit_id(from), git_commit_id(commits[i]))) die("base commit shouldn't be in revision list");
    if (git_graph_descendant_of(repo, git_commit_id(commits[count - 1]), git_commit_id(from)) != 1)
        die("base commit should be the ancestor of revision list");
    g_text_addf(&out, "\nbase-commit: %s\n", full_id(git_commit_id(from)));
    check(git_revwalk_new(&walk, repo));
    git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
    check(git_revwalk_push(walk, git_commit_id(commits[count - 1])));
    check(git_revwalk_hide(walk, git_commit_id(from)));
    while (git_revwalk_next(&id, walk) == 0) {
        bool listed = false;
        for (size_t i = 0; i < count; i++) listed |= git_oid_equal(&id, git_commit_id(commits[i])) != 0;
        if (!listed) add_prerequisite(&out, commit_of(&id));
    }
    git_revwalk_free(walk);
    return out.s;
}

/* ---- --thread */

static string_list before; /* the mails that the next one answers, the nearest last */

void add_thread(g_text *out, enum threading style, const char *id, size_t number, bool cover, const char *in_reply) {
    static char *mine;
    if (in_reply && !before.count && !mine) list_add(&before, in_reply);
    if (style && mine && !(style == THREAD_SHALLOW && before.count && (!cover || number > 1))) list_add(&before, mine);
    if (style) {
        git_signature *who = committer_now();
        g_text name = {0};
        g_text_addf(&name, "%s.%lld.git.%s", id, (long long)time(NULL), who->email);
        mine = name.s;
        g_text_addf(out, "Message-Id: <%s>\n", mine);
        git_signature_free(who);
    }
    if (before.count) g_text_addf(out, "In-Reply-To: <%s>\n", before.items[before.count - 1]);
    for (int i = 0; i < before.count; i++) g_text_addf(out, "%s<%s>\n", i ? "\t" : "References: ", before.items[i]);
}
