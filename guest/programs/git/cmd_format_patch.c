/*
 * cmd_format_patch.c: git format-patch: commits as mails.
 */
#include "commit.h"
#include "color.h"
#include "format_series.h"
#include "revs.h"

#include <errno.h>
#include <sys/stat.h>

#include "g_file.h"

static int numbered, unnumbered, to_stdout, signoff, keep_subject, cover, start = 1, zero_commit, no_stat, numbered_files, no_signature, quiet, root, no_binary, attach;
static const char *directory, *subject_prefix = "PATCH", *suffix = ".patch", *reroll, *signature = "2.39.5", *base, *in_reply, *thread, *from;
static bool rfc;
static enum threading threading;
static char *base_text; /* behind the first mail */
static string_list to, cc, extra;
static void take_rfc(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
    rfc = true;
}
#define STRING(letter, name, field, arg, text) {OPT_STRING, letter, name, &field, arg, text, 0, NULL, NULL, 0}
static const option table[] = {
    FLAG('n', "numbered", numbered, "use [PATCH n/m] even with a single patch"), FLAG('N', "no-numbered", unnumbered, "use [PATCH] even with multiple patches"),
    FLAG('s', "signoff", signoff, "add a Signed-off-by trailer"), FLAG(0, "stdout", to_stdout, "print patches to standard out"),
    FLAG(0, "cover-letter", cover, "generate a cover letter"), FLAG(0, "numbered-files", numbered_files, "use simple number sequence for output file names"),
    STRING(0, "suffix", suffix, "sfx", "use <sfx> instead of '.patch'"), {OPT_NUMBER, 0, "start-number", &start, "n", "start numbering patches at <n> instead of 1", 0, NULL, NULL, 0},
    STRING('v', "reroll-count", reroll, "reroll-count", "mark the series as Nth re-roll"), {OPT_CALL_NONE, 0, "rfc", NULL, NULL, "use [RFC PATCH] instead of [PATCH]", 0, NULL, take_rfc, 0},
    STRING(0, "subject-prefix", subject_prefix, "prefix", "use [<prefix>] instead of [PATCH]"), STRING('o', "output-directory", directory, "dir", "store resulting files in <dir>"),
    FLAG('k', "keep-subject", keep_subject, "don't strip/add [PATCH]"), FLAG(0, "no-binary", no_binary, "don't output binary diffs"), FLAG(0, "zero-commit", zero_commit, "output all-zero hash in From header"),
    FLAG('p', "no-stat", no_stat, "show patch format instead of default (patch + stat)"), {OPT_LIST, 0, "add-header", &extra, "header", "add email header", 0, NULL, NULL, 0},
    {OPT_LIST, 0, "to", &to, "email", "add To: header", 0, NULL, NULL, 0}, {OPT_LIST, 0, "cc", &cc, "email", "add Cc: header", 0, NULL, NULL, 0},
    {OPT_MAYBE, 0, "from", &from, "ident", "set From address to <ident> (or committer ident if absent)", 0, "", NULL, 0}, STRING(0, "in-reply-to", in_reply, "message-id", "make first mail a reply to <message-id>"),
    {OPT_MAYBE, 0, "thread", &thread, "style", "enable message threading, styles: shallow, deep", 0, "", NULL, 0}, STRING(0, "signature", signature, "signature", "add a signature"),
    FLAG(0, "no-signature", no_signature, NULL), STRING(0, "base", base, "base-commit", "add prerequisite tree info to the patch series"), FLAG('q', "quiet", quiet, "don't print the patch filenames"),
    FLAG(0, "root", root, NULL), FLAG(0, "attach", attach, NULL),
    {OPT_TABLE, 0, NULL, (void *)rev_option_table, NULL, NULL, 0, NULL, NULL, 0}, {OPT_TABLE, 0, NULL, (void *)diff_option_table, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static bool plain(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text >= 128) return false;
    return true;
}

/* RFC 2047, in pieces that fit a line. */
static void add_encoded(g_text *out, const char *text, size_t column, bool person) {
    size_t used = column + 10;
    g_text_adds(out, "=?UTF-8?q?");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t len = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4, width = 0;
        bool special = *p >= 128 || *p == '=' || *p == '?' || *p == '_' || *p == ' ' || *p < 32 ||
                       (person && !((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || strchr("!*+-/", *p)));
        width = special ? 3 * len : 1;
        if (used + width + 2 > 76) {
            g_text_adds(out, "?=\n =?UTF-8?q?");
            used = 11;
        }
        for (size_t i = 0; i < len && p[i]; i++) {
            if (special) g_text_addf(out, "=%02X", p[i]);
            else g_text_addc(out, (char)p[i]);
        }
        p += len;
        used += width;
    }
    g_text_adds(out, "?=");
}

static void add_subject(g_text *out, const char *before, const char *subject) {
    size_t start_at = out->len;
    g_text_addf(out, "Subject: %s", before);
    if (!plain(subject)) {
        add_encoded(out, subject, out->len - start_at, false);
    } else {
        size_t column = out->len - start_at;
        for (const char *p = subject; *p;) {
            size_t word = strcspn(p, " ");
            bool first = p == subject;
            if (!first && column + 1 + word > 78) g_text_adds(out, "\n "), column = 1;
            else if (!first) g_text_addc(out, ' '), column++;
            g_text_add(out, p, word);
            column += word;
            p += word + (p[word] == ' ');
        }
    }
    g_text_addc(out, '\n');
}

static void add_from(g_text *out, const git_signature *who) {
    g_text_adds(out, "From: ");
    if (!plain(who->name)) add_encoded(out, who->name, 6, true);
    else if (strpbrk(who->name, "()<>@,;:\\\".[]")) g_text_addf(out, "\"%s\"", who->name);
    else g_text_adds(out, who->name);
    g_text_addf(out, " <%s>\n", who->email);
}

static char *prefix_of(size_t i, size_t total) {
    g_text out = {0};
    bool count = !unnumbered && (numbered || total > 1 || cover);
    g_text_adds(&out, "");
    if (keep_subject) return out.s;
    int width = 1;
    size_t last = total + (size_t)start - 1;
    for (size_t n = last; n >= 10; n /= 10) width++;
    if (!*subject_prefix && !count) return out.s;
    g_text_addf(&out, "[%s%s%s%s", rfc ? "RFC " : "", subject_prefix, reroll ? " v" : "", reroll ? reroll : "");
    if (count) g_text_addf(&out, "%s%0*zu/%zu", *subject_prefix ? " " : "", width, i, last);
    g_text_adds(&out, "] ");
    return out.s;
}

static char *file_name(const char *subject, size_t i) {
    g_text out = {0};
    if (reroll) g_text_addf(&out, "v%s-", reroll);
    if (numbered_files) {
        g_text_addf(&out, "%zu", i);
        return out.s;
    }
    g_text_addf(&out, "%04zu-", i);
    size_t begin = out.len;
    bool gap = false;
    for (const char *p = subject; *p && out.len < 64 - strlen(suffix) - 1; p++) {
        bool good = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '.' || *p == '_';
        if (!good || (*p == '.' && p[1] == '.')) {
            gap = true;
            continue;
        }
        if (gap && out.len > begin) g_text_addc(&out, '-');
        gap = false;
        g_text_addc(&out, *p);
    }
    while (out.len > begin && (out.s[out.len - 1] == '.' || out.s[out.len - 1] == '-')) out.s[--out.len] = '\0';
    if (out.len > 64 - strlen(suffix) - 1) out.s[out.len = 64 - strlen(suffix) - 1] = '\0';
    g_text_adds(&out, suffix);
    return out.s;
}

static void add_addresses(g_text *out) {
    for (int k = 0; k < extra.count; k++) g_text_addf(out, "%s\n", extra.items[k]);
    for (int k = 0; k < to.count; k++) g_text_addf(out, k ? ",\n    %s" : "To: %s", to.items[k]);
    if (to.count) g_text_addc(out, '\n');
    for (int k = 0; k < cc.count; k++) g_text_addf(out, k ? ",\n    %s" : "Cc: %s", cc.items[k]);
    if (cc.count) g_text_addc(out, '\n');
}

static const char mime[] = "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n";

static void add_end(g_text *out) {
    if (base_text) g_text_adds(out, base_text);
    base_text = NULL;
    if (!no_signature && signature && *signature) g_text_addf(out, "-- \n%s\n\n", signature);
}

static void add_first_line(g_text *out, git_commit *commit) {
    g_text_addf(out, "From %s Mon Sep 17 00:00:00 2001\n", zero_commit ? "0000000000000000000000000000000000000000" : full_id(git_commit_id(commit)));
}

/* The one commit that the series stands on; NULL where it has several. */
static git_commit *commit_before(git_commit **commits, size_t total) {
    const git_oid *found = NULL;
    for (size_t i = 0; i < total; i++)
        for (unsigned k = 0; k < git_commit_parentcount(commits[i]); k++) {
            const git_oid *id = git_commit_parent_id(commits[i], k);
            bool listed = found && git_oid_equal(found, id);
            for (size_t j = 0; j < total && !listed; j++) listed = git_oid_equal(git_commit_id(commits[j]), id);
            if (listed) continue;
            if (found) return NULL;
            found = id;
        }
    return found ? commit_of(found) : NULL;
}

static void add_letter(g_text *out, git_commit **commits, size_t total) {
    git_signature *me = committer_now();
    bool ascii = true;
    add_first_line(out, commits[total - 1]);
    add_thread(out, threading, "cover", 0, true, in_reply);
    add_from(out, me);
    g_text_adds(out, "Date: ");
    add_date(out, &me->when, &(date_style){DATE_RFC, false, NULL});
    g_text_addc(out, '\n');
    add_subject(out, prefix_of(0, total), "*** SUBJECT HERE ***");
    add_addresses(out);
    for (size_t i = 0; i < total; i++) ascii &= plain(git_commit_message(commits[i])) && plain(git_commit_author(commits[i])->name);
    if (!ascii) g_text_adds(out, mime);
    g_text_addc(out, '\n');
    add_cover(out, commits, total, commit_before(commits, total));
    add_end(out);
}

static void add_mail(g_text *out, git_commit *commit, size_t i, size_t total) {
    const git_signature *author = git_commit_author(commit);
    const char *message = git_commit_message(commit), *body;
    git_commit *parent = NULL;
    date_style rfc_date = {DATE_RFC, false, NULL};
    char *subject = subject_of(message);
    g_text diff = {0};
    if (signoff) {
        git_signature *who = committer_now();
        g_text line = {0};
        g_text_addf(&line, "Signed-off-by: %s <%s>", who->name, who->email);
        message = with_trailer(g_copy_string(message), line.s);
    }
    body = strstr(message, "\n\n");
    add_first_line(out, commit);
    add_thread(out, threading, full_id(git_commit_id(commit)), i, cover, in_reply);
    git_signature *me = from ? (*from ? ident_parse(from) : committer_now()) : NULL;
    bool other = me && (strcmp(me->name, author->name) != 0 || strcmp(me->email, author->email) != 0);
    add_from(out, me ? me : author);
    g_text_adds(out, "Date: ");
    add_date(out, &author->when, &rfc_date);
    g_text_addc(out, '\n');
    add_subject(out, prefix_of(i, total), subject);
    add_addresses(out);
    if (!plain(body ? body : "") || (other && !plain(author->name)))
        g_text_adds(out, mime);
    g_text_addc(out, '\n');
    if (other) g_text_addf(out, "From: %s <%s>\n\n", author->name, author->email);
    if (body) {
        while (*body == '\n') body++;
        size_t len = strlen(body);
        while (len && body[len - 1] == '\n') len--;
        g_text_add(out, body, len);
        if (len) g_text_addc(out, '\n');
    }
    if (git_commit_parentcount(commit)) check(git_commit_parent(&parent, commit, 0));
    git_diff *d = diff_trees(parent ? tree_of(parent) : NULL, tree_of(commit));
    if (!no_stat && !(diffs.format & DIFF_NONE)) {
        g_text_adds(out, "---\n");
        diff_write(&diff, d, DIFF_STAT | DIFF_SUMMARY);
        g_text_add(out, diff.s ? diff.s : "", diff.len);
        diff.len = 0;
    }
    g_text_addc(out, '\n');
    diff_write(&diff, d, DIFF_PATCH);
    g_text_add(out, diff.s ? diff.s : "", diff.len);
    add_end(out);
    g_text_free(&diff);
    git_diff_free(d);
}

/* One mail, to where mails go. */
static void put_mail(g_text *mail, const char *subject, size_t number, bool last) {
    if (to_stdout) {
        g_out(mail->s, mail->len);
        if (!last) g_outc('\n');
    } else {
        char *name = file_name(subject, number), *path = directory ? g_join(directory, name) : name;
        write_file(path, mail->s, mail->len);
        if (!quiet) g_outf("%s\n", path);
    }
    g_text_free(mail);
}

int cmd_format_patch(int argc, char **argv) {
    diff_defaults();
    diffs.color = COLOR_NEVER;
    revs_defaults();
    pretty_defaults();
    diffs.stat_width = 72;
    int n = options(argc, argv, table, "git format-patch [<options>] [<since> | <revision-range>]", KEEP_DASHDASH | UNRECOGNIZED | NUMBERS), names = 0;
    if (attach) die("git format-patch --attach is not there");
    if (thread && *thread && strcmp(thread, "deep") != 0 && strcmp(thread, "shallow") != 0) g_exit(129);
    if (thread) threading = strcmp(thread, "deep") == 0 ? THREAD_DEEP : THREAD_SHALLOW;
    if (numbered && keep_subject) die("options '%s' and '%s' cannot be used together", "-n", "-k");
    if (!no_binary) diffs.binary = 1;
    while (names < n && strcmp(argv[names], "--") != 0 && object_named(argv[names])) names++;
    git_object *since = names == 1 && revs.max < 0 && !root ? object_named(argv[0]) : NULL;
    if (since) {
        g_text spec = {0};
        g_text_addf(&spec, "%s..HEAD", argv[0]);
        argv[0] = spec.s;
    }
    revs_operands(n, argv, root || revs.max >= 0 ? "HEAD" : "HEAD..HEAD");
    revs.no_merges = 1;
    revs_start();
    rev_list list = revs_all();
    if (directory && !to_stdout && mkdir(directory, 0777) < 0 && errno != EEXIST) die("could not create directory '%s': %s", directory, strerror(errno));
    size_t total = list.count;
    git_commit **commits = g_zalloc((total + 1) * sizeof *commits);
    for (size_t i = 0; i < total; i++) {
        rev *r = list.items[revs.reverse ? i : total - 1 - i];
        rev_parse(r);
        commits[i] = r->commit;
    }
    if (base && total) base_text = base_lines(base, commits, total);
    if (cover && total) {
        g_text letter = {0};
        add_letter(&letter, commits, total);
        put_mail(&letter, numbered_files ? "" : "cover-letter", 0, true);
    }
    for (size_t i = 0; i < total; i++) {
        g_text mail = {0};
        add_mail(&mail, commits[i], i + (size_t)start, total);
        put_mail(&mail, subject_of(git_commit_message(commits[i])), i + (size_t)start, i + 1 == total);
    }
    free(commits);
    return 0;
}
