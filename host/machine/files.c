/*
 * host/machine/files.c: the embedder's way to the sandbox's files, by the kernel's own file calls.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

static const char *errno_text(int64_t number) {
    switch (number) {
#define X(value, name, text)                                                                       \
    case value: return text;
#include "abi/errno.def"
#undef X
    }
    return "Unknown error";
}

pf_status machine_guest_error(pf_sandbox *s, int64_t result, const char *path, pf_error *error) {
    if (s->dead) return machine_dead(s, error);
    pf_status status = result == -PF_ENOENT ? PF_NOT_FOUND : PF_GUEST;
    base_error(error, status, "%.900s: %s", path, errno_text(-result));
    if (error) error->guest_errno = (int)-result;
    return status;
}

static pf_status check_path(const char *path, pf_error *error) {
    if (!path || path[0] != '/')
        return base_error(error, PF_INVALID, "the path \"%.900s\" is not absolute",
                             path ? path : "(null)");
    if (strlen(path) >= PF_PATH_MAX)
        return base_error(error, PF_INVALID, "the path has %zu bytes, more than %u",
                             strlen(path), PF_PATH_MAX - 1);
    return PF_OK;
}

/* Makes the directories above `path` that are missing, for `owner`. */
static int64_t make_parents(pf_sandbox *s, const char *path, uint32_t owner) {
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/' || path[i - 1] == '/') continue;
        int64_t r = KERNEL(s, MKDIRAT, .arg = {PF_AT_FDCWD, 0755}, .in = path, .in_len = i);
        if (r == 0)
            r = KERNEL(s, FCHOWNAT, .arg = {PF_AT_FDCWD, owner, owner, 0}, .in = path,
                       .in_len = i);
        if (r < 0 && r != -PF_EEXIST) return r;
    }
    return 0;
}

static int64_t write_bytes(pf_sandbox *s, int64_t fd, const char *data, size_t len) {
    for (size_t at = 0; at < len;) {
        size_t piece = len - at < PF_IO_MAX ? len - at : PF_IO_MAX;
        int64_t n = KERNEL(s, WRITE, .arg = {fd}, .in = data + at, .in_len = piece);
        if (n == 0 || n > (int64_t)piece) n = -PF_EIO;
        if (n < 0) return n;
        at += (size_t)n;
    }
    return 0;
}

pf_status machine_write_file(pf_sandbox *s, const char *path, const void *data, size_t len,
                             uint32_t mode, uint32_t owner, pf_error *error) {
    pf_status status = check_path(path, error);
    if (status != PF_OK) return status;
    size_t path_len = strlen(path);
    int64_t flags = PF_O_WRONLY | PF_O_CREAT | PF_O_TRUNC | PF_O_NONBLOCK;
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, flags, mode}, .in = path,
                        .in_len = path_len);
    if (fd == -PF_ENOENT) {
        int64_t r = make_parents(s, path, owner);
        if (r < 0) return machine_guest_error(s, r, path, error);
        fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, flags, mode}, .in = path, .in_len = path_len);
    }
    if (fd < 0) return machine_guest_error(s, fd, path, error);
    int64_t r = write_bytes(s, fd, data, len);
    if (r == 0 && owner)
        r = KERNEL(s, FCHOWNAT, .arg = {fd, owner, owner, PF_AT_EMPTY_PATH});
    KERNEL(s, CLOSE, .arg = {fd});
    return r < 0 ? machine_guest_error(s, r, path, error) : PF_OK;
}

pf_status pf_file_write(pf_sandbox *s, const char *path, const void *data, size_t len,
                        pf_error *error) {
    pf_status status = machine_enter_to_change(s, error);
    if (status != PF_OK) return status;
    machine_tape_write(s, path ? path : "", data, len);
    machine_show_time(s);
    status = machine_write_file(s, path, data, len, 0644, 1000, error);
    machine_leave(s);
    return status;
}

/* Everything from `fd`, into *out. */
static int64_t read_all(pf_sandbox *s, int64_t fd, struct base_buf *out) {
    char *chunk = malloc(PF_IO_MAX);
    int64_t r = chunk ? 0 : -PF_ENOMEM;
    while (r == 0) {
        struct k_call call = {
            .call = PF_CALL_READ, .arg = {fd}, .out = chunk, .out_cap = PF_IO_MAX};
        r = machine_kernel(s, &call);
        if (r == 0) break;
        if (r > 0 && call.out_len == 0) r = -PF_EIO;
        if (r > 0 && (uint64_t)out->len + call.out_len > s->budget.limit) r = -PF_EFBIG;
        if (r > 0) r = base_buf_add(out, chunk, call.out_len) ? 0 : -PF_ENOMEM;
    }
    free(chunk);
    return r;
}

static pf_status take_file(pf_sandbox *s, const char *path, struct base_buf *out, pf_error *error) {
    struct pf_stat st;
    size_t len = strlen(path);
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = len, .out = &st,
                       .out_cap = sizeof st);
    if (r == 0 && (st.mode & 0170000) == 0040000) r = -PF_EISDIR;
    else if (r == 0 && (st.mode & 0170000) != 0100000) r = -PF_EINVAL;
    if (r == 0)
        r = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, PF_O_RDONLY | PF_O_NONBLOCK}, .in = path,
                   .in_len = len);
    if (r < 0) return machine_guest_error(s, r, path, error);
    int64_t fd = r;
    r = base_buf_add(out, "", 0) ? read_all(s, fd, out) : -PF_ENOMEM;
    KERNEL(s, CLOSE, .arg = {fd});
    return r < 0 ? machine_guest_error(s, r, path, error) : PF_OK;
}

pf_status pf_file_take(pf_sandbox *s, const char *path, char **data, size_t *len,
                       pf_error *error) {
    *data = NULL;
    *len = 0;
    pf_status status = check_path(path, error);
    if (status == PF_OK) status = machine_enter(s, error);
    if (status != PF_OK) return status;
    struct base_buf out;
    base_buf_init(&out, SIZE_MAX);
    machine_tape_act(s, "read", path); /* it may change the file's access time */
    machine_show_time(s);
    status = take_file(s, path, &out, error);
    machine_leave(s);
    if (status != PF_OK) {
        base_buf_free(&out);
        return status;
    }
    *data = out.data;
    *len = out.len;
    return PF_OK;
}

pf_status pf_file_remove(pf_sandbox *s, const char *path, pf_error *error) {
    pf_status status = check_path(path, error);
    if (status == PF_OK) status = machine_enter_to_change(s, error);
    if (status != PF_OK) return status;
    machine_tape_act(s, "remove", path);
    machine_show_time(s);
    size_t len = strlen(path);
    int64_t r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = len);
    if (r == -PF_EISDIR)
        r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, PF_AT_REMOVEDIR}, .in = path, .in_len = len);
    if (r < 0) status = machine_guest_error(s, r, path, error);
    machine_leave(s);
    return status;
}

static pf_status file_stat(pf_sandbox *s, const char *path, bool follow, pf_file_info *out,
                           pf_error *error) {
    pf_status status = check_path(path, error);
    if (status == PF_OK) status = machine_enter(s, error);
    if (status != PF_OK) return status;
    struct pf_stat st = {0};
    machine_tape_act(s, follow ? "stat" : "lstat", path); /* it may look into a mount */
    machine_show_time(s);
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, follow ? 0 : PF_AT_SYMLINK_NOFOLLOW},
                       .in = path, .in_len = strlen(path), .out = &st, .out_cap = sizeof st);
    if (r < 0) status = machine_guest_error(s, r, path, error);
    else *out = (pf_file_info){.mode = st.mode, .size = st.size, .mtime_ns = st.mtime_ns};
    machine_leave(s);
    return status;
}

pf_status pf_file_stat(pf_sandbox *s, const char *path, pf_file_info *out, pf_error *error) {
    return file_stat(s, path, true, out, error);
}

pf_status pf_file_lstat(pf_sandbox *s, const char *path, pf_file_info *out, pf_error *error) {
    return file_stat(s, path, false, out, error);
}

/* ---- directories */

/* More than the names of one directory can be; a kernel that says more lies. */
#define NAMES_MAX ((size_t)PF_FILES_MAX * (PF_NAME_MAX + 1))

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends the names of packed struct pf_dirent records. False: nonsense, or out of memory. */
static bool add_names(struct base_buf *names, const char *records, size_t len) {
    for (size_t at = 0; at < len;) {
        struct pf_dirent head;
        if (len - at < sizeof head) return false;
        memcpy(&head, records + at, sizeof head);
        if (head.name_len > PF_NAME_MAX || len - at < PF_DIRENT_SIZE(head.name_len)) return false;
        const char *name = records + at + sizeof head;
        bool dots = (head.name_len == 1 && name[0] == '.') ||
                    (head.name_len == 2 && name[0] == '.' && name[1] == '.');
        if (!dots && !memchr(name, '\0', head.name_len) &&
            !(base_buf_add(names, name, head.name_len) && base_buf_add(names, "", 1)))
            return false;
        at += PF_DIRENT_SIZE(head.name_len);
    }
    return true;
}

static bool sort_names(struct base_buf *names) {
    size_t count = 0;
    for (size_t i = 0; i < names->len; i++) count += names->data[i] == '\0';
    const char **list = malloc((count + 1) * sizeof *list);
    char *sorted = malloc(names->len + 1);
    if (!list || !sorted) {
        free(list);
        free(sorted);
        return false;
    }
    const char *at = names->data;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1) list[i] = at;
    qsort(list, count, sizeof *list, compare_names);
    char *to = sorted;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(list[i]) + 1;
        memcpy(to, list[i], len);
        to += len;
    }
    *to = '\0';
    free(list);
    free(names->data);
    names->data = sorted;
    return true;
}

pf_status pf_file_list(pf_sandbox *s, const char *path, char **names, size_t *len,
                       pf_error *error) {
    *names = NULL;
    *len = 0;
    pf_status status = check_path(path, error);
    if (status == PF_OK) status = machine_enter(s, error);
    if (status != PF_OK) return status;
    struct base_buf all;
    base_buf_init(&all, SIZE_MAX);
    machine_tape_act(s, "list", path);
    machine_show_time(s);
    char *chunk = malloc(PF_IO_MAX);
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, PF_O_DIRECTORY}, .in = path,
                        .in_len = strlen(path));
    int64_t r = fd < 0 ? fd : chunk && base_buf_add(&all, "", 0) ? 1 : -PF_ENOMEM;
    while (r > 0) {
        struct k_call call = {
            .call = PF_CALL_GETDENTS, .arg = {fd}, .out = chunk, .out_cap = PF_IO_MAX};
        r = machine_kernel(s, &call);
        bool sane = call.out_len > 0 && all.len < NAMES_MAX;
        if (r > 0 && !(sane && add_names(&all, chunk, call.out_len))) r = -PF_EIO;
    }
    if (fd >= 0) KERNEL(s, CLOSE, .arg = {fd});
    free(chunk);
    if (r == 0 && !sort_names(&all)) r = -PF_ENOMEM;
    if (r < 0) {
        status = machine_guest_error(s, r, path, error);
        base_buf_free(&all);
    } else {
        *names = all.data;
        *len = all.len;
    }
    machine_leave(s);
    return status;
}

void pf_free(void *data) { free(data); }
