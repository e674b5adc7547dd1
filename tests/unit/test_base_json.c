/*
 * The one JSON reader of the host: what it refuses, and that what it delivers is what it checked.
 */
#include "check.h"
#include "host/base/buf.h"
#include "host/base/json.h"
#include "host/base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>

static char written[4096];

static pf_status read_text(const char *text, size_t len, pf_error *error) {
    struct base_arena arena;
    base_arena_init(&arena, 64 << 20);
    yyjson_val *value;
    pf_status status = base_json_read(&arena, text, len, BASE_JSON_DEPTH, &value, error);
    CHECK((status == PF_OK) == (value != NULL));
    written[0] = '\0';
    size_t out_len;
    char *out = value ? base_json_write(&arena, value, &out_len) : NULL;
    if (out && out_len < sizeof written) memcpy(written, out, out_len + 1);
    base_arena_free(&arena);
    return status;
}

/* Comes out as `wanted`, or is refused with a message that has `wanted` in it. */
static void takes(const char *text, const char *wanted) {
    pf_error error = {0};
    pf_status status = read_text(text, strlen(text), &error);
    if (status != PF_OK || strcmp(written, wanted) != 0)
        fprintf(stderr, "%.80s -> %s (%s)\n", text, written, error.message);
    CHECK(status == PF_OK && strcmp(written, wanted) == 0);
}

static void refuses(const char *text, const char *wanted) {
    pf_error error = {0};
    pf_status status = read_text(text, strlen(text), &error);
    if (status != PF_INVALID || !strstr(error.message, wanted))
        fprintf(stderr, "%.80s -> %d %s\n", text, status, error.message);
    CHECK(status == PF_INVALID && strstr(error.message, wanted));
    CHECK(error.status == PF_INVALID);
}

static void test_values(void) {
    takes(" { \"b\" : [ 1 , true , null ] , \"a\" : \"\\u00e9\\n/\" } ",
          "{\"b\":[1,true,null],\"a\":\"é\\n/\"}");
    takes("\"\\ud83d\\ude00\"", "\"😀\"");
    takes("\"a\\u0000b\"", "\"a\\u0000b\"");
    takes("[]", "[]");
    takes("7", "7");
}

static void test_numbers(void) {
    takes("[1, 1.0, 1e3, -0, 1E+2]", "[1,1.0,1e3,-0,1E+2]");
    takes("123456789012345678901234567890", "123456789012345678901234567890");
    takes("9007199254740993", "9007199254740993");
    /* More digits than a double has: what is delivered is what a reader gets. */
    takes("0.1000000000000000055511151231257827", "0.1");
    takes("999.99999999999999999999", "1000.0");
    takes("0.30000000000000004", "0.30000000000000004");
    takes("1.7976931348623157e308", "1.7976931348623157e308");
    takes("1e-400", "0.0");
    refuses("1e400", "too large");
    refuses("-1e999999999999", "too large");
    refuses("[1, 2e308]", "too large");
    char digits[BASE_JSON_DIGITS + 2];
    memset(digits, '7', sizeof digits);
    pf_error error;
    CHECK_EQ(read_text(digits, BASE_JSON_DIGITS, &error), PF_OK);
    CHECK_EQ(read_text(digits, BASE_JSON_DIGITS + 1, &error), PF_INVALID);
}

static void test_refusals(void) {
    refuses("", "empty");
    refuses("  ", "not valid JSON");
    refuses("{\"a\":1,\"a\":2}", "\"a\" appears twice");
    refuses("{\"a\":1,\"\\u0061\":2}", "\"a\" appears twice");
    refuses("[{\"x\":{\"k\":1,\"y\":0,\"k\":1}}]", "\"k\" appears twice");
    refuses("NaN", "not valid JSON");
    refuses("[Infinity]", "line 1, column 2");
    refuses("-Infinity", "not valid JSON");
    refuses("nan", "not valid JSON");
    refuses("\"\\ud800\"", "surrogate");
    refuses("\"\\udc00x\"", "surrogate");
    refuses("\"\\ud800\\u0041\"", "surrogate");
    refuses("\"\xed\xa0\x80\"", "UTF-8");
    refuses("\"\xc0\xaf\"", "UTF-8");
    refuses("\"\xff\"", "UTF-8");
    refuses("\xef\xbb\xbf{}", "not valid JSON");
    refuses("{\"a\":1,}", "not valid JSON");
    refuses("[1,]", "not valid JSON");
    refuses("{a:1}", "not valid JSON");
    refuses("{'a':1}", "not valid JSON");
    refuses("/* x */ {}", "not valid JSON");
    refuses("{} {}", "not valid JSON");
    refuses("01", "not valid JSON");
    refuses("+1", "not valid JSON");
    refuses(".5", "not valid JSON");
    refuses("0x10", "not valid JSON");
    refuses("\"a\nb\"", "not valid JSON");
    refuses("{\n  \"a\": 1,\n  \"b\": tru\n}", "line 3, column 8");
    pf_error error;
    CHECK_EQ(read_text("[1\0]", 4, &error), PF_INVALID);
    CHECK_EQ(read_text("{}\0", 3, &error), PF_INVALID);
}

static void test_many_keys(void) {
    struct base_buf buf;
    base_buf_init(&buf, 1 << 20);
    base_buf_addz(&buf, "{");
    for (int i = 0; i < 1000; i++) base_buf_addf(&buf, "%s\"key%d\":%d", i ? "," : "", i, i);
    size_t len = buf.len;
    base_buf_addz(&buf, "}");
    pf_error error;
    CHECK_EQ(read_text(buf.data, buf.len, &error), PF_OK);
    buf.len = len;
    base_buf_addz(&buf, ",\"key500\":0}");
    CHECK_EQ(read_text(buf.data, buf.len, &error), PF_INVALID);
    CHECK(strstr(error.message, "key500"));
    base_buf_free(&buf);
}

static void test_depth(void) {
    char text[1000];
    for (size_t depth = 199; depth <= 202; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        pf_error error;
        CHECK_EQ(read_text(text, 2 * depth, &error), depth <= 200 ? PF_OK : PF_INVALID);
    }
    size_t huge = 2 << 20;
    char *deep = malloc(huge);
    memset(deep, '[', huge);
    pf_error error;
    CHECK_EQ(read_text(deep, huge, &error), PF_INVALID);
    free(deep);
}

static bool equal(const char *a, const char *b) {
    struct base_arena arena;
    base_arena_init(&arena, 1 << 20);
    yyjson_val *x, *y;
    pf_error error;
    CHECK_EQ(base_json_read(&arena, a, strlen(a), 200, &x, &error), PF_OK);
    CHECK_EQ(base_json_read(&arena, b, strlen(b), 200, &y, &error), PF_OK);
    int64_t steps = 1000;
    bool same = base_json_equal(x, y, &steps);
    if (same) CHECK(base_json_hash(x) == base_json_hash(y));
    CHECK(steps >= 0);
    steps = 0;
    CHECK(!base_json_equal(x, y, &steps) && steps == -1);
    base_arena_free(&arena);
    return same;
}

static void test_equality(void) {
    CHECK(equal("{\"a\":1,\"b\":[2,\"x\"]}", "{\"b\":[2.0,\"\\u0078\"],\"a\":1e0}"));
    CHECK(!equal("{\"a\":1}", "{\"a\":1,\"b\":2}"));
    CHECK(!equal("{\"a\":1,\"c\":2}", "{\"a\":1,\"b\":2}"));
    CHECK(!equal("[1,2]", "[2,1]"));
    CHECK(!equal("1", "true"));
    CHECK(!equal("0", "false"));
    CHECK(!equal("0", "null"));
    CHECK(!equal("\"1\"", "1"));
    CHECK(!equal("\"\"", "null"));
    CHECK(!equal("[]", "{}"));
    CHECK(equal("null", "null"));
    CHECK(equal("100000000000000000000", "1e20"));
    CHECK(!equal("100000000000000000001", "1e20"));
    CHECK(equal("-0", "0.0"));
}

static void shows(const char *json, size_t max, const char *wanted) {
    struct base_arena arena;
    base_arena_init(&arena, 1 << 20);
    yyjson_val *v;
    pf_error error;
    base_json_read(&arena, json, strlen(json), 200, &v, &error);
    char buffer[200];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_json_show(&text, v, max);
    if (strcmp(buffer, wanted) != 0) fprintf(stderr, "%s -> %s\n", json, buffer);
    CHECK(strcmp(buffer, wanted) == 0);
    CHECK(base_utf8_valid(buffer, strlen(buffer)));
    base_arena_free(&arena);
}

static void test_show(void) {
    shows("{\"a\":[1,true,null,\"x\"]}", 100, "{\"a\": [1, true, null, \"x\"]}");
    shows("\"a\\\"b\\\\c\\n\\u0001\\u007f\"", 100, "\"a\\\"b\\\\c\\n\\u0001\\u007f\"");
    shows("\"abcdefghij\"", 6, "\"abcde…");
    shows("\"ééééé\"", 6, "\"éé…");
    shows("12345678901234567890", 5, "12345…");
    shows("[1,2,3,4,5,6]", 8, "[1, 2, 3…");
}

static void test_text(void) {
    char buffer[16];
    struct base_text text;
    base_text_init(&text, buffer, sizeof buffer);
    base_text_addz(&text, "hello ");
    base_text_addz(&text, "wörld and more");
    CHECK(text.full && strcmp(buffer, "hello wörld…") == 0);
    base_text_addz(&text, "x");
    CHECK(strcmp(buffer, "hello wörld…") == 0);
    base_text_rewind(&text, 6);
    base_text_addz(&text, "you");
    CHECK(strcmp(buffer, "hello you") == 0);
    base_text_addz(&text, " and all of them");
    size_t mark = text.len; /* of a text that is full already */
    base_text_addz(&text, "x");
    base_text_rewind(&text, mark);
    CHECK(text.full && strcmp(buffer, "hello you an…") == 0);
    base_text_rewind(&text, 5);
    CHECK(!text.full && strcmp(buffer, "hello") == 0);
    pf_error error;
    char long_text[2000];
    memset(long_text, 'a', sizeof long_text);
    for (size_t i = 0; i + 1 < sizeof long_text; i += 2) memcpy(long_text + i, "é", 2);
    long_text[sizeof long_text - 1] = '\0';
    CHECK_EQ(base_error(&error, PF_INVALID, "x%s", long_text), PF_INVALID);
    CHECK(base_utf8_valid(error.message, strlen(error.message)) && strlen(error.message) > 1000);
    CHECK_EQ(base_error(NULL, PF_BUSY, "nobody listens"), PF_BUSY);
}

static void test_buf(void) {
    struct base_buf buf;
    base_buf_init(&buf, 10);
    CHECK(base_buf_addz(&buf, "12345") && base_buf_addf(&buf, "%d", 67890));
    CHECK(!base_buf_addz(&buf, "x") && buf.over && buf.failed);
    CHECK(buf.len == 10 && strcmp(buf.data, "1234567890") == 0);
    CHECK(!base_buf_add(&buf, "", 0)); /* remembered */
    size_t len;
    char *data = base_buf_take(&buf, &len);
    CHECK(len == 10 && buf.data == NULL && !buf.failed);
    free(data);
    base_buf_free(&buf);
}

static void test_arena(void) {
    struct base_arena arena;
    base_arena_init(&arena, 100000);
    char *a = base_arena_alloc(&arena, 10);
    memset(a, 1, 10);
    char *b = base_arena_resize(&arena, a, 10, 200);
    CHECK(a == b && b[9] == 1); /* the last piece grows where it is */
    char *large = base_arena_alloc(&arena, 20000);
    memset(large, 2, 20000);
    large = base_arena_resize(&arena, large, 20000, 40000);
    CHECK(large && large[19999] == 2);
    size_t used = arena.used;
    base_arena_release(&arena, large, 40000);
    CHECK(arena.used < used);
    CHECK(!base_arena_alloc(&arena, 200000) && arena.over);
    CHECK(!base_arena_array(&arena, SIZE_MAX / 2, 8));
    base_arena_reset(&arena);
    CHECK(!arena.over && arena.used > 0 && arena.used < 40000);
    CHECK(((uintptr_t)base_arena_alloc(&arena, 1) & 15) == 0);
    CHECK(((uintptr_t)base_arena_alloc(&arena, 1) & 15) == 0);
    base_arena_free(&arena);
    CHECK_EQ(arena.used, 0);
    /* A document over the budget of its arena is refused, not a lack of memory. */
    base_arena_init(&arena, 2000);
    char text[1500];
    memset(text, ' ', sizeof text);
    text[0] = '7';
    yyjson_val *value;
    pf_error error;
    CHECK_EQ(base_json_read(&arena, text, sizeof text, 1, &value, &error), PF_INVALID);
    CHECK(strstr(error.message, "too large"));
    base_arena_free(&arena);
}

int main(void) {
    test_values();
    test_numbers();
    test_refusals();
    test_many_keys();
    test_depth();
    test_equality();
    test_show();
    test_text();
    test_buf();
    test_arena();
    return check_report();
}
