/*
 * Any bytes as JSON. A second reader, written from RFC 8259 alone, says whether the bytes are a
 * document: what the host accepts is one, and what it refuses of those it refuses for one of its
 * own reasons (host/base/json.h). What it accepts, it writes; that reads as the same value and
 * writes the same.
 */
#include "fuzz.h"
#include "host/base/json.h"

#include <stdbool.h>
#include <string.h>

struct reader {
    const uint8_t *at, *end;
    int depth;
};

static void space(struct reader *r) {
    while (r->at < r->end && *r->at && strchr(" \t\r\n", *r->at)) r->at++;
}

static bool take(struct reader *r, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0) return false;
    r->at += len;
    return true;
}

static bool digits(struct reader *r) {
    const uint8_t *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return r->at > from;
}

static bool number(struct reader *r) {
    take(r, "-");
    if (!take(r, "0") && !digits(r)) return false;
    if (take(r, ".") && !digits(r)) return false;
    if (take(r, "e") || take(r, "E")) {
        if (!take(r, "+")) take(r, "-");
        return digits(r);
    }
    return true;
}

/* Four hexadecimal digits; -1: they are not. */
static long unit(struct reader *r) {
    long value = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        if (r->at >= r->end) return -1;
        const char *all = "0123456789abcdef", *digit = strchr(all, *r->at | 0x20);
        if (!digit || !*digit || (*r->at < '0') || (*r->at > '9' && *r->at < 'A')) return -1;
        value = value * 16 + (digit - all);
    }
    return value;
}

static bool escape(struct reader *r) {
    if (r->at >= r->end) return false;
    uint8_t c = *r->at++;
    if (c != 'u') return c && strchr("\"\\/bfnrt", c);
    long first = unit(r);
    if (first < 0 || (first >= 0xdc00 && first < 0xe000)) return false;
    if (first < 0xd800 || first >= 0xe000) return true;
    if (!take(r, "\\u")) return false;
    long second = unit(r);
    return second >= 0xdc00 && second < 0xe000;
}

/* One character of UTF-8 (RFC 3629). */
static bool character(struct reader *r) {
    uint8_t c = *r->at++;
    if (c < 0x80) return c >= 0x20;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    uint32_t value = c & (0x3f >> more);
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (c < 0xc0 || c > 0xf7) return false;
    for (int i = 0; i < more; i++) {
        if (r->at >= r->end || (*r->at & 0xc0) != 0x80) return false;
        value = value << 6 | (*r->at++ & 0x3f);
    }
    return value >= least[more] && value <= 0x10ffff && !(value >= 0xd800 && value < 0xe000);
}

static bool string(struct reader *r) {
    if (!take(r, "\"")) return false;
    while (r->at < r->end && *r->at != '"')
        if (take(r, "\\") ? !escape(r) : !character(r)) return false;
    return take(r, "\"");
}

static bool value(struct reader *r);

static bool members(struct reader *r, const char *close, bool object) {
    space(r);
    if (take(r, close)) return true;
    do {
        space(r);
        if (object) {
            if (!string(r)) return false;
            space(r);
            if (!take(r, ":")) return false;
        }
        if (!value(r)) return false;
    } while (take(r, ","));
    return take(r, close);
}

static bool value(struct reader *r) {
    bool good = false;
    if (++r->depth > 1000) return false;
    space(r);
    if (take(r, "{"))
        good = members(r, "}", true);
    else if (take(r, "["))
        good = members(r, "]", false);
    else if (r->at < r->end && *r->at == '"')
        good = string(r);
    else
        good = take(r, "true") || take(r, "false") || take(r, "null") || number(r);
    space(r);
    r->depth--;
    return good;
}

/* What the host refuses although it is JSON. */
static bool own_reason(const char *message) {
    static const char *const reasons[] = {"duplicate", "twice",  "nest",      "deep", "digits",
                                          "number",    "double", "more than", "large"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(message, reasons[i])) return true;
    fprintf(stderr, "refused: %s\n", message);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct base_arena arena;
    pf_error error;
    yyjson_val *v = NULL, *again = NULL;
    struct reader r = {.at = data, .end = data + size};
    bool json = value(&r) && r.at == r.end;
    base_arena_init(&arena, 64 << 20);
    pf_status status =
        base_json_read(&arena, (const char *)data, size, BASE_JSON_DEPTH, &v, &error);
    MUST(status == PF_OK || (status == PF_INVALID && error.message[0]));
    MUST(status == PF_OK ? json : !json || own_reason(error.message));
    if (status == PF_OK) {
        size_t len, again_len;
        char *text = base_json_write(&arena, v, &len);
        MUST(text && base_json_read(&arena, text, len, BASE_JSON_DEPTH, &again, &error) == PF_OK);
        int64_t steps = 1 << 20;
        MUST(base_json_equal(v, again, &steps) && base_json_hash(v) == base_json_hash(again));
        char *same = base_json_write(&arena, again, &again_len);
        MUST(same && again_len == len && memcmp(same, text, len) == 0);
    }
    base_arena_free(&arena);
    return 0;
}
