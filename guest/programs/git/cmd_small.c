/*
 * cmd_small.c: git var, check-attr, count-objects, verify-pack, stripspace, merge-file, patch-id,
 * update-server-info; what would need more says so.
 */
#include "pack_list.h"
#include "git.h"

#include "git2/indexer.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"

#define END {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0}

/* ---- var */

static void add_ident(g_text *out, git_signature *who) {
    g_text_addf(out, "%s <%s> ", who->name, who->email);
    add_date(out, &who->when, &(date_style){DATE_RAW, false, NULL});
}

static bool value_of(g_text *out, const char *name, bool listing) {
    const char *environment[] = {"GIT_EDITOR", "VISUAL", "EDITOR"};
    char *setting;
    if (strcmp(name, "GIT_AUTHOR_IDENT") == 0) add_ident(out, author_now());
    else if (strcmp(name, "GIT_COMMITTER_IDENT") == 0) add_ident(out, committer_now());
    else if (strcmp(name, "GIT_PAGER") == 0) {
        const char *pager = getenv("GIT_PAGER");
        setting = pager ? NULL : config_string("core.pager");
        if (!pager && !setting) pager = getenv("PAGER");
        g_text_adds(out, pager ? pager : setting ? setting : "cat");
    } else if (strcmp(name, "GIT_DEFAULT_BRANCH") == 0) {
        setting = config_string("init.defaultbranch");
        g_text_adds(out, setting ? setting : "master");
    } else if (strcmp(name, "GIT_EDITOR") == 0 || strcmp(name, "GIT_SEQUENCE_EDITOR") == 0) {
        const char *editor = getenv(name);
        setting = !editor && strcmp(name, "GIT_SEQUENCE_EDITOR") == 0 ? config_string("sequence.editor") : NULL;
        for (int i = 0; i < 3 && !editor && !setting; i++) {
            editor = getenv(environment[i]);
            if (i == 0 && !editor) setting = config_string("core.editor");
        }
        if (!editor && !setting && listing) return false;
        if (!editor && !setting) die("Terminal is dumb, but EDITOR unset");
        g_text_adds(out, editor ? editor : setting);
    } else {
        return false;
    }
    return true;
}

int cmd_var(int argc, char **argv) {
    static const char *const names[] = {"GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR",
                                        "GIT_PAGER", "GIT_DEFAULT_BRANCH"};
    g_text value = {0};
    if (argc != 2) die_status(129, "usage: git var (-l | <variable>)");
    if (strcmp(argv[1], "-l") == 0) {
        char *words[] = {(char *)"config", (char *)"-l", NULL};
        run_command("config", 2, words);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            value.len = 0;
            if (value_of(&value, names[i], true)) g_outf("%s=%s\n", names[i], value.s);
        }
        return 0;
    }
    if (!value_of(&value, argv[1], false)) die_status(129, "usage: git var (-l | <variable>)");
    g_outf("%s\n", value.s ? value.s : "");
    return 0;
}

/* ---- check-attr */

static int attr_all, from_index, attr_stdin, null;

static void add_attr(const char *path, const char *name, const char *value) {
    const char *text = git_attr_value(value) == GIT_ATTR_VALUE_TRUE    ? "set"
                       : git_attr_value(value) == GIT_ATTR_VALUE_FALSE ? "unset"
                       : git_attr_value(value) == GIT_ATTR_VALUE_STRING ? value
                                                                        : "unspecified";
    if (null) {
        g_outs(path), g_outc('\0');
        g_outs(name), g_outc('\0');
        g_outs(text), g_outc('\0');
        return;
    }
    char *shown = quoted(path, "");
    g_outf("%s: %s: %s\n", shown, name, text);
    free(shown);
}

static int each_attr(const char *name, const char *value, void *path) {
    if (git_attr_value(value) != GIT_ATTR_VALUE_UNSPECIFIED) add_attr(path, name, value);
    return 0;
}

static void check_path(const char *name, int count, char **attrs) {
    uint32_t flags = from_index ? GIT_ATTR_CHECK_INDEX_ONLY : GIT_ATTR_CHECK_FILE_THEN_INDEX;
    char *path = repo_path(name);
    if (attr_all) {
        git_attr_foreach(repo, flags, path, each_attr, (void *)name);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *value;
        check(git_attr_get(&value, repo, flags, path, attrs[i]));
        add_attr(name, attrs[i], value);
    }
}

int cmd_check_attr(int argc, char **argv) {
    static const option table[] = {FLAG('a', "all", attr_all, "report all attributes set on file"), FLAG(0, "cached", from_index, "use .gitattributes only from the index"),
                                   FLAG(0, "stdin", attr_stdin, "read file names from stdin"), FLAG('z', NULL, null, "terminate input and output records by a NUL character"), END};
    int n = options(argc, argv, table, "git check-attr [-a | --all | <attr>...] [--] <pathname>...\ngit check-attr --stdin [-z] [-a | --all | <attr>...]", KEEP_DASHDASH);
    int dashes = -1, attrs;
    for (int i = 0; i < n && dashes < 0; i++)
        if (strcmp(argv[i], "--") == 0) dashes = i;
    if (attr_all) attrs = 0;
    else if (!n) usage_error("error: No attribute specified");
    else if (attr_stdin) attrs = n;
    else attrs = dashes >= 0 ? dashes : 1;
    if (!attrs && !attr_all) usage_error("error: No attribute specified");
    int first = dashes >= 0 ? dashes + 1 : attrs;
    if (attr_stdin && first < n) usage_error("error: Can't specify files with --stdin");
    if (!attr_stdin && first >= n) usage_error("error: No file specified");
    for (int i = first; i < n; i++) check_path(argv[i], attrs, argv);
    if (!attr_stdin) return 0;
    g_text in = {0};
    read_stdin(&in);
    for (char *line = in.s, *stop = in.s + in.len; line < stop;) {
        char *end = memchr(line, null ? '\0' : '\n', (size_t)(stop - line));
        if (end) *end = '\0';
        check_path(line, attrs, argv);
        line = end ? end + 1 : stop;
    }
    return 0;
}

/* ---- count-objects */

typedef struct {
    long loose, loose_blocks, packed, packs, pack_blocks, garbage;
} tally;

static void count_file(tally *t, const char *folder, const char *name, bool pack) {
    struct stat st;
    char *path = g_join(folder, name);
    size_t len = strlen(name);
    if (stat(path, &st) == 0 && pack) {
        t->pack_blocks += (long)st.st_size;
        if (len > 4 && strcmp(name + len - 4, ".idx") == 0) {
            size_t size;
            char *text = read_file(path, &size);
            t->packs++;
            if (text && size > 8 + 1024) {
                const unsigned char *last = (const unsigned char *)text + (memcmp(text, "\377tOc", 4) == 0 ? 8 : 0) + 1020;
                t->packed += (long)last[0] << 24 | last[1] << 16 | last[2] << 8 | last[3];
            }
            free(text);
        }
    } else if (!pack) {
        t->loose++;
        t->loose_blocks += (long)st.st_blocks * 512;
    }
    free(path);
}

static void count_folder(tally *t, const char *folder, bool pack) {
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (e->d_name[0] == '.') continue;
        if (pack ? len > 4 && (strcmp(e->d_name + len - 4, ".idx") == 0 || strcmp(e->d_name + len - 5, ".pack") == 0)
                 : len == OID_HEX - 2) count_file(t, folder, e->d_name, pack);
    }
    if (d) closedir(d);
}

int cmd_count_objects(int argc, char **argv) {
    static int verbose, human;
    static const option table[] = {FLAG('v', "verbose", verbose, "be verbose"), FLAG('H', "human-readable", human, "print sizes in human readable format"), END};
    int n = options(argc, argv, table, "git count-objects [-v] [-H | --human-readable]", 0);
    tally t = {0};
    if (n) usage_error(NULL);
    char *objects = g_join(git_repository_commondir(repo), "objects");
    for (int i = 0; i < 256; i++) {
        char name[3];
        snprintf(name, sizeof name, "%02x", i);
        char *folder = g_join(objects, name);
        count_folder(&t, folder, false);
        free(folder);
    }
    count_folder(&t, g_join(objects, "pack"), true);
    char loose[40], packed[40];
    if (human) {
        snprintf(loose, sizeof loose, t.loose_blocks >= 1 << 20 ? "%.2f MiB" : "%.2f KiB", (double)t.loose_blocks / (t.loose_blocks >= 1 << 20 ? 1 << 20 : 1024));
        snprintf(packed, sizeof packed, t.pack_blocks >= 1 << 20 ? "%.2f MiB" : "%.2f KiB", (double)t.pack_blocks / (t.pack_blocks >= 1 << 20 ? 1 << 20 : 1024));
        if (!t.loose_blocks) snprintf(loose, sizeof loose, "0 bytes");
        if (!t.pack_blocks) snprintf(packed, sizeof packed, "0 bytes");
    } else {
        snprintf(loose, sizeof loose, "%ld", t.loose_blocks / 1024);
        snprintf(packed, sizeof packed, "%ld", t.pack_blocks / 1024);
    }
    if (!verbose) g_outf(human ? "%ld objects, %s\n" : "%ld objects, %s kilobytes\n", t.loose, loose);
    else g_outf("count: %ld\nsize: %s\nin-pack: %ld\npacks: %ld\nsize-pack: %s\nprune-packable: 0\ngarbage: 0\nsize-garbage: %s\n",
                t.loose, loose, t.packed, t.packs, packed, human ? "0 bytes" : "0");
    return 0;
}

/* ---- verify-pack: whether a pack can be read whole */

int cmd_verify_pack(int argc, char **argv) {
    static int verbose, statistics;
    static const char *format;
    static const option table[] = {FLAG('v', "verbose", verbose, "verbose"), FLAG('s', "stat-only", statistics, "show statistics only"),
                                   {OPT_STRING, 0, "object-format", &format, "hash", "specify the hash algorithm to use", 0, NULL, NULL, 0}, END};
    int n = options(argc, argv, table, "git verify-pack [-v | --verbose] [-s | --stat-only] [--] <pack>.idx...", 0), status = 0;
    if (!n) usage_error(NULL);
    for (int i = 0; i < n; i++) {
        g_text path = {0};
        size_t len = strlen(argv[i]), size;
        if (len > 4 && strcmp(argv[i] + len - 4, ".idx") == 0) len -= 4;
        else if (len > 5 && strcmp(argv[i] + len - 5, ".pack") == 0) len -= 5;
        g_text_addf(&path, "%.*s.pack", (int)len, argv[i]);
        char *text = read_file(path.s, &size), folder[] = "/tmp/git-verify-XXXXXX";
        if (!text) {
            note("fatal: Cannot open existing pack file '%.*s.idx'", (int)len, argv[i]);
            status = 1;
            continue;
        }
        if (!mkdtemp(folder)) die("cannot make a folder below /tmp");
        git_indexer *indexer;
        git_indexer_progress progress = {0};
        check(git_indexer_new(&indexer, folder, 0600, NULL, NULL));
        bool fine = git_indexer_append(indexer, text, size, &progress) == 0 && git_indexer_commit(indexer, &progress) == 0;
        if (!fine) {
            error("%s", git_message());
            g_outf("%s: bad\n", path.s);
            status = 1;
        }
        git_indexer_free(indexer);
        remove_tree(folder);
        if (fine && (verbose || statistics)) {
            g_text names = {0};
            size_t names_size;
            g_text_addf(&names, "%.*s.idx", (int)len, argv[i]);
            char *index = read_file(names.s, &names_size);
            if (!index || !list_pack(text, size, index, names_size, !statistics)) {
                error("%s is no index of it, or of another version", names.s);
                status = 1;
            } else if (!statistics) {
                g_outf("%s: ok\n", path.s);
            }
            free(index);
            g_text_free(&names);
        }
        free(text);
        g_text_free(&path);
    }
    return status;
}

/* ---- stripspace */

int cmd_stripspace(int argc, char **argv) {
    static int strip, comment;
    static const option table[] = {FLAG('s', "strip-comments", strip, "skip and remove all lines starting with comment character"),
                                   FLAG('c', "comment-lines", comment, "prepend comment character and space to each line"), END};
    int n = options(argc, argv, table, "git stripspace [-s | --strip-comments]\ngit stripspace [-c | --comment-lines]", 0);
    g_text in = {0};
    if (n) usage_error(NULL);
    read_stdin(&in);
    if (comment) {
        for (char *line = in.s, *end; line && *line; line = end ? end + 1 : NULL) {
            if ((end = strchr(line, '\n')) != NULL) *end = '\0';
            g_outf("#%s%s\n", *line && *line != '\t' ? " " : "", line);
        }
        return 0;
    }
    g_outs(clean_message(in.s, strip));
    return 0;
}

/* ---- merge-file */

static int to_stdout, three_way, zealous, ours, theirs, both, marker, quiet;
static string_list labels;

int cmd_merge_file(int argc, char **argv) {
    static const option table[] = {
        FLAG('p', "stdout", to_stdout, "send results to standard output"), FLAG(0, "diff3", three_way, "use a diff3 based merge"),
        FLAG(0, "zdiff3", zealous, "use a zealous diff3 based merge"), FLAG(0, "ours", ours, "for conflicts, use our version"),
        FLAG(0, "theirs", theirs, "for conflicts, use their version"), FLAG(0, "union", both, "for conflicts, use a union version"),
        {OPT_NUMBER, 0, "marker-size", &marker, "n", "for conflicts, use this marker size", 0, NULL, NULL, 0},
        FLAG('q', "quiet", quiet, "do not warn about conflicts"),
        {OPT_LIST, 'L', NULL, &labels, "name", "set labels for file1/orig-file/file2", 0, NULL, NULL, 0}, END};
    int n = options(argc, argv, table, "git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>", 0);
    git_merge_file_input files[3] = {GIT_MERGE_FILE_INPUT_INIT, GIT_MERGE_FILE_INPUT_INIT, GIT_MERGE_FILE_INPUT_INIT};
    git_merge_file_options o = GIT_MERGE_FILE_OPTIONS_INIT;
    git_merge_file_result result = {0};
    if (n != 3) usage_error(NULL);
    if (labels.count > 3) die_status(129, "error: too many labels on the command line");
    for (int i = 0; i < 3; i++) {
        size_t len;
        files[i].ptr = read_file(argv[i], &len);
        files[i].size = len;
        if (!files[i].ptr) return error("Could not stat %s: %s", argv[i], strerror(errno)), 255;
        if (memchr(files[i].ptr, 0, len < 8000 ? len : 8000)) return error("Cannot merge binary files: %s", argv[i]), 255;
    }
    o.our_label = labels.count > 0 ? labels.items[0] : argv[0];
    o.ancestor_label = labels.count > 1 ? labels.items[1] : argv[1];
    o.their_label = labels.count > 2 ? labels.items[2] : argv[2];
    o.favor = ours ? GIT_MERGE_FILE_FAVOR_OURS : theirs ? GIT_MERGE_FILE_FAVOR_THEIRS : both ? GIT_MERGE_FILE_FAVOR_UNION : GIT_MERGE_FILE_FAVOR_NORMAL;
    o.flags = (three_way ? GIT_MERGE_FILE_STYLE_DIFF3 : 0) | (zealous ? GIT_MERGE_FILE_STYLE_ZDIFF3 : 0);
    o.marker_size = (unsigned short)(marker > 0 && marker < 1000 ? marker : 7);
    check(git_merge_file(&result, &files[1], &files[0], &files[2], &o));
    if (to_stdout) g_out(result.ptr, result.len);
    else write_file(argv[0], result.ptr, result.len);
    int conflicts = 0;
    g_text mark = {0};
    for (int i = 0; i < o.marker_size; i++) g_text_addc(&mark, '<');
    for (size_t i = 0; !result.automergeable && i + mark.len < result.len; i++)
        conflicts += (i == 0 || result.ptr[i - 1] == '\n') && memcmp(result.ptr + i, mark.s, mark.len) == 0 && result.ptr[i + mark.len] == ' ';
    return conflicts > 127 ? 127 : conflicts;
}

/* ---- update-server-info, for servers that know nothing of git */

int cmd_update_server_info(int argc, char **argv) {
    static int force;
    static const option table[] = {FLAG('f', "force", force, "update the info files from scratch"), END};
    options(argc, argv, table, "git update-server-info [-f | --force]", 0);
    git_reference_iterator *at;
    const char *name;
    g_text refs = {0}, packs = {0};
    g_text_adds(&refs, "");
    check(git_reference_iterator_new(&at, repo));
    while (git_reference_next_name(&name, at) == 0) {
        git_oid id;
        git_object *tag, *target;
        if (git_reference_name_to_id(&id, repo, name) < 0) continue;
        g_text_addf(&refs, "%s\t%s\n", full_id(&id), name);
        if (git_object_lookup(&tag, repo, &id, GIT_OBJECT_TAG) == 0 && git_object_peel(&target, tag, GIT_OBJECT_ANY) == 0)
            g_text_addf(&refs, "%s\t%s^{}\n", full_id(git_object_id(target)), name);
    }
    write_git_file("info/refs", refs.s);
    char *folder = g_join(git_repository_commondir(repo), "objects/pack");
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        size_t len = strlen(e->d_name);
        if (len > 5 && strcmp(e->d_name + len - 5, ".pack") == 0) g_text_addf(&packs, "P %s\n", e->d_name);
    }
    if (d) closedir(d);
    g_text_addc(&packs, '\n');
    mkdir(g_join(git_repository_commondir(repo), "objects/info"), 0777);
    write_file(g_join(git_repository_commondir(repo), "objects/info/packs"), packs.s, packs.len);
    return 0;
}

/* ---- check-mailmap */

int cmd_check_mailmap(int argc, char **argv) {
    static int input;
    static const option table[] = {FLAG(0, "stdin", input, "also read contacts from stdin"), END};
    int n = options(argc, argv, table, "git check-mailmap [<options>] <contact>...", 0);
    git_mailmap *map = NULL;
    string_list contacts = {0};
    g_text in = {0};
    for (int i = 0; i < n; i++) list_add(&contacts, argv[i]);
    if (input) read_stdin(&in);
    for (char *line = in.s, *end; line && *line; line = end ? end + 1 : NULL) {
        if ((end = strchr(line, '\n')) != NULL) *end = '\0';
        list_add(&contacts, line);
    }
    if (!contacts.count && !input) die("no contacts specified");
    check(git_mailmap_from_repository(&map, repo));
    for (int i = 0; i < contacts.count; i++) {
        git_signature *who = ident_parse(contacts.items[i]);
        const char *name, *email;
        if (!who) die("unable to parse contact: %s", contacts.items[i]);
        check(git_mailmap_resolve(&name, &email, map, who->name, who->email));
        g_outf("%s%s<%s>\n", name, *name ? " " : "", email);
    }
    return 0;
}

/* ---- what is not there */

int cmd_range_diff(int argc, char **argv) {
    (void)argc, (void)argv;
    die("range-diff is not there: compare the patches of both sides (git format-patch --stdout, then diff)");
}

int cmd_no_network_end(int argc, char **argv) {
    (void)argc, (void)argv;
    die("git %s is not there: the other end of a conversation is a server's; paths are read without it", command);
}

int cmd_needs_screen(int argc, char **argv) {
    (void)argc, (void)argv;
    die("git %s is not there: it needs a screen and programs that the sandbox does not have", command);
}

int cmd_no_keys(int argc, char **argv) {
    (void)argc, (void)argv;
    die("git %s is not there: there are no keys in the sandbox", command);
}
