/*
 * cmd_tag.c: git tag and for-each-ref.
 */
#include "color.h"
#include "ref_format.h"
#include "revs.h"

extern int wildmatch(const char *pattern, const char *text, unsigned int flags);

static int list, delete_, annotate, force, lines = -1, sign, verify;
static string_list messages, contains, no_contains, merged, no_merged;
static int color = COLOR_UNSET, ignore_case;
static const char *file, *format, *points_at, *column, *cleanup, *lines_text;

static void add_name(const option *o, const char *argument, bool unset) {
    (void)unset;
    list = 1;
    list_add(o->value, argument ? argument : "HEAD");
}

static void add_sort(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    ref_sort_by(argument);
}

static void set_color(const option *o, const char *argument, bool unset) {
    color = unset ? COLOR_NEVER : color_when(argument, o->name);
}

static const option table[] = {
    {OPT_FLAG, 'l', "list", &list, NULL, "list tag names", 0, NULL, NULL, 0},
    {OPT_MAYBE, 'n', NULL, &lines_text, "n", "print <n> lines of each tag message", 0, "1", NULL, 0},
    {OPT_FLAG, 'd', "delete", &delete_, NULL, "delete tags", 0, NULL, NULL, 0},
    {OPT_FLAG, 'v', "verify", &verify, NULL, "verify tags", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "Tag creation options", 0, NULL, NULL, 0},
    {OPT_FLAG, 'a', "annotate", &annotate, NULL, "annotated tag, needs a message", 0, NULL, NULL, 0},
    {OPT_LIST, 'm', "message", &messages, "message", "tag message", 0, NULL, NULL, 0},
    {OPT_STRING, 'F', "file", &file, "file", "read message from file", 0, NULL, NULL, 0},
    {OPT_FLAG, 's', "sign", &sign, NULL, "annotated and GPG-signed tag", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "cleanup", &cleanup, "mode", "how to strip spaces and #comments from message", 0, NULL, NULL, 0},
    {OPT_FLAG, 'f', "force", &force, NULL, "replace the tag if exists", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "Tag listing options", 0, NULL, NULL, 0},
    {OPT_MAYBE, 0, "column", &column, "style", "show tag list in columns", 0, "", NULL, 0},
    {OPT_CALL_MAYBE, 0, "contains", &contains, "commit", "print only tags that contain the commit", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "no-contains", &no_contains, "commit", "print only tags that don't contain the commit", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "merged", &merged, "commit", "print only tags that are merged", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "no-merged", &no_merged, "commit", "print only tags that are not merged", 0, "last", add_name, 0},
    {OPT_CALL, 0, "sort", NULL, "key", "field name to sort on", 0, NULL, add_sort, 0},
    {OPT_STRING, 0, "points-at", &points_at, "object", "print only tags of the object", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "format", &format, "format", "format to use for the output", 0, NULL, NULL, 0},
    {OPT_CALL_MAYBE, 0, "color", NULL, "when", "respect format colors", 0, NULL, set_color, 0},
    FLAG('i', "ignore-case", ignore_case, "sorting and filtering are case insensitive"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
static const char usage[] = "git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e]\n"
                            "        <tagname> [<commit> | <object>]\n"
                            "git tag -d <tagname>...\n"
                            "git tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>]\n"
                            "        [--points-at <object>] [--column[=<options>] | --no-column]\n"
                            "        [--create-reflog] [--sort=<key>] [--format=<format>]\n"
                            "        [--merged <commit>] [--no-merged <commit>] [<pattern>...]\n"
                            "git tag -v [--format=<format>] <tagname>...";

typedef ref_item row;
static row *rows;
static size_t count, cap;

static git_commit *commit_of_ref(const char *full) { return commit_named(full); }

static bool has(const string_list *names, git_commit *commit, bool within) {
    for (int i = 0; i < names->count; i++) {
        git_commit *other = commit_named(names->items[i]);
        if (!other) die("malformed object name %s", names->items[i]);
        const git_oid *a = git_commit_id(commit), *b = git_commit_id(other);
        if (git_oid_equal(a, b)) continue;
        if (git_graph_descendant_of(repo, within ? b : a, within ? a : b) != 1) return false;
    }
    return true;
}

static void add_row(const char *full, const char *name) {
    git_object *object = object_named(full);
    git_commit *commit = commit_of_ref(full);
    if (!object) return;
    if (commit && (!has(&contains, commit, false) || !has(&merged, commit, true))) return;
    if (commit && no_merged.count && has(&no_merged, commit, true)) return;
    if (commit && no_contains.count && has(&no_contains, commit, false)) return;
    if (!commit && (contains.count || no_contains.count || merged.count || no_merged.count)) return;
    if (points_at) {
        git_object *wanted = object_named(points_at);
        if (!wanted) die("malformed object name '%s'", points_at);
        if (!git_oid_equal(git_object_id(wanted), git_object_id(object)) &&
            !(commit && git_oid_equal(git_object_id(wanted), git_commit_id(commit)))) return;
    }
    if (count == cap) rows = g_more(rows, &cap, sizeof *rows);
    rows[count] = (row){g_copy_string(full), g_copy_string(name), NULL};
    ref_prepare(&rows[count++]);
}

static void show_formatted(const row *r, const char *how) {
    g_text line = {0};
    ref_format(&line, how, r->full, r->name);
    g_out(line.s ? line.s : "", line.len);
    g_outc('\n');
    g_text_free(&line);
}

static int show(int argc, char **argv) {
    git_strarray names;
    ref_sort_configured("tag.sort");
    ref_ignore_case = ignore_case;
    ref_color = color_wanted(color, "tag");
    check(git_tag_list(&names, repo));
    for (size_t i = 0; i < names.count; i++) {
        char full[1000];
        bool hit = !argc;
        for (int k = 0; k < argc; k++) hit |= wildmatch(argv[k], names.strings[i], ignore_case ? 1 : 0) == 0;
        snprintf(full, sizeof full, "refs/tags/%s", names.strings[i]);
        if (hit) add_row(full, names.strings[i]);
    }
    if (count) qsort(rows, count, sizeof *rows, ref_order);
    if (lines_text) lines = atoi(lines_text);
    for (size_t i = 0; i < count; i++) {
        if (format) {
            show_formatted(&rows[i], format);
            continue;
        }
        if (lines < 0) {
            g_outf("%s\n", rows[i].name);
            continue;
        }
        git_object *object = object_named(rows[i].full);
        const char *message = git_object_type(object) == GIT_OBJECT_TAG ? git_tag_message((git_tag *)object)
                              : git_object_type(object) == GIT_OBJECT_COMMIT ? git_commit_message((git_commit *)object) : "";
        g_outf("%-15s ", rows[i].name);
        g_outf("%.*s\n", (int)strcspn(message, "\n"), message);
        for (int l = 1; l < lines && (message = strchr(message, '\n')) != NULL && message[1]; l++)
            message++, g_outf("    %.*s\n", (int)strcspn(message, "\n"), message);
    }
    return 0;
}

static int remove_tags(int argc, char **argv) {
    int failed = 0;
    for (int i = 0; i < argc; i++) {
        char full[1000];
        git_oid id;
        snprintf(full, sizeof full, "refs/tags/%s", argv[i]);
        if (git_reference_name_to_id(&id, repo, full) < 0) {
            error("tag '%s' not found.", argv[i]);
            failed = 1;
            continue;
        }
        check(git_tag_delete(repo, argv[i]));
        g_outf("Deleted tag '%s' (was %s)\n", argv[i], short_id(&id));
    }
    return failed;
}

static char *message_text(const char *name) {
    g_text text = {0};
    size_t len;
    for (int i = 0; i < messages.count; i++) g_text_addf(&text, "%s%s\n", i ? "\n" : "", messages.items[i]);
    if (messages.count) return clean_message(text.s, false);
    if (file && strcmp(file, "-") == 0) {
        read_stdin(&text);
        return clean_message(text.s, false);
    }
    if (file) {
        char *read = read_file(file, &len);
        if (!read) die("could not open or read '%s': No such file or directory", file);
        return clean_message(read, false);
    }
    char *path = git_file("TAG_EDITMSG");
    g_text_addf(&text, "\n#\n# Write a message for tag:\n#   %s\n# Lines starting with '#' will be ignored.\n", name);
    write_file(path, text.s, text.len);
    char *clean = clean_message(edit_file(path), true);
    if (!*clean) die("no tag message?");
    return clean;
}

static int create(int argc, char **argv) {
    const char *name = argv[0], *target = argc > 1 ? argv[1] : "HEAD";
    char full[1000];
    git_oid id, old;
    int valid = 0;
    if (argc > 2) die("too many arguments");
    git_tag_name_is_valid(&valid, name);
    if (!valid) die("'%s' is not a valid tag name.", name);
    git_object *object = object_named(target);
    if (!object) die("Failed to resolve '%s' as a valid ref.", target);
    snprintf(full, sizeof full, "refs/tags/%s", name);
    bool exists = git_reference_name_to_id(&old, repo, full) == 0;
    if (exists && !force) die("tag '%s' already exists", name);
    if (annotate || messages.count || file) {
        char *message = message_text(name);
        git_signature *tagger = committer_now();
        check(git_tag_create(&id, repo, name, object, tagger, message, force));
    } else {
        git_reference *ref;
        id = *git_object_id(object);
        check(git_reference_create(&ref, repo, full, &id, force, NULL));
    }
    if (exists && !git_oid_equal(&old, &id)) g_outf("Updated tag '%s' (was %s)\n", name, short_id(&old));
    return 0;
}

int cmd_tag(int argc, char **argv) {
    int n = options(argc, argv, table, usage, 0);
    if (sign) die("tags cannot be signed: there are no keys in the sandbox");
    if (verify) die("tags cannot be verified: there are no keys in the sandbox");
    if (delete_) return remove_tags(n, argv);
    if (!n || list || lines_text || points_at) return show(n, argv);
    return create(n, argv);
}

static int each_max;
static const option each_table[] = {
    {OPT_SET, 's', "shell", &ref_quoting, NULL, "quote placeholders suitably for shells", QUOTE_SHELL, NULL, NULL, 0},
    {OPT_SET, 'p', "perl", &ref_quoting, NULL, "quote placeholders suitably for perl", QUOTE_PERL, NULL, NULL, 0},
    {OPT_SET, 0, "python", &ref_quoting, NULL, "quote placeholders suitably for python", QUOTE_PYTHON, NULL, NULL, 0},
    {OPT_SET, 0, "tcl", &ref_quoting, NULL, "quote placeholders suitably for Tcl", QUOTE_TCL, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
    {OPT_NUMBER, 0, "count", &each_max, "n", "show only <n> matched refs", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "format", &format, "format", "format to use for the output", 0, NULL, NULL, 0},
    {OPT_CALL_MAYBE, 0, "color", NULL, "when", "respect format colors", 0, NULL, set_color, 0},
    {OPT_CALL, 0, "sort", NULL, "key", "field name to sort on", 0, NULL, add_sort, 0},
    {OPT_STRING, 0, "points-at", &points_at, "object", "print only refs which points at the given object", 0, NULL, NULL, 0},
    {OPT_CALL_MAYBE, 0, "merged", &merged, "commit", "print only refs that are merged", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "no-merged", &no_merged, "commit", "print only refs that are not merged", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "contains", &contains, "commit", "print only refs which contain the commit", 0, "last", add_name, 0},
    {OPT_CALL_MAYBE, 0, "no-contains", &no_contains, "commit", "print only refs which don't contain the commit", 0, "last", add_name, 0},
    FLAG(0, "ignore-case", ignore_case, "sorting and filtering are case insensitive"),
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

int cmd_for_each_ref(int argc, char **argv) {
    int n = options(argc, argv, each_table, "git for-each-ref [<options>] [<pattern>]\n"
                                            "git for-each-ref [--points-at <object>]\n"
                                            "git for-each-ref [--merged [<commit>]] [--no-merged [<commit>]]\n"
                                            "git for-each-ref [--contains [<commit>]] [--no-contains [<commit>]]", 0);
    if (each_max < 0) {
        error("invalid --count argument: `%d'", each_max);
        usage_error(NULL);
    }
    ref_ignore_case = ignore_case;
    ref_color = color_wanted(color, "for-each-ref");
    git_reference_iterator *at;
    const char *name;
    check(git_reference_iterator_new(&at, repo));
    while (git_reference_next_name(&name, at) == 0) {
        bool hit = !n;
        for (int k = 0; k < n; k++) {
            size_t len = strlen(argv[k]);
            hit |= wildmatch(argv[k], name, 2 | (ignore_case ? 1 : 0)) == 0 ||
                   (strncmp(name, argv[k], len) == 0 && (!name[len] || name[len] == '/' || argv[k][len - 1] == '/'));
        }
        if (hit) add_row(name, short_ref(name));
    }
    if (count) qsort(rows, count, sizeof *rows, ref_order);
    for (size_t i = 0; i < count && (!each_max || i < (size_t)each_max); i++) {
        show_formatted(&rows[i], format ? format : "%(objectname) %(objecttype)\t%(refname)");
    }
    return 0;
}
