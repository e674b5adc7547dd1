/*
 * cmd_bundle.c: git bundle: history as one file.
 */
#include "bundle.h"
#include "revs.h"

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

static int quiet, progress, all_progress, implied, version = 2;

static const char usage[] =
    "git bundle create [-q | --quiet | --progress | --all-progress] [--all-progress-implied]\n"
    "                  [--version=<version>] <file> <git-rev-list-args>\n"
    "git bundle verify [-q | --quiet] <file>\n"
    "git bundle list-heads <file> [<refname>...]\n"
    "git bundle unbundle [--progress] <file> [<refname>...]";
static const char create_usage[] =
    "git bundle create [-q | --quiet | --progress | --all-progress] [--all-progress-implied]\n"
    "                  [--version=<version>] <file> <git-rev-list-args>";

static const option create_table[] = {
    FLAG('q', "quiet", quiet, "do not show progress meter"),
    FLAG(0, "progress", progress, "show progress meter"),
    FLAG(0, "all-progress", all_progress, "show progress meter during object writing phase"),
    FLAG(0, "all-progress-implied", implied, "similar to --all-progress when progress meter is shown"),
    {OPT_NUMBER, 0, "version", &version, "n", "specify bundle format version", 0, NULL, NULL, 0},
    END,
};
static const option verify_table[] = {FLAG('q', "quiet", quiet, "do not show bundle details"), END};
static const option unbundle_table[] = {FLAG(0, "progress", progress, "show progress meter"), END};
static const option no_table[] = {END};
static const option walk_table[] = {
    {OPT_TABLE, 0, NULL, (void *)rev_option_table, NULL, NULL, 0, NULL, NULL, 0}, END};

/* The reference that a name on the command line means, as bundles write it; NULL for other names. */
static char *ref_named(const char *name) {
    git_reference *ref;
    char *full;
    if (strcmp(name, "HEAD") == 0 || strcmp(name, "@") == 0) return g_copy_string("HEAD");
    if (git_reference_dwim(&ref, repo, name) < 0) return NULL;
    full = g_copy_string(git_reference_name(ref));
    git_reference_free(ref);
    return full;
}

/* The references of the bundle, each once, and their objects into the pack; how many. */
static int add_refs(g_text *out, git_packbuilder *pack, git_revwalk *walk) {
    string_list done = {0};
    for (int i = 0; i < revs.names.count; i++) {
        char *full = ref_named(revs.names.items[i]);
        bool twice = false;
        git_object *object, *commit;
        for (int k = 0; full && k < done.count; k++) twice |= strcmp(done.items[k], full) == 0;
        if (!full || twice) continue;
        list_add(&done, full);
        object = object_named(full);
        for (git_object *tag = object; tag && git_object_type(tag) == GIT_OBJECT_TAG;) {
            check(git_packbuilder_insert(pack, git_object_id(tag), NULL));
            check(git_tag_target(&tag, (git_tag *)tag));
        }
        if (!object) continue;
        if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) < 0) {
            check(git_packbuilder_insert_recur(pack, git_object_id(object), NULL));
        } else {
            rev *r = rev_of(git_object_id(commit));
            if (r->bad) {
                done.count--;
                continue;
            }
            if (r->boundary) {
                done.count--;
                continue;
            }
            if (!r->shown) {
                warning("ref '%s' is excluded by the rev-list options", revs.names.items[i]);
                done.count--;
                continue;
            }
            check(git_revwalk_push(walk, git_object_id(commit)));
        }
        g_text_addf(out, "%s %s\n", full_id(git_object_id(object)), full);
    }
    return done.count;
}

static int create(int argc, char **argv) {
    git_packbuilder *pack;
    git_revwalk *walk;
    git_buf data = {0};
    g_text out = {0};
    int n = options(argc, argv, create_table, create_usage, STOP_AT_OPERAND);
    if (!n) usage_error("fatal: need a <file> argument\n");
    if (!repo) die("Need a repository to create a bundle.");
    if (version != 2 && version != 3) die("unsupported bundle version %d", version);
    const char *file = argv[0];
    revs_defaults();
    diff_defaults();
    n = options(n, argv, walk_table, create_usage, KEEP_DASHDASH | NUMBERS | KEEP_UNKNOWN);
    for (int i = 0; i < n && strcmp(argv[i], "--") != 0; i++)
        if (argv[i][0] == '-') return error("unrecognized argument: %s", argv[i]), 1;
    revs.boundary = 1;
    revs_operands(n, argv, NULL);
    revs_start();
    check(git_packbuilder_new(&pack, repo));
    check(git_revwalk_new(&walk, repo));
    g_text_addf(&out, "# v%d git bundle\n%s", version, version == 3 ? "@object-format=sha1\n" : "");
    for (rev *r; (r = revs_next()) != NULL;) {
        r->shown = !r->boundary;
        if (!r->boundary) continue;
        g_text_addf(&out, "-%s %s\n", full_id(&r->id), subject_of(git_commit_message(r->commit)));
        check(git_revwalk_hide(walk, &r->id));
    }
    if (!add_refs(&out, pack, walk)) die("Refusing to create empty bundle.");
    check(git_packbuilder_insert_walk(pack, walk));
    check(git_packbuilder_write_buf(&data, pack));
    g_text_addc(&out, '\n');
    g_text_add(&out, data.ptr, data.size);
    if (strcmp(file, "-") == 0) g_out(out.s, out.len);
    else write_file(file, out.s, out.len);
    git_buf_dispose(&data);
    return 0;
}

static void list(const bundle *b, int argc, char **argv) {
    for (size_t i = 0; i < b->count; i++) {
        bool wanted = !argc;
        for (int k = 0; k < argc; k++) wanted |= strcmp(argv[k], b->refs[i].name) == 0;
        if (wanted) g_outf("%s %s\n", full_id(&b->refs[i].id), b->refs[i].name);
    }
}

static int verify(int argc, char **argv) {
    int n = options(argc, argv, verify_table, "git bundle verify [-q | --quiet] <file>", STOP_AT_OPERAND);
    if (!n) usage_error("fatal: need a <file> argument\n");
    bundle *b = bundle_read(argv[0], argv[0]);
    if (!b) return 1;
    if (!repo) return error("need a repository to verify a bundle"), 1;
    if (!bundle_fits(b)) return 1;
    if (!quiet) {
        if (b->count == 1) g_outs("The bundle contains this ref:\n");
        else g_outf("The bundle contains these %zu refs:\n", b->count);
        list(b, 0, NULL);
        if (!b->needed_count) g_outs("The bundle records a complete history.\n");
        else if (b->needed_count == 1) g_outs("The bundle requires this ref:\n");
        else g_outf("The bundle requires these %zu refs:\n", b->needed_count);
        for (size_t i = 0; i < b->needed_count; i++) g_outf("%s \n", full_id(&b->needed[i].id));
        g_outs("The bundle uses this hash algorithm: sha1\n");
    }
    note("%s is okay", argv[0]);
    return 0;
}

static int list_heads(int argc, char **argv) {
    int n = options(argc, argv, no_table, "git bundle list-heads <file> [<refname>...]", STOP_AT_OPERAND);
    if (!n) usage_error("fatal: need a <file> argument\n");
    bundle *b = bundle_read(argv[0], argv[0]);
    if (!b) return 1;
    list(b, n - 1, argv + 1);
    return 0;
}

static int unbundle(int argc, char **argv) {
    int n = options(argc, argv, unbundle_table, "git bundle unbundle [--progress] <file> [<refname>...]", STOP_AT_OPERAND);
    if (!n) usage_error("fatal: need a <file> argument\n");
    bundle *b = bundle_read(argv[0], argv[0]);
    if (!b) return 1;
    if (!repo) die("Need a repository to unbundle.");
    if (!bundle_fits(b) || !bundle_unpack(b)) return 1;
    list(b, n - 1, argv + 1);
    return 0;
}

int cmd_bundle(int argc, char **argv) {
    int n = options(argc, argv, no_table, usage, STOP_AT_OPERAND);
    if (!n) usage_error("error: need a subcommand");
    if (strcmp(argv[0], "create") == 0) return create(n, argv);
    if (strcmp(argv[0], "verify") == 0) return verify(n, argv);
    if (strcmp(argv[0], "list-heads") == 0) return list_heads(n, argv);
    if (strcmp(argv[0], "unbundle") == 0) return unbundle(n, argv);
    usage_error("error: unknown subcommand: `%s'", argv[0]);
}
