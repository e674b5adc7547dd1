/*
 * bind_fs.c: the file calls of POSIX, one function each. Results are >= 0 or -errno; the library
 * (lib/fs.js) makes Node's promises, callbacks, errors and Stats of them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine.h"

#define PATH_BYTES 4096

static JSValue result_of(JSContext *ctx, int64_t result) {
    return JS_NewInt64(ctx, result < 0 ? -errno : result);
}

static JSValue fs_open(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int flags, mode;
    if (JS_ToInt32(ctx, &flags, argv[1]) || JS_ToInt32(ctx, &mode, argv[2])) return JS_EXCEPTION;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    output_flush(); /* the path may be /dev/stdout */
    int fd;
    do fd = open(path, flags | O_CLOEXEC, (mode_t)mode);
    while (fd < 0 && errno == EINTR);
    JSValue result = result_of(ctx, fd);
    JS_FreeCString(ctx, path);
    return result;
}

static JSValue fs_close(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int fd;
    if (JS_ToInt32(ctx, &fd, argv[0])) return JS_EXCEPTION;
    return result_of(ctx, close(fd));
}

/* fd, bytes, offset, length, position (-1: the current one) of read() and write() below */
struct transfer {
    int fd;
    uint8_t *data;
    size_t len;
    int64_t position;
};

static bool transfer_args(JSContext *ctx, JSValueConst *argv, struct transfer *t) {
    int64_t offset, len;
    size_t room;
    if (JS_ToInt32(ctx, &t->fd, argv[0]) || !text_bytes(ctx, argv[1], &t->data, &room) ||
        JS_ToInt64(ctx, &offset, argv[2]) || JS_ToInt64(ctx, &len, argv[3]) ||
        JS_ToInt64(ctx, &t->position, argv[4]))
        return false;
    if (offset < 0 || len < 0 || (uint64_t)offset > room ||
        (uint64_t)len > room - (uint64_t)offset) {
        JS_ThrowRangeError(ctx, "offset or length is outside the buffer");
        return false;
    }
    t->data = t->data ? t->data + offset : NULL;
    t->len = (size_t)len;
    return true;
}

static JSValue fs_read(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct transfer t;
    if (!transfer_args(ctx, argv, &t)) return JS_EXCEPTION;
    output_flush();
    ssize_t done;
    do done = t.position < 0 ? read(t.fd, t.data, t.len) : pread(t.fd, t.data, t.len, t.position);
    while (done < 0 && errno == EINTR);
    return result_of(ctx, done);
}

static JSValue fs_write(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct transfer t;
    if (!transfer_args(ctx, argv, &t)) return JS_EXCEPTION;
    if (t.fd <= 2) output_flush();
    ssize_t done;
    do done = t.position < 0 ? write(t.fd, t.data, t.len) : pwrite(t.fd, t.data, t.len, t.position);
    while (done < 0 && errno == EINTR);
    return result_of(ctx, done);
}

/* readAll(fd, limit): an ArrayBuffer of everything up to the end of the file */
static JSValue fs_read_all(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int fd;
    if (JS_ToInt32(ctx, &fd, argv[0])) return JS_EXCEPTION;
    struct stat st;
    size_t size = 8192, used = 0;
    output_flush();
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < INT_MAX)
        size = (size_t)st.st_size + 1; /* one more shows the end without another buffer */
    uint8_t *data = malloc(size);
    for (;;) {
        if (!data) return JS_ThrowOutOfMemory(ctx);
        ssize_t got = read(fd, data + used, size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            JSValue error = JS_NewInt32(ctx, -errno);
            free(data);
            return error;
        }
        if (got == 0) break;
        used += (size_t)got;
        if (used == size) {
            size *= 2;
            uint8_t *more = realloc(data, size);
            if (!more) free(data);
            data = more;
        }
    }
    JSValue result = JS_NewArrayBufferCopy(ctx, data, used);
    free(data);
    return result;
}

/* dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, then four times in nanoseconds */
static JSValue stat_array(JSContext *ctx, const struct stat *st) {
    const double numbers[] = {(double)st->st_dev,     (double)st->st_mode, (double)st->st_nlink,
                              (double)st->st_uid,     (double)st->st_gid,  (double)st->st_rdev,
                              (double)st->st_blksize, (double)st->st_ino,  (double)st->st_size,
                              (double)st->st_blocks};
    const struct timespec *times[] = {&st->st_atim, &st->st_mtim, &st->st_ctim};
    JSValue array = JS_NewArray(ctx);
    uint32_t i = 0;
    for (; i < sizeof numbers / sizeof *numbers; i++)
        JS_SetPropertyUint32(ctx, array, i, JS_NewNumber(ctx, numbers[i]));
    for (size_t t = 0; t < sizeof times / sizeof *times; t++) {
        int64_t ns = (int64_t)times[t]->tv_sec * 1000000000 + times[t]->tv_nsec;
        JS_SetPropertyUint32(ctx, array, i++, JS_NewBigInt64(ctx, ns));
    }
    return array;
}

enum stat_kind { STAT_FOLLOW, STAT_LINK, STAT_FD };

static JSValue fs_stat(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                       int kind) {
    (void)this_val, (void)argc;
    struct stat st;
    int fd = -1, result;
    if (kind == STAT_FD) {
        if (JS_ToInt32(ctx, &fd, argv[0])) return JS_EXCEPTION;
        result = fstat(fd, &st);
    } else {
        const char *path = JS_ToCString(ctx, argv[0]);
        if (!path) return JS_EXCEPTION;
        result = kind == STAT_LINK ? lstat(path, &st) : stat(path, &st);
        JS_FreeCString(ctx, path);
    }
    return result < 0 ? result_of(ctx, -1) : stat_array(ctx, &st);
}

/* Calls with one path and up to two numbers. */
enum path_call {
    CALL_ACCESS,
    CALL_MKDIR,
    CALL_RMDIR,
    CALL_UNLINK,
    CALL_CHMOD,
    CALL_CHOWN,
    CALL_LCHOWN,
    CALL_TRUNCATE
};

static JSValue fs_path(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                       int which) {
    (void)this_val;
    int64_t a = 0, b = 0;
    if ((argc > 1 && JS_ToInt64(ctx, &a, argv[1])) || (argc > 2 && JS_ToInt64(ctx, &b, argv[2])))
        return JS_EXCEPTION;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    int result = -1;
    switch (which) {
    case CALL_ACCESS: result = access(path, (int)a); break;
    case CALL_MKDIR: result = mkdir(path, (mode_t)a); break;
    case CALL_RMDIR: result = rmdir(path); break;
    case CALL_UNLINK: result = unlink(path); break;
    case CALL_CHMOD: result = chmod(path, (mode_t)a); break;
    case CALL_CHOWN: result = chown(path, (uid_t)a, (gid_t)b); break;
    case CALL_LCHOWN: result = lchown(path, (uid_t)a, (gid_t)b); break;
    case CALL_TRUNCATE: result = truncate(path, (off_t)a); break;
    }
    JSValue value = result_of(ctx, result);
    JS_FreeCString(ctx, path);
    return value;
}

/* Calls with two paths. */
enum pair_call { CALL_RENAME, CALL_LINK, CALL_SYMLINK };

static JSValue fs_pair(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                       int which) {
    (void)this_val, (void)argc;
    const char *from = JS_ToCString(ctx, argv[0]), *to = JS_ToCString(ctx, argv[1]);
    JSValue value = JS_EXCEPTION;
    if (from && to) {
        int result = which == CALL_RENAME ? rename(from, to)
                     : which == CALL_LINK ? link(from, to)
                                          : symlink(from, to);
        value = result_of(ctx, result);
    }
    JS_FreeCString(ctx, from);
    JS_FreeCString(ctx, to);
    return value;
}

enum fd_call { CALL_FTRUNCATE, CALL_FCHMOD, CALL_FSYNC };

static JSValue fs_fd(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                     int which) {
    (void)this_val;
    int fd;
    int64_t a = 0;
    if (JS_ToInt32(ctx, &fd, argv[0]) || (argc > 1 && JS_ToInt64(ctx, &a, argv[1])))
        return JS_EXCEPTION;
    switch (which) {
    case CALL_FTRUNCATE: return result_of(ctx, ftruncate(fd, (off_t)a));
    case CALL_FCHMOD: return result_of(ctx, fchmod(fd, (mode_t)a));
    default: return result_of(ctx, fsync(fd));
    }
}

static JSValue fs_readlink(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    char target[PATH_BYTES];
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    ssize_t len = readlink(path, target, sizeof target);
    JSValue value = len < 0 ? result_of(ctx, -1) : text_decode(ctx, (uint8_t *)target, (size_t)len);
    JS_FreeCString(ctx, path);
    return value;
}

static JSValue fs_realpath(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    char *real = realpath(path, NULL);
    JSValue value = real ? text_decode(ctx, (uint8_t *)real, strlen(real)) : result_of(ctx, -1);
    free(real);
    JS_FreeCString(ctx, path);
    return value;
}

/* utimes(path or fd, seconds of access, seconds of change, follow links) */
static JSValue fs_utimes(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    double seconds[2];
    struct timespec times[2];
    if (JS_ToFloat64(ctx, &seconds[0], argv[1]) || JS_ToFloat64(ctx, &seconds[1], argv[2]))
        return JS_EXCEPTION;
    for (int i = 0; i < 2; i++) {
        int64_t us = (int64_t)(seconds[i] * 1e6);
        int64_t whole = us / 1000000, rest = us % 1000000;
        if (rest < 0) whole--, rest += 1000000;
        times[i].tv_sec = (time_t)whole;
        times[i].tv_nsec = (long)(rest * 1000);
    }
    if (JS_IsNumber(argv[0])) {
        int fd;
        JS_ToInt32(ctx, &fd, argv[0]);
        return result_of(ctx, futimens(fd, times));
    }
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    int flags = JS_ToBool(ctx, argv[3]) > 0 ? 0 : AT_SYMLINK_NOFOLLOW;
    JSValue value = result_of(ctx, utimensat(AT_FDCWD, path, times, flags));
    JS_FreeCString(ctx, path);
    return value;
}

/* readdir(path): [name, type, name, type …] without . and .., as the directory gives them; type is
 * DT_*, 0 when unknown */
static JSValue fs_readdir(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    DIR *dir = opendir(path);
    JS_FreeCString(ctx, path);
    if (!dir) return result_of(ctx, -1);
    JSValue array = JS_NewArray(ctx);
    uint32_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        JS_SetPropertyUint32(ctx, array, count++,
                             text_decode(ctx, (const uint8_t *)name, strlen(name)));
        JS_SetPropertyUint32(ctx, array, count++, JS_NewInt32(ctx, entry->d_type));
    }
    closedir(dir);
    return array;
}

/* statfs(path): [block size, blocks, free blocks, files, free files] */
static JSValue fs_statfs(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    struct statvfs st;
    const char *path = JS_ToCString(ctx, argv[0]);
    if (!path) return JS_EXCEPTION;
    int result = statvfs(path, &st);
    JS_FreeCString(ctx, path);
    if (result < 0) return result_of(ctx, -1);
    const double numbers[] = {(double)st.f_bsize, (double)st.f_blocks, (double)st.f_bfree,
                              (double)st.f_files, (double)st.f_ffree};
    JSValue array = JS_NewArray(ctx);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        JS_SetPropertyUint32(ctx, array, i, JS_NewNumber(ctx, numbers[i]));
    return array;
}

void bind_fs(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("open", 3, fs_open),
        JS_CFUNC_DEF("close", 1, fs_close),
        JS_CFUNC_DEF("read", 5, fs_read),
        JS_CFUNC_DEF("write", 5, fs_write),
        JS_CFUNC_DEF("readAll", 1, fs_read_all),
        JS_CFUNC_MAGIC_DEF("stat", 1, fs_stat, STAT_FOLLOW),
        JS_CFUNC_MAGIC_DEF("lstat", 1, fs_stat, STAT_LINK),
        JS_CFUNC_MAGIC_DEF("fstat", 1, fs_stat, STAT_FD),
        JS_CFUNC_MAGIC_DEF("access", 2, fs_path, CALL_ACCESS),
        JS_CFUNC_MAGIC_DEF("mkdir", 2, fs_path, CALL_MKDIR),
        JS_CFUNC_MAGIC_DEF("rmdir", 1, fs_path, CALL_RMDIR),
        JS_CFUNC_MAGIC_DEF("unlink", 1, fs_path, CALL_UNLINK),
        JS_CFUNC_MAGIC_DEF("chmod", 2, fs_path, CALL_CHMOD),
        JS_CFUNC_MAGIC_DEF("chown", 3, fs_path, CALL_CHOWN),
        JS_CFUNC_MAGIC_DEF("lchown", 3, fs_path, CALL_LCHOWN),
        JS_CFUNC_MAGIC_DEF("truncate", 2, fs_path, CALL_TRUNCATE),
        JS_CFUNC_MAGIC_DEF("rename", 2, fs_pair, CALL_RENAME),
        JS_CFUNC_MAGIC_DEF("link", 2, fs_pair, CALL_LINK),
        JS_CFUNC_MAGIC_DEF("symlink", 2, fs_pair, CALL_SYMLINK),
        JS_CFUNC_MAGIC_DEF("ftruncate", 2, fs_fd, CALL_FTRUNCATE),
        JS_CFUNC_MAGIC_DEF("fchmod", 2, fs_fd, CALL_FCHMOD),
        JS_CFUNC_MAGIC_DEF("fsync", 1, fs_fd, CALL_FSYNC),
        JS_CFUNC_DEF("readlink", 1, fs_readlink),
        JS_CFUNC_DEF("realpath", 1, fs_realpath),
        JS_CFUNC_DEF("utimes", 4, fs_utimes),
        JS_CFUNC_DEF("readdir", 1, fs_readdir),
        JS_CFUNC_DEF("statfs", 1, fs_statfs),
        JS_PROP_INT32_DEF("O_NONBLOCK", O_NONBLOCK, 0)};
    engine_bind(ctx, native, "fs", functions, sizeof functions / sizeof *functions);
}
