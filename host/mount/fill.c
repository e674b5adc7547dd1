/*
 * host/mount/fill.c: brings what the kernel wants of a mount: from the host, or from a tape.
 *
 * Called by the machine after a process, or the host itself, has run into something that is absent.
 * The source is a guest's word: which mount, and a path below it that host_dir.c keeps there; or,
 * without a number, a path in the build's own library (host/machine/library.h).
 */
#include "host/machine/library.h"
#include "mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool machine_fill_add(struct base_buf *out, const struct machine_fill_name *head, const char *name,
                      const char *target) {
    struct machine_fill_name whole = *head;
    whole.name_len = (uint32_t)strlen(name) + 1;
    whole.target_len = (uint32_t)strlen(target) + 1;
    return base_buf_add(out, &whole, sizeof whole) && base_buf_add(out, name, whole.name_len) &&
           base_buf_add(out, target, whole.target_len);
}

const char *machine_fill_next(const struct base_buf *data, size_t *at,
                              struct machine_fill_name *head) {
    if (*at >= data->len) return NULL;
    memcpy(head, data->data + *at, sizeof *head);
    const char *name = data->data + *at + sizeof *head;
    *at += sizeof *head + head->name_len + head->target_len;
    return name;
}

/* ---- from the host */

/* The mount of a source, which is this sandbox's alone then, or NULL. */
static struct machine_mount *mount_of(pf_sandbox *s, const char *source) {
    char *path;
    unsigned long number = strtoul(source, &path, 10);
    if (*path != '/' || !s->mounts || number >= s->mounts->count || !mount_own(s)) return NULL;
    return &s->mounts->items[number];
}

static int fetch(pf_sandbox *s, const char *source, struct machine_fill *fill,
                 struct machine_mount **mount) {
    struct machine_mount *m = mount_of(s, source);
    if (!m || m->root < 0) return PF_EIO; /* restored without it */
    const char *path = strchr(source, '/');
    *mount = m;
    if (fill->directory) return mount_read_names(m->root, path + 1, &fill->data);
    uint64_t max = s->limits.filesystem_bytes;
    if (max > s->limits.memory_bytes) max = s->limits.memory_bytes;
    if (max > UINT32_MAX) max = UINT32_MAX; /* more than a kernel's memory can have */
    return mount_read_file(m->root, path + 1, max, &fill->data);
}

/* ---- into the sandbox */

/* A name as the guest is to see it: a read-only mount can be read by everybody. */
static uint32_t guest_mode(uint32_t mode, bool copy) {
    if (copy || (mode & 0170000) == 0120000) return mode;
    return (mode & (0170000 | 0555)) | (mode & 0100 ? 0555 : 0444);
}

static int put_names(pf_sandbox *s, const struct machine_fill *fill) {
    struct machine_fill_name head;
    const char *name;
    for (size_t at = 0; (name = machine_fill_next(&fill->data, &at, &head));) {
        int64_t r = KERNEL(s, HOST_FILL_NAME, .arg = {head.mode, head.size, head.mtime_ns},
                           .in = name, .in_len = head.name_len + head.target_len);
        if (r < 0) return (int)-r;
    }
    return 0;
}

static int put_contents(pf_sandbox *s, const struct machine_fill *fill) {
    for (size_t at = 0; at < fill->data.len;) {
        size_t left = fill->data.len - at, piece = left < PF_IO_MAX ? left : PF_IO_MAX;
        int64_t n = KERNEL(s, HOST_FILL_DATA, .arg = {(int64_t)at}, .in = fill->data.data + at,
                           .in_len = piece);
        if (n < 0 || n > (int64_t)piece) return n < 0 ? (int)-n : PF_EIO;
        if (n == 0) return PF_ENOSPC;
        at += (size_t)n;
    }
    return 0;
}

static bool remember(struct machine_mount *m, const char *source, const struct machine_fill *fill) {
    const char *path = strchr(source, '/') + 1, *name;
    char inner[2 * PF_PATH_MAX];
    struct machine_fill_name head;
    if (!fill->directory)
        return mount_remember_contents(m, path, fill->data.data ? fill->data.data : "",
                                       fill->data.len);
    for (size_t at = 0; (name = machine_fill_next(&fill->data, &at, &head));) {
        uint32_t type = head.mode & 0170000;
        char kind = type == 0040000 ? 'd' : type == 0120000 ? 'l' : 'f';
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "/" : "", name);
        if (!mount_remember(m, inner, kind, head.mode)) return false;
        const char *target = name + head.name_len;
        if (kind == 'l' && !mount_remember_contents(m, inner, target, strlen(target))) return false;
    }
    return true;
}

static void adapt_modes(struct machine_fill *fill, bool copy) {
    struct machine_fill_name head;
    for (size_t at = 0, here = 0; machine_fill_next(&fill->data, &at, &head); here = at) {
        head.mode = guest_mode(head.mode, copy);
        memcpy(fill->data.data + here, &head, sizeof head);
    }
}

static void fill_wanted(pf_sandbox *s) {
    char source[PF_PATH_MAX + 32];
    struct machine_mount *mount = NULL;
    struct machine_fill fill = {0};
    machine_mailbox(s)->attention &= ~PF_ATTENTION_FILL;
    struct k_call call = {.call = PF_CALL_HOST_WANTED, .out = source, .out_cap = sizeof source - 1};
    int64_t type = machine_kernel(s, &call);
    if (type < 0) return;
    source[call.out_len] = '\0';
    fill.directory = type == 0040000;
    base_buf_init(&fill.data, SIZE_MAX);
    if (source[0] == '/') { /* of the build, and no input */
        fill.error = machine_library_fill(source + 1, fill.directory, &fill.data);
    } else if (machine_replays(s)) {
        s->tape->fill(s->tape, s, source, &fill);
        mount = mount_of(s, source);
    } else {
        fill.error = fetch(s, source, &fill, &mount);
        if (fill.data.failed) fill.error = PF_ENOMEM;
        if (fill.directory && mount && !fill.error) adapt_modes(&fill, mount->copy);
        machine_tape_fill(s, source, &fill);
    }
    int error = fill.error;
    if (!error) error = fill.directory ? put_names(s, &fill) : put_contents(s, &fill);
    if (!error && mount && !remember(mount, source, &fill)) error = PF_ENOMEM;
    KERNEL(s, HOST_FILLED, .arg = {error});
    base_buf_free(&fill.data);
}

void machine_fill(pf_sandbox *s) {
    s->filling = true;
    fill_wanted(s);
    s->filling = false;
}
