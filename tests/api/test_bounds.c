/*
 * tests/api/test_bounds.c: what an embedder asks for outside of runs has bounds, which a guest cannot
 * stretch: names of one file, holes, directories without end. An interrupt ends it.
 */
#define _GNU_SOURCE
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static char host[64], out[128];
static int outs;

static void make_host(void) {
    snprintf(host, sizeof host, "/tmp/bounds_XXXXXX");
    if (!mkdtemp(host)) abort();
    char path[128];
    snprintf(path, sizeof path, "%s/in", host);
    if (mkdir(path, 0755) != 0) abort();
    snprintf(path, sizeof path, "%s/in/first", host);
    FILE *f = fopen(path, "w");
    if (!f || fputs("as it came\n", f) < 0 || fclose(f) != 0) abort();
}

static void remove_host(void) {
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", host);
    CHECK(system(command) == 0);
}

static pf_sandbox *mounted(void) {
    char in[128];
    pf_options *options = make_options("");
    pf_sandbox *s = NULL;
    snprintf(in, sizeof in, "%s/in", host);
    MUST(pf_options_mount(options, in, "/m", PF_MOUNT_COPY, &test_error));
    MUST(pf_sandbox_new(options, &s, &test_error));
    pf_options_free(options);
    return s;
}

static const char *fresh(void) {
    snprintf(out, sizeof out, "%s/out%d", host, outs++);
    return out;
}

static void bound(pf_sandbox *s, uint64_t max_bytes, double max_seconds) {
    pf_bounds bounds = {.size = sizeof bounds, .max_bytes = max_bytes, .max_seconds = max_seconds};
    MUST(pf_sandbox_bound(s, &bounds, &test_error));
}

static long blocks_of(const char *directory, const char *name, struct stat *st) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (lstat(path, st) != 0) return -1;
    return (long)st->st_blocks;
}

static void check_bound(pf_status status, const char *name) {
    CHECK(status == PF_BOUND);
    if (status != PF_BOUND) printf("  %d: %s\n", (int)status, test_error.message);
    CHECK(strstr(test_error.message, name) != NULL);
}

/* ---- names of one file */

static void test_links(void) {
    pf_sandbox *s = mounted();
    char *data = NULL;
    size_t len = 0;
    struct stat st;
    CHECK_RUN(s, "shell",
              "cd /m; head -c 1M /dev/urandom > a; mkdir d;"
              "for i in $(seq 120); do ln a d/link$i; done; ls d | wc -l",
              "120\n", 0);
    bound(s, 2 * MIB, 0);
    MUST(pf_mount_tar(s, "/m", false, &data, &len, &test_error));
    CHECK(len < 2 * MIB);
    pf_free(data);
    MUST(pf_mount_tar(s, "/m", true, &data, &len, &test_error));
    pf_free(data);
    MUST(pf_mount_export(s, "/m", fresh(), &test_error));
    CHECK(blocks_of(out, "d/link77", &st) > 0 && st.st_nlink == 121 && st.st_size == MIB);
    bound(s, MIB / 2, 0);
    check_bound(pf_mount_tar(s, "/m", false, &data, &len, &test_error), "max_bytes");
    CHECK(!data && len == 0);
    check_bound(pf_mount_export(s, "/m", fresh(), &test_error), "max_bytes");
    MUST(pf_sandbox_bound(s, NULL, &test_error));
    CHECK_RUN(s, "shell", "cmp /m/a /m/d/link120 && echo usable", "usable\n", 0);
    pf_sandbox_free(s);
}

/* ---- holes */

static void test_holes(void) {
    pf_sandbox *s = mounted();
    char *data = NULL;
    size_t len = 0;
    struct stat st;
    CHECK_RUN(s, "shell",
              "cd /m; for i in 1 2 3 4 5 6 7 8; do truncate -s 2000M h$i; done;"
              "truncate -s 900M mixed; echo start | dd of=mixed conv=notrunc status=none;"
              "echo middle | dd of=mixed bs=1M seek=400 conv=notrunc status=none; echo end >> mixed",
              "", 0);
    bound(s, MIB, 0);
    MUST(pf_mount_changes(s, "/m", &data, &len, &test_error));
    CHECK(len > 0);
    pf_free(data);
    MUST(pf_mount_tar(s, "/m", false, &data, &len, &test_error));
    CHECK(len < MIB && memmem(data, len, "GNU.sparse.realsize=943718404", 29));
    pf_free(data);
    MUST(pf_mount_export(s, "/m", fresh(), &test_error));
    CHECK(blocks_of(out, "h8", &st) < 100 && st.st_size == 2000l * MIB);
    CHECK(blocks_of(out, "mixed", &st) < 2000 && st.st_size == 900 * MIB + 4);
    char path[300], text[16] = "";
    snprintf(path, sizeof path, "%s/mixed", out);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && pread(fd, text, 7, 400 * MIB) == 7 && strcmp(text, "middle\n") == 0);
    CHECK(pread(fd, text, 6, 0) == 6 && memcmp(text, "start\n", 6) == 0);
    CHECK(pread(fd, text, 4, 900 * MIB) == 4 && memcmp(text, "end\n", 4) == 0);
    CHECK(pread(fd, text, 1, 200 * MIB) == 1 && text[0] == 0);
    close(fd);
    /* Somebody who reads such a file has all of its bytes. */
    check_bound(pf_file_take(s, "/m/mixed", &data, &len, &test_error), "max_bytes");
    bound(s, PF_UNLIMITED, HUGE_VAL);
    MUST(pf_file_take(s, "/m/mixed", &data, &len, &test_error));
    CHECK(len == 900 * MIB + 4 && memcmp(data + 400 * MIB, "middle\n", 7) == 0);
    CHECK(memcmp(data + 900 * MIB, "end\n", 5) == 0 && data[123456789] == 0);
    pf_free(data);
    /* The default is what a sandbox may hold. */
    MUST(pf_sandbox_bound(s, NULL, &test_error));
    check_bound(pf_file_take(s, "/m/mixed", &data, &len, &test_error), "536870912");
    pf_sandbox_free(s);
}

/* A file that was put back as it was is no change, wherever its holes are now. */
static void test_same_contents(void) {
    pf_sandbox *s = mounted();
    char *data = NULL;
    size_t len = 0;
    CHECK_RUN(s, "shell", "cd /m; cat first > x; rm first; mv x first; cat first", "as it came\n",
              0);
    MUST(pf_mount_changes(s, "/m", &data, &len, &test_error));
    CHECK(len == 0);
    pf_free(data);
    CHECK_RUN(s, "shell", "cd /m; echo as it CAME > first; cp first second", "", 0);
    MUST(pf_mount_changes(s, "/m", &data, &len, &test_error));
    CHECK(len == 21 && memcmp(data, "M/m/first\0A/m/second\0", 21) == 0);
    pf_free(data);
    pf_sandbox_free(s);
}

/* ---- time, and interrupts */

static void test_time(void) {
    pf_sandbox *s = mounted();
    char *data = NULL;
    size_t len = 0;
    CHECK_RUN(s, "shell", "cd /m; mkdir -p a/b/c; touch a/b/c/d; head -c 300K /dev/zero > z", "",
              0);
    bound(s, 0, 1e-9);
    check_bound(pf_mount_changes(s, "/m", &data, &len, &test_error), "max_seconds");
    check_bound(pf_mount_tar(s, "/m", false, &data, &len, &test_error), "max_seconds");
    check_bound(pf_mount_export(s, "/m", fresh(), &test_error), "max_seconds");
    check_bound(pf_file_take(s, "/m/z", &data, &len, &test_error), "max_seconds");
    check_bound(pf_file_list(s, "/m", &data, &len, &test_error), "max_seconds");
    check_bound(pf_sandbox_snapshot(s, &data, &len, &test_error), "max_seconds");
    CHECK(!data && len == 0);
    MUST(pf_sandbox_bound(s, NULL, &test_error));
    MUST(pf_mount_changes(s, "/m", &data, &len, &test_error));
    pf_free(data);
    pf_sandbox_free(s);
}

static bool over;
static void *interrupt_often(void *sandbox) {
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        usleep(2000);
        pf_sandbox_interrupt(sandbox);
    }
    return NULL;
}

static void test_interrupt(void) {
    pf_sandbox *s = mounted();
    char *data = NULL;
    size_t len = 0;
    pf_status status = PF_OK;
    CHECK_RUN(s, "shell", "cd /m; head -c 40M /dev/zero > z; for i in $(seq 2000); do : > f$i; done",
              "", 0);
    /* What came while nothing was on is nothing. */
    pf_sandbox_interrupt(s);
    MUST(pf_file_take(s, "/m/first", &data, &len, &test_error));
    pf_free(data);
    pthread_t other;
    pthread_create(&other, NULL, interrupt_often, s);
    for (int i = 0; i < 1000 && status == PF_OK; i++) {
        status = i % 2 ? pf_mount_tar(s, "/m", false, &data, &len, &test_error)
                       : pf_mount_changes(s, "/m", &data, &len, &test_error);
        if (status == PF_OK) pf_free(data);
    }
    CHECK(status == PF_INTERRUPTED && strstr(test_error.message, "interrupted"));
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    /* Nothing of it stays behind. */
    CHECK_RUN(s, "shell", "echo usable", "usable\n", 0);
    pf_sandbox_free(s);
}

/* ---- a tree as deep as paths reach */

static void test_deep(void) {
    pf_sandbox *s = mounted();
    char *data = NULL;
    size_t len = 0;
    CHECK_RUN(s, "shell",
              "cd /m; for i in $(seq 2100); do mkdir d && cd d || break; : > f; done; echo done",
              "done\n", 0);
    MUST(pf_mount_changes(s, "/m", &data, &len, &test_error));
    CHECK(len > 2000);
    pf_free(data);
    MUST(pf_mount_tar(s, "/m", true, &data, &len, &test_error));
    pf_free(data);
    pf_sandbox_free(s);
}

int main(void) {
    make_host();
    test_links();
    test_holes();
    test_same_contents();
    test_time();
    test_interrupt();
    test_deep();
    remove_host();
    return finish_tests();
}
