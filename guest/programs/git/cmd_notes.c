/*
 * cmd_notes.c: git notes.
 */
#include "notes.h"
#include "revs.h"

#include <unistd.h>

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static const char *ref_name, *rewrite;
static int force, allow_empty, input, ignore_missing, dry_run, verbose;
static g_text message;
static bool given, to_edit;

static const option table[] = {
    {OPT_STRING, 0, "ref", &ref_name, "notes-ref", "use notes from <notes-ref>", 0, NULL, NULL, 0}, END};
static const char usage[] =
    "git notes [--ref <notes-ref>] [list [<object>]]\n"
    "git notes [--ref <notes-ref>] add [-f] [--allow-empty] [-m <msg> | -F <file> | (-c | -C) <object>] [<object>]\n"
    "git notes [--ref <notes-ref>] copy [-f] <from-object> <to-object>\n"
    "git notes [--ref <notes-ref>] append [--allow-empty] [-m <msg> | -F <file> | (-c | -C) <object>] [<object>]\n"
    "git notes [--ref <notes-ref>] edit [--allow-empty] [<object>]\n"
    "git notes [--ref <notes-ref>] show [<object>]\n"
    "git notes [--ref <notes-ref>] merge [-v | -q] [-s <strategy>] <notes-ref>\n"
    "git notes merge --commit [-v | -q]\n"
    "git notes merge --abort [-v | -q]\n"
    "git notes [--ref <notes-ref>] remove [<object>...]\n"
    "git notes [--ref <notes-ref>] prune [-n] [-v]\n"
    "git notes [--ref <notes-ref>] get-ref";

static git_oid object_or_die(const char *name) {
    git_object *object = object_named(name);
    if (!object) die("failed to resolve '%s' as a valid ref.", name);
    return *git_object_id(object);
}

static void add_paragraph(const char *text) {
    if (message.len) g_text_addc(&message, '\n');
    g_text_adds(&message, text);
    given = true;
}

static void take_message(const option *o, const char *argument, bool unset) {
    size_t len;
    (void)unset;
    if (o->letter == 'm') {
        add_paragraph(argument);
        char *clean = clean_message(message.s, false);
        message.len = 0;
        g_text_adds(&message, clean);
        free(clean);
        return;
    }
    if (o->letter == 'F') {
        g_text text = {0};
        if (strcmp(argument, "-") == 0) read_stdin_within(&text);
        else if ((text.s = read_file(argument, &len)) == NULL) die("could not open or read '%s': No such file or directory", argument);
        char *clean = clean_message(text.s, false);
        add_paragraph(clean);
        free(clean);
        return;
    }
    git_object *object = object_named(argument);
    if (!object) die("failed to resolve '%s' as a valid ref.", argument);
    if (git_object_type(object) != GIT_OBJECT_BLOB) die("cannot read note data from non-blob object '%s'.", argument);
    if (message.len) g_text_addc(&message, '\n');
    g_text_add(&message, git_blob_rawcontent((git_blob *)object), (size_t)git_blob_rawsize((git_blob *)object));
    given = true;
    to_edit |= o->letter == 'c';
}

#define MESSAGE_OPTIONS \
    {OPT_CALL, 'm', "message", NULL, "message", "note contents as a string", 0, NULL, take_message, 1}, \
    {OPT_CALL, 'F', "file", NULL, "file", "note contents in a file", 0, NULL, take_message, 1}, \
    {OPT_CALL, 'c', "reedit-message", NULL, "object", "reuse and edit specified note object", 0, NULL, take_message, 1}, \
    {OPT_CALL, 'C', "reuse-message", NULL, "object", "reuse specified note object", 0, NULL, take_message, 1}, \
    FLAG(0, "allow-empty", allow_empty, "allow storing empty note")
static const option add_table[] = {MESSAGE_OPTIONS, FLAG('f', "force", force, "replace existing notes"), END};
static const option append_table[] = {MESSAGE_OPTIONS, END};
static const option copy_table[] = {
    FLAG('f', "force", force, "replace existing notes"), FLAG(0, "stdin", input, "read objects from stdin"),
    {OPT_STRING, 0, "for-rewrite", &rewrite, "command", "load rewriting config for <command> (implies --stdin)", 0, NULL, NULL, 0}, END};
static const option remove_table[] = {
    FLAG(0, "ignore-missing", ignore_missing, "attempt to remove non-existent note is not an error"),
    FLAG(0, "stdin", input, "read object names from the standard input"), END};
static const option prune_table[] = {
    FLAG('n', "dry-run", dry_run, "do not remove, show only"), FLAG('v', "verbose", verbose, "report pruned notes"), END};
static const option no_table[] = {END};

static note_tree *open_tree(const char *verb) {
    char *ref = notes_ref(ref_name);
    if (verb && strncmp(ref, "refs/notes/", 11) != 0) die("refusing to %s notes in %s (outside of refs/notes/)", verb, ref);
    return notes_read(ref);
}

static void only(int n, int most) {
    if (n > most) usage_error("error: too many arguments");
}

static git_oid written(const char *text, size_t len) {
    git_oid id;
    check(git_blob_create_from_buffer(&id, repo, text, len));
    return id;
}

static g_text text_of(const git_oid *note) {
    git_blob *blob;
    g_text text = {0};
    g_text_adds(&text, "");
    if (git_blob_lookup(&blob, repo, note) == 0) {
        g_text_add(&text, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
        git_blob_free(blob);
    }
    return text;
}

/* What the editor shows of a commit, behind "# ". */
static void add_shown(g_text *out, const git_oid *object) {
    git_commit *commit;
    g_text text = {0};
    if (git_commit_lookup(&commit, repo, object) < 0) return;
    diff_defaults();
    pretty_defaults();
    rev *r = rev_of(object);
    rev_parse(r);
    pretty.kind = PRETTY_MEDIUM;
    pretty_commit(&text, r, "");
    git_tree *old = NULL;
    if (git_commit_parentcount(commit)) old = tree_of(commit_of(git_commit_parent_id(commit, 0)));
    if (git_commit_parentcount(commit) < 2) {
        g_text_addc(&text, '\n');
        diff_write(&text, diff_trees(old, tree_of(commit)), DIFF_STAT);
    }
    for (char *line = text.s, *end; line && *line; line = end ? end + 1 : NULL) {
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        g_text_addf(out, "#%s%s\n", *line ? " " : "", line);
    }
    g_text_free(&text);
}

static char *notes_edited(const git_oid *object, const char *before) {
    g_text text = {0};
    g_text_addf(&text, "%s\n#\n# Write/edit the notes for the following object:\n#\n", before);
    add_shown(&text, object);
    write_git_file("NOTES_EDITMSG", text.s);
    g_text_free(&text);
    editor_problem = "please supply the note contents using either -m or -F option";
    char *path = git_file("NOTES_EDITMSG"), *typed = edit_file(path);
    unlink(path);
    return clean_message(typed, true);
}

static void store(note_tree *t, const git_oid *object, const g_text *text, const char *verb) {
    char log[100];
    if (!text->len && !allow_empty) {
        note("Removing note for object %s", full_id(object));
        notes_set(t, object, NULL);
        verb = "removed";
    } else {
        git_oid id = written(text->s ? text->s : "", text->len);
        notes_set(t, object, &id);
    }
    snprintf(log, sizeof log, "Notes %s by 'git notes %s'", verb, command + 6);
    notes_write(t, log);
}

static int list(int argc, char **argv) {
    int n = options(argc, argv, no_table, "git notes [list [<object>]]", 0);
    note_tree *t = open_tree(NULL);
    only(n, 1);
    if (n) {
        git_oid object = object_or_die(argv[0]);
        note_entry *e = notes_find(t, &object);
        if (!e) return error("no note found for object %s.", full_id(&object)), 1;
        g_outf("%s\n", full_id(&e->note));
        return 0;
    }
    for (size_t i = 0; i < t->count; i++)
        g_outf("%s %s\n", full_id(&t->entries[i].note), full_id(&t->entries[i].object));
    return 0;
}

static int notes_edit(int argc, char **argv, bool append) {
    int n = options(argc, argv, append_table, append ? "git notes append [<options>] [<object>]" : "git notes edit [<object>]", 0);
    git_oid object;
    only(n, 1);
    if (given && !append)
        note("The -m/-F/-c/-C options have been deprecated for the 'edit' subcommand.\n"
             "Please use 'git notes add -f -m/-F/-c/-C' instead.");
    object = object_or_die(n ? argv[0] : "HEAD");
    note_tree *t = open_tree(append ? "append" : "edit");
    note_entry *e = notes_find(t, &object);
    g_text before = {0}, text = {0};
    g_text_adds(&before, "");
    if (e) before = text_of(&e->note);
    g_text_adds(&text, "");
    if (!given || to_edit) g_text_adds(&text, notes_edited(&object, given ? message.s : append ? "" : before.s));
    else g_text_add(&text, message.s, message.len);
    if (append && before.len) {
        g_text both = {0};
        g_text_add(&both, before.s, before.len);
        if (text.len) g_text_addf(&both, "%s\n", both.s[both.len - 1] == '\n' ? "" : "\n");
        g_text_add(&both, text.s, text.len);
        text = both;
    }
    store(t, &object, &text, "added");
    return 0;
}

static int add(int argc, char **argv) {
    int n = options(argc, argv, add_table, "git notes add [<options>] [<object>]", 0);
    only(n, 1);
    git_oid object = object_or_die(n ? argv[0] : "HEAD");
    note_tree *t = open_tree("add");
    note_entry *e = notes_find(t, &object);
    g_text text = {0};
    if (e && !force) {
        if (given) {
            error("Cannot add notes. Found existing notes for object %s. Use '-f' to overwrite existing notes", full_id(&object));
            return 1;
        }
        text = text_of(&e->note);
        char *typed = notes_edited(&object, text.s);
        text.len = 0;
        g_text_adds(&text, typed);
        store(t, &object, &text, "added");
        return 0;
    }
    if (e) note("Overwriting existing notes for object %s", full_id(&object));
    g_text_adds(&text, "");
    if (!given || to_edit) g_text_adds(&text, notes_edited(&object, given ? message.s : ""));
    else g_text_add(&text, message.s, message.len);
    store(t, &object, &text, "added");
    return 0;
}

static int copy_one(note_tree *t, const char *from_name, const char *to_name, bool quiet) {
    git_oid from = object_or_die(from_name), to = object_or_die(to_name);
    note_entry *e = notes_find(t, &from), *there = notes_find(t, &to);
    if (there && !force) {
        error("Cannot copy notes. Found existing notes for object %s. Use '-f' to overwrite existing notes", full_id(&to));
        return 1;
    }
    if (there && !quiet) note("Overwriting existing notes for object %s", full_id(&to));
    if (!e && quiet) return 0;
    if (!e) return error("missing notes on source object %s. Cannot copy.", full_id(&from)), 1;
    git_oid id = e->note;
    notes_set(t, &to, &id);
    return 0;
}

static int copy(int argc, char **argv) {
    int n = options(argc, argv, copy_table, "git notes copy [<options>] <from-object> <to-object>\n"
                                            "git notes copy --stdin [<from-object> <to-object>]...", 0), status = 0;
    note_tree *t;
    if (rewrite) die("--for-rewrite is not there: notes stay with the commits that they were written for");
    if (input) {
        g_text text = {0};
        only(n, 0);
        t = open_tree("copy");
        read_stdin(&text);
        for (char *line = text.s, *end; line && *line; line = end ? end + 1 : NULL) {
            if ((end = strchr(line, '\n')) != NULL) *end = '\0';
            char *space = strchr(line, ' ');
            if (!space) die("malformed input line: '%s'.", line);
            *space = '\0';
            status |= copy_one(t, line, space + 1, true);
        }
    } else {
        if (n < 1) usage_error("error: too few arguments");
        only(n, 2);
        t = open_tree("copy");
        status = copy_one(t, argv[0], n > 1 ? argv[1] : "HEAD", false);
        if (status) return status;
    }
    notes_write(t, "Notes added by 'git notes copy'");
    return status;
}

static int show(int argc, char **argv) {
    int n = options(argc, argv, no_table, "git notes show [<object>]", 0);
    only(n, 1);
    git_oid object = object_or_die(n ? argv[0] : "HEAD");
    note_entry *e = notes_find(open_tree("show"), &object);
    if (!e) return error("no note found for object %s.", full_id(&object)), 1;
    g_text text = text_of(&e->note);
    g_out(text.s, text.len);
    return 0;
}

static bool remove_one(note_tree *t, const char *name) {
    git_object *found = object_named(name);
    if (!found) {
        error("Failed to resolve '%s' as a valid ref.", name);
        return false;
    }
    bool there = notes_find(t, git_object_id(found)) != NULL;
    note(there ? "Removing note for object %s" : "Object %s has no note", name);
    if (there) notes_set(t, git_object_id(found), NULL);
    return there || ignore_missing;
}

static int remove_(int argc, char **argv) {
    int n = options(argc, argv, remove_table, "git notes remove [<object>]", 0);
    note_tree *t = open_tree("remove");
    bool fine = true;
    size_t before = t->count;
    for (int i = 0; i < n; i++) fine &= remove_one(t, argv[i]);
    if (!n && !input) fine = remove_one(t, "HEAD");
    if (input) {
        g_text text = {0};
        read_stdin(&text);
        for (char *line = text.s, *end; line && *line; line = end ? end + 1 : NULL) {
            if ((end = strchr(line, '\n')) != NULL) *end = '\0';
            fine &= remove_one(t, line);
        }
    }
    if (fine && t->count != before) notes_write(t, "Notes removed by 'git notes remove'");
    return !fine;
}

static int prune(int argc, char **argv) {
    int n = options(argc, argv, prune_table, "git notes prune [<options>]", 0);
    git_odb *odb;
    only(n, 0);
    note_tree *t = open_tree("prune");
    check(git_repository_odb(&odb, repo));
    size_t before = t->count;
    for (size_t i = t->count; i-- > 0;) {
        git_oid object = t->entries[i].object;
        if (git_odb_exists(odb, &object)) continue;
        if (dry_run || verbose) g_outf("%s\n", full_id(&object));
        if (!dry_run) notes_set(t, &object, NULL);
    }
    git_odb_free(odb);
    if (t->count != before) notes_write(t, "Notes removed by 'git notes prune'");
    return 0;
}

int cmd_notes(int argc, char **argv) {
    static const char *const names[] = {"notes list", "notes add", "notes copy", "notes append", "notes edit", "notes show",
                                        "notes merge", "notes remove", "notes prune", "notes get-ref"};
    int n = options(argc, argv, table, usage, STOP_AT_OPERAND);
    const char *verb = n ? argv[0] : "list";
    char *none[] = {"list", NULL};
    if (!n) n = 1, argv = none;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i] + 6, verb) == 0) command = names[i];
    if (strcmp(verb, "list") == 0) return list(n, argv);
    if (strcmp(verb, "add") == 0) return add(n, argv);
    if (strcmp(verb, "copy") == 0) return copy(n, argv);
    if (strcmp(verb, "append") == 0) return notes_edit(n, argv, true);
    if (strcmp(verb, "edit") == 0) return notes_edit(n, argv, false);
    if (strcmp(verb, "show") == 0) return show(n, argv);
    if (strcmp(verb, "remove") == 0) return remove_(n, argv);
    if (strcmp(verb, "prune") == 0) return prune(n, argv);
    if (strcmp(verb, "get-ref") == 0) return g_outf("%s\n", notes_ref(ref_name)), 0;
    if (strcmp(verb, "merge") == 0) die("git notes merge is not there: copy them with git notes copy, or git notes add -f");
    usage_error("error: unknown subcommand: `%s'", verb);
}
