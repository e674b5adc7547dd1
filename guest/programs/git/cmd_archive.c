/*
 * cmd_archive.c: git archive: a tree as a tar or zip archive.
 */
#include "archive.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static const char *format_name, *base = "", *output, *remote, *exec_;
static int verbose, list, worktree_attributes, level = -1;
static string_list added;
static const char usage[] = "git archive [<options>] <tree-ish> [<path>...]\n"
                            "git archive --list\n"
                            "git archive --remote <repo> [--exec <cmd>] [<options>] <tree-ish> [<path>...]\n"
                            "git archive --remote <repo> [--exec <cmd>] --list";
#define LEVEL(digit) {OPT_SET, '0' + digit, NULL, &level, NULL, NULL, digit, NULL, NULL, 0}

static void add_file(const option *o, const char *argument, bool unset) {
    (void)o, (void)unset;
    list_add(&added, base); /* with the prefix that holds here */
    list_add(&added, argument);
}

static const option table[] = {
    {OPT_STRING, 0, "format", &format_name, "fmt", "archive format", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "prefix", &base, "prefix", "prepend prefix to each pathname in the archive", 0, NULL, NULL, 0},
    {OPT_CALL, 0, "add-file", NULL, "file", "add untracked file to archive", 0, NULL, add_file, 0},
    {OPT_STRING, 'o', "output", &output, "file", "write the archive to this file", 0, NULL, NULL, 0},
    {OPT_FLAG, 0, "worktree-attributes", &worktree_attributes, NULL, "read .gitattributes in working directory", 0, NULL, NULL, 0},
    {OPT_FLAG, 'v', "verbose", &verbose, NULL, "report archived files on stderr", 0, NULL, NULL, 0},
    LEVEL(0), LEVEL(1), LEVEL(2), LEVEL(3), LEVEL(4), LEVEL(5), LEVEL(6), LEVEL(7), LEVEL(8), LEVEL(9),
    {OPT_GROUP, 0, NULL, NULL, NULL, "", 0, NULL, NULL, 0},
    {OPT_FLAG, 'l', "list", &list, NULL, "list supported archive formats", 0, NULL, NULL, 0},
    {OPT_GROUP, 0, NULL, NULL, NULL, "", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "remote", &remote, "repo", "retrieve the archive from remote repository <repo>", 0, NULL, NULL, 0},
    {OPT_STRING, 0, "exec", &exec_, "command", "path to the remote git-upload-archive command", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

static const struct {
    const char *name;
    const archive_format *format;
    bool gzip;
} formats[] = {{"tar", &archive_tar, false}, {"tgz", &archive_tar, true}, {"tar.gz", &archive_tar, true},
               {"zip", &archive_zip, false}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- the bytes */

static FILE *file; /* NULL: standard output */
static z_stream packing;
static bool gzip;

static void write_out(const void *bytes, size_t len) {
    if (!file) g_out(bytes, len);
    else if (fwrite(bytes, 1, len, file) != len) die("write error: %s", strerror(errno));
}

static void squeeze(const void *bytes, size_t len, int flush) {
    unsigned char buffer[16384];
    packing.next_in = (Bytef *)(uintptr_t)bytes;
    packing.avail_in = (uInt)len;
    do {
        packing.next_out = buffer;
        packing.avail_out = sizeof buffer;
        if (deflate(&packing, flush) == Z_STREAM_ERROR) die("deflate error");
        write_out(buffer, sizeof buffer - packing.avail_out);
    } while (!packing.avail_out);
}

void archive_write(const void *bytes, size_t len) {
    if (gzip) squeeze(bytes, len, Z_NO_FLUSH);
    else write_out(bytes, len);
}

static void open_output(bool packed) {
    static gz_header head = {.os = 3}; /* Unix, and no time: equal trees give equal archives */
    file = output ? fopen(output, "wb") : NULL;
    if (output && !file) die("could not open '%s' for writing: %s", output, strerror(errno));
    gzip = packed;
    if (gzip && deflateInit2(&packing, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) die("deflateInit2: %s", packing.msg);
    if (gzip) deflateSetHeader(&packing, &head);
}

static void close_output(void) {
    if (gzip) squeeze("", 0, Z_FINISH);
    if (file && fclose(file) != 0) die("write error: %s", strerror(errno));
}

/* ---- the tree */

static const archive_format *format;
static pathspec paths;
typedef struct folder folder;
struct folder {
    folder *above;
    const char *path;
    const git_oid *id;
    bool written; /* with the first thing in it */
};

static void write_entry(const char *path, unsigned mode, const git_oid *id, const char *data, size_t len) {
    if (verbose) note("%s", path);
    format->entry(&(archive_entry){path, mode, *id, data, len});
}

static bool ignored(const char *path) {
    const char *value = NULL;
    uint32_t flags = worktree_attributes ? GIT_ATTR_CHECK_FILE_THEN_INDEX : GIT_ATTR_CHECK_INCLUDE_HEAD | GIT_ATTR_CHECK_INDEX_ONLY;
    return git_attr_get(&value, repo, flags, path, "export-ignore") == 0 && GIT_ATTR_IS_TRUE(value);
}

static void write_folder(folder *f) {
    if (!f || f->written) return;
    write_folder(f->above);
    write_entry(f->path, GIT_FILEMODE_TREE, f->id, NULL, 0);
    f->written = true;
}

static void write_blob(const char *shown, unsigned mode, const git_oid *id) {
    git_blob *blob;
    check(git_blob_lookup(&blob, repo, id));
    write_entry(shown, mode, id, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    git_blob_free(blob);
}

/* `from` is the tree's path from the top of the archive, empty or with a slash behind it. */
static void write_tree(git_tree *tree, const char *from, folder *here) {
    for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
        const git_tree_entry *e = git_tree_entry_byindex(tree, i);
        unsigned mode = git_tree_entry_filemode(e);
        bool is_folder = mode == GIT_FILEMODE_TREE || mode == GIT_FILEMODE_COMMIT;
        g_text path = {0}, shown = {0};
        g_text_addf(&path, "%s%s", from, git_tree_entry_name(e));
        g_text_addf(&shown, "%s%s%s", base, path.s, is_folder ? "/" : "");
        bool wanted = is_folder ? pathspec_below(&paths, path.s) || pathspec_match(&paths, path.s) : pathspec_match(&paths, path.s);
        if (!wanted || ignored(path.s)) {
            g_text_free(&path);
            g_text_free(&shown);
            continue;
        }
        if (!is_folder) {
            write_folder(here);
            write_blob(shown.s, mode, git_tree_entry_id(e));
        } else {
            git_tree *below;
            folder inner = {here, shown.s, git_tree_entry_id(e), false};
            if (!paths.count) write_folder(&inner);
            g_text_addc(&path, '/');
            if (mode == GIT_FILEMODE_TREE && git_tree_lookup(&below, repo, git_tree_entry_id(e)) == 0) {
                write_tree(below, path.s, &inner);
                git_tree_free(below);
            }
        }
        g_text_free(&path);
        g_text_free(&shown);
    }
}

static void write_added(void) {
    for (int i = 0; i + 1 < added.count; i += 2) {
        size_t len;
        const char *path = added.items[i + 1], *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        char *data = read_file(path, &len);
        if (!data) die("cannot read '%s': %s", path, strerror(errno));
        g_text shown = {0};
        g_text_addf(&shown, "%s%s", added.items[i], name);
        git_oid id;
        check(git_odb_hash(&id, data, len, GIT_OBJECT_BLOB));
        write_entry(shown.s, access(path, X_OK) == 0 ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB, &id, data, len);
        g_text_free(&shown);
        free(data);
    }
}

static int find_format(const char *name) {
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) return i;
    return -1;
}

/* --format, else the end of the output's name, else tar. */
static int chosen_format(void) {
    if (format_name) {
        int found = find_format(format_name);
        if (found < 0) die("Unknown archive format '%s'", format_name);
        return found;
    }
    size_t len = output ? strlen(output) : 0;
    for (int i = FORMATS; i-- > 0;) {
        size_t end = strlen(formats[i].name);
        if (len > end + 1 && output[len - end - 1] == '.' && strcmp(output + len - end, formats[i].name) == 0) return i;
    }
    return 0;
}

static void write_base(const git_oid *id) {
    size_t len = strlen(base);
    while (len > 1 && base[len - 2] == '/') len--;
    if (len && base[len - 1] == '/') write_entry(g_copy_bytes(base, len), GIT_FILEMODE_TREE, id, NULL, 0);
}

/* Nothing is written when a path is not there. */
static void check_paths(git_tree *tree) {
    for (size_t i = 0; i < paths.count; i++) {
        const pathspec_item *item = &paths.items[i];
        git_tree_entry *there;
        bool pattern = item->plain < strlen(item->pattern);
        if (*item->pattern && !pattern && !item->exclude && git_tree_entry_bypath(&there, tree, item->pattern) < 0)
            die("pathspec '%s' did not match any files", item->original);
    }
}

int cmd_archive(int argc, char **argv) {
    int n = options(argc, argv, table, usage, 0);
    if (remote || exec_) die("git archive --remote is not there: git clone it, and archive the clone");
    for (int i = 0; list && i < FORMATS; i++) g_outf("%s\n", formats[i].name);
    if (list) return 0;
    if (!n) usage_error(NULL);
    int chosen = chosen_format();
    git_object *object = object_named(argv[0]);
    if (!object) die("not a valid object name: %s", argv[0]);
    git_commit *commit = commit_named(argv[0]);
    git_tree *tree = tree_named(argv[0]);
    if (!tree) die("not a tree object: %s", full_id(git_object_id(object)));
    if (*prefix) {
        git_tree_entry *here;
        char *path = g_copy_bytes(prefix, strlen(prefix) - 1);
        if (git_tree_entry_bypath(&here, tree, path) < 0 || git_tree_lookup(&tree, repo, git_tree_entry_id(here)) < 0)
            die("current working directory is untracked");
        prefix = ""; /* paths are from here */
    }
    pathspec_parse(&paths, n - 1, argv + 1);
    archive_facts facts = {commit ? full_id(git_commit_id(commit)) : NULL, commit ? git_commit_time(commit) : time(NULL), level};
    format = formats[chosen].format;
    check_paths(tree);
    open_output(formats[chosen].gzip);
    format->begin(&facts);
    write_base(git_tree_id(tree));
    write_tree(tree, "", NULL);
    write_added();
    format->end();
    close_output();
    return 0;
}
