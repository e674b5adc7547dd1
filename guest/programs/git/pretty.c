/*
 * pretty.c: a commit as text: git's named formats. Those of --format=… are in pretty_format.c.
 */
#include "color.h"
#include "diff_color.h"
#include "notes.h"
#include "revs.h"

pretty_opts pretty;

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);

void pretty_defaults(void) {
    char *date = config_string("log.date"), *format = config_string("format.pretty");
    memset(&pretty, 0, sizeof pretty);
    pretty.tabs = -1;
    if (date) pretty.date = date_style_named(date);
    if (format) pretty_named(format);
}

void pretty_named(const char *name) {
    static const struct { const char *name; enum pretty kind; } names[] = {
        {"medium", PRETTY_MEDIUM}, {"oneline", PRETTY_ONELINE}, {"short", PRETTY_SHORT},
        {"full", PRETTY_FULL}, {"fuller", PRETTY_FULLER}, {"raw", PRETTY_RAW},
        {"email", PRETTY_EMAIL}, {"mboxrd", PRETTY_MBOXRD}, {"reference", PRETTY_REFERENCE},
    };
    bool format = strncmp(name, "format:", 7) == 0, tformat = strncmp(name, "tformat:", 8) == 0;
    if (format || tformat || strchr(name, '%') || !*name) {
        pretty.kind = PRETTY_FORMAT;
        pretty.format = format ? name + 7 : tformat ? name + 8 : name;
        pretty.terminated = !format;
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(names[i].name, name, strlen(name)) != 0) continue;
        pretty.kind = names[i].kind;
        if (pretty.kind == PRETTY_REFERENCE && pretty.date.mode == DATE_DEFAULT) pretty.date.mode = DATE_SHORT;
        return;
    }
    char key[200];
    snprintf(key, sizeof key, "pretty.%s", name);
    char *own = config_string(key);
    if (!own) die("invalid --pretty format: %s", name);
    pretty_named(own);
}

void add_person(g_text *out, const git_signature *who) {
    git_signature *real = mapped(who);
    g_text_addf(out, "%s <%s>", real->name, real->email);
    git_signature_free(real);
}

bool use_mailmap = true;

git_signature *mapped(const git_signature *who) {
    static git_mailmap *map;
    static bool loaded;
    git_signature *real = NULL;
    if (!loaded && use_mailmap && config_bool("log.mailmap", true) && git_mailmap_from_repository(&map, repo) < 0) map = NULL;
    loaded = true;
    if (map && use_mailmap && git_mailmap_resolve_signature(&real, map, who) == 0) return real;
    check(git_signature_dup(&real, who));
    return real;
}

/* ---- names of commits, for decorations */

typedef struct {
    git_oid id;
    const char *name;
    int order; /* tags, branches, remotes in the order in which git shows them */
} decoration;
static decoration *decorations;
static size_t decoration_count, decoration_cap;

string_list decorate_refs, decorate_not;

static bool matches_ref(const char *pattern, const char *name) {
    size_t len = strlen(pattern);
    const char *inner = strncmp(name, "refs/", 5) == 0 ? strchr(name + 5, '/') : NULL;
    if (strpbrk(pattern, "*?[")) return wildmatch(pattern, name, 0) == 0 || (inner && wildmatch(pattern, inner + 1, 0) == 0);
    return (strncmp(name, pattern, len) == 0 && (!name[len] || name[len] == '/' || (len && pattern[len - 1] == '/'))) ||
           (inner && strncmp(inner + 1, pattern, len) == 0 && (!inner[1 + len] || inner[1 + len] == '/'));
}

static bool decoration_wanted(const char *name) {
    for (int i = 0; i < decorate_not.count; i++)
        if (matches_ref(decorate_not.items[i], name)) return false;
    for (int i = 0; i < decorate_refs.count; i++)
        if (matches_ref(decorate_refs.items[i], name)) return true;
    return !decorate_refs.count;
}

static int add_ref(const char *name, void *payload) {
    git_object *object, *commit;
    (void)payload;
    if (!decoration_wanted(name)) return 0;
    if (strncmp(name, "refs/heads/", 11) != 0 && strncmp(name, "refs/tags/", 10) != 0 &&
        strncmp(name, "refs/remotes/", 13) != 0 && strcmp(name, "refs/stash") != 0)
        return 0;
    if (git_revparse_single(&object, repo, name) < 0) return 0;
    if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) return 0;
    if (decoration_count == decoration_cap)
        decorations = g_more(decorations, &decoration_cap, sizeof *decorations);
    decorations[decoration_count++] = (decoration){*git_object_id(commit), g_copy_string(name), 0};
    return 0;
}

static char *head;
static git_oid head_id;
static bool have_head;

static int by_name(const void *a, const void *b) {
    return strcmp(((const decoration *)a)->name, ((const decoration *)b)->name);
}

static void load_decorations(void) {
    static bool loaded;
    if (loaded) return;
    loaded = true;
    git_reference_foreach_name(repo, add_ref, NULL);
    if (decoration_count) qsort(decorations, decoration_count, sizeof *decorations, by_name);
    head = head_target();
    have_head = decoration_wanted("HEAD") && git_reference_name_to_id(&head_id, repo, "HEAD") == 0;
    if (head && !decoration_wanted(head)) head = NULL;
}

bool has_decoration(const git_oid *id) {
    load_decorations();
    for (size_t i = 0; i < decoration_count; i++)
        if (git_oid_equal(&decorations[i].id, id)) return true;
    return false;
}

static const char *shown_name(const char *full) {
    if (pretty.decorate == 2) return full;
    if (strncmp(full, "refs/heads/", 11) == 0) return full + 11;
    if (strncmp(full, "refs/remotes/", 13) == 0) return full + 13;
    if (strncmp(full, "refs/tags/", 10) == 0) return full + 10;
    return full;
}

/* Formats have colours only where they ask for them. */
static bool decorations_colored(void) { return pretty.kind == PRETTY_FORMAT ? pretty.auto_color : diff_colored(); }

static void add_piece(g_text *out, const char *code, const char *text, const char *reset) {
    if (*text) g_text_addf(out, "%s%s%s", code, text, reset);
}

void add_decoration(g_text *out, const git_oid *id, bool parentheses) {
    bool first = true;
    load_decorations();
    bool at_head = have_head && git_oid_equal(&head_id, id), wanted = decorations_colored();
    const char *commit = wanted ? diff_code(PART_COMMIT) : "", *reset = wanted ? COLOR_RESET : "";
    if (at_head) {
        add_piece(out, commit, parentheses ? " (" : "", reset);
        add_piece(out, color_of(wanted, "decorate.HEAD", "bold cyan"), head ? "HEAD -> " : "HEAD", reset);
        if (head) add_piece(out, color_of(wanted, "decorate.branch", "bold green"), shown_name(head), reset);
        first = false;
    }
    /* tags, then branches of remotes and here, each from the end of the alphabet as git lists them */
    static const struct { const char *begin, *slot, *otherwise; } groups[] = {
        {"refs/tags/", "decorate.tag", "bold yellow"}, {"refs/remotes/", "decorate.remoteBranch", "bold red"},
        {"refs/heads/", "decorate.branch", "bold green"}, {"refs/stash", "decorate.stash", "bold magenta"}};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t i = decoration_count; i-- > 0;) {
            const decoration *d = &decorations[i];
            if (strncmp(d->name, groups[g].begin, strlen(groups[g].begin)) != 0 || !git_oid_equal(&d->id, id)) continue;
            if (at_head && head && strcmp(d->name, head) == 0) continue;
            g_text name = {0};
            g_text_addf(&name, "%s%s", g == 0 ? "tag: " : "", shown_name(d->name));
            add_piece(out, commit, first ? (parentheses ? " (" : "") : ", ", reset);
            add_piece(out, color_of(wanted, groups[g].slot, groups[g].otherwise), name.s, reset);
            g_text_free(&name);
            first = false;
        }
    if (!first && parentheses) add_piece(out, commit, ")", reset);
}

/* ---- the formats */

/* Tabs become spaces in the forms that are indented. */
static void add_expanded(g_text *out, const char *line, size_t len) {
    bool by_default = pretty.kind == PRETTY_MEDIUM || pretty.kind == PRETTY_FULL || pretty.kind == PRETTY_FULLER;
    size_t tabs = pretty.tabs >= 0 ? (size_t)pretty.tabs : by_default ? 8 : 0, from = out->len;
    for (size_t i = 0; i < len; i++) {
        size_t width = g_text_width(out->s ? out->s + from : "", out->len - from);
        if (line[i] != '\t' || !tabs) g_text_addc(out, line[i]);
        else for (size_t n = tabs - width % tabs; n > 0; n--) g_text_addc(out, ' ');
    }
}

static void add_indented(g_text *out, const char *message, bool email) {
    while (*message == '\n') message++;
    size_t end = strlen(message);
    while (end && (message[end - 1] == '\n' || message[end - 1] == ' ')) end--;
    for (size_t at = 0; at < end;) {
        size_t len = strcspn(message + at, "\n");
        if (at + len > end) len = end - at;
        size_t used = len;
        while (used && strchr(" \t\r", message[at + used - 1])) used--;
        if (!used) g_text_adds(out, email ? "\n" : "    \n");
        else {
            g_text_adds(out, email ? "" : "    ");
            add_expanded(out, message + at, used);
            g_text_addc(out, '\n');
        }
        at += len + 1;
    }
}

/* As git has it: an empty line within the message keeps its indentation. */
static void add_date_line(g_text *out, const char *title, const git_time *when, const date_style *style) {
    g_text_adds(out, title);
    add_date(out, when, style);
    g_text_addc(out, '\n');
}

static const char *name_of(const rev *r) {
    if (!pretty.abbreviate) return full_id(&r->id);
    return pretty.abbrev ? abbreviated(&r->id, pretty.abbrev) : short_id(&r->id);
}

static void add_origin(g_text *out) {
    if (pretty.from) g_text_addf(out, " (from %s)", pretty.abbreviate ? short_id(pretty.from) : full_id(pretty.from));
}

static void add_people(g_text *out, git_commit *commit) {
    const git_signature *author = git_commit_author(commit), *committer = git_commit_committer(commit);
    bool fuller = pretty.kind == PRETTY_FULLER, full = fuller || pretty.kind == PRETTY_FULL;
    g_text_adds(out, fuller ? "Author:     " : "Author: ");
    add_person(out, author);
    g_text_addc(out, '\n');
    if (fuller) add_date_line(out, "AuthorDate: ", &author->when, &pretty.date);
    if (full) {
        g_text_adds(out, fuller ? "Commit:     " : "Commit: ");
        add_person(out, committer);
        g_text_addc(out, '\n');
    }
    if (fuller) add_date_line(out, "CommitDate: ", &committer->when, &pretty.date);
    if (pretty.kind == PRETTY_MEDIUM) add_date_line(out, "Date:   ", &author->when, &pretty.date);
}

/* As a mail with a patch begins. */
static void add_mail(g_text *out, git_commit *commit) {
    const git_signature *who = git_commit_author(commit);
    const char *message = git_commit_message(commit), *body = strstr(message, "\n\n");
    char *subject = subject_of(message);
    g_text_addf(out, "From %s Mon Sep 17 00:00:00 2001\nFrom: ", full_id(git_commit_id(commit)));
    add_person(out, who);
    g_text_adds(out, "\nDate: ");
    add_date(out, &who->when, &(date_style){DATE_RFC, false, NULL});
    g_text_addf(out, "\nSubject: [PATCH] %s\n\n", subject);
    for (body = body ? body + 2 : ""; *body;) {
        size_t len = strcspn(body, "\n"), used = strspn(body, ">");
        if (pretty.kind == PRETTY_MBOXRD && strncmp(body + used, "From ", 5) == 0) g_text_addc(out, '>');
        g_text_addf(out, "%.*s\n", (int)len, body);
        body += len + (body[len] != 0);
    }
    free(subject);
}

static void add_raw(g_text *out, git_commit *commit) {
    g_text_adds(out, git_commit_raw_header(commit));
}

void pretty_commit(g_text *out, rev *r, const char *mark) {
    git_commit *commit = r->commit;
    const char *message = git_commit_message(commit);
    if (pretty.kind == PRETTY_FORMAT) {
        pretty_expand(out, commit, pretty.format);
        return;
    }
    if (pretty.kind == PRETTY_REFERENCE) {
        pretty_expand(out, commit, "%h (%s, %ad)");
        g_text_addc(out, '\n');
        return;
    }
    if (pretty.kind == PRETTY_ONELINE) {
        char *subject = subject_of(message);
        g_text_addf(out, "%s%s%s%s", diff_code(PART_COMMIT), mark, *mark ? " " : "", name_of(r));
        if (revs.parents)
            for (unsigned i = 0; i < r->count; i++)
                g_text_addf(out, " %s", pretty.abbreviate ? short_id(&r->parents[i]->id) : full_id(&r->parents[i]->id));
        if (revs.children) add_children(out, r, pretty.abbreviate);
        add_origin(out);
        g_text_adds(out, diff_reset());
        if (pretty.source && r->source) g_text_addf(out, "\t%s", r->source);
        if (pretty.decorate) add_decoration(out, &r->id, true);
        if (reflog_selector) g_text_addf(out, " %s: %s", reflog_selector, reflog_subject);
        else g_text_addf(out, " %s", subject);
        notes_add(out, &r->id, false); /* they begin with a line end */
        g_text_addc(out, diffs.null ? '\0' : '\n');
        free(subject);
        return;
    }
    if (pretty.kind == PRETTY_EMAIL || pretty.kind == PRETTY_MBOXRD) {
        add_mail(out, commit);
        return;
    }
    g_text_addf(out, "%scommit %s%s%s", diff_code(PART_COMMIT), mark, *mark ? " " : "", name_of(r));
    if (revs.parents)
        for (unsigned i = 0; i < r->count; i++) g_text_addf(out, " %s", full_id(&r->parents[i]->id));
    if (revs.children) add_children(out, r, false);
    add_origin(out);
    g_text_adds(out, diff_reset());
    if (pretty.source && r->source) g_text_addf(out, "\t%s", r->source);
    if (pretty.decorate) add_decoration(out, &r->id, true);
    g_text_addc(out, '\n');
    if (reflog_selector) {
        g_text_addf(out, "Reflog: %s (", reflog_selector);
        if (reflog_entry) add_person(out, git_reflog_entry_committer(reflog_entry));
        g_text_addf(out, ")\nReflog message: %s\n", reflog_subject);
    }
    if (pretty.kind == PRETTY_RAW) {
        add_raw(out, commit);
    } else {
        unsigned parents = git_commit_parentcount(commit);
        if (parents > 1) {
            g_text_adds(out, "Merge:");
            for (unsigned i = 0; i < parents; i++) {
                const git_oid *id = git_commit_parent_id(commit, i);
                g_text_addf(out, " %s", pretty.abbrev ? abbreviated(id, pretty.abbrev) : short_id(id));
            }
            g_text_addc(out, '\n');
        }
        add_people(out, commit);
    }
    g_text_addc(out, '\n');
    if (pretty.kind == PRETTY_SHORT) g_text_addf(out, "    %s\n", subject_of(message));
    else add_indented(out, pretty.kind == PRETTY_RAW ? git_commit_message_raw(commit) : message, false);
    notes_add(out, &r->id, false);
}
