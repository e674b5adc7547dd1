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
    assert(s->dead || result < 0);
    if (s->dead) return machine_dead(s, error);
    pf_status status = result == -PF_ENOENT ? PF_NOT_FOUND : PF_GUEST;
    base_error(error, status, "%.900s: %s", path, errno_text(-result));
    if (error) error->guest_errno = (int)-result;
    return status;
}

pf_status machine_check_path(const char *path, pf_error *error) {
    if (!path || path[0] != '/')
        return base_error(error, PF_INVALID, "the path \"%.900s\" is not absolute",
                             path ? path : "(null)");
    if (strlen(path) >= PF_PATH_MAX)
        return base_error(error, PF_INVALID, "the path has %zu bytes, more than %u",
                             strlen(path), PF_PATH_MAX - 1);
    return PF_OK;
}

/* Makes the directories above `path` that are missing, for `owner`. */
int64_t machine_make_parents(pf_sandbox *s, const char *path, uint32_t owner) {
    assert(path[0] == '/');
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

static pf_status write_bytes(pf_sandbox *s, const char *path, int64_t fd, const char *data,
                             size_t len, pf_error *error) {
    for (size_t at = 0; at < len;) {
        size_t piece = len - at < PF_IO_MAX ? len - at : PF_IO_MAX;
        int64_t n = KERNEL(s, WRITE, .arg = {fd}, .in = data + at, .in_len = piece);
        if (n == 0 || n > (int64_t)piece) n = -PF_EIO;
        if (n < 0) return machine_guest_error(s, n, path, error);
        at += (size_t)n;
        pf_status status = machine_spend(s, 0, error);
        if (status != PF_OK) return status;
    }
    return PF_OK;
}

pf_status machine_write_file(pf_sandbox *s, const char *path, const void *data, size_t len,
                             uint32_t mode, uint32_t owner, pf_error *error) {
    pf_status status = machine_check_path(path, error);
    if (status != PF_OK) return status;
    size_t path_len = strlen(path);
    int64_t flags = PF_O_WRONLY | PF_O_CREAT | PF_O_TRUNC | PF_O_NONBLOCK;
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, flags, mode}, .in = path,
                        .in_len = path_len);
    if (fd == -PF_ENOENT) {
        int64_t r = machine_make_parents(s, path, owner);
        if (r < 0) return machine_guest_error(s, r, path, error);
        fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, flags, mode}, .in = path, .in_len = path_len);
    }
    if (fd < 0) return machine_guest_error(s, fd, path, error);
    status = write_bytes(s, path, fd, data, len, error);
    int64_t r = 0;
    if (status == PF_OK && owner)
        r = KERNEL(s, FCHOWNAT, .arg = {fd, owner, owner, PF_AT_EMPTY_PATH});
    KERNEL(s, CLOSE, .arg = {fd});
    return r < 0 ? machine_guest_error(s, r, path, error) : status;
}

pf_status pf_file_write(pf_sandbox *s, const char *path, const void *data, size_t len,
                        pf_error *error) {
    pf_status status = machine_enter_act(s, "writing", path ? path : "", true, error);
    if (status != PF_OK) return status;
    machine_tape_write(s, path ? path : "", data, len);
    machine_show_time(s);
    status = machine_write_file(s, path, data, len, 0644, 1000, error);
    if (s->tape && (status == PF_BOUND || status == PF_INTERRUPTED))
        s->tape->failed = "a file was written by half, which a replay cannot do";
    machine_leave_act(s);
    return status;
}

/* What the kernel makes up as it is read, /proc: its size is not known before. */
static pf_status take_stream(pf_sandbox *s, const char *path, const struct machine_reading *r,
                             struct base_buf *out, pf_error *error) {
    pf_status status = PF_OK;
    while (status == PF_OK) {
        char *room = base_buf_room(out, PF_IO_MAX);
        if (!room) return base_no_memory(error);
        struct k_call call = {
            .call = PF_CALL_READ, .arg = {r->fd}, .out = room, .out_cap = PF_IO_MAX};
        int64_t n = machine_kernel(s, &call);
        if (n == 0) break;
        if (n > 0 && call.out_len == 0) n = -PF_EIO;
        if (n < 0) return machine_guest_error(s, n, path, error);
        out->len += call.out_len;
        assert(out->len < out->cap);
        status = machine_spend(s, call.out_len, error);
    }
    if (out->data) out->data[out->len] = '\0';
    return status;
}

/* Pages that nobody writes are no memory: holes cost nothing until somebody looks at them. */
static pf_status take_contents(pf_sandbox *s, const char *path, struct machine_reading *r,
                               char **data, pf_error *error) {
    assert(r->size > 0 && !*data);
    pf_status status = machine_spend(s, (uint64_t)r->size, error);
    if (status == PF_OK) status = machine_find_segments(s, path, r, error);
    if (status != PF_OK) return status;
    *data = calloc((size_t)r->size + 1, 1);
    if (!*data) return base_no_memory(error);
    for (size_t i = 0; status == PF_OK && i < r->count; i++)
        status = machine_read_piece(s, path, r, r->segments[i].from, *data + r->segments[i].from,
                                    (size_t)r->segments[i].len, error);
    return status;
}

static pf_status take_file(pf_sandbox *s, const char *path, char **data, size_t *len,
                           pf_error *error) {
    assert(!*data && *len == 0);
    struct machine_reading r;
    struct base_buf out;
    base_buf_init(&out, SIZE_MAX);
    int64_t result = machine_open_file(s, path, &r);
    if (result < 0) return machine_guest_error(s, result, path, error);
    pf_status status;
    if (r.size > 0) {
        status = take_contents(s, path, &r, data, error);
        *len = (size_t)r.size;
    } else {
        status = base_buf_add(&out, "", 0) ? take_stream(s, path, &r, &out, error)
                                           : base_no_memory(error);
        *data = out.data;
        *len = out.len;
    }
    machine_close_file(s, &r);
    return status;
}

pf_status pf_file_take(pf_sandbox *s, const char *path, char **data, size_t *len,
                       pf_error *error) {
    *data = NULL;
    *len = 0;
    pf_status status = machine_check_path(path, error);
    if (status == PF_OK) status = machine_enter_act(s, "reading", path, false, error);
    if (status != PF_OK) return status;
    machine_tape_act(s, "read", path); /* it may change the file's access time */
    machine_show_time(s);
    status = take_file(s, path, data, len, error);
    machine_leave_act(s);
    if (status == PF_OK) return PF_OK;
    free(*data);
    *data = NULL;
    *len = 0;
    return status;
}

pf_status machine_begin_reading(pf_sandbox *s, const char *path, struct machine_reading *r,
                                pf_error *error) {
    pf_status status = machine_check_path(path, error);
    if (status == PF_OK) status = machine_enter_act(s, "reading", path, false, error);
    if (status != PF_OK) return status;
    assert(s->act.what);
    machine_tape_act(s, "read", path);
    machine_show_time(s);
    int64_t result = machine_open_file(s, path, r);
    if (result >= 0) return PF_OK;
    status = machine_guest_error(s, result, path, error);
    machine_end_reading(s, r);
    return status;
}

void machine_end_reading(pf_sandbox *s, struct machine_reading *r) {
    assert(s->act.what);
    machine_close_file(s, r);
    machine_leave_act(s);
}

/* What a recorded reading did to the sandbox, without the contents. */
pf_status machine_touch_file(pf_sandbox *s, const char *path, pf_error *error) {
    struct machine_reading r;
    pf_status status = machine_begin_reading(s, path, &r, error);
    if (status == PF_OK) machine_end_reading(s, &r);
    return status;
}

pf_status pf_file_remove(pf_sandbox *s, const char *path, pf_error *error) {
    pf_status status = machine_check_path(path, error);
    if (status == PF_OK) status = machine_enter_act(s, "removing", path, true, error);
    if (status != PF_OK) return status;
    machine_tape_act(s, "remove", path);
    machine_show_time(s);
    size_t len = strlen(path);
    int64_t r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, 0}, .in = path, .in_len = len);
    if (r == -PF_EISDIR)
        r = KERNEL(s, UNLINKAT, .arg = {PF_AT_FDCWD, PF_AT_REMOVEDIR}, .in = path, .in_len = len);
    if (r < 0) status = machine_guest_error(s, r, path, error);
    machine_leave_act(s);
    return status;
}

static pf_status file_stat(pf_sandbox *s, const char *path, bool follow, pf_file_info *out,
                           pf_error *error) {
    pf_status status = machine_check_path(path, error);
    if (status == PF_OK) status = machine_enter_act(s, "looking at", path, false, error);
    if (status != PF_OK) return status;
    struct pf_stat st = {0};
    machine_tape_act(s, follow ? "stat" : "lstat", path); /* it may look into a mount */
    machine_show_time(s);
    int64_t r = KERNEL(s, FSTATAT, .arg = {PF_AT_FDCWD, follow ? 0 : PF_AT_SYMLINK_NOFOLLOW},
                       .in = path, .in_len = strlen(path), .out = &st, .out_cap = sizeof st);
    if (r < 0) status = machine_guest_error(s, r, path, error);
    else *out = (pf_file_info){.mode = st.mode, .size = st.size, .mtime_ns = st.mtime_ns};
    machine_leave_act(s);
    return status;
}

/* A link's target is read with its entry: what lstat has brought in is there. */
pf_status pf_file_link(pf_sandbox *s, const char *path, char **target, size_t *len,
                       pf_error *error) {
    *target = NULL;
    *len = 0;
    pf_file_info info;
    pf_status status = pf_file_lstat(s, path, &info, error);
    if (status == PF_OK) status = machine_enter_act(s, "reading", path, false, error);
    if (status != PF_OK) return status;
    char *out = malloc(PF_PATH_MAX);
    struct k_call call = {.call = PF_CALL_READLINKAT, .arg = {PF_AT_FDCWD}, .in = path,
                          .in_len = strlen(path), .out = out, .out_cap = PF_PATH_MAX - 1};
    int64_t r = out ? machine_kernel(s, &call) : -PF_ENOMEM;
    if (r < 0) {
        free(out);
        status = out ? machine_guest_error(s, r, path, error) : base_no_memory(error);
    } else {
        *len = call.out_len; /* not `r`, which may be a lie: behind it is what was there before */
        out[*len] = '\0';
        *target = out;
    }
    machine_leave_act(s);
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
    assert((size_t)(to - sorted) == names->len);
    *to = '\0';
    free(list);
    free(names->data);
    names->data = sorted;
    return true;
}

static pf_status add_all_names(pf_sandbox *s, const char *path, int64_t fd, char *chunk,
                               struct base_buf *names, pf_error *error) {
    for (;;) {
        struct k_call call = {
            .call = PF_CALL_GETDENTS, .arg = {fd}, .out = chunk, .out_cap = PF_IO_MAX};
        int64_t r = machine_kernel(s, &call);
        if (r == 0) return PF_OK;
        bool sane = call.out_len > 0 && names->len < NAMES_MAX;
        if (r > 0 && !(sane && add_names(names, chunk, call.out_len))) r = -PF_EIO;
        if (r < 0) return machine_guest_error(s, r, path, error);
        pf_status status = machine_spend(s, call.out_len, error);
        if (status != PF_OK) return status;
    }
}

pf_status machine_list_names(pf_sandbox *s, const char *path, struct base_buf *names,
                             pf_error *error) {
    assert(path[0] == '/');
    char *chunk = malloc(PF_IO_MAX);
    if (!chunk || !base_buf_add(names, "", 0)) {
        free(chunk);
        return base_no_memory(error);
    }
    int64_t fd = KERNEL(s, OPENAT, .arg = {PF_AT_FDCWD, PF_O_DIRECTORY}, .in = path,
                        .in_len = strlen(path));
    pf_status status = fd < 0 ? machine_guest_error(s, fd, path, error)
                              : add_all_names(s, path, fd, chunk, names, error);
    if (fd >= 0) KERNEL(s, CLOSE, .arg = {fd});
    free(chunk);
    return status == PF_OK && !sort_names(names) ? base_no_memory(error) : status;
}

pf_status pf_file_list(pf_sandbox *s, const char *path, char **names, size_t *len,
                       pf_error *error) {
    *names = NULL;
    *len = 0;
    pf_status status = machine_check_path(path, error);
    if (status == PF_OK) status = machine_enter_act(s, "listing", path, false, error);
    if (status != PF_OK) return status;
    struct base_buf all;
    base_buf_init(&all, SIZE_MAX);
    machine_tape_act(s, "list", path);
    machine_show_time(s);
    status = machine_list_names(s, path, &all, error);
    machine_leave_act(s);
    if (status == PF_OK)
        *names = base_buf_take(&all, len);
    else
        base_buf_free(&all);
    return status;
}

void pf_free(void *data) { free(data); }
