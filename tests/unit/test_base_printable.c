/*
 * tests/unit/test_base_printable.c: pf_printable(), and the messages of pf_error that are made by
 * it. Which characters are hidden is compared with Unicode's tables in
 * python/tests/test_printable.py.
 */
#include "check.h"

#include "host/base/error.h"

#include <stdlib.h>

#define LITERAL(text) text, sizeof(text) - 1

static void makes(const char *text, size_t len, const char *wanted) {
    char out[256];
    size_t needed = pf_printable(out, sizeof out, text, len);
    CHECK_EQ(needed, strlen(wanted));
    CHECK(strcmp(out, wanted) == 0);
    CHECK_EQ(pf_printable(NULL, 0, text, len), needed);
    CHECK_EQ(pf_printable(out, sizeof out, wanted, strlen(wanted)), needed); /* again: the same */
    CHECK(strcmp(out, wanted) == 0);
}

static void pieces(void) {
    makes(LITERAL(""), "");
    makes(LITERAL("plain \\ \" ~"), "plain \\ \" ~");
    makes(LITERAL("d\xc3\xa9j\xc3\xa0 \xf0\x9f\x98\x80"), "d\xc3\xa9j\xc3\xa0 \xf0\x9f\x98\x80");
    makes(LITERAL("\0\x1b[2J\x7f\r\n\t"), "\\u0000\\u001b[2J\\u007f\\r\\n\\t");
    makes(LITERAL("\xc2\x9b"), "\\u009b");
    makes(LITERAL("\xe2\x80\xae\xef\xbb\xbf"), "\\u202e\\ufeff");
    makes(LITERAL("\xf3\xa0\x81\x81"), "\\udb40\\udc41");
    makes(LITERAL("\xf0\x9f\xbf\xbf"), "\\ud83f\\udfff");
    makes(LITERAL("\x80\xff\xc3"), "\\x80\\xff\\xc3");
    makes(LITERAL("\xed\xa0\x80"), "\\xed\\xa0\\x80"); /* a surrogate is no character */
    makes(LITERAL("\xc0\x9b"), "\\xc0\\x9b");         /* nor is what is too long */
}

/* A room of any size: whole pieces, a NUL, and nothing behind it. */
static void cut(void) {
    static const char text[] = "a\x1b\xc3\xa9\xff\xf3\xa0\x81\x81z";
    static const char whole[] = "a\\u001b\xc3\xa9\\xff\\udb40\\udc41z";
    static const size_t ends[] = {0, 1, 7, 9, 13, 25, 26};
    for (size_t size = 1; size <= sizeof whole; size++) {
        char *out = malloc(size + 1);
        out[size] = '!';
        CHECK_EQ(pf_printable(out, size, text, sizeof text - 1), sizeof whole - 1);
        size_t len = 0;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            if (ends[i] < size) len = ends[i];
        CHECK_EQ(strlen(out), len);
        CHECK(memcmp(out, whole, len) == 0 && out[size] == '!');
        free(out);
    }
}

static void errors(void) {
    pf_error error;
    base_error(&error, PF_INVALID, "there is no %s", "\xe2\x80\xaetxt\nroot: ok");
    CHECK(strcmp(error.message, "there is no \\u202etxt\\nroot: ok") == 0);
    base_error(&error, PF_INVALID, "both:\n  %s\n  %s", "a\x1b", "b");
    CHECK(strcmp(error.message, "both:\n  a\\u001b\n  b") == 0);
    char many[2000];
    memset(many, 0x1b, sizeof many - 1);
    many[sizeof many - 1] = '\0';
    for (const char *format = "%s"; format; format = *format == '%' ? "x\n%s\n" : NULL) {
        base_error(&error, PF_INVALID, format, many);
        size_t len = strlen(error.message);
        CHECK(len < sizeof error.message && len > sizeof error.message - 8);
        CHECK(strcmp(error.message + len - 6, "\\u001b") == 0);
    }
    base_error(&error, PF_INVALID, "%s", "");
    CHECK(error.message[0] == '\0');
    base_error(NULL, PF_INVALID, "%s", "nobody asks");
}

int main(void) {
    pieces();
    cut();
    errors();
    return check_report();
}
