/*
 * tests/unit/test_kernel_file.c: what Linux cannot be asked for: the read-only root, devices,
 * /proc, limits, contents of large and sparse files, and directories that change while they are
 * read.
 */
#include "kernel_machine.h"

static uint32_t sh;

static int64_t open_(const char *path, int64_t flags, int64_t mode) {
    return CALL_PATH(sh, OPENAT, path, CWD, flags, mode);
}

static void read_only_root(void) {
    sh = boot();
    CHECK_EQ(CALL_PATH(sh, MKDIRAT, "/new", CWD, 0755), -PF_EACCES);
    CHECK_EQ(open_("/bin/new", PF_O_WRONLY | PF_O_CREAT, 0644), -PF_EACCES);
    CHECK_EQ(open_("/bin/sh", PF_O_WRONLY, 0), -PF_EACCES);
    CHECK_EQ(CALL_PATH(sh, UNLINKAT, "/bin/sh", CWD, 0), -PF_EACCES);
    CHECK_EQ(CALL_TWO(sh, RENAMEAT, "/bin/sh", "/workspace/sh", CWD, CWD, 0), -PF_EACCES);
    CHECK_EQ(CALL_PATH(sh, FCHMODAT, "/bin/sh", CWD, 0777, 0), -PF_EPERM);
    CHECK_EQ(CALL_PATH(sh, FCHOWNAT, "/workspace", CWD, 0, 0, 0), -PF_EPERM);
    CHECK_EQ(CALL_PATH(sh, FCHOWNAT, "/workspace", CWD, 1000, 1000, 0), 0);
    CHECK_EQ(CALL_PATH(sh, MKDIRAT, "/proc/x", CWD, 0755), -PF_EACCES);
    CHECK_EQ(CALL_PATH(HOST, MKDIRAT, "/proc/x", CWD, 0755), -PF_EPERM);
    CHECK_EQ(CALL_PATH(HOST, UNLINKAT, "/proc", CWD, PF_AT_REMOVEDIR), -PF_EBUSY);
    /* the sticky /tmp protects what is not the user's */
    host_file("/tmp/theirs", "x", 0666);
    CHECK_EQ(CALL_PATH(sh, UNLINKAT, "/tmp/theirs", CWD, 0), -PF_EPERM);
    CHECK(open_("/tmp/theirs", PF_O_RDWR, 0) >= 0);
    CHECK(open_("/tmp/mine", PF_O_WRONLY | PF_O_CREAT, 0644) >= 0);
    CHECK_EQ(CALL_PATH(sh, UNLINKAT, "/tmp/mine", CWD, 0), 0);
    /* what the host puts into the user's directory is the user's */
    host_file("/workspace/given", "x", 0644);
    CHECK(open_("/workspace/given", PF_O_RDWR, 0) >= 0);
    CHECK_EQ(CALL(sh, GETPID, 4), 1000);
    k_check();
}

static void devices(void) {
    sh = boot();
    int64_t fd = open_("/dev/null", PF_O_RDWR, 0);
    CHECK_EQ(CALL(sh, READ, fd), 0);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", fd), 1);
    fd = open_("/dev/zero", PF_O_RDWR, 0);
    memset(got, 'x', 100);
    CHECK_EQ(CALL_CAP(sh, READ, 100, fd), 100);
    CHECK(got[0] == 0 && got[99] == 0);
    CHECK_EQ(CALL(sh, READ, fd), PF_IO_MAX);
    fd = open_("/dev/full", PF_O_RDWR, 0);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", fd), -PF_ENOSPC);
    CHECK_EQ(CALL_CAP(sh, READ, 5, fd), 5);
    fd = open_("/dev/urandom", PF_O_RDWR, 0);
    CHECK_EQ(CALL_CAP(sh, READ, 50, fd), 50);
    CHECK_EQ(CALL_PATH(sh, WRITE, "x", fd), 1);
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "/dev/null", CWD, 0), 0);
    CHECK_EQ(((struct pf_stat *)got)->mode, K_IFCHR | 0666);
    CHECK_EQ(((struct pf_stat *)got)->rdev, 0x103);
    CHECK_EQ(CALL_PATH(sh, READLINKAT, "/dev/fd", CWD), 13);
    CHECK_EQ(open_("/dev/fd/99", 0, 0), -PF_ENOENT);
    CHECK(open_("/dev/null", PF_O_WRONLY | PF_O_CREAT | PF_O_TRUNC, 0644) > 0);
}

static char text[8192];
static int64_t text_len;

static const char *text_of(const char *path) {
    int64_t fd = open_(path, 0, 0);
    text_len = CALL_CAP(sh, READ, sizeof text - 1, fd);
    memcpy(text, got, got_len);
    text[got_len] = 0;
    CALL(sh, CLOSE, fd);
    return text;
}

static bool lists(const char *path, const char *name) {
    int64_t fd = open_(path, PF_O_DIRECTORY, 0);
    bool found = false;
    while (CALL_CAP(sh, GETDENTS, 64, fd) > 0) {
        struct pf_dirent head;
        for (uint32_t at = 0; at < got_len; at += PF_DIRENT_SIZE(head.name_len)) {
            memcpy(&head, got + at, sizeof head);
            if (head.name_len == strlen(name) &&
                !memcmp(got + at + sizeof head, name, head.name_len))
                found = true;
        }
    }
    CALL(sh, CLOSE, fd);
    return found;
}

static void proc(void) {
    sh = boot();
    char self[20], path[64];
    sprintf(self, "%d", k_proc_at(sh)->pid);
    CHECK_EQ(CALL_PATH(sh, READLINKAT, "/proc/self", CWD), (int64_t)strlen(self));
    CHECK(memcmp(got, self, strlen(self)) == 0);
    text_of("/proc/self/cmdline");
    CHECK(text_len == 6 && memcmp(text, "sh\0-x", 6) == 0);
    CHECK(strcmp(text_of("/proc/self/comm"), "sh\n") == 0);
    CHECK(strstr(text_of("/proc/self/status"), "Name:\tsh\nUmask:\t0022\nState:\tR (running)\n"));
    CHECK(strstr(text_of("/proc/self/status"), "Uid:\t1000\t1000\t1000\t1000\n"));
    CHECK(strstr(text_of("/proc/meminfo"), "MemAvailable:"));
    CHECK(strstr(text_of("/proc/cpuinfo"), "processor\t: 0\n"));
    CHECK(strstr(text_of("/proc/mounts"), "tmpfs / tmpfs"));
    k_mailbox.monotonic_ns = 12345678901;
    CHECK(strcmp(text_of("/proc/uptime"), "12.34 12.34\n") == 0);
    CALL_PATH(sh, NAME, "a new name that is long");
    CHECK(strcmp(text_of("/proc/self/comm"), "a new name that\n") == 0);
    CHECK(strstr(text_of("/proc/self/stat"), " (a new name that) R 1 "));
    CHECK(lists("/proc", self));
    CHECK(lists("/proc", "meminfo"));
    CHECK(!lists("/proc", "99"));
    CHECK(lists("/proc/self", "fd"));
    CHECK(lists("/proc/self/fd", "2"));
    CHECK(!lists("/proc/self/fd", "77"));
    CHECK_EQ(open_("/proc/99/status", 0, 0), -PF_ENOENT);
    CHECK_EQ(open_("/proc/self/comm", PF_O_RDWR, 0), -PF_EACCES);
    CHECK_EQ(CALL_PATH(sh, CHDIR, "/proc/self/fd"), 0);
    sprintf(path, "/proc/%s/fd", self);
    CHECK_EQ(CALL(sh, GETCWD), (int64_t)strlen(path));
    CHECK(memcmp(got, path, strlen(path)) == 0);
    CHECK_EQ(CALL_PATH(sh, CHDIR, "../../../tmp"), 0);
    CHECK_EQ(CALL(sh, GETCWD), 4);
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "/proc/self/cwd/theirs", CWD, 0), -PF_ENOENT);
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "/proc/self/root/bin/sh", CWD, 0), 0);
    /* a descriptor's link leads to what is open, wherever that is */
    int64_t fd = open_("/tmp/gone", PF_O_RDWR | PF_O_CREAT, 0600);
    CALL_PATH(sh, WRITE, "still here", fd);
    sprintf(path, "/proc/self/fd/%d", (int)fd);
    CHECK_EQ(CALL_PATH(sh, READLINKAT, path, CWD), 9);
    CHECK(memcmp(got, "/tmp/gone", 9) == 0);
    CALL_PATH(sh, UNLINKAT, "/tmp/gone", CWD, 0);
    CHECK(strcmp(text_of(path), "still here") == 0);
    k_check();
    /* the files of a process that ends while they are open */
    int64_t pid;
    uint32_t c = fork_(sh, &pid);
    sprintf(path, "/proc/%d/status", (int)pid);
    fd = open_(path, 0, 0);
    CALL(sh, KILL, pid, 9);
    CALL(sh, WAIT, pid, 0);
    CHECK(CALL(sh, READ, fd) > 0);
    CHECK_EQ(open_(path, 0, 0), -PF_ENOENT);
    (void)c;
    k_check();
}

static uint8_t model[3 << 20], part[PF_IO_MAX];

/* Random writes, cuts and reads of one file against an array. */
static void contents(void) {
    sh = boot();
    uint64_t before = k_data_charged();
    int64_t fd = open_("/tmp/f", PF_O_RDWR | PF_O_CREAT, 0644), size = 0;
    uint32_t state = 7;
    for (int i = 0; i < 4000; i++) {
        state = state * 1664525 + 1013904223;
        int64_t offset = (state >> 8) % (i % 3 ? 70000 : sizeof model - PF_IO_MAX);
        uint32_t len = state % 5 ? (state >> 3) % 5000 : PF_IO_MAX;
        switch (state >> 29) {
        case 0:
            CHECK_EQ(CALL(sh, FTRUNCATE, fd, offset), 0);
            if (offset < size) memset(model + offset, 0, (size_t)(size - offset));
            size = offset;
            break;
        case 1:
        case 2:
        case 3:
            memset(part, i, len);
            CHECK_EQ(CALL_IN(sh, PWRITE, part, len, fd, offset), len);
            memcpy(model + offset, part, len);
            if (len && offset + len > size) size = offset + len;
            break;
        default: {
            int64_t wanted = offset >= size ? 0 : size - offset < len ? size - offset : len;
            CHECK_EQ(CALL_CAP(sh, PREAD, len, fd, offset), wanted);
            CHECK(memcmp(got, model + offset, (size_t)wanted) == 0);
        }
        }
        if (check_failed > 5) return;
        next(); /* a fresh slice */
    }
    CALL(sh, FSTAT, fd);
    CHECK_EQ(((struct pf_stat *)got)->size, size);
    k_check();
    CALL(sh, FTRUNCATE, fd, 0);
    CHECK_EQ((int64_t)(k_data_charged() - before), 0);
}

static void sparse(void) {
    sh = boot();
    uint64_t before = k_data_charged();
    int64_t fd = open_("/tmp/f", PF_O_RDWR | PF_O_CREAT, 0644);
    CHECK_EQ(CALL(sh, FTRUNCATE, fd, 2ll << 30), 0);
    CHECK_EQ(CALL(sh, FTRUNCATE, fd, (2ll << 30) + 1), -PF_EFBIG);
    CHECK_EQ((int64_t)(k_data_charged() - before), 0);
    CHECK_EQ(CALL_IN(sh, PWRITE, "x", 1, fd, (2ll << 30) - 1), 1);
    CHECK_EQ(CALL_IN(sh, PWRITE, "xy", 2, fd, (2ll << 30) - 1), 1);
    CHECK_EQ(CALL_IN(sh, PWRITE, "x", 1, fd, 2ll << 30), -PF_EFBIG);
    CHECK(k_data_charged() - before <= 64 << 10);
    CHECK_EQ(CALL_CAP(sh, PREAD, 100, fd, 1 << 30), 100);
    CHECK(got[0] == 0 && got[99] == 0);
    CALL(sh, FSTAT, fd);
    CHECK(((struct pf_stat *)got)->blocks <= 128);
    CALL(sh, CLOSE, fd);
    CALL_PATH(sh, UNLINKAT, "/tmp/f", CWD, 0);
    CHECK_EQ((int64_t)(k_data_charged() - before), 0);
    k_check();
}

static void limits(void) {
    sh = boot();
    struct pf_kernel_limits limit = {1 << 20, 60, 5, 8, 100, 100, 0};
    CHECK_EQ(CALL_IN(HOST, HOST_CONFIGURE, &limit, sizeof limit), 0);
    /* bytes: what fits is written, then ENOSPC, and removing gives the room back */
    int64_t fd = open_("/tmp/big", PF_O_RDWR | PF_O_CREAT, 0644), n, total = 0;
    while ((n = CALL_IN(sh, WRITE, part, sizeof part, fd)) > 0) total += n;
    CHECK_EQ(n, -PF_ENOSPC);
    CHECK(total > 900000 && total <= 1 << 20);
    CHECK_EQ(CALL_PATH(sh, STATFS, "/"), 0);
    CHECK_EQ(((struct pf_statfs *)got)->blocks, 256);
    CHECK(((struct pf_statfs *)got)->blocks_free < 16);
    CALL(sh, CLOSE, fd);
    CALL_PATH(sh, UNLINKAT, "/tmp/big", CWD, 0);
    fd = open_("/tmp/big", PF_O_RDWR | PF_O_CREAT, 0644);
    CHECK_EQ(CALL_IN(sh, WRITE, part, sizeof part, fd), sizeof part);
    CALL(sh, CLOSE, fd);
    /* files */
    char name[40];
    int made = 0;
    for (; made < 100; made++) {
        sprintf(name, "/tmp/n%d", made);
        n = CALL_PATH(sh, MKNODAT, name, CWD, K_IFREG | 0644);
        if (n) break;
    }
    CHECK_EQ(n, -PF_ENOSPC);
    CHECK(made > 20 && made < 60);
    CHECK_EQ(CALL(sh, PIPE, 0), 0); /* pipes are no files */
    k_check();
    /* descriptors: 0-2 and the pipe's two are open */
    for (int i = 0; i < 3; i++) CHECK(open_("/dev/null", 0, 0) > 0);
    CHECK_EQ(open_("/dev/null", 0, 0), -PF_EMFILE);
    CHECK_EQ(CALL(sh, PIPE, 0), -PF_EMFILE);
    CHECK_EQ(CALL(sh, DUPFD, 0, 8, 0), -PF_EINVAL);
    CHECK_EQ(CALL(sh, DUP3, 0, 8, 0), -PF_EBADF);
    CHECK_EQ(CALL(sh, RLIMIT, 7, -2, 0), 0);
    CHECK_EQ(((int64_t *)got)[0], 8);
    CHECK_EQ(CALL(sh, RLIMIT, 7, 4, 8), 0);
    CHECK_EQ(CALL(sh, RLIMIT, 7, 9, 9), -PF_EPERM);
    CHECK_EQ(CALL(sh, RLIMIT, 7, 9, 8), -PF_EINVAL);
    CALL(sh, CLOSE, 7);
    CHECK_EQ(open_("/dev/null", 0, 0), -PF_EMFILE);
    /* processes */
    int64_t pid;
    for (int i = 0; i < 4; i++) fork_(sh, &pid);
    CHECK_EQ(CALL(sh, FORK), -PF_EAGAIN);
    size_t len = exec_block(0, "/bin/cat", (const char *const[]){"cat", NULL});
    CHECK_EQ(CALL_IN(sh, SPAWN, block, len), -PF_EAGAIN);
    k_check();
    /* file size */
    CHECK_EQ(CALL(sh, RLIMIT, 1, 10, 10), 0);
    CALL(sh, SIGACTION, K_SIGXFSZ, 1, 0);
    CALL(sh, CLOSE, 6);
    CALL(sh, CLOSE, 5);
    CALL(sh, CLOSE, 4);
    CALL(sh, CLOSE, 3);
    fd = open_("/tmp/big", PF_O_RDWR | PF_O_TRUNC, 0644);
    CHECK_EQ(CALL_IN(sh, WRITE, part, 20, fd), 10);
    CHECK_EQ(CALL_IN(sh, WRITE, part, 20, fd), -PF_EFBIG);
    CHECK_EQ(CALL(sh, FTRUNCATE, fd, 11), -PF_EFBIG);
    CALL(sh, SIGACTION, K_SIGXFSZ, 0, 0);
    CALL_IN(sh, WRITE, part, 20, fd);
    CHECK_EQ(action, PF_ACTION_GONE);
    k_check();
}

static void long_paths(void) {
    sh = boot();
    static char path[6000];
    memset(path, 'x', sizeof path);
    memcpy(path, "/tmp/", 5);
    path[5 + 255] = 0;
    CHECK_EQ(CALL_PATH(sh, MKDIRAT, path, CWD, 0755), 0);
    path[5 + 255] = 'x';
    path[5 + 256] = 0;
    CHECK_EQ(CALL_PATH(sh, MKDIRAT, path, CWD, 0755), -PF_ENAMETOOLONG);
    for (int i = 5; i < 4090; i += 2) path[i] = '.', path[i + 1] = '/';
    path[4095] = 0;
    CHECK_EQ(CALL_PATH(sh, FSTATAT, path, CWD, 0), -PF_ENOENT);
    path[4095] = 'x';
    path[4096] = 0;
    CHECK_EQ(CALL_PATH(sh, FSTATAT, path, CWD, 0), -PF_ENAMETOOLONG);
    CHECK_EQ(CALL_IN(sh, FSTATAT, "a\0b", 3, CWD, 0), -PF_EINVAL);
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "", CWD, 0), -PF_ENOENT);
    /* forty links are followed, not more */
    char a[20], b[20];
    CALL_PATH(sh, CHDIR, "/tmp");
    for (int i = 0; i < 41; i++) {
        sprintf(a, "l%d", i);
        sprintf(b, "l%d", i + 1);
        CALL_TWO(sh, SYMLINKAT, a, b, CWD);
    }
    host_file("/tmp/l0", "x", 0644);
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "l40", CWD, 0), 0);
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "l41", CWD, 0), -PF_ELOOP);
    /* the deepest directory that can be named, and beyond */
    CALL_PATH(sh, CHDIR, "/tmp");
    for (int i = 0; i < 5000; i++) {
        next(); /* a fresh slice */
        if (CALL_PATH(sh, MKDIRAT, "d", CWD, 0755) || CALL_PATH(sh, CHDIR, "d")) break;
    }
    CHECK_EQ(CALL(sh, GETCWD), -PF_ENAMETOOLONG);
    k_check();
}

/* A directory is read in small pieces while names come and go: what stays is seen exactly once. */
static void changing_directories(void) {
    sh = boot();
    CALL_PATH(sh, MKDIRAT, "/tmp/d", CWD, 0755);
    CALL_PATH(sh, CHDIR, "/tmp/d");
    char name[20];
    for (int i = 0; i < 300; i++) {
        sprintf(name, "f%03d", i);
        CALL_PATH(sh, MKNODAT, name, CWD, K_IFREG | 0644);
    }
    int64_t fd = open_(".", PF_O_DIRECTORY, 0);
    int seen[600] = {0}, removed = 0, added = 300;
    while (CALL_CAP(sh, GETDENTS, 100, fd) > 0) {
        struct pf_dirent head;
        for (uint32_t at = 0; at < got_len; at += PF_DIRENT_SIZE(head.name_len)) {
            memcpy(&head, got + at, sizeof head);
            char c = (char)got[at + sizeof head];
            if (c == 'f' || c == 'g') seen[atoi((char *)got + at + sizeof head + 1)]++;
        }
        for (int i = 0; i < 2; i++) {
            sprintf(name, "f%03d", removed);
            CALL_PATH(sh, UNLINKAT, name, CWD, 0);
            removed += 2;
        }
        if (added < 320) {
            sprintf(name, "g%03d", added++);
            CALL_PATH(sh, MKNODAT, name, CWD, K_IFREG | 0644);
        }
    }
    for (int i = 1; i < 300; i += 2) CHECK_EQ(seen[i], 1);
    for (int i = 300; i < 320; i++) CHECK(seen[i] <= 1);
    CALL(sh, LSEEK, fd, 0, 0);
    CHECK(CALL(sh, GETDENTS, fd) > 0);
    CHECK_EQ(((struct pf_dirent *)got)->name_len, 1);
    CALL_PATH(sh, MKDIRAT, "gone", CWD, 0755);
    fd = open_("gone", PF_O_DIRECTORY, 0);
    CALL_PATH(sh, UNLINKAT, "gone", CWD, PF_AT_REMOVEDIR);
    CHECK_EQ(CALL(sh, GETDENTS, fd), -PF_ENOENT);
    CHECK_EQ(CALL_PATH(sh, MKDIRAT, "x", fd, 0755), -PF_ENOENT);
    CHECK_EQ(CALL(sh, FCHDIR, fd), 0);
    CHECK_EQ(CALL(sh, GETCWD), -PF_ENOENT);
    CHECK_EQ(CALL_PATH(sh, CHDIR, ".."), 0);
    CHECK_EQ(CALL(sh, GETCWD), 6);
    k_check();
}

static void unlinked_while_open(void) {
    sh = boot();
    uint64_t before = k_inode_count();
    int64_t fd = open_("/tmp/f", PF_O_RDWR | PF_O_CREAT, 0644);
    CALL_PATH(sh, WRITE, "data", fd);
    CALL_PATH(sh, UNLINKAT, "/tmp/f", CWD, 0);
    CALL(sh, FSTAT, fd);
    CHECK_EQ(((struct pf_stat *)got)->nlink, 0);
    CHECK_EQ(CALL(sh, PREAD, fd, 1), 3);
    CHECK_EQ(k_inode_count(), before + 1);
    CALL(sh, CLOSE, fd);
    CHECK_EQ(k_inode_count(), before);
    k_check();
}

static void times(void) {
    sh = boot();
    k_mailbox.realtime_ns = 1000;
    open_("/tmp/f", PF_O_RDWR | PF_O_CREAT, 0644);
    k_mailbox.realtime_ns = 2000;
    CALL_PATH(sh, WRITE, "x", 3);
    CALL(sh, FSTAT, 3);
    struct pf_stat s;
    memcpy(&s, got, sizeof s);
    CHECK(s.btime_ns >= 1000 && s.btime_ns < 2000 && s.mtime_ns >= 2000 &&
          s.mtime_ns == s.ctime_ns);
    k_mailbox.realtime_ns = 3000;
    CALL_PATH(sh, FCHMODAT, "/tmp/f", CWD, 0600, 0);
    CHECK_EQ(CALL_PATH(sh, UTIMENSAT, "/tmp/f", CWD, 0, PF_UTIME_OMIT, 77), 0);
    CALL(sh, FSTAT, 3);
    memcpy(&s, got, sizeof s);
    CHECK_EQ(s.mtime_ns, 77);
    CHECK(s.ctime_ns >= 3000);
    CHECK_EQ(CALL_PATH(sh, UTIMENSAT, "/bin/sh", CWD, 0, 1, 1), -PF_EPERM);
    CHECK_EQ(CALL_PATH(sh, UTIMENSAT, "/bin/sh", CWD, 0, PF_UTIME_NOW, PF_UTIME_NOW), -PF_EACCES);
}

/* Memory that was used and is free again is offered to the host, once. */
static void trimming(void) {
    sh = boot();
    struct pf_kernel_stats s;
    int64_t fd = open_("/tmp/f", PF_O_RDWR | PF_O_CREAT, 0644);
    for (int i = 0; i < 100; i++) CALL_IN(sh, WRITE, part, sizeof part, fd);
    do CALL(HOST, HOST_STATS), memcpy(&s, got, sizeof s);
    while (s.trim_len);
    uint64_t heap = s.heap_bytes;
    CALL(sh, FTRUNCATE, fd, 0);
    uint64_t offered = 0;
    for (;;) {
        CALL(HOST, HOST_STATS);
        memcpy(&s, got, sizeof s);
        if (!s.trim_len) break;
        CHECK_EQ(s.trim_offset % 4096, 0);
        CHECK_EQ(s.trim_len % 4096, 0);
        offered += s.trim_len;
    }
    CHECK(offered >= 98 * sizeof part);
    CHECK(s.heap_bytes <= heap - 98 * sizeof part);
    k_check();
}

/* Free memory that the host dropped is not counted, and used again only where it leaves room; files
 * leave some to programs. */
static void room(void) {
    sh = boot();
    uint64_t before = k_mailbox.clean;
    int64_t fd = open_("/tmp/f", PF_O_RDWR | PF_O_CREAT, 0644);
    struct pf_kernel_stats s;
    for (int i = 0; i < 100; i++) CALL_IN(sh, WRITE, part, sizeof part, fd);
    CHECK(k_mailbox.clean < before + (2 << 20)); /* the rest of one more segment at most */
    CALL(sh, FTRUNCATE, fd, 0);
    do CALL(HOST, HOST_STATS), memcpy(&s, got, sizeof s);
    while (s.trim_len);
    uint64_t clean = k_mailbox.clean;
    CHECK(clean >= 98 * sizeof part);
    k_mailbox.room = 3 * sizeof part;
    int written = 0;
    while (written < 50 && CALL_IN(sh, WRITE, part, sizeof part, fd) == sizeof part) written++;
    CHECK(written >= 1 && written <= 4);
    k_mailbox.room = UINT64_MAX;
    CHECK_EQ(CALL_IN(sh, WRITE, part, sizeof part, fd), sizeof part);
    struct pf_kernel_limits limits = {1 << 30, 100, 10, 10, 100, 100, 1 << 20};
    CHECK_EQ(CALL_IN(HOST, HOST_CONFIGURE, &limits, sizeof limits), 0);
    k_mailbox.room = (1 << 20) - 1;
    CHECK_EQ(CALL(sh, LSEEK, fd, 90 * sizeof part, 0), 90 * sizeof part);
    CHECK_EQ(CALL_IN(sh, WRITE, part, sizeof part, fd), -PF_ENOSPC);
    CHECK_EQ(CALL(sh, PIPE, 0), 0); /* which is no file's content */
    k_mailbox.room = 1 << 20;
    CHECK_EQ(CALL_IN(sh, WRITE, part, sizeof part, fd), sizeof part);
    k_check();
}

/* SEEK_DATA and SEEK_HOLE: extents that were never written, and the end. */
static void seeking_data(void) {
    enum { DATA = 3, HOLE = 4, M = 1 << 20 };
    sh = boot();
    int64_t fd = open_("/workspace/holes", PF_O_RDWR | PF_O_CREAT, 0644);
    CHECK_EQ(CALL(sh, LSEEK, fd, 0, DATA), -PF_ENXIO);
    CHECK_EQ(CALL(sh, LSEEK, fd, 0, HOLE), -PF_ENXIO);
    CHECK_EQ(CALL(sh, FTRUNCATE, fd, 2000ll * M), 0);
    CHECK_EQ(CALL(sh, LSEEK, fd, 0, DATA), -PF_ENXIO);
    CHECK_EQ(CALL(sh, LSEEK, fd, 5, HOLE), 5);
    CHECK_EQ(CALL_IN(sh, PWRITE, "x", 1, fd, 5 * M + 7), 1);
    CHECK_EQ(CALL(sh, LSEEK, fd, 0, DATA), 5 * M);
    CHECK_EQ(CALL(sh, LSEEK, fd, 0, 1), 5 * M);
    CHECK_EQ(CALL(sh, LSEEK, fd, 5 * M, HOLE), 5 * M + (64 << 10));
    CHECK_EQ(CALL(sh, LSEEK, fd, 5 * M + (64 << 10), DATA), -PF_ENXIO);
    CHECK_EQ(CALL_IN(sh, PWRITE, "x", 1, fd, 0), 1);
    CHECK_EQ(CALL(sh, LSEEK, fd, 9, DATA), 9);
    CHECK_EQ(CALL(sh, LSEEK, fd, 9, HOLE), 4096);
    CHECK_EQ(CALL_IN(sh, PWRITE, "x", 1, fd, 2000ll * M - 1), 1);
    CHECK_EQ(CALL(sh, LSEEK, fd, 2000ll * M - 9, HOLE), 2000ll * M);
    CHECK_EQ(CALL(sh, LSEEK, fd, 2000ll * M, DATA), -PF_ENXIO);
    CHECK_EQ(CALL(sh, LSEEK, fd, -1, DATA), -PF_ENXIO);
    CHECK_EQ(CALL(sh, LSEEK, fd, 0, 5), -PF_EINVAL);
    CHECK_EQ(CALL(sh, LSEEK, open_("/workspace", PF_O_DIRECTORY, 0), 0, DATA), -PF_EINVAL);
    k_check();
}

/* A list of the tree, as text: depth, name, size, ! when it is absent, and offset+length of each
 * piece. */
static char tree[1 << 16];
static const char left_out[] = "/bin\0/dev\0/proc\0/none/there";

static int64_t list_tree(size_t cap) {
    int64_t number = 0;
    size_t used = 0;
    do {
        number = call_raw(HOST, PF_CALL_HOST_TREE, (struct words){{number}}, left_out,
                          sizeof left_out, cap, 0);
        for (uint32_t at = 0; number >= 0 && at < got_len;) {
            struct pf_tree_entry e;
            memcpy(&e, got + at, sizeof e);
            at += (uint32_t)sizeof e;
            if (!(e.flags & PF_TREE_CONTINUED))
                used += (size_t)sprintf(tree + used, "%s%u %.*s %d%s", used ? "\n" : "", e.depth,
                                        (int)e.name_len, (char *)got + at, (int)e.size,
                                        e.flags & PF_TREE_ABSENT ? "!" : "");
            at += (e.name_len + 7) & ~7u;
            for (uint32_t i = 0; i < e.pieces; i++, at += (uint32_t)sizeof(struct pf_tree_piece)) {
                struct pf_tree_piece piece;
                memcpy(&piece, got + at, sizeof piece);
                used += (size_t)sprintf(tree + used, " %d+%u", (int)piece.offset, piece.len);
            }
        }
    } while (number > 0);
    return number;
}

static void listing_the_tree(void) {
    sh = boot();
    host_file("/workspace/a", "hello", 0644);
    CHECK_EQ(CALL_PATH(sh, MKDIRAT, "/workspace/d", CWD, 0755), 0);
    CHECK_EQ(CALL_TWO(sh, SYMLINKAT, "target", "/workspace/d/link", CWD), 0);
    int64_t fd = open_("/workspace/d/holes", PF_O_RDWR | PF_O_CREAT, 0644);
    for (int i = 0; i < 40; i++) CHECK_EQ(CALL_IN(sh, PWRITE, "x", 1, fd, i * 8192), 1);
    CHECK_EQ(CALL(sh, FTRUNCATE, fd, 1 << 20), 0);
    host_file("/workspace/z", "", 0644);
    CHECK_EQ(CALL_PATH(HOST, MKDIRAT, "/absent", CWD, 0755), 0);
    CHECK_EQ(CALL_TWO(HOST, HOST_MOUNT, "/absent", "0/", 0), 0);
    uint64_t before = k_alloc_used();
    CHECK_EQ(list_tree(sizeof got - 1), 0);
    char *all = strdup(tree);
    CHECK(strstr(all, "1 bin 0\n") && strstr(all, "1 proc 0") && !strstr(all, "2 sh "));
    CHECK(strstr(all, "1 absent 0!"));
    CHECK(strstr(all, "1 workspace 0\n2 a 5 0+5\n2 d 0\n3 link 6 0+6\n3 holes 1048576 0+64 8192+"));
    CHECK(strstr(all, "\n2 z 0\n"));
    /* The same in as many calls as it takes, and the kernel is what it was. */
    for (size_t cap = 120; cap < 400; cap += 33) {
        CHECK_EQ(list_tree(cap), 0);
        CHECK(strcmp(all, tree) == 0);
    }
    CHECK_EQ(k_alloc_used(), before);
    CHECK_EQ(list_tree(40), -PF_EINVAL);
    free(all);
    /* One that stopped at what is gone is void; only the host lists. */
    CHECK_EQ(call_raw(HOST, PF_CALL_HOST_TREE, (struct words){{0}}, "/workspace", 11, 120, 0), 1);
    CHECK_EQ(CALL(HOST, HOST_TREE, 2), -PF_EINVAL);
    CHECK_EQ(CALL(HOST, HOST_TREE, -1), 0);
    CHECK_EQ(CALL(HOST, HOST_TREE, 1), -PF_EINVAL);
    int64_t number = 0;
    do
        number = call_raw(HOST, PF_CALL_HOST_TREE, (struct words){{number}}, left_out,
                          sizeof left_out, 120, 0);
    while (number > 0 && !strstr((char *)got + 64, "a"));
    CHECK_EQ(CALL(sh, HOST_TREE, 0), -PF_EPERM);
    char many[200];
    memset(many, 0, sizeof many);
    CHECK_EQ(CALL_IN(HOST, HOST_TREE, many, sizeof many, 0), -PF_E2BIG);
    k_check();
}

static void a_list_whose_entry_goes(void) {
    sh = boot();
    host_file("/workspace/a", "hello", 0644);
    host_file("/workspace/b", "hello", 0644);
    for (int taken = 1; taken < 40; taken++) {
        int64_t number = 0;
        for (int i = 0; i < taken; i++)
            number = call_raw(HOST, PF_CALL_HOST_TREE, (struct words){{number}}, left_out,
                              sizeof left_out, 96, 0);
        if (number <= 0) break;
        int64_t gone = CALL_PATH(HOST, UNLINKAT, "/workspace/b", CWD, 0);
        CHECK_EQ(gone, 0);
        number = CALL(HOST, HOST_TREE, number);
        CHECK(number == 0 || number == -PF_EINVAL);
        host_file("/workspace/b", "hello", 0644);
        k_check();
    }
}

int main(void) {
    listing_the_tree();
    a_list_whose_entry_goes();
    read_only_root();
    devices();
    proc();
    contents();
    sparse();
    seeking_data();
    limits();
    long_paths();
    changing_directories();
    unlinked_while_open();
    times();
    trimming();
    room();
    return check_report();
}
