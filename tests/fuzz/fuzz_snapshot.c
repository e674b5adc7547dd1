/*
 * Any bytes as a snapshot or as a trace, and a real snapshot's contents with bytes changed behind a
 * good frame, as somebody who can make checksums would write it. Whatever is accepted may be
 * nonsense inside: it runs, is copied and saved again, and the host survives within its limits.
 *
 * First byte: 0 raw snapshot, 1 raw trace, 2 contents with changes (offset u32, xor u8)…, 3
 * contents cut to a length (u32), then changes.
 */
#include "fuzz.h"
#include "host/snapshot/frame.h"

#include <string.h>

static pf_options *options;
static char *contents;
static size_t contents_len;

static void set_up(void) {
    pf_sandbox *sandbox = NULL;
    char *data;
    size_t len;
    options = pf_options_new();
    MUST(options);
    MUST(pf_options_tool(options, "t", "", NULL, 0, NULL) == PF_OK);
    const char *policy = "{\"capabilities\":[{\"method\":\"t\"}]}";
    MUST(pf_options_policy(options, policy, strlen(policy), NULL) == PF_OK);
    MUST(pf_options_limit(options, "cpu_ms", 50, NULL) == PF_OK);
    MUST(pf_options_limit(options, "wall_ms", 100, NULL) == PF_OK);
    MUST(pf_options_limit(options, "memory_bytes", 64 << 20, NULL) == PF_OK);
    pf_options_clock(options, 0);
    pf_options_seed(options, 1);
    MUST(pf_sandbox_new(options, &sandbox, NULL) == PF_OK);
    pf_run run = {.size = sizeof run, .language = "shell", .code = "echo a > f; (tool t; echo b) | cat & tool t"};
    run.code_len = strlen(run.code);
    MUST(pf_sandbox_start(sandbox, &run, NULL) == PF_OK);
    MUST(pf_sandbox_snapshot(sandbox, &data, &len, NULL) == PF_OK);
    struct frame_terms terms = {.max = 1 << 30};
    MUST(frame_open(data, len, &terms, &contents, &contents_len, NULL) == PF_OK);
    pf_sandbox_free(sandbox);
    pf_free(data);
}

/* Everything that an embedder may do with it. */
static void use(pf_sandbox *sandbox) {
    pf_call calls[8];
    char *data;
    size_t len;
    pf_sandbox *branch = NULL;
    for (int i = 0; i < 4 && pf_sandbox_pending(sandbox, calls, 8); i++)
        pf_sandbox_resume(sandbox, calls[0].id, "1", 1, NULL);
    pf_run run = {.size = sizeof run, .language = "shell", .code = "cat f; ls /", .code_len = 11};
    pf_sandbox_start(sandbox, &run, NULL);
    if (pf_file_list(sandbox, "/", &data, &len, NULL) == PF_OK) pf_free(data);
    if (pf_file_take(sandbox, "/workspace/f", &data, &len, NULL) == PF_OK) pf_free(data);
    if (pf_sandbox_fork(sandbox, &branch, NULL) == PF_OK) pf_sandbox_free(branch);
    if (pf_sandbox_snapshot(sandbox, &data, &len, NULL) == PF_OK) pf_free(data);
    const pf_result *result = pf_sandbox_result(sandbox);
    if (result) MUST(result->memory_bytes <= 64 << 20);
}

/* What another build would read of it. */
static void try_files(const char *data, size_t len) {
    pf_snapshot_files *files = NULL;
    pf_snapshot_file file;
    if (pf_snapshot_files_open(data, len, NULL, 0, 0, &files, NULL) != PF_OK) {
        MUST(!files);
        return;
    }
    for (size_t i = 0; pf_snapshot_files_at(files, i, &file); i++) {
        char *bytes;
        size_t size;
        MUST(file.path[0] == '/');
        if (pf_snapshot_files_take(files, i, 1 << 20, &bytes, &size, NULL) != PF_OK) continue;
        MUST(size == file.size && size <= 1 << 20);
        pf_free(bytes);
    }
    pf_snapshot_files_free(files);
}

static void try_snapshot(const char *data, size_t len) {
    pf_sandbox *sandbox = NULL;
    pf_error error = {0};
    pf_status status = pf_sandbox_restore(options, data, len, &sandbox, &error);
    MUST((status == PF_OK) == (sandbox != NULL));
    MUST(status == PF_OK || error.message[0]);
    try_files(data, len);
    if (!sandbox) return;
    use(sandbox);
    pf_sandbox_free(sandbox);
}

static void try_contents(size_t len, const uint8_t *edits, size_t size) {
    char *copy = malloc(len + 1), *data = NULL;
    size_t data_len = 0;
    MUST(copy);
    memcpy(copy, contents, len);
    for (; len && size >= 5; edits += 5, size -= 5) {
        uint32_t at;
        memcpy(&at, edits, sizeof at);
        copy[at % len] ^= (char)edits[4];
    }
    MUST(frame_wrap(FRAME_EXACT, copy, len, NULL, 0, &data, &data_len, NULL) == PF_OK);
    try_snapshot(data, data_len);
    free(data);
    free(copy);
}

static void try_trace(const char *data, size_t len) {
    pf_replay *replay = NULL;
    if (pf_replay_open(data, len, true, &replay, NULL) != PF_OK) {
        MUST(!replay);
        return;
    }
    while (pf_replay_next(replay, NULL) == PF_OK) {
    }
    pf_replay_free(replay);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!options) set_up();
    if (size == 0) return 0;
    uint32_t cut = 0;
    if (data[0] == 0)
        try_snapshot((const char *)data + 1, size - 1);
    else if (data[0] == 1)
        try_trace((const char *)data + 1, size - 1);
    else if (data[0] == 3 && size >= 5) {
        memcpy(&cut, data + 1, sizeof cut);
        try_contents(cut % contents_len, data + 5, size - 5);
    } else
        try_contents(contents_len, data + 1, size - 1);
    return 0;
}
