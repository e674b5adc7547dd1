/*
 * A real trace with its lines changed, left out, doubled and moved, and the sums made anew, as
 * somebody who knows how would write it: the replay ends with an answer, not with a fault, and it
 * ends, also where a program slept. Limits of its own that are higher than the embedder's are
 * refused, and what it uses stays below those.
 *
 * Records of 6 bytes: what to do (0 nothing, 1 drop, 2 double, 3 swap with the next, 4 cut here,
 * 5 another limit, else xor), line u16 (or which limit), offset u16 (its value), xor u8 (and by how
 * much that is shifted).
 */
#include "fuzz.h"
#include "host/trace/trace.h"

#include <string.h>
#include <unistd.h>

enum { LINES_MAX = 400 };

static char *trace;
static struct trace_lines lines;

static void set_up(void) {
    char path[] = "/tmp/fuzz_trace_XXXXXX";
    int fd = mkstemp(path);
    MUST(fd >= 0);
    close(fd);
    pf_options *options = pf_options_new();
    const char *policy = "{\"capabilities\":[{\"method\":\"t\"}]}";
    MUST(options && pf_options_tool(options, "t", "", NULL, 0, NULL) == PF_OK);
    MUST(pf_options_policy(options, policy, strlen(policy), NULL) == PF_OK);
    MUST(pf_options_limit(options, "memory_bytes", 64 << 20, NULL) == PF_OK);
    MUST(pf_options_record(options, path, false, NULL) == PF_OK);
    char folder[] = "/tmp/fuzz_mount_XXXXXX";
    MUST(mkdtemp(folder) && pf_options_mount(options, folder, "/m", PF_MOUNT_COPY, NULL) == PF_OK);
    char file_path[64];
    snprintf(file_path, sizeof file_path, "%s/f", folder);
    FILE *mounted = fopen(file_path, "w");
    MUST(mounted && fputs("mounted", mounted) >= 0 && fclose(mounted) == 0);
    pf_sandbox *sandbox = NULL;
    MUST(pf_sandbox_new(options, &sandbox, NULL) == PF_OK);
    pf_run run = {.size = sizeof run, .language = "shell",
                  .code = "echo a > f; (tool t; sleep 0.01; date) | cat & tool t; cat /m/f; wait; sleep 0.01"};
    run.code_len = strlen(run.code);
    MUST(pf_file_write(sandbox, "/workspace/in", "x", 1, NULL) == PF_OK);
    MUST(pf_sandbox_start(sandbox, &run, NULL) == PF_OK);
    pf_call calls[2];
    while (pf_sandbox_running(sandbox)) {
        if (pf_sandbox_pending(sandbox, calls, 2))
            MUST(pf_sandbox_resume(sandbox, calls[0].id, "[1]", 3, NULL) == PF_OK);
        else
            MUST(pf_sandbox_advance(sandbox, NULL) == PF_OK);
    }
    pf_sandbox_free(sandbox);
    pf_options_free(options);
    FILE *file = fopen(path, "rb");
    trace = malloc(1 << 20);
    MUST(file && trace);
    size_t len = fread(trace, 1, 1 << 20, file);
    fclose(file);
    unlink(path);
    unlink(file_path);
    rmdir(folder);
    MUST(trace_split(trace, len, &lines, NULL) == PF_OK && lines.complete);
}

enum { MEMORY_MAX = 96 << 20, OUTPUT_MAX = 1 << 20 };

static void replay(const struct base_buf *text) {
    static pf_options *most;
    pf_replay *r = NULL;
    pf_error error = {0};
    if (!most) {
        most = pf_options_new();
        MUST(most && pf_options_limit(most, "memory_bytes", MEMORY_MAX, NULL) == PF_OK);
        MUST(pf_options_limit(most, "output_bytes", OUTPUT_MAX, NULL) == PF_OK);
        MUST(pf_options_limit(most, "cpu_ms", PF_UNLIMITED, NULL) == PF_OK);
        MUST(pf_options_limit(most, "wall_ms", PF_UNLIMITED, NULL) == PF_OK);
    }
    const pf_replay_bounds bounds = {.size = sizeof bounds, .limits = most, .max_seconds = 2};
    pf_status status = pf_replay_open_within(text->data ? text->data : "", text->len, true, &bounds,
                                             &r, &error);
    MUST((status == PF_OK) == (r != NULL));
    MUST(status == PF_OK || error.message[0]);
    if (!r) return;
    for (int i = 0; i < 2 * LINES_MAX && status == PF_OK; i++) {
        status = pf_replay_next(r, &error);
        const pf_result *result = pf_sandbox_result(pf_replay_sandbox(r));
        MUST(!result || result->memory_bytes <= MEMORY_MAX);
        MUST(!result || result->stdout_len <= OUTPUT_MAX);
    }
    MUST(status != PF_OK);
    MUST(status == PF_DONE || error.message[0]);
    pf_replay_free(r);
}

/* The head with another number for one of its limits; NULL: it has none of that name. */
static char *with_limit(const struct trace_line *head, unsigned which, uint64_t value, size_t *len) {
    static const char *const names[] = {
        "cpu_ms",     "wall_ms",      "memory_bytes", "process_memory_bytes", "filesystem_bytes",
        "files",      "processes",    "open_files",   "output_bytes",         "tool_calls",
        "code_bytes", "stdin_bytes",  "tool_result_bytes", "tool_argument_bytes"};
    char key[40], number[24];
    snprintf(key, sizeof key, "\"%s\":", names[which % (sizeof names / sizeof *names)]);
    const char *at = memmem(head->text, head->len, key, strlen(key));
    if (!at) return NULL;
    at += strlen(key);
    size_t before = (size_t)(at - head->text), digits = strspn(at, "0123456789");
    int n = snprintf(number, sizeof number, "%llu", (unsigned long long)value);
    char *text = malloc(head->len + sizeof number);
    MUST(text);
    memcpy(text, head->text, before);
    memcpy(text + before, number, (size_t)n);
    memcpy(text + before + n, at + digits, head->len - before - digits);
    *len = head->len - digits + (size_t)n;
    return text;
}

/* The lines with sums that are right. */
static void join(struct trace_line *items, size_t count, struct base_buf *out) {
    struct trace_chain chain = {{0}};
    for (size_t i = 0; i < count; i++) {
        char sum[TRACE_SUM + 1];
        trace_chain_add(&chain, items[i].text, items[i].len, sum);
        base_buf_add(out, items[i].text, items[i].len);
        base_buf_addf(out, ",\"sum\":\"%s\"}\n", sum);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!trace) set_up();
    struct trace_line items[LINES_MAX + 64];
    char *copies[64];
    size_t count = lines.count < LINES_MAX ? lines.count : LINES_MAX, copied = 0;
    memcpy(items, lines.items, count * sizeof *items);
    for (; size >= 6 && copied < 64 && count > 1; data += 6, size -= 6) {
        size_t at = (size_t)(data[1] | data[2] << 8) % count;
        size_t offset = (size_t)(data[3] | data[4] << 8);
        struct trace_line *line = &items[at];
        switch (data[0]) {
        case 0: break;
        case 1: memmove(line, line + 1, (--count - at) * sizeof *line); break;
        case 2:
            if (count >= LINES_MAX + 63) break;
            memmove(line + 1, line, (count++ - at) * sizeof *line);
            break;
        case 3:
            if (at + 1 < count) {
                struct trace_line swap = line[0];
                line[0] = line[1];
                line[1] = swap;
            }
            break;
        case 4: count = at + 1; break;
        case 5: {
            size_t len;
            uint64_t value = (uint64_t)offset << (data[5] % 56);
            char *copy = with_limit(&items[0], (unsigned)(data[1] | data[2] << 8),
                                    data[5] == 255 ? UINT64_MAX : value, &len);
            if (copy) items[0] = (struct trace_line){copies[copied++] = copy, len};
            break;
        }
        default: {
            char *copy = copies[copied++] = malloc(line->len + 1);
            MUST(copy);
            memcpy(copy, line->text, line->len);
            if (line->len) copy[offset % line->len] ^= (char)data[5];
            line->text = copy;
        }
        }
    }
    struct base_buf text;
    base_buf_init(&text, 4 << 20);
    join(items, count, &text);
    replay(&text);
    base_buf_free(&text);
    while (copied) free(copies[--copied]);
    return 0;
}
