/*
 * cmd_update_index.c: git update-index: entries of the index one by one.
 */
#include "checkout.h"
#include "diff.h"

#include <errno.h>
#include <sys/stat.h>

static git_index *entries;
static int add, replace, remove_, info_only, force_remove, quiet, verbose, ignore_missing, null, refreshed, failed;
static int unmerged, ignore_submodules, version, clear, force_write, ignore_skipped;
static const char *chmod_;
enum { KEEP, MARK, UNMARK };
static int valid_mark, skip_mark; /* what happens to the bits of the paths that follow */
static bool changed;

static void say(const char *format, const char *path) {
    if (!verbose) return;
    g_outf(format, path);
    g_outc('\n');
}

static _Noreturn void cannot(const char *path) {
    check(git_index_write(entries)); /* what stood before it is done */
    die("Unable to process path %s", path);
}

static void set_entry(const git_index_entry *e) {
    if (git_index_add(entries, e) < 0) die("%s", git_message());
    changed = true;
}

static void set_mark(const char *path, int mark, unsigned bit, unsigned flag_bit) {
    const git_index_entry *there = git_index_get_bypath(entries, path, 0);
    if (!there) die("Unable to mark file %s", path);
    git_index_entry e = *there;
    if (flag_bit) e.flags = (uint16_t)(mark == MARK ? e.flags | flag_bit : e.flags & ~flag_bit);
    if (bit) {
        e.flags_extended = (uint16_t)(mark == MARK ? e.flags_extended | bit : e.flags_extended & ~bit);
        if (e.flags_extended & GIT_INDEX_ENTRY_EXTENDED_FLAGS) e.flags |= GIT_INDEX_ENTRY_EXTENDED;
        else e.flags = (uint16_t)(e.flags & ~GIT_INDEX_ENTRY_EXTENDED);
    }
    set_entry(&e);
}

static void set_mode(const char *path, bool executable) {
    const git_index_entry *there = git_index_get_bypath(entries, path, 0);
    if (!there || there->mode == GIT_FILEMODE_LINK) {
        die("git update-index: cannot chmod %cx '%s'", executable ? '+' : '-', path);
    }
    git_index_entry e = *there;
    e.mode = executable ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
    set_entry(&e);
    if (verbose) g_outf("chmod %cx '%s'\n", executable ? '+' : '-', path);
}

static void process(const char *path) {
    struct stat st;
    const git_index_entry *there = git_index_get_bypath(entries, path, 0);
    if (lstat(in_workdir(path), &st) != 0) {
        if (there && (there->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE)) return;
        if (remove_) {
            git_index_remove(entries, path, 0);
            git_index_conflict_remove(entries, path);
            changed = true;
            return;
        }
        if (ignore_missing) return;
        error("%s: does not exist and --remove not passed", path);
        cannot(path);
    }
    if (S_ISDIR(st.st_mode)) {
        error("%s: is a directory - add files inside instead", path);
        cannot(path);
    }
    if (!there && !git_index_get_bypath(entries, path, 2) && !git_index_get_bypath(entries, path, 3) && !add) {
        error("%s: cannot add to the index - missing --add option?", path);
        cannot(path);
    }
    if (info_only) {
        git_index_entry e = {.path = path, .mode = S_ISLNK(st.st_mode) ? GIT_FILEMODE_LINK : st.st_mode & 0100 ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB};
        check(git_repository_hashfile(&e.id, repo, in_workdir(path), GIT_OBJECT_BLOB, path));
        set_entry(&e);
    } else if (git_index_add_bypath(entries, path) < 0) {
        error("%s", git_message());
        cannot(path);
    }
    changed = true;
}

static void take_path(const char *name) {
    char *path = repo_path(name);
    if (valid_mark) {
        set_mark(path, valid_mark, 0, GIT_INDEX_ENTRY_VALID);
    } else if (skip_mark) {
        set_mark(path, skip_mark, GIT_INDEX_ENTRY_SKIP_WORKTREE, 0);
    } else if (force_remove) {
        git_index_remove(entries, path, 0);
        git_index_conflict_remove(entries, path);
        changed = true;
        say("remove '%s'", path);
    } else {
        process(path);
        say("add '%s'", path);
    }
    if (chmod_) set_mode(path, *chmod_ == '+');
}

static void refresh(bool really) {
    for (size_t i = 0; i < git_index_entrycount(entries); i++) {
        const git_index_entry *e = git_index_get_byindex(entries, i);
        struct stat st;
        bool marked = (e->flags & GIT_INDEX_ENTRY_VALID) && !really;
        if (GIT_INDEX_ENTRY_STAGE(e)) {
            if (!unmerged && !quiet) g_outf("%s: needs merge\n", e->path);
            failed |= !quiet && !unmerged;
            continue;
        }
        if (marked || (e->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) || e->mode == GIT_FILEMODE_COMMIT) continue;
        bool gone = lstat(in_workdir(e->path), &st) != 0;
        if (gone && ignore_missing) continue;
        if (!gone && !file_changed(e)) {
            git_index_entry fresh = *e;
            fresh.mtime.seconds = (int32_t)st.st_mtim.tv_sec;
            fresh.mtime.nanoseconds = (uint32_t)st.st_mtim.tv_nsec;
            fresh.ctime.seconds = (int32_t)st.st_ctim.tv_sec;
            fresh.ctime.nanoseconds = (uint32_t)st.st_ctim.tv_nsec;
            fresh.file_size = (uint32_t)st.st_size;
            check(git_index_add(entries, &fresh));
            changed = true;
            continue;
        }
        if (!quiet) g_outf("%s: needs update\n", e->path);
        failed |= !quiet;
    }
    refreshed = 1;
}

static void cacheinfo(const char *mode_text, const char *hex, const char *path) {
    git_index_entry e = {.path = path};
    char *end;
    e.mode = (uint32_t)strtoul(mode_text, &end, 8);
    if (*end || git_oid_fromstr(&e.id, hex) < 0) die("git update-index: --cacheinfo cannot add %s", path);
    if (!git_index_get_bypath(entries, path, 0) && !add) {
        error("%s: cannot add to the index - missing --add option?", path);
        die("git update-index: --cacheinfo cannot add %s", path);
    }
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
    if (git_index_add(entries, &e) < 0) {
        error("Invalid path '%s'", path);
        die("git update-index: --cacheinfo cannot add %s", path);
    }
    changed = true;
}

static char *next_line(char **at, char *stop) {
    if (*at >= stop) return NULL;
    char *line = *at, *end = memchr(line, null ? '\0' : '\n', (size_t)(stop - line));
    *at = end ? end + 1 : stop;
    if (end) *end = '\0';
    return line;
}

static void from_stdin(void) {
    g_text in = {0};
    read_stdin(&in);
    char *at = in.s;
    for (char *line; (line = next_line(&at, in.s + in.len)) != NULL;) take_path(line);
}

/* "mode SP id TAB path", "mode SP type SP id TAB path", "mode SP id SP stage TAB path" */
static void index_info(void) {
    g_text in = {0};
    read_stdin(&in);
    char *at = in.s;
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
    for (char *line; (line = next_line(&at, in.s + in.len)) != NULL;) {
        char *tab = strchr(line, '\t'), *space, *end;
        git_index_entry e = {0};
        int stage = 0;
        if (!tab) die("malformed index info %s", line);
        e.path = tab + 1;
        e.mode = (uint32_t)strtoul(line, &end, 8);
        if (*end != ' ') die("malformed index info %s", line);
        *tab = '\0';
        space = tab - 2;
        if (space > end && *space == ' ' && space[1] >= '0' && space[1] <= '3') stage = space[1] - '0', *space = '\0';
        const char *hex = strrchr(end, ' ') + 1;
        if (git_oid_fromstr(&e.id, hex) < 0) die("malformed index info %s", line);
        if (!e.mode) {
            git_index_remove(entries, e.path, 0);
            git_index_conflict_remove(entries, e.path);
        } else {
            GIT_INDEX_ENTRY_STAGE_SET(&e, stage);
            if (git_index_add(entries, &e) < 0) die("git update-index: unable to update %s", e.path);
        }
        changed = true;
    }
}

/* Paths that differ from HEAD are taken again. */
static void again(void) {
    string_list paths = {0};
    diff_defaults();
    git_diff *diff = diff_tree_index(head_tree());
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (d->status != GIT_DELTA_UNMODIFIED && d->status != GIT_DELTA_DELETED) list_add(&paths, d->new_file.path);
    }
    for (int i = 0; i < paths.count; i++) process(paths.items[i]);
}

static const option table[] = {
    FLAG('q', NULL, quiet, "continue refresh even when index needs update"), FLAG(0, "ignore-submodules", ignore_submodules, "refresh: ignore submodules"),
    FLAG(0, "add", add, "do not ignore new files"), FLAG(0, "replace", replace, "let files replace directories and vice-versa"),
    FLAG(0, "remove", remove_, "notice files missing from worktree"),
    FLAG(0, "unmerged", unmerged, "refresh even if index contains unmerged entries"),
    FLAG(0, "info-only", info_only, "add to index only; do not add content to object database"),
    FLAG(0, "force-remove", force_remove, "remove named paths even if present in worktree"),
    FLAG('z', NULL, null, "with --stdin: input lines are terminated by null bytes"),
    FLAG(0, "ignore-missing", ignore_missing, "ignore files missing from worktree"),
    FLAG(0, "verbose", verbose, "report actions to standard output"),
    FLAG(0, "clear-resolve-undo", clear, "(for porcelains) forget saved unresolved conflicts"),
    FLAG(0, "ignore-skip-worktree-entries", ignore_skipped, "do not touch index-only entries"),
    FLAG(0, "force-write-index", force_write, "write out the index even if is not flagged as changed"),
    {OPT_STRING, 0, "chmod", &chmod_, "(+|-)x", "override the executable bit of the listed files", 0, NULL, NULL, 0},
    {OPT_NUMBER, 0, "index-version", &version, "n", "write index in this format", 0, NULL, NULL, 0},
    {OPT_END, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0},
};

/* What works at its place among the paths; how many arguments it takes, 0 for another. */
static int act(const char *o, int left, char **next) {
    if (strcmp(o, "--refresh") == 0) return refresh(false), 1;
    if (strcmp(o, "--really-refresh") == 0) return refresh(true), 1;
    if (strcmp(o, "--again") == 0 || strcmp(o, "-g") == 0) return again(), 1;
    if (strcmp(o, "--stdin") == 0) return from_stdin(), 1;
    if (strcmp(o, "--index-info") == 0) return index_info(), 1;
    if (strcmp(o, "--assume-unchanged") == 0) return valid_mark = MARK, 1;
    if (strcmp(o, "--no-assume-unchanged") == 0) return valid_mark = UNMARK, 1;
    if (strcmp(o, "--skip-worktree") == 0) return skip_mark = MARK, 1;
    if (strcmp(o, "--no-skip-worktree") == 0) return skip_mark = UNMARK, 1;
    if (strcmp(o, "--unresolve") == 0) die("--unresolve is not there: git checkout -m makes the conflict again");
    if (strcmp(o, "--cacheinfo") != 0) return 0;
    char *first = left ? strchr(next[0], ',') : NULL, *second = first ? strchr(first + 1, ',') : NULL;
    if (second) {
        *first = *second = '\0';
        cacheinfo(next[0], first + 1, second + 1);
        return 2;
    }
    if (left < 3) die_status(129, "error: option 'cacheinfo' expects <mode>,<sha1>,<path>");
    cacheinfo(next[0], next[1], next[2]);
    return 4;
}

int cmd_update_index(int argc, char **argv) {
    bool only_paths = false;
    entries = index_of_repo();
    for (int i = 1; i < argc; i++) {
        char *one[] = {argv[0], argv[i], i + 1 < argc ? argv[i + 1] : NULL, NULL};
        int used;
        if (only_paths || argv[i][0] != '-') {
            take_path(argv[i]);
        } else if (strcmp(argv[i], "--") == 0) {
            only_paths = true;
        } else if ((used = act(argv[i], argc - i - 1, argv + i + 1)) > 0) {
            i += used - 1;
        } else {
            bool takes = strcmp(argv[i], "--index-version") == 0 || strcmp(argv[i], "--chmod") == 0;
            options(takes && one[2] ? 3 : 2, one, table, "git update-index [<options>] [--] [<file>...]", 0);
            if (chmod_ && strcmp(chmod_, "+x") != 0 && strcmp(chmod_, "-x") != 0)
                die_status(129, "error: option 'chmod' expects \"+x\" or \"-x\"");
            i += takes;
        }
    }
    if (version) check(git_index_set_version(entries, (unsigned)version));
    if (changed || version || force_write) check(git_index_write(entries));
    return failed;
}
