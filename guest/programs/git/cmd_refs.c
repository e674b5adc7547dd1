/*
 * cmd_refs.c: git symbolic-ref, show-ref, update-ref, pack-refs and check-ref-format.
 */
#include "git.h"

#include <stdarg.h>

#include "git2/sys/refdb_backend.h"
#include "git2/sys/refs.h"

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

int cmd_symbolic_ref(int argc, char **argv) {
    static int quiet, short_, delete_, recurse = 1;
    static const char *message;
    static const option table[] = {
        FLAG('q', "quiet", quiet, "suppress error message for non-symbolic (detached) refs"),
        FLAG('d', "delete", delete_, "delete symbolic ref"), FLAG(0, "short", short_, "shorten ref output"),
        FLAG(0, "recurse", recurse, "recursively dereference (default)"),
        {OPT_STRING, 'm', NULL, &message, "reason", "reason of the update", 0, NULL, NULL, 0}, END};
    int n = options(argc, argv, table, "git symbolic-ref [-m <reason>] <name> <ref>\ngit symbolic-ref [-q] [--short] [--no-recurse] <name>\n"
                                       "git symbolic-ref --delete [-q] <name>", 0);
    git_reference *ref;
    if (n < 1 || n > 2) usage_error(NULL);
    if (n == 2) {
        if (strcmp(argv[0], "HEAD") == 0 && strncmp(argv[1], "refs/", 5) != 0) die("Refusing to point HEAD outside of refs/");
        git_oid was = {0}, is;
        bool head = strcmp(argv[0], "HEAD") == 0;
        if (head) git_reference_name_to_id(&was, repo, "HEAD");
        if (git_reference_symbolic_create(&ref, repo, argv[0], argv[1], true, head ? NULL : message) < 0)
            die("Refusing to set '%s' to invalid ref '%s'", argv[0], argv[1]);
        if (head && git_reference_name_to_id(&is, repo, "HEAD") == 0) add_reflog("HEAD", &was, &is, message);
        return 0;
    }
    if (git_reference_lookup(&ref, repo, argv[0]) < 0 || git_reference_type(ref) != GIT_REFERENCE_SYMBOLIC) {
        if (delete_) die("Cannot delete %s, not a symbolic ref", argv[0]);
        if (quiet) return 1;
        die("ref %s is not a symbolic ref", argv[0]);
    }
    if (delete_ && strcmp(argv[0], "HEAD") == 0) die("deleting '%s' is not allowed", argv[0]);
    if (delete_) return git_reference_delete(ref) < 0;
    git_reference *next = ref;
    for (int hops = 0; recurse && hops < 5 && git_reference_lookup(&next, repo, git_reference_symbolic_target(ref)) == 0 &&
                       git_reference_type(next) == GIT_REFERENCE_SYMBOLIC; hops++)
        ref = next;
    const char *target = git_reference_symbolic_target(ref);
    g_outf("%s\n", short_ ? short_ref(target) : target);
    return 0;
}

/* ---- update-ref: what is asked for is checked first, and then done: all or nothing */

typedef struct {
    char *name;
    git_oid id, old;
    bool deletes, checks, must_not_exist, only_verifies;
    git_reference *ref;
} update;
static update *updates;
static size_t update_count, update_cap;
static const char *message;
static int no_deref;
static bool single; /* from the command line: its messages name the reference first */

static _Noreturn void refuse(const update *u, const char *format, ...) G_PRINTF(2, 3);
static _Noreturn void refuse(const update *u, const char *format, ...) {
    va_list ap;
    char *text = NULL;
    va_start(ap, format);
    if (vasprintf(&text, format, ap) < 0) abort();
    va_end(ap);
    if (single && u->deletes) die_status(1, "error: cannot lock ref '%s': %s", u->name, text);
    if (single) die("update_ref failed for ref '%s': cannot lock ref '%s': %s", u->name, u->name, text);
    die("cannot lock ref '%s': %s", u->name, text);
}

static git_oid value_or_die(const char *text, const char *problem) {
    git_oid id = {0};
    git_object *object = object_named(text);
    if (object) return *git_object_id(object);
    if (strlen(text) == OID_HEX && git_oid_fromstr(&id, text) == 0) return id;
    die(problem, text);
}

static void add_update(update u) {
    if (update_count == update_cap) updates = g_more(updates, &update_cap, sizeof *updates);
    updates[update_count++] = u;
}

static void check_update(const update *u) {
    git_oid now;
    int valid = 0;
    bool exists = git_reference_name_to_id(&now, repo, u->name) == 0;
    git_reference_name_is_valid(&valid, u->name);
    if (!valid && !u->deletes && strncmp(u->name, "refs/", 5) == 0) {
        if (single) die("update_ref failed for ref '%s': refusing to update ref with bad name '%s'", u->name, u->name);
        die("refusing to update ref with bad name '%s'", u->name);
    }
    if (u->must_not_exist && exists) refuse(u, "reference already exists");
    if (!u->checks) return;
    if (!exists) refuse(u, "unable to resolve reference '%s'", u->name);
    if (!git_oid_equal(&now, &u->old)) {
        g_text text = {0};
        g_text_addf(&text, "is at %s but expected %s", full_id(&now), full_id(&u->old));
        refuse(u, "%s", text.s);
    }
}

static void apply(const update *u) {
    git_reference *ref;
    if (u->only_verifies) return;
    if (u->deletes) {
        if (git_reference_lookup(&ref, repo, u->name) == 0) check(git_reference_delete(ref));
        return;
    }
    git_odb *odb;
    check(git_repository_odb(&odb, repo));
    if (!git_odb_exists(odb, &u->id))
        die("%s%s%s%scannot update ref '%s': trying to write ref '%s' with nonexistent object %s", single ? "update_ref failed for ref '" : "",
            single ? u->name : "", single ? "': " : "", "", u->name, u->name, full_id(&u->id));
    char *head = strcmp(u->name, "HEAD") == 0 && !no_deref ? head_target() : NULL;
    if (strcmp(u->name, "HEAD") == 0 && !head) set_head_detached(&u->id, message ? message : "");
    else if (strncmp(u->name, "refs/", 5) != 0 && !head) {
        g_text text = {0}; /* MERGE_HEAD and its like */
        g_text_addf(&text, "%s\n", full_id(&u->id));
        write_git_file(u->name, text.s);
    } else update_ref(head ? head : u->name, &u->id, message);
}

static void apply_all(void) {
    for (size_t i = 0; i < update_count; i++) check_update(&updates[i]);
    for (size_t i = 0; i < update_count; i++) apply(&updates[i]);
    update_count = 0;
}

static void set_old(update *u, const char *text, const char *problem) {
    if (!text) return;
    bool zero = strspn(text, "0") == strlen(text);
    u->must_not_exist = zero;
    u->checks = !zero;
    if (!zero) u->old = value_or_die(text, problem);
}

/* The next argument of a line: after a space, or (-z) after a NUL. */
static char *word(char **at) {
    if (!*at) return NULL;
    char *start = *at, *space = strchr(start, ' ');
    *at = space ? space + 1 : NULL;
    if (space) *space = '\0';
    return start;
}

static void command_line(char *line, char **more, char *stop, bool null) {
    char *whole = g_copy_string(line), *at = line, *verb = word(&at);
    update u = {0};
    bool updates_ = strcmp(verb, "update") == 0, creates = strcmp(verb, "create") == 0;
    bool verifies = strcmp(verb, "verify") == 0;
    if (strcmp(verb, "start") == 0 || strcmp(verb, "prepare") == 0 || strcmp(verb, "commit") == 0 || strcmp(verb, "abort") == 0) {
        g_outf("%s: ok\n", verb);
        if (*verb == 'c') apply_all();
        if (*verb == 'a') update_count = 0;
        return;
    }
    if (strcmp(verb, "option") == 0) {
        if (!at || strcmp(at, "no-deref") != 0) die("option unknown: %s", at ? at : "");
        no_deref = 1;
        return;
    }
    u.deletes = strcmp(verb, "delete") == 0;
    if (!updates_ && !creates && !verifies && !u.deletes) die("unknown command: %s\n", whole);
    char *name = word(&at), *values[2] = {NULL, NULL};
    if (!name || !*name) die("%s: missing <ref>", verb);
    for (int i = 0; i < (updates_ ? 2 : 1); i++) {
        if (null) {
            if (*more >= stop) die("%s %s: unexpected end of input when reading <%s>", verb, name, i ? "oldvalue" : "newvalue");
            values[i] = *more;
            *more += strlen(*more) + 1;
        } else {
            values[i] = word(&at);
        }
    }
    if (at) die("%s %s: extra input:  %s", verb, name, at);
    u.name = g_copy_string(name);
    if (creates || updates_) {
        g_text problem = {0};
        g_text_addf(&problem, "%s %s: invalid <newvalue>: %%s", verb, name);
        if (!values[0] || !*values[0]) die("%s %s: missing <newvalue>", verb, name);
        u.id = value_or_die(values[0], problem.s);
        if (git_oid_is_zero(&u.id) && creates) die("create %s: zero <newvalue>", name);
        if (git_oid_is_zero(&u.id)) u.deletes = true;
        if (creates) u.must_not_exist = true;
        if (updates_ && values[1] && (*values[1] || !null)) set_old(&u, values[1], "invalid <oldvalue>: %s");
    } else {
        if (values[0] && (*values[0] || !null)) set_old(&u, values[0], "invalid <oldvalue>: %s");
        u.only_verifies = verifies;
        if (verifies && !values[0]) u.must_not_exist = true;
    }
    add_update(u);
}

static void update_refs_from_stdin(bool null) {
    g_text in = {0};
    read_stdin(&in);
    char *at = in.s, *stop = in.s + in.len;
    while (at < stop) {
        char *line = at, *end = memchr(at, null ? '\0' : '\n', (size_t)(stop - at));
        at = end ? end + 1 : stop;
        if (end) *end = '\0';
        command_line(line, &at, stop, null);
    }
    apply_all();
}

int cmd_update_ref(int argc, char **argv) {
    static int delete_, input, null, reflog;
    static const option table[] = {
        {OPT_STRING, 'm', NULL, &message, "reason", "reason of the update", 0, NULL, NULL, 0},
        FLAG('d', NULL, delete_, "delete the reference"), FLAG(0, "no-deref", no_deref, "update <refname> not the one it points to"),
        FLAG('z', NULL, null, "stdin has NUL-terminated arguments"), FLAG(0, "stdin", input, "read updates from stdin"),
        FLAG(0, "create-reflog", reflog, "create a reflog"), END};
    int n = options(argc, argv, table, "git update-ref [<options>] -d <refname> [<old-val>]\ngit update-ref [<options>]    <refname> <new-val> [<old-val>]\n"
                                       "git update-ref [<options>] --stdin [-z]", 0);
    if (message && !*message) die("Refusing to perform update with empty message.");
    if (input) {
        if (delete_ || n) usage_error(NULL);
        update_refs_from_stdin(null);
        return 0;
    }
    if (null) usage_error(NULL);
    if (n < (delete_ ? 1 : 2) || n > (delete_ ? 2 : 3)) usage_error(NULL);
    update u = {.name = argv[0], .deletes = delete_};
    const char *old = n > (delete_ ? 1 : 2) ? argv[delete_ ? 1 : 2] : NULL;
    single = true;
    if (!delete_) u.id = value_or_die(argv[1], "%s: not a valid SHA1");
    set_old(&u, old, "%s: not a valid old SHA1");
    if (!delete_ && git_oid_is_zero(&u.id)) u.deletes = true;
    if (reflog) {
        git_reference_ensure_log(repo, argv[0]);
    }
    add_update(u);
    apply_all();
    return 0;
}

/* ---- show-ref */

static int heads, tags, head, deref, verify, quiet, hash, excluding, digits;
static const char *exclude_pattern;

static void length(const option *o, const char *argument, bool unset) {
    if (o->letter == 's') hash = !unset;
    if (o->kind == OPT_CALL_MAYBE && strcmp(o->name, "exclude-existing") == 0) {
        excluding = 1;
        exclude_pattern = argument;
        return;
    }
    if (unset) digits = 0;
    else if (argument) digits = atoi(argument);
    else if (o->letter != 's') digits = 7;
}

static const option show_table[] = {
    FLAG(0, "tags", tags, "only show tags (can be combined with heads)"), FLAG(0, "heads", heads, "only show heads (can be combined with tags)"),
    FLAG(0, "verify", verify, "stricter reference checking, requires exact ref path"),
    FLAG(0, "head", head, "show the HEAD reference, even if it would be filtered out"),
    FLAG('d', "dereference", deref, "dereference tags into object IDs"),
    {OPT_CALL_MAYBE, 's', "hash", NULL, "n", "only show SHA1 hash using <n> digits", 0, NULL, length, 0},
    {OPT_CALL_MAYBE, 0, "abbrev", NULL, "n", "use <n> digits to display object names", 0, NULL, length, 0},
    FLAG('q', "quiet", quiet, "do not print results to stdout (useful with --verify)"),
    {OPT_CALL_MAYBE, 0, "exclude-existing", NULL, "pattern", "show refs from stdin that aren't in local repository", 0, NULL, length, 0}, END};

static void show_one(const git_oid *id, const char *name) {
    git_object *object, *target;
    if (quiet) return;
    g_outf("%s%s%s\n", digits ? abbreviated(id, digits) : full_id(id), hash ? "" : " ", hash ? "" : name);
    if (!deref || git_object_lookup(&object, repo, id, GIT_OBJECT_TAG) < 0) return;
    if (git_tag_peel(&target, (git_tag *)object) == 0) {
        const git_oid *to = git_object_id(target);
        g_outf("%s%s%s%s\n", digits ? abbreviated(to, digits) : full_id(to), hash ? "" : " ", hash ? "" : name, hash ? "" : "^{}");
        git_object_free(target);
    }
    git_object_free(object);
}

/* Names from standard input that are no references here. */
static int exclude_existing(void) {
    g_text in = {0};
    read_stdin(&in);
    for (char *line = in.s, *end; line && *line; line = end ? end + 1 : NULL) {
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        size_t len = strlen(line);
        git_oid id;
        int valid = 0;
        if (len > 3 && strcmp(line + len - 3, "^{}") == 0) line[len - 3] = '\0';
        char *name = line + strlen(line);
        while (name > line && !strchr(" \t", name[-1])) name--;
        if (exclude_pattern && strncmp(name, exclude_pattern, strlen(exclude_pattern)) != 0) continue;
        git_reference_name_is_valid(&valid, name);
        if (!valid) {
            warning("ref '%s' ignored", name);
            continue;
        }
        if (git_reference_name_to_id(&id, repo, name) < 0) g_outf("%s\n", line);
    }
    return 0;
}

int cmd_show_ref(int argc, char **argv) {
    int n = options(argc, argv, show_table, "git show-ref [-q | --quiet] [--verify] [--head] [-d | --dereference]\n"
                                            "             [-s | --hash[=<n>]] [--abbrev[=<n>]] [--tags]\n             [--heads] [--] [<pattern>...]\n"
                                            "git show-ref --exclude-existing[=<pattern>]", 0), found = 0;
    git_reference_iterator *at;
    const char *name;
    git_oid id;
    if (excluding) return exclude_existing();
    if (verify) {
        if (!n) die("--verify requires a reference");
        for (int i = 0; i < n; i++) {
            bool full = strncmp(argv[i], "refs/", 5) == 0 || strcmp(argv[i], "HEAD") == 0;
            if (full && git_reference_name_to_id(&id, repo, argv[i]) == 0) {
                show_one(&id, argv[i]);
                continue;
            }
            if (quiet) return 1;
            die("'%s' - not a valid ref", argv[i]);
        }
        return 0;
    }
    if (head && git_reference_name_to_id(&id, repo, "HEAD") == 0) show_one(&id, "HEAD"), found = 1;
    check(git_reference_iterator_new(&at, repo));
    while (git_reference_next_name(&name, at) == 0) {
        bool is_head = strncmp(name, "refs/heads/", 11) == 0, is_tag = strncmp(name, "refs/tags/", 10) == 0, hit = !n;
        if ((heads || tags) && !(heads && is_head) && !(tags && is_tag)) continue;
        for (int k = 0; k < n; k++) {
            size_t len = strlen(argv[k]), whole = strlen(name);
            hit |= len <= whole && strcmp(name + whole - len, argv[k]) == 0 && (len == whole || name[whole - len - 1] == '/');
        }
        if (!hit || git_reference_name_to_id(&id, repo, name) < 0) continue;
        found = 1;
        show_one(&id, name);
    }
    return !found;
}

/* ---- pack-refs, check-ref-format */

int cmd_pack_refs(int argc, char **argv) {
    static int all, prune = 1;
    static const option table[] = {FLAG(0, "all", all, "pack everything"), FLAG(0, "prune", prune, "prune loose refs (default)"), END};
    options(argc, argv, table, "git pack-refs [--all] [--no-prune]", 0);
    git_refdb *refdb;
    check(git_repository_refdb(&refdb, repo));
    check(git_refdb_compress(refdb));
    git_refdb_free(refdb);
    return 0;
}

int cmd_check_ref_format(int argc, char **argv) {
    unsigned flags = 0;
    bool normalize = false;
    int i = 1;
    char name[1024];
    if (argc == 3 && strcmp(argv[1], "--branch") == 0) {
        const char *branch = argv[2];
        git_reference *ref = NULL;
        git_object *object = NULL;
        if (repo && branch[0] == '@' && branch[1] == '{' && git_revparse_ext(&object, &ref, repo, branch) == 0 && ref)
            branch = short_ref(git_reference_name(ref));
        if (!valid_branch_name(branch)) die("'%s' is not a valid branch name", argv[2]);
        g_outf("%s\n", branch);
        return 0;
    }
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--normalize") == 0 || strcmp(argv[i], "--print") == 0) normalize = true;
        else if (strcmp(argv[i], "--allow-onelevel") == 0) flags |= GIT_REFERENCE_FORMAT_ALLOW_ONELEVEL;
        else if (strcmp(argv[i], "--no-allow-onelevel") == 0) flags &= ~(unsigned)GIT_REFERENCE_FORMAT_ALLOW_ONELEVEL;
        else if (strcmp(argv[i], "--refspec-pattern") == 0) flags |= GIT_REFERENCE_FORMAT_REFSPEC_PATTERN;
        else break;
    }
    if (i != argc - 1)
        die_status(129, "usage: git check-ref-format [--normalize] [<options>] <refname>\n"
                        "   or: git check-ref-format --branch <branchname-shorthand>");
    g_text plain = {0};
    for (const char *p = argv[i]; *p; p++)
        if (!normalize || *p != '/' || (plain.len && plain.s[plain.len - 1] != '/')) g_text_addc(&plain, *p);
    if (!plain.len) return 1;
    bool one_level = !strchr(plain.s, '/');
    if (one_level && !(flags & GIT_REFERENCE_FORMAT_ALLOW_ONELEVEL)) return 1;
    /* libgit2 takes capitals alone where there is one level: any name will do here */
    g_text whole = {0};
    g_text_addf(&whole, "%s%s", one_level ? "refs/" : "", plain.s);
    if (git_reference_normalize_name(name, sizeof name, whole.s, flags) < 0 || strcmp(name, whole.s) != 0) return 1;
    if (normalize) g_outf("%s\n", plain.s);
    return 0;
}
