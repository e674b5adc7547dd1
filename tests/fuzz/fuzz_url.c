/*
 * A rule, a NUL, and an address. What is read and written out is read as itself; it has no bytes that a
 * request could not have in it; a rule is asked about it; and answers lose every secret.
 */
#include "fuzz.h"
#include "host/http/engine.h"

#include <stdlib.h>
#include <string.h>

static struct http_url url, again;

static void check_text(void) {
    const char *why;
    MUST(strlen(url.text) == url.len);
    for (size_t i = 0; i < url.len; i++) MUST(url.text[i] > ' ' && url.text[i] < 0x7f);
    MUST(url.path.at + url.path.len <= url.len && url.text[url.path.at] == '/');
    MUST(!strstr(url.text + url.path.at, "/../") || strchr(url.text, '?'));
    MUST(http_url_read(&again, url.text, url.len, &why) && strcmp(again.text, url.text) == 0);
    MUST(again.port == url.port && again.kind == url.kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
    if (!end || size > 20000) return 0;
    const char *why, *text = (const char *)end + 1;
    size_t len = size - (size_t)(end - data) - 1;
    struct base_arena arena;
    struct http_rule rule;
    base_arena_init(&arena, 1 << 20);
    bool good = http_url_read(&url, text, len, &why);
    if (good) check_text();
    if (http_rule_read(&rule, &arena, (const char *)data, (size_t)(end - data), true, NULL) == PF_OK &&
        good)
        http_rule_matches(&rule, "GET", &url);
    struct http_secret secret = {.name = "K", .value = "a+/\"&=-z", .value_len = 8};
    struct http_secrets secrets = {&secret, 1};
    struct base_buf out, second;
    MUST(http_secret_prepare(&secret, &arena));
    base_buf_init(&out, SIZE_MAX);
    base_buf_init(&second, SIZE_MAX);
    http_secret_scrub(&secrets, &out, text, len);
    MUST(!out.data || !memmem(out.data, out.len, secret.value, 8));
    base_buf_free(&out);
    base_buf_free(&second);
    base_arena_free(&arena);
    return 0;
}
