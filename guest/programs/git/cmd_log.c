/*
 * cmd_log.c: git log, show and whatchanged: commits with their differences.
 */
#include "diff_combined.h"
#include "line_log.h"
#include "notes.h"
#include "revs.h"

#include <strings.h>

static int graph, full_diff;
static const char *line_prefix;
static bool quiet; /* no patch that was not asked for */
static bool notes_given, pretty_given;
static const char *pretty_text;

static void format(const option *o, const char *argument, bool unset) {
    if (unset) return;
    pretty_given = true;
    pretty_text = argument;
    pretty_named(argument ? argument : "medium");
    (void)o;
}

static void one_line(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
    pretty_given = true;
    pretty.kind = PRETTY_ONELINE;
    pretty.abbreviate = true;
}

static void decorate(const option *o, const char *argument, bool unset) {
    (void)o;
    static const char *const known[] = {"no", "auto", "short", "full", "yes", "true", "false"};
    bool fits = !argument;
    for (size_t i = 0; argument && i < sizeof known / sizeof *known; i++) fits |= strcmp(argument, known[i]) == 0;
    if (!fits) die("invalid --decorate option: %s", argument);
    if (argument && strcmp(argument, "false") == 0) argument = "no";
    pretty.decorate = unset || (argument && (strcmp(argument, "no") == 0 || strcmp(argument, "auto") == 0)) ? 0
                      : argument && strcmp(argument, "full") == 0                                           ? 2
                                                                                                            : 1;
}

static void date(const option *o, const char *argument, bool unset) {
    (void)unset;
    pretty.date = date_style_named(o->number ? "relative" : argument);
}

static void abbrev_commit(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    pretty.abbreviate = !unset;
}

static void abbrev(const option *o, const char *argument, bool unset) {
    (void)o;
    pretty.abbrev = unset ? OID_HEX : argument ? atoi(argument) : 0;
    diffs.abbrev = pretty.abbrev;
}

static bool combined; /* -c and --cc say what is shown, too */

static void merges(const option *o, const char *argument, bool unset) {
    (void)argument, (void)unset;
    if (!o->number) {
        quiet = true;
        return;
    }
    diffs.merges = o->number;
    if (o->number != MERGES_EACH) combined = true;
}

static void ignored(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
}


static void notes(const option *o, const char *argument, bool unset) {
    (void)o;
    notes_given = true;
    if (unset) notes_hide();
    else notes_show(argument);
}

/* Notes are shown where no form of the commits was asked for, or where the form has them. */
static void settle_options(void) {
    line_prefix = diffs.line_prefix;
    diffs.line_prefix = NULL; /* the lines get it with all others */
    bool in_format = pretty.kind == PRETTY_FORMAT && strstr(pretty.format, "%N");
    if (!notes_given && (!pretty_given || in_format)) notes_show(NULL);
}

static int source, log_size;
static string_list line_ranges;

static void clear_decorations(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument, (void)unset;
    decorate_refs.count = decorate_not.count = 0;
}

static void not_there(const option *o, const char *argument, bool unset) {
    (void)argument;
    if (!unset) die("--%s is not there", o->name);
}

static void mailmap(const option *o, const char *argument, bool unset) {
    (void)o, (void)argument;
    use_mailmap = !unset;
}

static void encoding(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    if (strcasecmp(argument, "utf-8") != 0 && strcasecmp(argument, "utf8") != 0 && strcasecmp(argument, "none") != 0 && *argument)
        die("--encoding=%s is not there: what git prints is UTF-8", argument);
}

static void expand_tabs(const option *o, const char *argument, bool unset) {
    (void)o;
    pretty.tabs = unset ? 0 : argument ? atoi(argument) : 8;
}

static void diff_merges(const option *o, const char *argument, bool unset) {
    static const struct { const char *name; int how; } names[] = {
        {"off", 0}, {"none", 0}, {"on", MERGES_EACH}, {"m", MERGES_EACH}, {"separate", MERGES_EACH}, {"c", MERGES_COMBINED},
        {"combined", MERGES_COMBINED}, {"cc", MERGES_DENSE}, {"dense-combined", MERGES_DENSE}, {"first-parent", MERGES_FIRST}, {"1", MERGES_FIRST}};
    (void)o, (void)unset;
    if (!argument) argument = "off";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, argument) == 0) {
            diffs.merges = names[i].how;
            if (names[i].how >= MERGES_COMBINED && names[i].how != MERGES_FIRST) combined = true;
            return;
        }
    if (strcmp(argument, "remerge") == 0 || strcmp(argument, "r") == 0) die("--diff-merges=remerge is not there");
    die("invalid value for '--diff-merges': '%s'", argument);
}
static const option table[] = {
    {OPT_CALL_MAYBE, 0, "pretty", NULL, "format", NULL, 0, NULL, format, 0},
    {OPT_CALL, 0, "format", NULL, "format", NULL, 0, NULL, format, 0},
    {OPT_CALL_NONE, 0, "oneline", NULL, NULL, NULL, 0, NULL, one_line, 0},
    {OPT_CALL_MAYBE, 0, "decorate", NULL, "...", "decorate options", 0, NULL, decorate, 0},
    {OPT_LIST, 0, "decorate-refs", &decorate_refs, "pattern", "only decorate refs that match <pattern>", 0, NULL, NULL, 0},
    {OPT_LIST, 0, "decorate-refs-exclude", &decorate_not, "pattern", "do not decorate refs that match <pattern>", 0, NULL, NULL, 0},
    {OPT_CALL_NONE, 0, "clear-decorations", NULL, NULL, "clear all previously-defined decoration filters", 0, NULL, clear_decorations, 0},
    {OPT_CALL, 0, "diff-merges", NULL, "style", NULL, 0, NULL, diff_merges, 0},
    {OPT_CALL_NONE, 0, "no-diff-merges", NULL, NULL, NULL, 0, NULL, diff_merges, 0},
    {OPT_CALL_NONE, 0, "remerge-diff", NULL, NULL, NULL, 0, NULL, not_there, 0},
    {OPT_LIST, 'L', NULL, &line_ranges, "range:file", "trace the evolution of line range <start>,<end> or function :<funcname> in <file>", 0, NULL, NULL, 0},
    {OPT_CALL, 0, "encoding", NULL, "encoding", NULL, 0, NULL, encoding, 0},
    {OPT_FLAG, 0, "log-size", &log_size, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_CALL_MAYBE, 0, "expand-tabs", NULL, "n", NULL, 0, NULL, expand_tabs, 0},
    {OPT_CALL, 0, "date", NULL, "format", NULL, 0, NULL, date, 0},
    {OPT_CALL_NONE, 0, "relative-date", NULL, NULL, NULL, 1, NULL, date, 0},
    {OPT_CALL_NONE, 0, "abbrev-commit", NULL, NULL, NULL, 0, NULL, abbrev_commit, 0},
    {OPT_CALL_MAYBE, 0, "abbrev", NULL, "n", NULL, 0, NULL, abbrev, 0},
    {OPT_FLAG, 0, "graph", &graph, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "source", &source, NULL, "show source", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "follow", &revs.follow, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "full-diff", &full_diff, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_CALL_NONE, 'm', NULL, NULL, NULL, NULL, MERGES_EACH, NULL, merges, 0},
    {OPT_CALL_NONE, 'c', NULL, NULL, NULL, NULL, MERGES_COMBINED, NULL, merges, 0},
    {OPT_CALL_NONE, 0, "cc", NULL, NULL, NULL, MERGES_DENSE, NULL, merges, 0},
    {OPT_CALL_NONE, 'q', NULL, NULL, NULL, NULL, 0, NULL, merges, 0},
    {OPT_CALL_NONE, 0, "root", NULL, NULL, NULL, 0, NULL, ignored, 0},
    {OPT_CALL_NONE, 'r', NULL, NULL, NULL, NULL, 0, NULL, ignored, 0},
    {OPT_CALL_NONE, 't', NULL, NULL, NULL, NULL, 0, NULL, ignored, 0},
    {OPT_CALL_MAYBE, 0, "notes", NULL, "ref", NULL, 0, NULL, notes, 0},
    {OPT_CALL_MAYBE, 0, "show-notes", NULL, "ref", NULL, 0, NULL, notes, 0},
    {OPT_CALL_NONE, 0, "standard-notes", NULL, NULL, NULL, 0, NULL, notes, 0},
    {OPT_CALL_NONE, 0, "show-signature", NULL, NULL, NULL, 0, NULL, ignored, 0},
    {OPT_CALL_NONE, 0, "use-mailmap", NULL, NULL, "use mail map file", 0, NULL, mailmap, 0},
    {OPT_CALL_NONE, 0, "mailmap", NULL, NULL, NULL, 0, NULL, mailmap, 0},
    {OPT_TABLE, 0, NULL, (void *)rev_option_table, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_TABLE, 0, NULL, (void *)diff_option_table, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git log [<options>] [<revision-range>] [[--] <path>...]\n"
                            "git show [<options>] <object>...";

/* The path that a followed file had before this commit, when it was renamed by it. */
static void follow(git_diff *diff) {
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (d->status != GIT_DELTA_RENAMED || strcmp(d->new_file.path, diffs.paths.items[0].pattern) != 0) continue;
        diffs.paths.items[0].pattern = g_copy_string(d->old_file.path);
        diffs.paths.items[0].plain = strlen(d->old_file.path);
        return;
    }
}

static git_diff *difference(rev *r, unsigned parent) {
    git_tree *new_ = tree_of(r->commit), *old = NULL;
    git_commit *commit;
    if (parent < git_commit_parentcount(r->commit)) {
        check(git_commit_parent(&commit, r->commit, parent));
        old = tree_of(commit);
    }
    if (!revs.follow) return diff_trees(old, new_);
    /* all paths, so that renames show; then the one that is followed */
    pathspec limited = diffs.paths;
    diffs.paths.count = 0;
    git_diff *diff = diff_trees(old, new_);
    diffs.paths = limited;
    return diff;
}

static bool follows(git_diff *diff) {
    bool found = false;
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        found |= strcmp(d->new_file.path, diffs.paths.items[0].pattern) == 0 ||
                 (d->status == GIT_DELTA_DELETED && strcmp(d->old_file.path, diffs.paths.items[0].pattern) == 0);
    }
    return found;
}

static g_text out;
static int shown;

static void flush(void) {
    diff_prefix_lines(&out, 0, line_prefix);
    g_out(out.s ? out.s : "", out.len);
    out.len = 0;
}

enum { STATISTICS = DIFF_STAT | DIFF_SHORTSTAT | DIFF_NUMSTAT | DIFF_SUMMARY };

/* A merge: statistics against its first parent, all else beside all parents at once. */
static bool is_combined(const rev *r) {
    return git_commit_parentcount(r->commit) > 1 && diffs.merges >= MERGES_COMBINED && diffs.merges != MERGES_FIRST && !revs.first_parent;
}

static bool format_is_empty(void) { return pretty.kind == PRETTY_FORMAT && !*pretty.format; }

static void add_difference(g_text *body, const rev *r, git_diff *diff) {
    g_text text = {0};
    bool beside_all = is_combined(r);
    diff_write(&text, diff, beside_all ? diffs.format & STATISTICS : diffs.format);
    if (beside_all) diff_write_merge(&text, r->commit, diffs.merges == MERGES_DENSE);
    if (!text.len && !beside_all) return;
    bool dashes = (diffs.format & DIFF_PATCH) && (diffs.format & DIFF_STAT) && !beside_all;
    if ((pretty.kind != PRETTY_ONELINE || beside_all) && !format_is_empty()) g_text_adds(body, dashes ? "---\n" : "\n");
    g_text_add(body, text.s, text.len);
    g_text_free(&text);
}

/* A commit's text and, behind its first `message` bytes, its difference. */
static void add_body(g_text *body, size_t message) {
    if (!graph) {
        g_text_add(&out, body->s, body->len);
        return;
    }
    if (pretty.kind == PRETTY_FORMAT && !pretty.terminated) g_text_addc(body, '\n');
    bool line_ended = message && body->s[message - 1] == '\n';
    if (!line_ended) message = body->len;
    graph_text(&out, body->s, message);
    if (body->len > message) graph_pending(&out);
    graph_text(&out, body->s + message, body->len - message);
    graph_rest(&out);
}

/* With -L: the commit and what it did to the lines. */
static void show_lines(rev *r) {
    g_text body = {0};
    bool separated = pretty.kind == PRETTY_ONELINE || pretty.kind == PRETTY_REFERENCE || (pretty.kind == PRETTY_FORMAT && pretty.terminated);
    rev_parse(r);
    if (shown++ && !separated) {
        if (graph) graph_gap(&out, r);
        else g_text_addc(&out, '\n');
    }
    if (graph) graph_commit(&out, r);
    pretty_commit(&body, r, graph ? "" : rev_mark(r));
    if (pretty.kind == PRETTY_FORMAT && pretty.terminated && !format_is_empty()) g_text_addc(&body, '\n');
    size_t message = body.len;
    if (!(diffs.format & DIFF_NONE)) line_log_write(&body, r);
    add_body(&body, message);
    g_text_free(&body);
    flush();
}

/* The lines are those of the one commit that the walk starts from. */
static void start_lines(void) {
    rev *tip = NULL;
    if (diffs.format & ~(DIFF_PATCH | DIFF_NONE)) die("-L does not yet support diff formats besides -p and -s");
    if (diffs.paths.count) die("-L<range>:<file> cannot be used with pathspec");
    for (size_t i = 0; i < revs.tips.count; i++) {
        if (revs.tips.items[i]->bad) continue;
        if (tip) die("More than one commit to dig from: %s and %s?", revs.tips.items[i]->source, tip->source);
        tip = revs.tips.items[i];
    }
    if (!tip) die("No commit specified?");
    rev_parse(tip);
    line_log_start(&line_ranges, tip->commit);
    revs_narrow = line_log_narrow;
    revs.rewrite = 1;
}

static void show_commit(rev *r) {
    g_text body = {0};
    rev_parse(r);
    unsigned parents = git_commit_parentcount(r->commit), sides = 1;
    git_diff *diff = NULL;
    bool wants = (diffs.format && !(diffs.format & DIFF_NONE)) || diffs.pickaxe || diffs.filter || revs.follow || diffs.find_object;
    int format_ = diffs.format;
    if (parents > 1 && !diffs.merges && !revs.first_parent) {
        if (diffs.pickaxe || diffs.filter || revs.follow || diffs.find_object) return;
        wants = false;
    }
    if (wants) {
        diff = difference(r, 0);
        if ((revs.follow && !follows(diff)) || ((diffs.pickaxe || diffs.filter || diffs.find_object) && !diff_any(diff))) {
            diffs.format = format_;
            return;
        }
    }
    if (wants && diffs.merges == MERGES_EACH && parents > 1) sides = parents;
    for (unsigned side = 0; side < sides; side++) {
        bool separated = pretty.kind == PRETTY_ONELINE || (pretty.kind == PRETTY_FORMAT && pretty.terminated) ||
                         pretty.kind == PRETTY_REFERENCE;
        if (shown++ && !separated) {
            if (graph) graph_gap(&out, r);
            else g_text_addc(&out, '\n');
        }
        if (side) diff = difference(r, side);
        pretty.from = sides > 1 ? git_commit_parent_id(r->commit, side) : NULL;
        if (graph) graph_commit(&out, r);
        body.len = 0;
        pretty_commit(&body, r, graph ? "" : rev_mark(r));
        if (pretty.kind == PRETTY_FORMAT && pretty.terminated && !format_is_empty()) g_text_addc(&body, diffs.null ? '\0' : '\n');
        size_t message = body.len;
        if (wants && diff && (diffs.format & ~DIFF_NONE) && !(diffs.format & DIFF_NONE)) {
            diffs.only = revs.follow ? diffs.paths.items[0].pattern : NULL;
            add_difference(&body, r, diff);
            diffs.only = NULL;
        }
        add_body(&body, message);
    }
    g_text_free(&body);
    diffs.format = format_;
    if (revs.follow && diff) follow(diff);
    git_diff_free(diff);
    flush();
}

static void reflog_walk(int count, char **operands) {
    const char *name = count ? operands[0] : "HEAD";
    char full[1000];
    git_reflog *log;
    git_reference *ref;
    snprintf(full, sizeof full, "%s", name);
    if (strcmp(name, "HEAD") != 0 && git_reference_dwim(&ref, repo, name) == 0) snprintf(full, sizeof full, "%s", git_reference_name(ref));
    else if (strcmp(name, "HEAD") != 0) die_unknown_revision(name);
    check(git_reflog_read(&log, repo, full));
    size_t entries = git_reflog_entrycount(log);
    for (size_t i = 0; i < entries && revs.max != 0; i++) {
        char selector[1100];
        if (revs.skip-- > 0) continue;
        reflog_entry = git_reflog_entry_byindex(log, i);
        snprintf(selector, sizeof selector, "%s@{%zu}", name, i);
        if (pretty.date.mode != DATE_DEFAULT) {
            g_text when = {0};
            add_date(&when, &git_reflog_entry_committer(reflog_entry)->when, &pretty.date);
            snprintf(selector, sizeof selector, "%s@{%s}", name, when.s);
        }
        reflog_selector = selector;
        reflog_subject = git_reflog_entry_message(reflog_entry) ? git_reflog_entry_message(reflog_entry) : "";
        rev *r = rev_of(git_reflog_entry_id_new(reflog_entry));
        rev_parse(r);
        show_commit(r);
        if (revs.max > 0) revs.max--;
    }
}

static void prepare(void) {
    diff_defaults();
    revs_defaults();
    pretty_defaults();
    if (config_bool("log.abbrevcommit", false)) pretty.abbreviate = true;
    char *decorate_ = config_string("log.decorate");
    if (decorate_ && strcmp(decorate_, "auto") != 0 && strcmp(decorate_, "no") != 0 && strcmp(decorate_, "false") != 0)
        pretty.decorate = strcmp(decorate_, "full") == 0 ? 2 : 1;
}

int cmd_log(int argc, char **argv) {
    prepare();
    int count = options(argc, argv, table, usage, KEEP_DASHDASH | UNRECOGNIZED | NUMBERS);
    pretty.source = source;
    settle_options();
    if (strcmp(argv[0] ? command : "", "whatchanged") == 0 && !diffs.format) diffs.format = DIFF_RAW;
    if (strcmp(command, "reflog") == 0) revs.reflog = 1;
    if (revs.reflog) {
        reflog_walk(count, argv);
        return 0;
    }
    revs_operands(count, argv, "HEAD");
    if (!revs.follow && diffs.paths.count == 1 && config_bool("log.follow", false) && !strpbrk(diffs.paths.items[0].pattern, "*?["))
        revs.follow = 1;
    if (revs.follow && diffs.paths.count != 1) die("--follow requires exactly one pathspec");
    if (combined && !diffs.format) diffs.format = DIFF_PATCH;
    if (graph) {
        if (revs.reverse) die("options '--reverse' and '--graph' cannot be used together");
        if (!revs.order) revs.order = ORDER_GRAPH;
        revs.rewrite = 1;
        graph_start();
    }
    if (revs.parents) revs.rewrite = 1;
    if (line_ranges.count) start_lines();
    revs_start();
    pathspec whole = diffs.paths;
    for (rev *r; (r = revs_next()) != NULL;) {
        if (full_diff) diffs.paths.count = 0;
        if (line_ranges.count) show_lines(r);
        else show_commit(r);
        if (full_diff) diffs.paths = whole;
        out_wait(false);
    }
    return 0;
}

int cmd_whatchanged(int argc, char **argv) {
    return cmd_log(argc, argv);
}

static void show_tag(git_tag *tag) {
    const git_signature *who = git_tag_tagger(tag);
    g_text_addf(&out, "%stag %s\n", shown ? "\n" : "", git_tag_name(tag));
    if (who) {
        g_text_adds(&out, "Tagger: ");
        add_person(&out, who);
        g_text_adds(&out, "\nDate:   ");
        add_date(&out, &who->when, &pretty.date);
        g_text_addc(&out, '\n');
    }
    g_text_addf(&out, "\n%s", git_tag_message(tag) ? git_tag_message(tag) : "");
    shown++;
}

static void show_tree(git_tree *tree, const char *name) {
    g_text_addf(&out, "%stree %s\n\n", shown ? "\n" : "", name);
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *e = git_tree_entry_byindex(tree, i);
        g_text_addf(&out, "%s%s\n", git_tree_entry_name(e), git_tree_entry_type(e) == GIT_OBJECT_TREE ? "/" : "");
    }
    shown++;
}

static void show_object(git_object *object, const char *name) {
    git_object *target;
    switch (git_object_type(object)) {
    case GIT_OBJECT_COMMIT: {
        rev *r = rev_of(git_object_id(object));
        rev_parse(r);
        show_commit(r);
        return;
    }
    case GIT_OBJECT_TAG:
        show_tag((git_tag *)object);
        flush();
        if (git_tag_target(&target, (git_tag *)object) == 0) show_object(target, name);
        return;
    case GIT_OBJECT_TREE: show_tree((git_tree *)object, name); break;
    default:
        g_text_add(&out, git_blob_rawcontent((git_blob *)object), (size_t)git_blob_rawsize((git_blob *)object));
        break;
    }
    flush();
}

int cmd_show(int argc, char **argv) {
    prepare();
    int count = options(argc, argv, table, usage, KEEP_DASHDASH | UNRECOGNIZED | NUMBERS), objects = 0;
    bool range = false;
    settle_options();
    if (!diffs.format) diffs.format = quiet ? DIFF_NONE : DIFF_PATCH;
    if (!diffs.merges) diffs.merges = MERGES_DENSE;
    for (; objects < count && strcmp(argv[objects], "--") != 0; objects++) {
        if (!object_named(argv[objects]) && !(range |= revs_add(argv[objects], false))) {
            if (file_exists(argv[objects])) break;
            const char *colon = strchr(argv[objects], ':');
            char *rev_name = colon ? g_copy_bytes(argv[objects], (size_t)(colon - argv[objects])) : NULL;
            if (colon && *rev_name && object_named(rev_name))
                die("path '%s' does not exist in '%s'", colon + 1, rev_name);
            die_unknown_revision(argv[objects]);
        }
    }
    int skip = objects + (objects < count && strcmp(argv[objects], "--") == 0);
    pathspec_parse(&diffs.paths, count - skip, argv + skip);
    if (range) {
        revs_start();
        for (rev *r; (r = revs_next()) != NULL; out_wait(false)) show_commit(r);
    } else if (!objects) {
        git_object *head = object_named("HEAD");
        char *branch = current_branch();
        if (!head) die("your current branch '%s' does not have any commits yet", branch ? branch : "HEAD");
        show_object(head, "HEAD");
    }
    for (int i = 0; i < objects && !range; i++) show_object(object_named(argv[i]), argv[i]);
    return 0;
}
