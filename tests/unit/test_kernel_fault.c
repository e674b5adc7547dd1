/*
 * tests/unit/test_kernel_fault.c: every allocation of every kind of call fails once.
 *
 * Each case is a call in a fresh kernel whose n-th allocation fails, for every n until it no longer
 * notices. It must fail with ENOMEM (or do without), leave all invariants and no trace, and succeed
 * when it is made again.
 */
#include "kernel_machine.h"

static uint32_t sh;
static int32_t pipe_fds[2];
static int64_t fd;
static uint8_t bulk[PF_IO_MAX];

static int64_t case_open(void) {
    return CALL_PATH(sh, OPENAT, "/tmp/new", CWD, PF_O_RDWR | PF_O_CREAT | PF_O_EXCL, 0644);
}
static int64_t case_mkdir(void) {
    return CALL_PATH(sh, MKDIRAT, "/tmp/new", CWD, 0755);
}
static int64_t case_fifo(void) {
    return CALL_PATH(sh, MKNODAT, "/tmp/new", CWD, K_IFIFO | 0644);
}
static int64_t case_symlink(void) {
    return CALL_TWO(sh, SYMLINKAT, "target", "/tmp/new", CWD);
}
static int64_t case_link(void) {
    return CALL_TWO(sh, LINKAT, "/tmp/f", "/tmp/new", CWD, CWD, 0);
}
static int64_t case_rename(void) {
    return CALL_TWO(sh, RENAMEAT, "/tmp/f", "/tmp/new", CWD, CWD, 0);
}
static int64_t case_replace(void) {
    return CALL_TWO(sh, RENAMEAT, "/tmp/f", "/tmp/g", CWD, CWD, 0);
}
static int64_t case_pipe(void) {
    return CALL(sh, PIPE, 0);
}
static int64_t case_write(void) {
    int64_t n = CALL_IN(sh, PWRITE, bulk, sizeof bulk, fd, 0);
    return n > 0 && n < (int64_t)sizeof bulk ? -PF_ENOMEM : n; /* part of it is no failure */
}
static int64_t case_small_write(void) {
    return CALL_IN(sh, PWRITE, bulk, 100, fd, 0);
}
static int64_t case_far_write(void) {
    return CALL_IN(sh, PWRITE, bulk, 100, fd, 100 << 20);
}
static int64_t case_dup(void) {
    return CALL(sh, DUPFD, 0, 100, 0);
}
static int64_t case_proc(void) {
    return CALL_PATH(sh, OPENAT, "/proc/self/status", CWD, 0, 0);
}
static int64_t case_stream(void) {
    return CALL_PATH(sh, WRITE, "out", 1);
}
static int64_t case_op(void) {
    return CALL_IN(sh, OP_START, bulk, 9000, PF_OP_TOOL);
}
static int64_t case_env(void) {
    return CALL_IN(HOST, HOST_ENV, "A=1", 4);
}

static int64_t case_fork(void) {
    int64_t child = CALL(sh, FORK);
    if (action != PF_ACTION_FORK) return child;
    CALL(HOST, HOST_FORK_DONE, child, 1);
    next();
    return CALL(sh, FORK);
}

static int64_t case_spawn(void) {
    size_t len = exec_block(0, "/tmp/script", (const char *const[]){"s", "arg", NULL});
    return CALL_IN(sh, SPAWN, block, len);
}

static int64_t case_exec(void) {
    size_t len = exec_block(0, "/tmp/script", (const char *const[]){"s", "arg", NULL});
    int64_t r = CALL_IN(sh, EXEC, block, len);
    if (action != PF_ACTION_GONE) return r;
    next();
    return 0;
}

static int64_t case_poll(void) {
    struct pf_pollfd p[100];
    for (int i = 0; i < 100; i++) p[i] = (struct pf_pollfd){pipe_fds[0], PF_POLLIN, 0};
    int64_t r = CALL_IN(sh, POLL, p, sizeof p, 1000);
    if (action != PF_ACTION_BLOCK) return r;
    k_mailbox.monotonic_ns += 2000;
    next();
    return CALL_IN(sh, POLL, p, sizeof p, 1000);
}

static int64_t case_sleep(void) {
    int64_t r = CALL(sh, SLEEP, 1, 1000, 0);
    if (action != PF_ACTION_BLOCK) return r;
    k_mailbox.monotonic_ns += 2000;
    next();
    return CALL(sh, SLEEP, 1, 1000, 0);
}

static int64_t case_run(void) {
    size_t len = exec_block(0, "/bin/cat", (const char *const[]){"cat", NULL});
    int64_t r = CALL_IN(HOST, HOST_RUN_BEGIN, block, len, PF_RUN_SPAWN, PF_RUN_STDIN);
    if (r > 0) r = CALL_IN(HOST, HOST_RUN_TEXT, bulk, 3000);
    if (r > 0) r = CALL_IN(HOST, HOST_STDIN, bulk, 3000, 1);
    if (r < 0) CALL(HOST, HOST_RUN_END), CALL(HOST, HOST_KILL, 1);
    return r;
}

static int64_t case_session_run(void) {
    int64_t r = CALL_IN(HOST, HOST_RUN_BEGIN, "", 0, PF_RUN_SESSION, PF_RUN_STDIN);
    if (r < 0) return r;
    r = CALL(sh, RUN_NEXT, -1);
    if (r < 0) CALL(HOST, HOST_RUN_END);
    return r;
}

static int64_t case_list(void) {
    int64_t r = 0;
    for (int i = 0; i < 30 && r >= 0; i++) {
        char name[30];
        sprintf(name, "/tmp/many%d", i);
        r = CALL_PATH(sh, MKNODAT, name, CWD, K_IFREG | 0644);
        if (r == -PF_EEXIST) r = 0;
    }
    return r;
}

static const struct {
    const char *name;
    int64_t (*call)(void);
} cases[] = {
    {"open", case_open},
    {"mkdir", case_mkdir},
    {"fifo", case_fifo},
    {"symlink", case_symlink},
    {"link", case_link},
    {"rename", case_rename},
    {"replace", case_replace},
    {"pipe", case_pipe},
    {"write", case_write},
    {"small write", case_small_write},
    {"far write", case_far_write},
    {"dup", case_dup},
    {"proc", case_proc},
    {"stream", case_stream},
    {"op", case_op},
    {"env", case_env},
    {"fork", case_fork},
    {"spawn", case_spawn},
    {"exec", case_exec},
    {"poll", case_poll},
    {"sleep", case_sleep},
    {"run", case_run},
    {"session run", case_session_run},
    {"list", case_list},
};

static void prepare(void) {
    sh = boot();
    host_file("/tmp/script", "#!/bin/sh -e\n", 0755);
    CALL_PATH(sh, MKNODAT, "/tmp/f", CWD, K_IFREG | 0644);
    CALL_PATH(sh, MKNODAT, "/tmp/g", CWD, K_IFREG | 0644);
    fd = CALL_PATH(sh, OPENAT, "/tmp/f", CWD, PF_O_RDWR, 0);
    CALL(sh, PIPE, 0);
    memcpy(pipe_fds, got, sizeof pipe_fds);
}

static void fail_each(size_t which) {
    int failed = 0;
    for (int64_t n = 1; n < 200; n++) {
        prepare();
        uint64_t inodes = k_inode_count();
        uint32_t procs = k_proc_count();
        k_alloc_fail_at = n;
        int64_t r = cases[which].call();
        bool reached = k_alloc_fail_at == 0;
        k_alloc_fail_at = 0;
        k_check();
        if (!reached) {
            CHECK(r >= 0);
            break;
        }
        if (r >= 0) continue; /* it did without */
        failed++;
        if (r != -PF_ENOMEM) fprintf(stderr, "%s, allocation %d: ", cases[which].name, (int)n);
        CHECK_EQ(r, -PF_ENOMEM);
        if (cases[which].call != case_run) CHECK_EQ(k_proc_count(), procs);
        if (cases[which].call != case_list) CHECK_EQ((int64_t)k_inode_count(), (int64_t)inodes);
        r = cases[which].call();
        if (r < 0) fprintf(stderr, "%s again after %d: ", cases[which].name, (int)n);
        CHECK(r >= 0);
        k_check();
    }
    if (!failed) fprintf(stderr, "%s never fails\n", cases[which].name);
}

static void boot_without_memory(void) {
    for (int64_t n = 1; n < 200; n++) {
        k_native_reset();
        k_alloc_fail_at = n;
        int result = k_boot((const uint8_t *)"sh", 3);
        bool reached = k_alloc_fail_at == 0;
        k_alloc_fail_at = 0;
        if (!reached) {
            CHECK_EQ(result, 0);
            return;
        }
        CHECK(result == -PF_ENOMEM || result == 0); /* a hash table can be done without */
    }
    CHECK(!"boot ends");
}

int main(void) {
    for (size_t i = 0; i < K_COUNT(cases); i++) fail_each(i);
    boot_without_memory();
    return check_report();
}
