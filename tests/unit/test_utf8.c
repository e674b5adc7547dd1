/*
 * tests/unit/test_utf8.c: lib/utf8 against the C library, over every code point and every short
 * byte string.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "lib/utf8/utf8.h"

static int failures;

static void fail(const char *what, unsigned value) {
    if (failures++ < 20) fprintf(stderr, "test_utf8: %s at %x\n", what, value);
}

static void classes(void) {
    static const char *const names[] = {"alpha", "upper", "lower", "digit", "xdigit", "space",
                                        "blank", "cntrl", "print", "alnum", "graph",  "punct"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int class = pf_uni_class_named(names[i], strlen(names[i]));
        wctype_t real = wctype(names[i]);
        for (uint32_t c = 0; c <= PF_UNI_MAX; c++)
            if (pf_uni_is(c, (enum pf_uni_class) class) != !!iswctype((wint_t)c, real))
                fail(names[i], c);
    }
    if (pf_uni_class_named("alphabet", 8) != -1) fail("an unknown class has a number", 0);
}

static void case_and_width(void) {
    for (uint32_t c = 0; c <= PF_UNI_MAX; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        if (pf_uni_lower(c) != (uint32_t)towlower((wint_t)c)) fail("lower", c);
        if (pf_uni_upper(c) != (uint32_t)towupper((wint_t)c)) fail("upper", c);
        if (pf_uni_width(c) != wcwidth((wchar_t)c)) fail("width", c);
    }
}

/* The length that the C library reads at the start of `bytes`, 0 for invalid or cut short. */
static int real_decode(const char *bytes, size_t len, uint32_t *code) {
    wchar_t wide;
    mbstate_t state = {0};
    size_t n = mbrtowc(&wide, bytes, len, &state);
    if (n == (size_t)-1 || n == (size_t)-2 || (uint32_t)wide > PF_UNI_MAX) return 0;
    *code = (uint32_t)wide;
    return n == 0 ? 1 : (int)n;
}

/* Whether some bytes after text make its start a valid character. */
static bool completable(const char *text, size_t len) {
    char more[4];
    uint32_t code;
    memcpy(more, text, len);
    for (int next = 0x80; next < 0xc0; next++) {
        more[len] = (char)next;
        if (pf_utf8_decode(more, len + 1, &code) == (int)len + 1) return true;
        if (len + 1 < 4 && completable(more, len + 1)) return true;
    }
    return false;
}

static void cut(void) {
    uint32_t code;
    for (uint32_t i = 0x800000; i < 0x1000000; i += 1 + (i & 0x3ff) % 97 * 61) {
        char text[3] = {(char)(i >> 16), (char)(i >> 8), (char)i};
        for (size_t len = 1; len <= 3; len++) {
            bool want = pf_utf8_decode(text, len, &code) == 0 && completable(text, len);
            if (pf_utf8_is_cut(text, len) != want) fail("is_cut", i);
        }
    }
}

static void bytes(void) {
    for (uint32_t i = 0; i < 0x1000000; i += 1 + (i & 0x3f) % 3) {
        char text[4] = {(char)(i >> 16), (char)(i >> 8), (char)i, (char)0x91};
        for (size_t len = 1; len <= 4; len++) {
            uint32_t a = 0, b = 0;
            int n = pf_utf8_decode(text, len, &a), m = real_decode(text, len, &b);
            if (n != m || (n > 0 && a != b)) fail("decode", i);
            char out[4];
            if (n > 0 && (pf_utf8_encode(a, out) != n || memcmp(out, text, (size_t)n) != 0))
                fail("encode", a);
            if (n == (int)len && pf_utf8_decode_last(text, len, &b) != n) fail("decode_last", i);
        }
    }
    char out[4];
    if (pf_utf8_encode(0xd800, out) != 0 || pf_utf8_encode(0x110000, out) != 0) fail("encode", 0);
    if (pf_utf8_count("a\xc3\xa9\xff\xe2\x82", 6) != 5) fail("count", 0);
    if (pf_utf8_valid_len("a\xc3\xa9\xff", 4) != 3) fail("valid_len", 0);
}

int main(void) {
    if (setlocale(LC_CTYPE, "C.UTF-8") == NULL) {
        fprintf(stderr, "test_utf8: no C.UTF-8 locale, cannot compare\n");
        return 1;
    }
    classes();
    case_and_width();
    bytes();
    cut();
    if (failures > 0) fprintf(stderr, "test_utf8: %d failures\n", failures);
    return failures != 0;
}
