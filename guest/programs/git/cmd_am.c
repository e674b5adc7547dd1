/*
 * cmd_am.c: git am: patches from mails, as commits. What is left of a series stands in .git/rebase-apply.
 */
#include "mail.h"
#include "patch.h"
#include "checkout.h"
#include "commit.h"
#include "diff.h"
#include "merge.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_in.h"

static int three_way = -1, signoff, keep, keep_non, quiet, utf8, keep_cr, scissors, continue_, skip, abort_, quit, reject, date_is_author, ignore_date, ignore_space, message_id, interactive, no_verify, allow_empty;
static const char *show, *white, *strip, *context, *directory, *format, *empty, *quoted_cr;
static string_list excludes;
#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG('i', "interactive", interactive, "run interactively"), FLAG(0, "no-verify", no_verify, "bypass pre-applypatch and applypatch-msg hooks"),
    FLAG('3', "3way", three_way, "allow fall back on 3way merging if needed"), FLAG('q', "quiet", quiet, "be quiet"),
    FLAG('s', "signoff", signoff, "add a Signed-off-by trailer to the commit message"), FLAG('u', "utf8", utf8, "recode into utf8 (default)"),
    FLAG('k', "keep", keep, "pass -k flag to git-mailinfo"), FLAG(0, "keep-non-patch", keep_non, "pass -b flag to git-mailinfo"),
    FLAG('m', "message-id", message_id, "pass -m flag to git-mailinfo"), FLAG(0, "keep-cr", keep_cr, "pass --keep-cr flag to git-mailsplit for mbox format"),
    FLAG('c', "scissors", scissors, "strip everything before a scissors line"), STRING(0, "quoted-cr", quoted_cr, "action", "pass it through git-mailinfo"),
    STRING(0, "whitespace", white, "action", "pass it through git-apply"), FLAG(0, "ignore-space-change", ignore_space, "pass it through git-apply"),
    FLAG(0, "ignore-whitespace", ignore_space, "pass it through git-apply"), STRING(0, "directory", directory, "root", "pass it through git-apply"),
    {OPT_LIST, 0, "exclude", &excludes, "path", "pass it through git-apply", 0, NULL, NULL, 0}, STRING('C', NULL, context, "n", "pass it through git-apply"),
    STRING('p', NULL, strip, "num", "pass it through git-apply"), STRING(0, "patch-format", format, "format", "format the patch(es) are in"),
    FLAG(0, "reject", reject, "pass it through git-apply"), FLAG(0, "continue", continue_, "continue applying patches after resolving a conflict"),
    FLAG('r', "resolved", continue_, "synonyms for --continue"), FLAG(0, "skip", skip, "skip the current patch"),
    FLAG(0, "abort", abort_, "restore the original branch and abort the patching operation"), FLAG(0, "quit", quit, "abort the patching operation but keep HEAD where it is"),
    {OPT_MAYBE, 0, "show-current-patch", &show, "(diff|raw)", "show the patch being applied", 0, "raw", NULL, 0}, FLAG(0, "allow-empty", allow_empty, "record the empty patch as an empty commit"),
    FLAG(0, "committer-date-is-author-date", date_is_author, "lie about committer date"), FLAG(0, "ignore-date", ignore_date, "use current timestamp for author date"),
    STRING(0, "empty", empty, "(stop|drop|keep)", "how to handle empty patches"), {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static void write_number(const char *name, int n) {
    char text[30];
    snprintf(text, sizeof text, "%d\n", n);
    write_git_file(name, text);
}

static int number_in(const char *name) {
    char *text = read_git_file(name);
    return text ? atoi(text) : 0;
}

static void mail_name(char out[60], int n) { snprintf(out, 60, "rebase-apply/%04d", n); }

static void forget(void) {
    static const char *const files[] = {"next", "last", "applying", "threeway", "sign", "quiet", "keep", "patch", "final-commit", "abort-safety", "orig-head", "scissors"};
    for (int i = 1, last = number_in("rebase-apply/last"); i <= last; i++) {
        char name[60];
        mail_name(name, i);
        remove_git_file(name);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[60];
        snprintf(name, sizeof name, "rebase-apply/%s", files[i]);
        remove_git_file(name);
    }
    rmdir(git_file("rebase-apply"));
}

static _Noreturn void stop(void) {
    g_outs("When you have resolved this problem, run \"git am --continue\".\nIf you prefer to skip this patch, run \"git am --skip\" instead.\n"
           "To restore the original branch and stop patching, run \"git am --abort\".\n");
    g_exit(128);
}

static void settle(bool silent) {
    memset(&patching, 0, sizeof patching);
    patching.index = patching.apply = 1;
    patching.strip = strip ? atoi(strip) : 1;
    patching.strip_given = true;
    patching.context = context ? atoi(context) : -1;
    patching.white = white && strcmp(white, "fix") == 0 ? WHITE_FIX : white && strcmp(white, "nowarn") == 0 ? WHITE_NOWARN : white && strncmp(white, "error", 5) == 0 ? WHITE_ERROR : WHITE_WARN;
    patching.squelch = 5;
    patching.directory = directory;
    patching.ignore_space = ignore_space;
    patching.reject = reject && !silent;
    patching.verbose = patching.reject;
    patching.input = ".git/rebase-apply/patch";
    patching.quiet = silent;
    for (int i = 0; i < excludes.count; i++) {
        g_text limit = {0};
        g_text_addf(&limit, "-%s", excludes.items[i]);
        list_add(&patching.limits, limit.s);
    }
}

static void white_summary(void) {
    int count = patching.white_errors;
    if (!count) return;
    if (patching.fixed) warning(patching.fixed == 1 ? "%d line applied after fixing whitespace errors." : "%d lines applied after fixing whitespace errors.", patching.fixed);
    else warning(count == 1 ? "%d line adds whitespace errors." : "%d lines add whitespace errors.", count);
}

static bool apply(const mail *m, bool silent) {
    patch_list list = {0};
    settle(silent);
    errors_muted = silent;
    bool good = patch_read(&list, m->patch, m->patch_len) == 0 && patch_apply(&list) == 0;
    errors_muted = false;
    if (good) white_summary();
    return good;
}

/* The tree that the patch was made for, as far as it is known here, and with the patch: NULL when it is not. */
static bool base_trees(const mail *m, git_tree **base, git_tree **theirs) {
    extern git_index *patch_index;
    patch_list list = {0};
    git_index *index;
    git_oid id;
    settle(true);
    errors_muted = true;
    bool good = patch_read(&list, m->patch, m->patch_len) == 0;
    check(git_index_new(&index));
    for (size_t i = 0; i < list.count && good; i++) {
        file_patch *p = &list.items[i];
        git_index_entry e = {0};
        git_object *object;
        if (p->is_new > 0) continue;
        object = *p->old_id ? object_named(p->old_id) : NULL;
        if (!object || git_object_type(object) != GIT_OBJECT_BLOB) {
            good = false;
            break;
        }
        e.path = p->old_name;
        e.mode = p->old_mode ? p->old_mode : 0100644;
        e.id = *git_object_id(object);
        check(git_index_add(index, &e));
    }
    good = good && git_index_write_tree_to(&id, index, repo) == 0 && git_tree_lookup(base, repo, &id) == 0;
    if (good) {
        patch_list again = {0};
        settle(true);
        patching.cached = 1;
        patching.index = 0;
        patch_index = index;
        good = patch_read(&again, m->patch, m->patch_len) == 0 && patch_apply(&again) == 0;
        patch_index = NULL;
        good = good && git_index_write_tree_to(&id, index, repo) == 0 && git_tree_lookup(theirs, repo, &id) == 0;
    }
    errors_muted = false;
    return good;
}

/* What the base has otherwise than HEAD. */
static void list_base(git_tree *base) {
    git_index *index;
    git_tree *head = head_tree();
    check(git_index_new(&index));
    check(git_index_read_tree(index, base));
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        git_tree_entry *found;
        bool there = head && git_tree_entry_bypath(&found, head, e->path) == 0;
        if (!there) g_outf("A\t%s\n", e->path);
        else if (!git_oid_equal(git_tree_entry_id(found), &e->id)) g_outf("M\t%s\n", e->path);
    }
}

static bool merge(const mail *m) {
    git_tree *base, *theirs;
    git_oid tree;
    string_list names = {0};
    if (!base_trees(m, &base, &theirs)) {
        error("Repository lacks necessary blobs to fall back on 3-way merge.");
        return false;
    }
    if (!quiet) g_outs("Using index info to reconstruct a base tree...\n");
    if (!quiet) list_base(base);
    if (!quiet) g_outs("Falling back to patching base and 3-way merge...\n");
    merge_job job = {base, head_tree(), theirs, "HEAD", m->subject, "merge", 0, false, false, "constructed fake ancestor"};
    if (merge_trees(&job, &tree, &names) == MERGE_CLEAN) return true;
    error("Failed to merge in the changes.");
    return false;
}

static void commit_mail(const mail *m) {
    git_oid tree = tree_of_index(index_of_repo()), id;
    git_signature *author, *committer = committer_now();
    git_commit *head = head_commit();
    g_text message = {0};
    g_text_adds(&message, m->message);
    if (signoff) {
        g_text line = {0};
        g_text_addf(&line, "Signed-off-by: %s <%s>", committer->name, committer->email);
        char *signed_ = with_trailer(g_copy_string(message.s), line.s);
        message.len = 0;
        g_text_adds(&message, clean_message(signed_, false));
    }
    if (git_signature_new(&author, m->name && *m->name ? m->name : committer->name, m->email ? m->email : committer->email, 0, 0) < 0)
        die("invalid ident line: %s <%s>", m->name ? m->name : "", m->email ? m->email : "");
    if (!m->date || ignore_date || !parse_date(m->date, &author->when)) author->when = author_now()->when;
    if (date_is_author) committer->when = author->when;
    new_commit c = {author, committer, message.s, &tree, head ? git_commit_id(head) : NULL, head != NULL, "am"};
    make_commit(&c, &id);
    run_hook("post-applypatch", NULL, NULL);
}

static mail current(int n) {
    char name[60];
    mail_name(name, n);
    char *text = read_git_file(name);
    return mail_parse(text ? text : "", keep, scissors);
}

static int am_run(void) {
    int last = number_in("rebase-apply/last");
    for (int n = number_in("rebase-apply/next"); n <= last; write_number("rebase-apply/next", ++n)) {
        mail m = current(n);
        write_git_file("rebase-apply/patch", m.patch);
        write_git_file("rebase-apply/final-commit", m.message);
        if (!m.patch_len && !allow_empty && !(empty && *empty != 's')) {
            g_outs("Patch is empty.\n");
            hint("To record the empty patch as an empty commit, run \"git am --allow-empty\".");
            stop();
        }
        if (empty && *empty == 'd' && !m.patch_len) {
            if (!quiet) g_outf("Skipping: %s\n", m.subject);
            continue;
        }
        if (!quiet) g_outf(m.patch_len ? "Applying: %s\n" : "Creating an empty commit: %s\n", m.subject);
        bool good = !m.patch_len || apply(&m, three_way > 0);
        if (!good && three_way > 0) {
            good = merge(&m);
            git_oid tree;
            if (good && git_index_write_tree(&tree, index_of_repo()) == 0 && git_oid_equal(&tree, git_tree_id(head_tree()))) {
                if (!quiet) g_outs("No changes -- Patch already applied.\n");
                continue;
            }
        }
        if (!good) {
            g_outf("Patch failed at %04d %s\n", n, m.subject);
            hint("Use 'git am --show-current-patch=diff' to see the failed patch");
            stop();
        }
        commit_mail(&m);
    }
    forget();
    return 0;
}

static int go_on(void) {
    int n = number_in("rebase-apply/next");
    mail m = current(n);
    git_oid tree;
    if (show) {
        char name[60];
        mail_name(name, n);
        g_outs(strcmp(show, "diff") == 0 ? read_git_file("rebase-apply/patch") : read_git_file(name));
        return 0;
    }
    three_way = git_file_exists("rebase-apply/threeway");
    quiet |= git_file_exists("rebase-apply/quiet");
    signoff |= git_file_exists("rebase-apply/sign");
    keep |= git_file_exists("rebase-apply/keep");
    if (quit) return forget(), 0;
    if (abort_) {
        char *text = read_git_file("rebase-apply/orig-head");
        git_oid id;
        if (text && git_oid_fromstr(&id, text) == 0) {
            char *branch = head_target();
            checkout_forced(tree_of(commit_of(&id)));
            if (!git_oid_equal(&id, git_commit_id(head_commit()))) {
                if (branch) update_ref(branch, &id, "am --abort");
                else set_head_detached(&id, "am --abort");
            }
        }
        forget();
        return 0;
    }
    if (skip) {
        checkout_forced(head_tree());
    } else {
        git_index *index = index_of_repo();
        if (!quiet) g_outf("Applying: %s\n", m.subject);
        if (!git_index_has_conflicts(index)) check(git_index_write_tree(&tree, index));
        if (!git_index_has_conflicts(index) && git_oid_equal(&tree, git_tree_id(head_tree())) && !allow_empty) {
            g_outs("No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\nalready introduced the same changes; you might want to skip this patch.\n");
            stop();
        }
        if (git_index_has_conflicts(index)) {
            g_outs("You still have unmerged paths in your index.\nYou should 'git add' each file with resolved conflicts to mark them as such.\nYou might run `git rm` on a file to accept \"deleted by them\" for it.\n");
            stop();
        }
        commit_mail(&m);
    }
    write_number("rebase-apply/next", n + 1);
    return am_run();
}

static void begin(int n, char **argv) {
    string_list mails = {0};
    for (int i = 0; i < n || (!n && !i); i++) {
        size_t len;
        bool in = !n || strcmp(argv[i], "-") == 0;
        char *text = in ? stdin_text(&len) : read_file(argv[i], &len);
        if (!text) die("could not open '%s' for reading: %s", argv[i], strerror(errno));
        if (!len || (!strstr(text, "From") && !strstr(text, "Subject:"))) {
            note("Patch format detection failed.");
            g_exit(128);
        }
        mail_split(&mails, text, len, keep_cr);
    }
    mkdir(git_file("rebase-apply"), 0777);
    for (int i = 0; i < mails.count; i++) {
        char name[60];
        mail_name(name, i + 1);
        write_git_file(name, mails.items[i]);
    }
    g_text head = {0};
    git_commit *commit_ = head_commit();
    if (commit_) g_text_addf(&head, "%s\n", full_id(git_commit_id(commit_)));
    write_git_file("rebase-apply/orig-head", head.s ? head.s : "");
    if (commit_) write_git_file("ORIG_HEAD", head.s);
    write_git_file("rebase-apply/applying", "");
    write_number("rebase-apply/next", 1);
    write_number("rebase-apply/last", mails.count);
    if (three_way > 0) write_git_file("rebase-apply/threeway", "t\n");
    if (quiet) write_git_file("rebase-apply/quiet", "t\n");
    if (signoff) write_git_file("rebase-apply/sign", "t\n");
    if (keep) write_git_file("rebase-apply/keep", "t\n");
}

int cmd_am(int argc, char **argv) {
    int n = options(argc, argv, table, "git am [<options>] [(<mbox> | <Maildir>)...]\ngit am [<options>] (--continue | --skip | --abort)", 0);
    bool on = git_file_exists("rebase-apply/applying"), resumes = continue_ || skip || abort_ || quit || show || allow_empty;
    g_text dirty = {0};
    if (interactive) die("interactive mode requires patches on the command line and a terminal: there is none");
    if (three_way < 0) three_way = config_bool("am.threeway", false);
    if (on && !resumes) die("previous rebase directory .git/rebase-apply still exists but mbox given.");
    if (!on && resumes) die("Resolve operation not in progress, we are not resuming.");
    if (on) {
        (void)!chdir(workdir());
        return go_on();
    }
    diff_defaults();
    diffs.renames = 0;
    git_diff *diff = diff_tree_index(head_tree());
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++)
        if (!diff_skip(diff, i)) g_text_addf(&dirty, "%s%s", dirty.len ? " " : "", git_diff_get_delta(diff, i)->new_file.path);
    if (dirty.len) die("Dirty index: cannot apply patches (dirty: %s)", dirty.s);
    begin(n, argv);
    (void)!chdir(workdir());
    return am_run();
}
