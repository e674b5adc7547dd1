/*
 * text.c: composing text: there is no printf here. The caller's buffer has room.
 */
#include "kernel.h"

char *k_put_text(char *at, const char *text) {
    uint32_t len = (uint32_t)strlen(text);
    memcpy(at, text, len);
    return at + len;
}

char *k_put_number(char *at, uint64_t n) {
    char digits[20];
    int len = 0;
    do digits[len++] = (char)('0' + n % 10);
    while (n /= 10);
    while (len) *at++ = digits[--len];
    return at;
}
