/* report.c: --json. The names are those of the Python package's Result. */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static void member(struct text *out, const char *name, const char *data, size_t len) {
    text_puts(out, name);
    if (data)
        text_json(out, data, len);
    else
        text_puts(out, "null");
}

static void flag(struct text *out, const char *name, bool on) {
    text_puts(out, name);
    text_puts(out, on ? "true" : "false");
}

void report_json(const pf_result *result) {
    struct text out = {0};
    char numbers[256];
    member(&out, "{\"stdout\": ", result->stdout_data, result->stdout_len);
    member(&out, ", \"stderr\": ", result->stderr_data, result->stderr_len);
    snprintf(numbers, sizeof numbers, ", \"exit_code\": %d, \"value\": ", result->exit_code);
    text_puts(&out, numbers);
    if (result->value)
        text_printable(&out, result->value, result->value_len);
    else
        text_puts(&out, "null");
    member(&out, ", \"limit\": ", result->limit, result->limit ? strlen(result->limit) : 0);
    flag(&out, ", \"stdout_truncated\": ", result->stdout_truncated);
    flag(&out, ", \"stderr_truncated\": ", result->stderr_truncated);
    snprintf(
        numbers, sizeof numbers,
        ", \"usage\": {\"cpu_seconds\": %.6f, \"wall_seconds\": %.6f, \"memory_bytes\": %" PRIu64
        ", \"tool_calls\": %" PRIu64 "}}\n",
        (double)result->cpu_ns / 1e9, (double)result->wall_ns / 1e9, result->memory_bytes,
        result->tool_calls);
    text_puts(&out, numbers);
    if (fwrite(out.data, 1, out.len, stdout) != out.len || fflush(stdout) != 0)
        die("standard output: the result could not be written");
    free(out.data);
}
