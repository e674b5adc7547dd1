/*
 * test_templates.c: a program that has the build's templates and one that boots by itself are the
 * same to everybody: equal runs give equal snapshots, and each continues what the other saved.
 *
 *     api_templates_baked FILE      writes a snapshot in the middle of a call, continues it
 *     api_templates_anew FILE FILE  the same without templates; compares, and continues the first FILE
 */
#define _GNU_SOURCE /* memmem() */
#include "harness.h"

#include "host/cpu/baked.h"
#include "host/machine/machine.h"

#include <string.h>
#include <sys/resource.h>

struct bytes {
    char *data;
    size_t len;
};

/* Uses several images, files, variables and a job, and waits for a tool. */
static struct bytes save(void) {
    pf_options *options = make_options("get");
    pf_options_clock(options, 1700000000ll * 1000000000);
    pf_options_seed(options, 7);
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_new(options, &sandbox, &test_error));
    pf_options_free(options);
    run(sandbox, "shell", "seq 100 | sort -R > /workspace/n; x=$(wc -l < n); f() { echo f$1; }");
    run(sandbox, "javascript", "fs.writeFileSync('r', String(Math.random())); return 1");
    start(sandbox, "shell", "jq -n '{a: 1}'; f 2; tool get; echo $x; sort -n n | head -2; cat r | wc -l");
    struct bytes b = {0};
    MUST(pf_sandbox_snapshot(sandbox, &b.data, &b.len, &test_error));
    pf_sandbox_free(sandbox);
    return b;
}

static void go_on(struct bytes b) {
    pf_options *options = make_options("get");
    pf_sandbox *sandbox = NULL;
    pf_call call;
    MUST(pf_sandbox_restore(options, b.data, b.len, &sandbox, &test_error));
    pf_options_free(options);
    CHECK(pf_sandbox_pending(sandbox, &call, 1) == 1);
    MUST(pf_sandbox_resume(sandbox, call.id, "5", 1, &test_error));
    const pf_result *result = pf_sandbox_result(sandbox);
    CHECK(result != NULL);
    if (result) CHECK_TEXT(result->stdout_data, "{\n  \"a\": 1\n}\nf2\n5\n100\n1\n2\n0\n");
    pf_sandbox_free(sandbox);
}

static long page_faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* The memory of a sandbox that ended serves the next: none of its files, variables or output is in there. */
static void test_memory_is_nobodys(void) {
    static const char script[] = "x=$(printf 'Tr%sk' oubadour-hor); echo $x > /workspace/f; cat f f; echo $x";
    for (int round = 0; round < 3; round++) {
        pf_sandbox *sandbox = make_sandbox("");
        for (int kind = 0; kind < 2; kind++) {
            const cpu_instance *instance = sandbox->kernel;
            for (uint32_t i = 1; kind == 1 && i < sandbox->procs_room; i++)
                if (sandbox->procs[i]) instance = sandbox->procs[i];
            CHECK(memmem(instance->slot->base, instance->memory->size, "Troubadour-hork", 15) == NULL);
        }
        run(sandbox, "shell", script);
        CHECK(memmem(sandbox->kernel->slot->base, sandbox->kernel->memory->size, "Troubadour-hork",
                     15) != NULL); /* or this proves nothing */
        pf_sandbox_free(sandbox);
    }
}

/* Processes that end leave their memory to the next of their sandbox: new pages, one fault each, would
 * cost more than all that a small script does. */
static void test_memory_is_used_again(void) {
    static const char *const kinds[][2] = {{"javascript", "return 1"}, {"shell", "ls | cat"}};
    pf_sandbox *sandbox = make_sandbox("");
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 5; i++) run(sandbox, kinds[k][0], kinds[k][1]);
        long before = page_faults();
        for (int i = 0; i < 20; i++) run(sandbox, kinds[k][0], kinds[k][1]);
        long each = (page_faults() - before) / 20;
        CHECK(each < 40);
        if (each >= 40) printf("  %s: %ld page faults for each run\n", kinds[k][0], each);
    }
    pf_sandbox_free(sandbox);
}

static void count_page(void *count, size_t page) {
    (void)page;
    ++*(int *)count;
}

/* A sandbox that waits has copies of the few pages that were written, and shares the rest. */
static void test_waiting_is_small(void) {
    pf_sandbox *sandbox = make_sandbox("");
    run(sandbox, "shell", "echo hi");
    int kernel = 0, session = 0;
    cpu_each_written_page(sandbox->kernel, count_page, &kernel);
    for (uint32_t i = 1; i < sandbox->procs_room; i++)
        if (sandbox->procs[i]) cpu_each_written_page(sandbox->procs[i], count_page, &session);
    CHECK(kernel <= 16 && session > 0 && session <= 14);
    if (kernel > 16 || session > 14)
        printf("  %d pages of the kernel, %d of the session's shell\n", kernel, session);
    pf_sandbox_free(sandbox);
}

static struct bytes read_file(const char *path) {
    struct bytes b = {malloc(1 << 20), 0};
    FILE *file = fopen(path, "rb");
    if (file && b.data) b.len = fread(b.data, 1, 1 << 20, file);
    if (file) fclose(file);
    return b;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    CHECK((cpu_baked() != NULL) == (argc == 2)); /* else this test compares nothing */
    struct bytes b = save();
    FILE *file = fopen(argv[1], "wb");
    CHECK(file && fwrite(b.data, 1, b.len, file) == b.len && fclose(file) == 0);
    go_on(b);
    if (argc > 2) {
        struct bytes other = read_file(argv[2]);
        CHECK(other.len == b.len && memcmp(other.data, b.data, b.len) == 0);
        go_on(other);
        free(other.data);
    }
    pf_free(b.data);
    test_memory_is_nobodys();
    test_memory_is_used_again();
    test_waiting_is_small();
    return finish_tests();
}
