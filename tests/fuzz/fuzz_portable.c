/*
 * Portable snapshots written by somebody who can make checksums: any bytes, or a real one's
 * contents with bytes changed behind a good frame. Whatever is accepted is a sandbox within its
 * limits; no tool was asked for while it was made, and what its list of files says can be read.
 *
 * First byte: 0 raw, 1 contents with changes (offset u32, xor u8)…, 2 contents cut to a length
 * (u32), then changes, 3 the same of one with a session of Python.
 */
#include "fuzz.h"
#include "host/snapshot/frame.h"

#include <string.h>

enum { BASES = 2 };
static pf_options *options;
static char *contents[BASES];
static size_t lens[BASES];

static void run(pf_sandbox *sandbox, const char *language, const char *code) {
    pf_run run = {.size = sizeof run, .language = language, .code = code, .code_len = strlen(code)};
    MUST(pf_sandbox_start(sandbox, &run, NULL) == PF_OK);
}

static void make_base(int base) {
    static const char script[] = "x=7; declare -ir n=5; a=(1 2 [9]=z); declare -A m=([k]=v); f() { "
                                 "echo $1; }; alias l=ls; trap 'tool t' USR1;"
                                 " set -o pipefail; shopt -s extglob; mkdir d; cd d; echo a > f; "
                                 "ln f g; ln -s f h; mkfifo p; set -- q";
    pf_sandbox *sandbox = NULL;
    char *data;
    size_t len;
    MUST(pf_sandbox_new(options, &sandbox, NULL) == PF_OK);
    run(sandbox, "shell", script);
    if (base) run(sandbox, "python", "import math\ndef f(): return 1\nx = [1, {2: 'a'}]\n");
    MUST(pf_sandbox_snapshot_portable(sandbox, 0, &data, &len, NULL, NULL, NULL) == PF_OK);
    struct frame_terms terms = {.kind = FRAME_PORTABLE, .max = 1 << 30};
    MUST(frame_open(data, len, &terms, &contents[base], &lens[base], NULL) == PF_OK);
    pf_sandbox_free(sandbox);
    pf_free(data);
}

static void set_up(void) {
    options = pf_options_new();
    MUST(options);
    MUST(pf_options_tool(options, "t", "", NULL, 0, NULL) == PF_OK);
    const char *policy = "{\"capabilities\":[{\"method\":\"t\",\"max_calls\":3}]}";
    MUST(pf_options_policy(options, policy, strlen(policy), NULL) == PF_OK);
    MUST(pf_options_limit(options, "cpu_ms", 200, NULL) == PF_OK);
    MUST(pf_options_limit(options, "wall_ms", 400, NULL) == PF_OK);
    MUST(pf_options_limit(options, "memory_bytes", 128 << 20, NULL) == PF_OK);
    pf_options_clock(options, 0);
    pf_options_seed(options, 1);
    for (int i = 0; i < BASES; i++) make_base(i);
}

static void try_files(const char *data, size_t len) {
    pf_snapshot_files *files = NULL;
    pf_snapshot_file file;
    if (pf_snapshot_files_open(data, len, NULL, 0, 1 << 26, &files, NULL) != PF_OK) return;
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

static void try_portable(const char *data, size_t len) {
    pf_sandbox *sandbox = NULL;
    pf_error error = {0};
    pf_status status = pf_sandbox_restore(options, data, len, &sandbox, &error);
    MUST((status == PF_OK) == (sandbox != NULL));
    MUST(status == PF_OK || error.message[0]);
    try_files(data, len);
    if (!sandbox) return;
    pf_call call;
    size_t left;
    MUST(pf_sandbox_pending(sandbox, &call, 1) == 0 && !pf_sandbox_running(sandbox));
    const char *texts = pf_sandbox_left_out(sandbox, &left);
    MUST(left == 0 || texts[left - 1] == '\0');
    pf_run run = {
        .size = sizeof run, .language = "shell", .code = "f; cat f; declare -p", .code_len = 20};
    pf_sandbox_start(sandbox, &run, NULL);
    const pf_result *result = pf_sandbox_result(sandbox);
    if (result) MUST(result->memory_bytes <= 128 << 20);
    pf_sandbox_free(sandbox);
}

static void try_contents(int base, size_t len, const uint8_t *edits, size_t size) {
    char *copy = malloc(len + 1), *data = NULL;
    size_t data_len = 0;
    MUST(copy);
    memcpy(copy, contents[base], len);
    for (; len && size >= 5; edits += 5, size -= 5) {
        uint32_t at;
        memcpy(&at, edits, sizeof at);
        copy[at % len] ^= (char)edits[4];
    }
    MUST(frame_wrap(FRAME_PORTABLE, copy, len, NULL, 0, &data, &data_len, NULL) == PF_OK);
    try_portable(data, data_len);
    free(data);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!options) set_up();
    if (size == 0) return 0;
    uint32_t cut = 0;
    int base = data[0] == 3;
    if (data[0] == 0)
        try_portable((const char *)data + 1, size - 1);
    else if (data[0] >= 2 && size >= 5) {
        memcpy(&cut, data + 1, sizeof cut);
        try_contents(base, cut == UINT32_MAX ? lens[base] : cut % lens[base], data + 5, size - 5);
    } else
        try_contents(0, lens[0], data + 1, size - 1);
    return 0;
}
