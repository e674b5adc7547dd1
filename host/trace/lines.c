/*
 * host/trace/lines.c: the lines of a trace, their sums and their members. See trace.h.
 */
#include "trace.h"

#include <assert.h>
#include <monocypher.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const trace_strikes[STRIKE_COUNT] = {"preempt",   "interrupt",  "stop", "kill",
                                                 "cpu_limit", "wall_limit", "cut"};

#define TAIL (sizeof(",\"sum\":\"") - 1 + TRACE_SUM + 2) /* what follows the text of a line */

void trace_chain_add(struct trace_chain *chain, const char *text, size_t len,
                     char sum[TRACE_SUM + 1]) {
    crypto_blake2b_ctx ctx;
    crypto_blake2b_init(&ctx, sizeof chain->state);
    crypto_blake2b_update(&ctx, chain->state, sizeof chain->state);
    crypto_blake2b_update(&ctx, (const uint8_t *)text, len);
    crypto_blake2b_final(&ctx, chain->state);
    base_hex(sum, chain->state, TRACE_SUM / 2);
}

/* One line, without its newline, into its text; false: it has no right sum. */
static bool take(struct trace_chain *chain, const char *line, size_t len, struct trace_line *out) {
    char sum[TRACE_SUM + 1], tail[TAIL + 1];
    if (len < TAIL) return false;
    out->text = line;
    out->len = len - TAIL;
    trace_chain_add(chain, line, out->len, sum);
    snprintf(tail, sizeof tail, ",\"sum\":\"%s\"}", sum);
    return memcmp(line + out->len, tail, TAIL) == 0;
}

static bool ends_with(const struct trace_line *line, const char *end) {
    size_t len = strlen(end);
    return line->len > len && memcmp(line->text + line->len - len, end, len) == 0;
}

/* The recorder's own line: a number and these members. Others have strings that may end so. */
static bool is_full(const struct trace_line *line) {
    return ends_with(line, TRACE_FULL) && line->len < sizeof TRACE_FULL + 30;
}

pf_status trace_whole(const struct trace_lines *lines, pf_error *error) {
    if (lines->complete) return PF_OK;
    if (lines->full)
        return base_error(
            error, PF_FORMAT,
            "the trace came to its bound (trace_bytes) and ends before its sandbox did: "
            "a partial replay goes as far as it goes");
    return base_error(error, PF_FORMAT,
                      "the trace is cut short: its last line is missing (the recording program was "
                      "killed, or still runs)");
}

pf_status trace_split(const char *text, size_t len, struct trace_lines *out, pf_error *error) {
    struct trace_chain chain = {{0}};
    size_t capacity = 0;
    *out = (struct trace_lines){0};
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        if (!end) break; /* half a line: it was being written */
        if (out->count == capacity) {
            capacity = capacity ? capacity * 2 : 256;
            struct trace_line *more = realloc(out->items, capacity * sizeof *more);
            if (!more) return base_no_memory(error);
            out->items = more;
        }
        assert(out->count < capacity);
        size_t line = (size_t)(end - text) - at;
        if (out->complete || out->full || !take(&chain, text + at, line, &out->items[out->count])) {
            bool first = out->count == 0 && memmem(text, line, "\"pinfold_trace\":", 16) == NULL;
            return first ? base_error(error, PF_FORMAT, "this is not a pinfold trace")
                         : base_error(error, PF_FORMAT,
                                      "the trace was altered in line %zu or before", out->count);
        }
        struct trace_line *last = &out->items[out->count];
        out->complete = ends_with(last, ",\"end\":true");
        out->full = out->count > 0 && is_full(last);
        if (!out->full) out->count++;
        at += line + 1;
    }
    if (out->count == 0) return base_error(error, PF_FORMAT, "this is not a pinfold trace");
    return PF_OK;
}

pf_status trace_parse(struct base_arena *arena, const struct trace_line *line, yyjson_val **out,
                      pf_error *error) {
    char *whole = base_arena_alloc(arena, line->len + 2);
    if (!whole) return base_no_memory(error);
    memcpy(whole, line->text, line->len);
    memcpy(whole + line->len, "}", 2);
    pf_error why;
    pf_status status = base_json_read(arena, whole, line->len + 1, 16, out, &why);
    if (status == PF_INVALID || (status == PF_OK && !yyjson_is_obj(*out)))
        return base_error(error, PF_FORMAT, "a line of the trace cannot be read: %.900s",
                          status == PF_OK ? "it is no object" : why.message);
    return status == PF_OK ? PF_OK : base_no_memory(error);
}

static int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool decode(struct base_arena *arena, const char *text, size_t len, const char **data,
                   size_t *out_len) {
    uint8_t *to = base_arena_alloc(arena, len / 4 * 3 + 1);
    size_t n = 0;
    if (!to || len % 4) return false;
    for (size_t i = 0; i < len; i += 4) {
        size_t pad = text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            int value = k >= 4 - pad ? 0 : digit(text[i + k]);
            if (value < 0 || (pad && i + 4 != len)) return false;
            bits = bits << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k < 3 - pad; k++) to[n++] = (uint8_t)(bits >> (16 - 8 * k));
    }
    to[n] = 0;
    *data = (const char *)to;
    *out_len = n;
    return true;
}

bool trace_bytes(struct base_arena *arena, yyjson_val *object, const char *name, const char **data,
                 size_t *len) {
    char coded[64];
    yyjson_val *value = yyjson_obj_get(object, name);
    if (yyjson_is_str(value)) {
        *data = yyjson_get_str(value);
        *len = yyjson_get_len(value);
        return true;
    }
    snprintf(coded, sizeof coded, "%s_base64", name);
    value = yyjson_obj_get(object, coded);
    return yyjson_is_str(value) &&
           decode(arena, yyjson_get_str(value), yyjson_get_len(value), data, len);
}

int64_t trace_int(yyjson_val *object, const char *name, int64_t missing) {
    yyjson_val *value = yyjson_obj_get(object, name);
    struct base_number number;
    int64_t out;
    if (!value || !base_json_is_number(value)) return missing;
    base_json_number(value, &number);
    return base_number_int64(&number, &out) ? out : missing;
}

uint64_t trace_uint(yyjson_val *object, const char *name) {
    yyjson_val *value = yyjson_obj_get(object, name);
    if (!value || !base_json_is_number(value)) return 0;
    return strtoull(yyjson_get_raw(value), NULL, 10);
}
