/*
 * lib/hex/hex.h: hexadecimal digits, as the host and the programs read them.
 */
#ifndef PF_LIB_HEX_H
#define PF_LIB_HEX_H

/* The value of a digit, in either case; -1 of what is none. The locale does not matter. */
static inline int pf_hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

#endif
