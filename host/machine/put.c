/*
 * host/machine/put.c: a file of any kind, with mode and time, from the embedder.
 */
#include "machine.h"

#include <string.h>

#define TYPE(mode) ((mode) & 0170000)
#define IS_FILE    0100000
#define IS_DIR     0040000
#define IS_LINK    0120000

static pf_status check(const char *path, const pf_file_new *file, pf_error *error) {
    pf_status status = machine_check_path(path, error);
    if (status != PF_OK) return status;
    uint32_t type = TYPE(file->mode);
    if (type != IS_FILE && type != IS_DIR && type != IS_LINK)
        return base_error(error, PF_INVALID,
                          "%.500s: a file that is made is a regular one, a directory or a symbolic "
                          "link, not of type 0%o",
                          path, type);
    if (type != IS_LINK) return PF_OK;
    if (file->len && file->len < PF_PATH_MAX && !memchr(file->data, 0, file->len)) return PF_OK;
    return base_error(error, PF_INVALID, "%.500s: its target is no path", path);
}

/* In the place of whatever but a directory is there. */
static int64_t link_to(pf_sandbox *s, const char *path, const pf_file_new *file) {
    char both[2 * PF_PATH_MAX];
    size_t len = strlen(path) + 1;
    memcpy(both, file->data, file->len);
    both[file->len] = '\0';
    memcpy(both + file->len + 1, path, len);
    size_t all = file->len + 1 + len;
    int64_t r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = len - 1);
    if (r == -PF_ENOENT) r = machine_make_parents(s, path, 1000);
    if (r < 0) return r;
    return KERNEL(s, SYMLINKAT, .arg = {PF_AT_FDCWD}, .in = both, .in_len = all);
}

static int64_t directory(pf_sandbox *s, const char *path) {
    size_t len = strlen(path);
    struct pf_stat st = {0};
    int64_t r = machine_make_parents(s, path, 1000);
    if (r < 0) return r;
    r = KERNEL(s, MKDIRAT, .arg = {PF_AT_FDCWD, 0755}, .in = path, .in_len = len);
    if (r != -PF_EEXIST) return r;
    r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = len, .out = &st,
               .out_cap = sizeof st);
    return r >= 0 && TYPE(st.mode) != IS_DIR ? -PF_EEXIST : r;
}

static pf_status make(pf_sandbox *s, const char *path, const pf_file_new *file, pf_error *error) {
    size_t len = strlen(path);
    uint32_t type = TYPE(file->mode);
    int64_t r = 0, at = type == IS_LINK ? PF_AT_SYMLINK_NOFOLLOW : 0;
    if (type == IS_FILE) {
        pf_status status = machine_write_file(s, path, file->data, file->len, 0644, 1000, error);
        if (status != PF_OK) return status;
    } else {
        r = type == IS_DIR ? directory(s, path) : link_to(s, path, file);
        if (r >= 0)
            r = KERNEL(s, FCHOWNAT, .arg = {PF_AT_FDCWD, 1000, 1000, at}, .in = path,
                       .in_len = len);
    }
    if (r >= 0 && type != IS_LINK)
        r = KERNEL(s, FCHMODAT, .arg = {PF_AT_FDCWD, file->mode & 07777, 0}, .in = path,
                   .in_len = len);
    if (r >= 0)
        r = KERNEL(s, UTIMENSAT, .arg = {PF_AT_FDCWD, at, file->mtime_ns, file->mtime_ns},
                   .in = path, .in_len = len);
    return r < 0 ? machine_guest_error(s, r, path, error) : PF_OK;
}

pf_status pf_file_make(pf_sandbox *s, const char *path, const pf_file_new *given, pf_error *error) {
    pf_file_new file;
    pf_status status = base_take_sized(&file, sizeof file, given, BASE_SIZE_TO(pf_file_new, len),
                                       "pf_file_new", error);
    if (status == PF_OK) status = check(path, &file, error);
    if (status == PF_OK) status = machine_enter_act(s, "writing", path, true, error);
    if (status != PF_OK) return status;
    machine_tape_make(s, path, &file);
    machine_show_time(s);
    status = make(s, path, &file, error);
    if (s->tape && (status == PF_BOUND || status == PF_INTERRUPTED))
        s->tape->failed = "a file was written by half, which a replay cannot do";
    machine_leave_act(s);
    return status;
}
