/*
 * single.c: packs and unpacks single files for gzip, bzip2, xz and zstd.
 */
#include "single.h"
#include "g_in.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 65536 };

void single_pack(int in, int out, enum codec codec, const pack_hints *hints,
                 single_result *result) {
    static char block[BLOCK];
    packer p;
    *result = (single_result){0};
    g_out_flush();
    pack_start(&p, out, codec, hints);
    while (!p.error) {
        ssize_t n = g_read(in, block, BLOCK);
        if (n < 0) {
            result->error = UNPACK_READ;
            result->error_number = errno;
        }
        if (n <= 0) break;
        pack_write(&p, block, (size_t)n);
    }
    int error = pack_end(&p);
    if (error) {
        result->write_failed = true;
        result->error_number = error;
    }
    result->taken = p.taken;
    result->given = p.given;
}

static bool write_all(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

void single_unpack(int in, int out, enum codec codec, bool pass_plain, single_result *result) {
    static char block[BLOCK];
    unsigned char head[16];
    size_t have = 0;
    *result = (single_result){0};
    g_out_flush();
    for (ssize_t n; have < sizeof head && (n = g_read(in, head + have, sizeof head - have)) > 0;)
        have += (size_t)n;
    if (pass_plain && codec_of_magic(head, have) != codec) codec = CODEC_NONE;
    unpacker u;
    unpack_start(&u, in, codec, head, have);
    for (size_t n; (n = unpack_read(&u, block, BLOCK)) > 0;) {
        if (out < 0 || write_all(out, block, n)) continue;
        result->write_failed = true;
        result->error_number = errno;
        break;
    }
    result->error = result->write_failed ? UNPACK_OK : u.error;
    if (u.error == UNPACK_READ) result->error_number = u.error_number;
    result->trailing_garbage = u.trailing_garbage;
    result->taken = u.taken;
    result->given = u.given;
    result->mtime = u.mtime;
    result->name = u.name;
    u.name = NULL;
    unpack_end(&u);
}

int single_create(const char *name, bool force) {
    if (force) unlink(name);
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

int single_finish(int fd, const struct stat *like) {
    fchmod(fd, like->st_mode & 07777);
    struct timespec times[2] = {like->st_atim, like->st_mtim};
    futimens(fd, times);
    return close(fd) < 0 ? errno : 0;
}

char *single_replace_suffix(const char *name, const char *suffix, const char *with) {
    size_t len = strlen(name), n = strlen(suffix);
    if (len <= n || strcmp(name + len - n, suffix) != 0 || name[len - n - 1] == '/') return NULL;
    char *made = g_alloc(len - n + strlen(with) + 1);
    memcpy(made, name, len - n);
    strcpy(made + len - n, with);
    return made;
}
