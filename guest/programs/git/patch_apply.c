/*
 * patch_apply.c: patches checked against files and the index, and what they make written.
 *
 * All of them are checked, and made in memory, before the first file is touched.
 */
#include "patch.h"
#include "checkout.h"

#include "git2/sys/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"

patch_opts patching;
git_index *patch_index; /* instead of the repository's own; then files are left alone */

static string_list conflicts;

static git_index *index_in_use(void) { return patch_index ? patch_index : index_of_repo(); }

/* ---- what earlier patches of the same text did to a path */

typedef struct {
    const char *name;
    file_patch *made; /* NULL: it is gone */
} outcome;
static outcome *outcomes;
static size_t outcome_count, outcome_cap;

static outcome *outcome_of(const char *name) {
    for (size_t i = outcome_count; name && i-- > 0;)
        if (strcmp(outcomes[i].name, name) == 0) return &outcomes[i];
    return NULL;
}

static void note_outcome(const char *name, file_patch *made) {
    if (outcome_count == outcome_cap) outcomes = g_more(outcomes, &outcome_cap, sizeof *outcomes);
    outcomes[outcome_count++] = (outcome){name, made};
}

/* Files that a later patch takes away may be made anew by an earlier one. */
static bool to_be_deleted(const patch_list *list, const char *name) {
    outcome *known = outcome_of(name);
    if (known) return !known->made;
    for (size_t i = 0; i < list->count; i++) {
        const file_patch *p = &list->items[i];
        if ((p->is_delete > 0 || p->is_rename) && p->old_name && strcmp(p->old_name, name) == 0) return true;
    }
    return false;
}

/* ---- paths */

static bool part_is_unsafe(const char *part, size_t len) {
    if (!len || (len == 1 && *part == '.') || (len == 2 && part[0] == '.' && part[1] == '.')) return true;
    if (len >= 4 && strncasecmp(part, ".git", 4) == 0) {
        size_t rest = 4;
        while (rest < len && (part[rest] == ' ' || part[rest] == '.')) rest++;
        if (rest == len || part[rest] == ':') return true;
    }
    return len == 5 && strncasecmp(part, "git~1", 5) == 0;
}

static bool unsafe_path(const char *path) {
    if (!path) return false;
    do {
        size_t len = strcspn(path, "/");
        if (part_is_unsafe(path, len)) return true;
        path += len;
    } while (*path++);
    return false;
}

static bool is_link(const char *path) {
    struct stat st;
    outcome *known = outcome_of(path);
    if (known) return known->made && S_ISLNK(known->made->new_mode);
    if (patching.cached || patching.index) {
        const git_index_entry *e = git_index_get_bypath(index_in_use(), path, 0);
        if (e || patching.cached) return e && S_ISLNK(e->mode);
    }
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool beyond_link(const char *path) {
    char *copy = g_copy_string(path);
    bool yes = false;
    for (char *slash = copy; (slash = strchr(slash, '/')) != NULL && !yes; *slash++ = '/') {
        *slash = '\0';
        yes = is_link(copy);
    }
    free(copy);
    return yes;
}

/* ---- reading */

static void filter(g_text *text, const char *path, git_filter_mode_t mode) {
    git_filter_list *list = NULL;
    git_buf out = {0};
    if (!repo || git_filter_list_load(&list, repo, NULL, path, mode, GIT_FILTER_ALLOW_UNSAFE) < 0 || !list) return;
    if (git_filter_list_apply_to_buffer(&out, list, text->s ? text->s : "", text->len) == 0) {
        g_text fresh = {0};
        g_text_adds(&fresh, "");
        g_text_add(&fresh, out.ptr, out.size);
        g_text_free(text);
        *text = fresh;
    }
    git_buf_dispose(&out);
    git_filter_list_free(list);
}

static bool read_entry(g_text *text, const git_index_entry *e) {
    git_blob *blob;
    g_text_adds(text, "");
    if (!e) return true;
    if (e->mode == GIT_FILEMODE_COMMIT) {
        g_text_addf(text, "Subproject commit %s\n", full_id(&e->id));
        return true;
    }
    if (git_blob_lookup(&blob, repo, &e->id) < 0) return false;
    g_text_add(text, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    git_blob_free(blob);
    return true;
}

/* The contents that a name has now, as git has them. */
static bool read_current(g_text *text, const char *name) {
    struct stat st;
    size_t len;
    if (patching.cached || patching.index) return read_entry(text, git_index_get_bypath(index_in_use(), name, 0));
    g_text_adds(text, "");
    if (lstat(name, &st) < 0) return errno == ENOENT;
    if (S_ISLNK(st.st_mode)) {
        g_text_adds(text, g_read_link(name));
        return true;
    }
    char *data = read_file(name, &len);
    if (!data) return false;
    g_text_add(text, data, len);
    free(data);
    filter(text, name, GIT_FILTER_TO_ODB);
    return true;
}

static bool load(g_text *text, const file_patch *p) {
    outcome *known = p->is_copy || p->is_rename ? NULL : outcome_of(p->old_name);
    if (!p->old_name) {
        g_text_adds(text, "");
        return true;
    }
    if (known && known->made && known->made != p) {
        g_text_adds(text, "");
        g_text_add(text, known->made->result.s ? known->made->result.s : "", known->made->result.len);
        return true;
    }
    if (beyond_link(p->old_name)) return error("reading from '%s' beyond a symbolic link", p->old_name), false;
    if (!read_current(text, p->old_name)) return error("read of %s failed", p->old_name), false;
    return true;
}

/* ---- merging where a patch does not apply as it is */

static git_index_entry side(const git_oid *id, const file_patch *p) {
    git_index_entry e = {0};
    e.id = *id;
    e.mode = p->new_mode ? p->new_mode : 0100644;
    e.path = p->new_name;
    return e;
}

/* -1 could not, 0 clean, 1 conflicts */
static int merge_sides(g_text *out, file_patch *p, const git_oid *base, const git_oid *ours, const git_oid *theirs) {
    git_merge_file_options o = GIT_MERGE_FILE_OPTIONS_INIT;
    git_merge_file_result result = {0};
    git_index_entry e[3] = {side(base, p), side(ours, p), side(theirs, p)};
    git_index_entry *taken = git_oid_equal(base, ours) ? &e[2] : git_oid_equal(base, theirs) || git_oid_equal(ours, theirs) ? &e[1] : NULL;
    if (taken) return read_entry(out, taken) ? 0 : -1;
    o.ancestor_label = "base", o.our_label = "ours", o.their_label = "theirs";
    if (git_merge_file_from_index(&result, repo, p->is_new > 0 ? NULL : &e[0], &e[1], &e[2], &o) < 0 || !result.ptr) return -1;
    g_text_adds(out, "");
    g_text_add(out, result.ptr, result.len);
    int status = !result.automergeable;
    git_merge_file_result_free(&result);
    return status;
}

static bool three_way(g_text *text, file_patch *p) {
    git_oid base, ours, theirs;
    git_blob *blob;
    g_text made = {0}, now = {0};
    git_object *object = NULL;
    if (p->is_delete > 0 || p->old_mode == 0160000 || p->new_mode == 0160000 || (p->is_new > 0 && !p->direct) ||
        (p->is_rename && !p->added && !p->deleted))
        return false;
    g_text_adds(&made, "");
    if (p->is_new > 0) {
        check(git_blob_create_from_buffer(&base, repo, "", 0));
    } else {
        object = *p->old_id ? object_named(p->old_id) : NULL;
        if (!object || git_object_type(object) != GIT_OBJECT_BLOB)
            return error("repository lacks the necessary blob to perform 3-way merge."), false;
        base = *git_object_id(object);
        blob = (git_blob *)object;
        g_text_add(&made, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
    }
    if (p->direct && !patching.quiet) note("Performing three-way merge...");
    if (!patch_apply_hunks(&made, p)) return false;
    check(git_blob_create_from_buffer(&theirs, repo, made.s ? made.s : "", made.len));
    if (p->is_new > 0) {
        if (!read_current(&now, p->new_name)) return error("cannot read the current contents of '%s'", p->new_name), false;
    } else if (!load(&now, p)) {
        return error("cannot read the current contents of '%s'", p->old_name), false;
    }
    check(git_blob_create_from_buffer(&ours, repo, now.s ? now.s : "", now.len));
    g_text_free(text);
    int status = merge_sides(text, p, &base, &ours, &theirs);
    if (status < 0) {
        if (!patching.quiet) note("Failed to perform three-way merge...");
        return false;
    }
    if (status) {
        p->conflicted = true;
        if (p->is_new <= 0) p->stages[0] = base;
        p->stages[1] = ours;
        p->stages[2] = theirs;
    }
    if (!patching.quiet) note("Applied patch to '%s' %s.", p->new_name, status ? "with conflicts" : "cleanly");
    return true;
}

/* ---- checking */

static unsigned mode_of(const struct stat *st) {
    return S_ISLNK(st->st_mode) ? 0120000 : S_ISDIR(st->st_mode) ? 0160000 : st->st_mode & 0100 ? 0100755 : 0100644;
}

static int becomes_new(file_patch *p) {
    p->is_new = 1;
    p->is_delete = 0;
    p->old_name = NULL;
    return 0;
}

/* What the patch starts from: is it there, and of the right kind? */
static int check_old(file_patch *p) {
    struct stat st;
    unsigned mode = 0;
    outcome *known = p->is_copy || p->is_rename ? NULL : outcome_of(p->old_name);
    if (!p->old_name) return 0;
    if (known && !known->made) return error("path %s has been renamed/deleted", p->old_name);
    if (known) {
        mode = known->made->new_mode;
    } else {
        bool there = patching.cached || lstat(p->old_name, &st) == 0;
        if (!there && errno != ENOENT && errno != ENOTDIR) return error("%s: %s", p->old_name, strerror(errno));
        if (!there && errno == ENOTDIR && !patching.index) return error("%s: %s", p->old_name, strerror(errno));
        if (patching.index || patching.cached) {
            const git_index_entry *e = git_index_get_bypath(index_in_use(), p->old_name, 0);
            if (!e && p->is_new < 0) return becomes_new(p);
            if (!e) return error("%s: does not exist in index", p->old_name);
            if (!there && checkout_entry(e)) there = lstat(p->old_name, &st) == 0;
            if (!patching.cached && (!there || file_changed(e))) return error("%s: does not match index", p->old_name);
            mode = e->mode;
        } else if (!there) {
            if (p->is_new < 0) return becomes_new(p);
            return error("%s: %s", p->old_name, strerror(ENOENT));
        } else {
            mode = mode_of(&st);
        }
    }
    if (p->is_new < 0) p->is_new = 0;
    if (!p->old_mode) p->old_mode = mode;
    if ((mode ^ p->old_mode) & S_IFMT) return error("%s: wrong type", p->old_name);
    if (mode != p->old_mode) warning("%s has type %o, expected %o", p->old_name, mode, p->old_mode);
    if (!p->new_mode && p->is_delete <= 0) p->new_mode = mode;
    return 0;
}

static const char *in_the_way(const char *name, bool may) {
    struct stat st;
    if ((patching.index || patching.cached) && (!may || !patching.cached) &&
        git_index_get_bypath(index_in_use(), name, 0))
        return may ? NULL : "already exists in index";
    if (patching.cached || lstat(name, &st) < 0) return NULL;
    if (S_ISDIR(st.st_mode) || may || beyond_link(name)) return NULL;
    return "already exists in working directory";
}

static int check_new(const patch_list *list, file_patch *p) {
    bool creates = p->is_new > 0 || p->is_rename || p->is_copy;
    if (p->new_name && creates) {
        const char *problem = in_the_way(p->new_name, to_be_deleted(list, p->new_name));
        if (problem && patching.three_way) p->direct = true;
        else if (problem) return error("%s: %s", p->new_name, problem);
        if (!p->new_mode) p->new_mode = p->is_new > 0 ? 0100644 : p->old_mode;
    }
    if (p->new_name && p->old_name) {
        if (!p->new_mode) p->new_mode = p->old_mode;
        if ((p->old_mode ^ p->new_mode) & S_IFMT) {
            bool same = strcmp(p->old_name, p->new_name) == 0;
            return error("new mode (%o) of %s does not match old mode (%o)%s%s", p->new_mode, p->new_name,
                         p->old_mode, same ? "" : " of ", same ? "" : p->old_name);
        }
    }
    return 0;
}

static int check_one(const patch_list *list, file_patch *p) {
    const char *name = p->old_name ? p->old_name : p->new_name;
    p->rejected = true;
    const char *paths[] = {p->is_delete > 0 || p->is_new <= 0 ? p->old_name : NULL, p->new_name};
    for (int i = 0; i < 2 && !patching.unsafe; i++)
        if (unsafe_path(paths[i])) {
            error("invalid path '%s'", paths[i]);
            g_exit(128);
        }
    if (check_old(p) < 0 || check_new(list, p) < 0) return -1;
    if (p->is_delete <= 0 && beyond_link(p->new_name))
        return error("affected file '%s' is beyond a symbolic link", p->new_name);
    g_text text = {0};
    if (!load(&text, p)) return error("%s: patch does not apply", name);
    if (!patching.three_way || !three_way(&text, p)) {
        if (patching.three_way && !p->direct && !patching.quiet) note("Falling back to direct application...");
        if (p->direct || !patch_apply_hunks(&text, p)) return error("%s: patch does not apply", name);
    }
    p->result = text;
    if (p->is_delete > 0 && text.len) return error("removal patch leaves file contents"), error("%s: patch does not apply", name);
    if (p->is_delete > 0 || p->is_rename) note_outcome(p->old_name, NULL);
    if (p->new_name && p->is_delete <= 0) note_outcome(p->new_name, p);
    p->rejected = false;
    return 0;
}

/* ---- writing */

static void write_result(const file_patch *p) {
    g_text text = {0};
    unlink(p->new_name);
    g_make_parents(p->new_name);
    if (p->new_mode == 0160000) {
        mkdir(p->new_name, 0777);
        return;
    }
    if (S_ISLNK(p->new_mode)) {
        if (symlink(p->result.s ? p->result.s : "", p->new_name) < 0) die_status(128, "error: unable to write file '%s' mode %o: %s", p->new_name, p->new_mode, strerror(errno));
        return;
    }
    g_text_adds(&text, "");
    g_text_add(&text, p->result.s ? p->result.s : "", p->result.len);
    filter(&text, p->new_name, GIT_FILTER_TO_WORKTREE);
    int fd = open(p->new_name, O_WRONLY | O_CREAT | O_EXCL, p->new_mode & 0100 ? 0777 : 0666);
    bool ok = fd >= 0;
    for (size_t at = 0; ok && at < text.len;) {
        ssize_t n = write(fd, text.s + at, text.len - at);
        if (n <= 0) ok = false;
        else at += (size_t)n;
    }
    if (!ok) die_status(128, "error: unable to write file '%s' mode %o: %s", p->new_name, p->new_mode, strerror(errno));
    close(fd);
    g_text_free(&text);
}

static void stat_entry(git_index_entry *e) {
    struct stat st;
    if (patching.cached || lstat(e->path, &st) < 0) return;
    e->ctime.seconds = (int32_t)st.st_ctim.tv_sec, e->ctime.nanoseconds = (uint32_t)st.st_ctim.tv_nsec;
    e->mtime.seconds = (int32_t)st.st_mtim.tv_sec, e->mtime.nanoseconds = (uint32_t)st.st_mtim.tv_nsec;
    e->dev = (uint32_t)st.st_dev, e->ino = (uint32_t)st.st_ino, e->uid = st.st_uid, e->gid = st.st_gid;
    e->file_size = (uint32_t)st.st_size;
}

static void index_result(const file_patch *p) {
    git_index *index = index_in_use();
    git_index_entry e = {0}, stages[3];
    e.path = p->new_name;
    e.mode = p->new_mode ? p->new_mode : 0100644;
    if (p->conflicted) {
        git_index_remove(index, p->new_name, 0);
        for (int i = 0; i < 3; i++) {
            stages[i] = e;
            stages[i].id = p->stages[i];
        }
        check(git_index_conflict_add(index, git_oid_is_zero(&p->stages[0]) ? NULL : &stages[0], &stages[1], &stages[2]));
        return;
    }
    if (e.mode == 0160000) {
        if (!p->result.s || strncmp(p->result.s, "Subproject commit ", 18) != 0 || git_oid_fromstr(&e.id, p->result.s + 18) < 0)
            die("corrupt patch for submodule %s", p->new_name);
    } else {
        check(git_blob_create_from_buffer(&e.id, repo, p->result.s ? p->result.s : "", p->result.len));
        stat_entry(&e);
    }
    git_index_conflict_remove(index, e.path);
    if (git_index_add(index, &e) < 0) die("unable to add cache entry for %s: %s", e.path, git_message());
}

static void take_away(const file_patch *p, bool directories) {
    if (patching.index || patching.cached) git_index_remove(index_in_use(), p->old_name, 0);
    if (patching.cached) return;
    if (p->old_mode == 0160000) {
        rmdir(p->old_name);
        return;
    }
    if (unlink(p->old_name) < 0) {
        warning("unable to unlink '%s': %s", p->old_name, strerror(errno));
        return;
    }
    char *copy = g_copy_string(p->old_name);
    for (char *slash; directories && (slash = strrchr(copy, '/')) != NULL;) {
        *slash = '\0';
        if (rmdir(copy) != 0) break;
    }
    free(copy);
}

static void put(const file_patch *p) {
    if (!patching.cached) write_result(p);
    if (patching.index || patching.cached) index_result(p);
}

/* The hunks that did not apply, into NAME.rej; whether there are any. */
static bool write_rejects(const file_patch *p) {
    int count = 0;
    g_text text = {0}, name = {0};
    for (size_t i = 0; i < p->count; i++) count += p->hunks[i].rejected;
    if (!count) {
        if (patching.verbose) note("Applied patch %s cleanly.", patch_name(p));
        return false;
    }
    note(count == 1 ? "Applying patch %s with %d reject..." : "Applying patch %s with %d rejects...", patch_name(p), count);
    g_text_addf(&name, "%s.rej", p->new_name);
    g_text_addf(&text, "diff a/%s b/%s\t(rejected hunks)\n", p->new_name, p->new_name);
    for (size_t i = 0; i < p->count; i++) {
        const hunk *h = &p->hunks[i];
        note(h->rejected ? "Rejected hunk #%zu." : "Hunk #%zu applied cleanly.", i + 1);
        if (!h->rejected) continue;
        g_text_add(&text, h->text, h->len);
        if (h->text[h->len - 1] != '\n') g_text_addc(&text, '\n');
    }
    unlink(name.s); /* never through a link that lies there */
    write_file(name.s, text.s, text.len);
    g_text_free(&text);
    g_text_free(&name);
    return true;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* 0, or 1 when something was rejected or is in conflict. */
static int write_all(patch_list *list) {
    int status = 0;
    conflicts = (string_list){NULL, 0};
    for (size_t i = 0; i < list->count; i++) {
        file_patch *p = &list->items[i];
        if (p->rejected) status = 1;
        else if (p->is_delete > 0) take_away(p, true);
        else if (p->is_new <= 0 && !p->is_copy) take_away(p, p->is_rename);
    }
    for (size_t i = 0; i < list->count; i++) {
        file_patch *p = &list->items[i];
        outcome *last = outcome_of(p->new_name);
        if (p->rejected) continue;
        if (p->is_delete <= 0 && last && last->made == p) put(p);
        if (write_rejects(p)) status = 1;
        if (p->conflicted) list_add(&conflicts, p->new_name), status = 1;
    }
    if (conflicts.count) {
        qsort(conflicts.items, (size_t)conflicts.count, sizeof *conflicts.items, by_name);
        for (int i = 0; i < conflicts.count && !patching.quiet; i++) note("U %s", conflicts.items[i]);
    }
    if ((patching.index || patching.cached) && !patch_index) check(git_index_write(index_in_use()));
    return status;
}

void patch_names_of_conflicts(string_list *names) { *names = conflicts; }

int patch_apply(patch_list *list) {
    bool bad = false;
    outcome_count = 0;
    if (patching.white_errors && patching.white == WHITE_ERROR) patching.apply = 0;
    for (size_t i = 0; i < list->count && (patching.check || patching.apply); i++) {
        file_patch *p = &list->items[i];
        if (patching.verbose) note("Checking patch %s...", patch_name(p));
        if (check_one(list, p) < 0) bad = true;
    }
    if (bad && !patching.reject) return 1;
    return patching.apply ? write_all(list) : 0;
}
