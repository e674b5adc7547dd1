/*
 * checkout.c: bringing the working tree and the index to another tree.
 *
 * What may not be lost is decided here, file by file as git decides it: an index entry that differs
 * from HEAD, a file that differs from the index, an untracked file in the way.
 */
#include "checkout.h"
#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "g_file.h"

void remove_file(const char *path) {
    char *full = in_workdir(path);
    size_t top = strlen(workdir());
    unlink(full);
    for (char *slash; (slash = strrchr(full, '/')) != NULL && (size_t)(slash - full) >= top;) {
        *slash = '\0';
        if (rmdir(full) != 0) break;
    }
    free(full);
}

/* No part of the way may be a link: what is written must lie in the working tree. */
static bool make_way(char *full) {
    for (char *slash = strchr(full + strlen(workdir()), '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat st;
        *slash = '\0';
        if (lstat(full, &st) == 0 && !S_ISDIR(st.st_mode)) unlink(full);
        mkdir(full, 0777);
        *slash = '/';
    }
    return true;
}

bool checkout_entry(const git_index_entry *entry) {
    char *full = in_workdir(entry->path);
    git_blob *blob;
    git_buf content = {0};
    struct stat st;
    git_blob_filter_options o = GIT_BLOB_FILTER_OPTIONS_INIT;
    make_way(full);
    if ((entry->mode & 0170000) == 0160000) {
        mkdir(full, 0777);
        return true;
    }
    if (git_blob_lookup(&blob, repo, &entry->id) < 0) {
        error("unable to read sha1 file of %s (%s)", entry->path, full_id(&entry->id));
        return false;
    }
    if (lstat(full, &st) == 0) {
        if (S_ISDIR(st.st_mode)) rmdir(full);
        else unlink(full);
    }
    bool ok = true;
    if ((entry->mode & 0170000) == 0120000) {
        char *target = g_copy_bytes(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
        ok = symlink(target, full) == 0;
        free(target);
    } else {
        o.flags = 0;
        check(git_blob_filter(&content, blob, entry->path, &o));
        int fd = open(full, O_WRONLY | O_CREAT | O_EXCL, entry->mode & 0100 ? 0777 : 0666);
        ok = fd >= 0;
        for (size_t at = 0; ok && at < content.size;) {
            ssize_t n = write(fd, content.ptr + at, content.size - at);
            if (n <= 0) ok = false;
            else at += (size_t)n;
        }
        if (fd >= 0) close(fd);
        git_buf_dispose(&content);
    }
    if (!ok) error("unable to create file %s: %s", entry->path, strerror(errno));
    git_blob_free(blob);
    free(full);
    return ok;
}

typedef struct {
    string_list local, untracked, untracked_removed;
} losses;

bool file_changed(const git_index_entry *e) {
    git_oid id;
    struct stat st;
    char *full = in_workdir(e->path);
    if (lstat(full, &st) != 0) return false; /* a deleted file is no loss */
    bool link = S_ISLNK(st.st_mode);
    if (S_ISDIR(st.st_mode)) return (e->mode & 0170000) != 0160000;
    if (link != ((e->mode & 0170000) == 0120000)) return true;
    if (!link && ((st.st_mode & 0100) != 0) != ((e->mode & 0100) != 0) && config_bool("core.filemode", true)) return true;
    if (e->file_size == (uint32_t)st.st_size && e->mtime.seconds == st.st_mtim.tv_sec &&
        e->mtime.nanoseconds == (uint32_t)st.st_mtim.tv_nsec && e->ino == (uint32_t)st.st_ino)
        return false;
    if (git_repository_hashfile(&id, repo, full, link ? GIT_OBJECT_BLOB : GIT_OBJECT_BLOB, link ? NULL : e->path) < 0) return true;
    if (link) {
        char *target = g_read_link(full);
        git_odb_hash(&id, target, strlen(target), GIT_OBJECT_BLOB);
    }
    return !git_oid_equal(&id, &e->id);
}

/* Whether an untracked file is in the way that may not be lost. */
static bool in_the_way(const char *path) {
    struct stat st;
    int ignored = 0;
    char *full = in_workdir(path);
    if (lstat(full, &st) != 0 || S_ISDIR(st.st_mode)) return false;
    git_ignore_path_is_ignored(&ignored, repo, path);
    return !ignored;
}

static void complain(const losses *l, const char *by) {
    const char *doing = strcmp(by, "checkout") == 0 ? "switch branches" : by;
    if (l->local.count) {
        g_text text = {0};
        for (int i = 0; i < l->local.count; i++) g_text_addf(&text, "\t%s\n", l->local.items[i]);
        error("Your local changes to the following files would be overwritten by %s:\n%sPlease commit your changes or stash them before you %s.",
              by, text.s, doing);
    }
    if (l->untracked.count) {
        g_text text = {0};
        for (int i = 0; i < l->untracked.count; i++) g_text_addf(&text, "\t%s\n", l->untracked.items[i]);
        error("The following untracked working tree files would be overwritten by %s:\n%sPlease move or remove them before you %s.",
              by, text.s, doing);
    }
    note("Aborting");
}

typedef struct {
    git_index *index;
    losses lost;
    string_list removals, writes;
    git_tree *head;
} plan;

static void look_at(plan *p, const git_diff_delta *d) {
    bool removed = d->status == GIT_DELTA_DELETED;
    const char *path = removed ? d->old_file.path : d->new_file.path;
    const git_index_entry *e = git_index_get_bypath(p->index, path, 0);
    const git_oid *old = d->status == GIT_DELTA_ADDED ? NULL : &d->old_file.id;
    if (removed && !e) return;
    if (e && !removed && git_oid_equal(&e->id, &d->new_file.id) && e->mode == d->new_file.mode) return; /* is there already */
    if (!e && !removed) {
        if (old) {
            list_add(&p->lost.local, path); /* removed from the index only */
            return;
        }
        if (in_the_way(path)) list_add(&p->lost.untracked, path);
        list_add(&p->writes, path);
        return;
    }
    if (!old || !git_oid_equal(&e->id, old) || file_changed(e)) {
        list_add(&p->lost.local, path);
        return;
    }
    list_add(removed ? &p->removals : &p->writes, path);
}

static void refresh(git_index *index, const char *path) {
    git_index_entry e = *git_index_get_bypath(index, path, 0);
    struct stat st;
    if (lstat(in_workdir(path), &st) != 0) return;
    e.ctime.seconds = (int32_t)st.st_ctim.tv_sec, e.ctime.nanoseconds = (uint32_t)st.st_ctim.tv_nsec;
    e.mtime.seconds = (int32_t)st.st_mtim.tv_sec, e.mtime.nanoseconds = (uint32_t)st.st_mtim.tv_nsec;
    e.dev = (uint32_t)st.st_dev, e.ino = (uint32_t)st.st_ino, e.uid = st.st_uid, e.gid = st.st_gid;
    e.file_size = (uint32_t)st.st_size;
    check(git_index_add(index, &e));
}

static void write_entries(git_index *index, git_tree *tree, const string_list *paths) {
    for (int i = 0; i < paths->count; i++) {
        git_tree_entry *found;
        git_index_entry e = {0};
        check(git_tree_entry_bypath(&found, tree, paths->items[i]));
        e.path = paths->items[i];
        e.mode = git_tree_entry_filemode(found);
        e.id = *git_tree_entry_id(found);
        git_index_conflict_remove(index, e.path);
        check(git_index_add(index, &e));
        if (checkout_entry(&e) && e.mode != 0160000) refresh(index, e.path);
        git_tree_entry_free(found);
    }
}

bool checkout_safely(git_tree *tree, const char *by) {
    plan p = {.index = index_of_repo(), .head = head_tree()};
    git_diff *diff;
    git_diff_options o = GIT_DIFF_OPTIONS_INIT;
    o.flags = GIT_DIFF_INCLUDE_TYPECHANGE;
    check(git_diff_tree_to_tree(&diff, repo, p.head, tree, &o));
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) look_at(&p, git_diff_get_delta(diff, i));
    if (p.lost.local.count || p.lost.untracked.count) {
        complain(&p.lost, by);
        return false;
    }
    for (int i = 0; i < p.removals.count; i++) {
        remove_file(p.removals.items[i]);
        check(git_index_remove_bypath(p.index, p.removals.items[i]));
    }
    write_entries(p.index, tree, &p.writes);
    check(git_index_write(p.index));
    git_diff_free(diff);
    return true;
}

/* The index as the tree, and each file that differs from it. What only the index had goes. */
void checkout_forced(git_tree *tree) {
    git_index *index = index_of_repo();
    string_list old = {0}, writes = {0};
    for (size_t i = 0; i < git_index_entrycount(index); i++) list_add(&old, git_index_get_byindex(index, i)->path);
    git_index *before;
    check(git_index_new(&before));
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        if (!GIT_INDEX_ENTRY_STAGE(e)) git_index_add(before, e);
    }
    check(git_index_read_tree(index, tree));
    for (int i = 0; i < old.count; i++)
        if (!git_index_get_bypath(index, old.items[i], 0)) remove_file(old.items[i]);
    for (size_t i = 0; i < git_index_entrycount(index); i++) {
        const git_index_entry *e = git_index_get_byindex(index, i);
        const git_index_entry *b = git_index_get_bypath(before, e->path, 0);
        if (b && git_oid_equal(&b->id, &e->id) && b->mode == e->mode && file_exists(in_workdir(e->path)) && !file_changed(b)) {
            git_index_entry kept = *b;
            kept.path = e->path;
            check(git_index_add(index, &kept));
        } else {
            list_add(&writes, e->path);
        }
    }
    write_entries(index, tree, &writes);
    check(git_index_write(index));
    git_index_free(before);
}

void list_local_changes(git_tree *tree) {
    diff_defaults();
    diffs.renames = 0;
    git_diff *diff = diff_tree_workdir(tree);
    for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
        const git_diff_delta *d = git_diff_get_delta(diff, i);
        if (diff_skip(diff, i)) continue;
        g_outf("%c\t%s\n", diff_letter(d), d->status == GIT_DELTA_DELETED ? d->old_file.path : d->new_file.path);
    }
    git_diff_free(diff);
}

void head_position(const char *what, git_commit *commit) {
    note("%s %s %s", what, short_id(git_commit_id(commit)), subject_of(git_commit_message(commit)));
}
