/*
 * tests/unit/test_kernel_mount.c: files that are still with the host: what is asked for and when,
 * what a host may and may not fill in, and every allocation failing on the way.
 */
#include <stdio.h>

#include "kernel_machine.h"

static uint32_t sh;
static char asked[512]; /* the sources that were wanted, with a space behind each */
static int refuse;      /* what the host answers instead, an errno */

static int64_t name(const char *text, const char *target, uint32_t mode, int64_t size) {
    return CALL_TWO(HOST, HOST_FILL_NAME, text, target, mode, size, 5000000000);
}

/* The host's side: the directory has the file f ("hello"), the directory d with g ("g"), a link. */
static void fill(void) {
    int64_t type = CALL(HOST, HOST_WANTED), error = refuse;
    CHECK(type == K_IFDIR || type == K_IFREG);
    char source[64];
    snprintf(source, sizeof source, "%.60s", (char *)got);
    strcat(strcat(asked, source), " ");
    if (error) {
        CHECK_EQ(CALL(HOST, HOST_FILLED, error), 0);
        return;
    }
    if (strcmp(source, "0/") == 0) {
        int64_t r = name("f", "", K_IFREG | 0644, 5);
        if (r == 0) r = name("d", "", K_IFDIR | 0755, 0);
        if (r == 0) r = name("l", "d/g", K_IFLNK | 0777, 0);
        error = -r;
    } else if (strcmp(source, "0/d") == 0) {
        error = -name("g", "", K_IFREG | 0644, 1);
    } else {
        const char *text = strcmp(source, "0/f") == 0 ? "hello" : "g";
        int64_t n = CALL_IN(HOST, HOST_FILL_DATA, text, strlen(text), 0);
        if (n != (int64_t)strlen(text)) error = n < 0 ? -n : PF_ENOSPC;
    }
    CHECK_EQ(CALL(HOST, HOST_FILLED, error), 0);
}

/* A call of the shell, or of the host, again until it has what it wants. */
static int64_t until(uint32_t proc, int64_t (*call)(uint32_t)) {
    for (int i = 0; i < 100; i++) {
        int64_t r = call(proc);
        if (action != PF_ACTION_BLOCK) return r;
        CHECK(k_mailbox.attention & PF_ATTENTION_FILL);
        k_mailbox.attention = 0;
        fill();
        if (proc != HOST) CHECK_EQ(next(), proc);
    }
    CHECK(false);
    return 0;
}

static int64_t open_f(uint32_t proc) {
    return CALL_PATH(proc, OPENAT, "/m/f", CWD, PF_O_RDONLY);
}
static int64_t open_link(uint32_t proc) {
    return CALL_PATH(proc, OPENAT, "/m/l", CWD, PF_O_RDONLY);
}
static int64_t truncate_f(uint32_t proc) {
    return CALL_PATH(proc, OPENAT, "/m/f", CWD, PF_O_WRONLY | PF_O_TRUNC);
}
static int64_t stat_f(uint32_t proc) {
    return CALL_PATH(proc, FSTATAT, "/m/f", CWD, 0);
}
static int64_t remove_d(uint32_t proc) {
    return CALL_PATH(proc, UNLINKAT, "/m/d", CWD, PF_AT_REMOVEDIR);
}
static int64_t make_new(uint32_t proc) {
    return CALL_PATH(proc, OPENAT, "/m/new", CWD, PF_O_WRONLY | PF_O_CREAT | PF_O_EXCL, 0644);
}

static void start(void) {
    sh = boot();
    *asked = '\0';
    refuse = 0;
    CHECK_EQ(CALL_PATH(HOST, MKDIRAT, "/m", CWD, 0755), 0);
    CHECK_EQ(CALL_PATH(HOST, FCHOWNAT, "/m", CWD, 1000, 1000, 0), 0);
    CHECK_EQ(CALL_TWO(HOST, HOST_MOUNT, "/m", "0/"), 0);
    CHECK_EQ(CALL(HOST, HOST_SOURCE), 1);
}

static void check_order(void) {
    start();
    CHECK_EQ(CALL_PATH(sh, FSTATAT, "/m", CWD, 0), 0);
    CHECK(!*asked);
    CHECK_EQ(until(sh, stat_f), 0);
    CHECK_EQ(((struct pf_stat *)got)->size, 5);
    CHECK_EQ(((struct pf_stat *)got)->mtime_ns, 5000000000);
    CHECK(strcmp(asked, "0/ ") == 0);
    CHECK_EQ(CALL(HOST, HOST_SOURCE), 2); /* f and d */
    int64_t fd = until(HOST, open_link);
    CHECK(fd >= 0 && strcmp(asked, "0/ 0/d 0/d/g ") == 0);
    CHECK(CALL(HOST, READ, fd) == 1 && got[0] == 'g');
    CALL(HOST, CLOSE, fd);
    CHECK_EQ(until(sh, remove_d), -PF_ENOTEMPTY);
    CHECK(until(sh, truncate_f) >= 0);
    CHECK(strcmp(asked, "0/ 0/d 0/d/g ") == 0); /* nobody wanted what was in it */
    CHECK_EQ(CALL(HOST, HOST_SOURCE), 0);
    k_check();
}

static void check_refusals(void) {
    start();
    refuse = PF_EACCES;
    CHECK_EQ(until(sh, make_new), -PF_EACCES);
    CHECK_EQ(until(HOST, stat_f), -PF_EACCES);
    refuse = 0;
    CHECK_EQ(until(sh, stat_f), 0); /* it may work later */
    refuse = PF_EIO;
    CHECK_EQ(until(sh, open_f), -PF_EIO);
    CHECK_EQ(until(sh, stat_f), 0);
    CHECK_EQ(((struct pf_stat *)got)->size, 5);
    CHECK_EQ(CALL(HOST, HOST_WANTED), -PF_ENOENT);
    CHECK_EQ(name("x", "", K_IFREG, 0), -PF_ENOENT);
    CHECK_EQ(CALL(HOST, HOST_FILLED, 0), -PF_ENOENT);
    CHECK_EQ(CALL_TWO(sh, HOST_FILL_NAME, "x", "", K_IFREG), -PF_EPERM);
    k_check();
}

static void check_nonsense(void) {
    start();
    CHECK(stat_f(sh) || true);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(name("", "", K_IFREG, 0), -PF_EINVAL);
    CHECK_EQ(name("..", "", K_IFREG, 0), -PF_EINVAL);
    CHECK_EQ(name("a/b", "", K_IFREG, 0), -PF_EINVAL);
    CHECK_EQ(name("a", "", K_IFIFO, 0), -PF_EINVAL);
    CHECK_EQ(name("a", "", K_IFREG, -1), -PF_EFBIG);
    CHECK_EQ(name("a", "", K_IFLNK, 0), -PF_EINVAL);
    CHECK_EQ(name("a", "", K_IFREG, 0), 0);
    CHECK_EQ(name("a", "", K_IFREG, 0), -PF_EEXIST);
    CHECK_EQ(CALL_IN(HOST, HOST_FILL_DATA, "x", 1, 0), -PF_EISDIR);
    CHECK_EQ(CALL(HOST, HOST_FILLED, -3), -PF_EINVAL);
    CHECK_EQ(CALL_TWO(HOST, HOST_MOUNT, "/m", "0/"), -PF_ENOTEMPTY);
    k_check();
}

static void check_every_allocation(void) {
    for (int64_t at = 1; at < 200; at++) {
        start();
        k_alloc_fail_at = at;
        until(sh, open_link);
        until(sh, open_f);
        until(sh, make_new);
        bool reached = k_alloc_fail_at <= 0;
        k_alloc_fail_at = 0;
        k_check();
        CHECK(until(sh, open_link) >= 0); /* whatever failed, it works now */
        k_check();
        if (!reached) return;
    }
    CHECK(false);
}

int main(void) {
    check_order();
    check_refusals();
    check_nonsense();
    check_every_allocation();
    return check_report();
}
