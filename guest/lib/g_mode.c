/*
 * g_mode.c: file modes as text, and mode changes as chmod reads them.
 *
 * A change is a list of (who, operator, what). `who` is a mask of mode bits; 0 stands for "all, but
 * leave the bits of the umask alone".
 */
#include "g_mode.h"

#include <stdlib.h>
#include <string.h>

#define ALL_BITS 07777u

struct g_mode_change {
    char op;           /* + - = ; 0 ends the list */
    mode_t who;        /* bits that may change; 0: all but the umask's */
    mode_t bits;       /* what to add, remove or set */
    mode_t mentioned;  /* with = and octal digits: which bits of a directory are meant */
    char copy_from;    /* u, g or o: take that class's permissions instead of bits */
    bool execute_if;   /* X */
};

static char type_letter(mode_t mode) {
    switch (mode & S_IFMT) {
    case S_IFDIR: return 'd';
    case S_IFLNK: return 'l';
    case S_IFIFO: return 'p';
    case S_IFCHR: return 'c';
    case S_IFBLK: return 'b';
    case S_IFSOCK: return 's';
    case S_IFREG: return '-';
    default: return '?';
    }
}

void g_mode_string(mode_t mode, char out[11]) {
    static const char letters[] = "rwxrwxrwx";
    out[0] = type_letter(mode);
    for (int i = 0; i < 9; i++) out[1 + i] = mode & (0400u >> i) ? letters[i] : '-';
    if (mode & S_ISUID) out[3] = mode & 0100 ? 's' : 'S';
    if (mode & S_ISGID) out[6] = mode & 0010 ? 's' : 'S';
    if (mode & S_ISVTX) out[9] = mode & 0001 ? 't' : 'T';
    out[10] = '\0';
}

const char *g_type_name(const struct stat *st) {
    switch (st->st_mode & S_IFMT) {
    case S_IFREG: return st->st_size == 0 ? "regular empty file" : "regular file";
    case S_IFDIR: return "directory";
    case S_IFLNK: return "symbolic link";
    case S_IFIFO: return "fifo";
    case S_IFCHR: return "character special file";
    case S_IFBLK: return "block special file";
    case S_IFSOCK: return "socket";
    default: return "weird file";
    }
}

static g_mode_change *octal(const char *text) {
    unsigned value = 0;
    size_t digits = strlen(text);
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '7') return NULL;
        value = value * 8 + (unsigned)(*p - '0');
        if (value > ALL_BITS) return NULL;
    }
    g_mode_change *list = g_zalloc(2 * sizeof *list);
    list->op = '=';
    list->who = ALL_BITS;
    list->bits = value;
    /* Fewer than five digits leave a directory's set-id bits alone unless they set them. */
    list->mentioned = digits < 5 ? (value & 07000u) | 01777u : ALL_BITS;
    return list;
}

static mode_t class_bits(char letter) {
    switch (letter) {
    case 'u': return 04700;
    case 'g': return 02070;
    case 'o': return 01007;
    case 'a': return ALL_BITS;
    default: return 0;
    }
}

/* Reads the permissions behind an operator into *change; returns the first byte not taken. */
static const char *permissions(const char *p, g_mode_change *change) {
    if (*p == 'u' || *p == 'g' || *p == 'o') {
        change->copy_from = *p;
        return p + 1;
    }
    if (*p >= '0' && *p <= '7') {
        unsigned value = 0;
        for (; *p >= '0' && *p <= '7'; p++) {
            value = value * 8 + (unsigned)(*p - '0');
            if (value > ALL_BITS) return NULL;
        }
        change->bits = value;
        change->mentioned = ALL_BITS;
        return p;
    }
    for (;; p++) {
        switch (*p) {
        case 'r': change->bits |= 0444; break;
        case 'w': change->bits |= 0222; break;
        case 'x': change->bits |= 0111; break;
        case 'X': change->execute_if = true; break;
        case 's': change->bits |= 06000; break;
        case 't': change->bits |= 01000; break;
        default: return p;
        }
    }
}

g_mode_change *g_mode_parse(const char *text) {
    if (*text >= '0' && *text <= '7') return octal(text);
    g_mode_change *list = g_zalloc((strlen(text) + 1) * sizeof *list);
    size_t count = 0;
    for (const char *p = text;;) {
        mode_t who = 0;
        while (class_bits(*p)) who |= class_bits(*p++);
        if (*p != '+' && *p != '-' && *p != '=') break;
        while (*p == '+' || *p == '-' || *p == '=') {
            g_mode_change *change = &list[count++];
            change->op = *p;
            change->who = who;
            bool octal_digits = p[1] >= '0' && p[1] <= '7';
            if (octal_digits && who) goto malformed;
            p = permissions(p + 1, change);
            if (!p) goto malformed;
            if (octal_digits) {
                change->who = ALL_BITS;
                if (*p && *p != ',') goto malformed;
            }
        }
        if (*p == '\0') return list;
        if (*p++ != ',') break;
    }
malformed:
    free(list);
    return NULL;
}

g_mode_change *g_mode_exactly(mode_t mode) {
    g_mode_change *list = g_zalloc(2 * sizeof *list);
    list->op = '=';
    list->who = ALL_BITS;
    list->bits = mode & ALL_BITS;
    list->mentioned = ALL_BITS;
    return list;
}

static mode_t copied(mode_t from, char class) {
    mode_t bits = from >> (class == 'u' ? 6 : class == 'g' ? 3 : 0) & 7;
    return bits << 6 | bits << 3 | bits;
}

mode_t g_mode_apply(const g_mode_change *change, mode_t old, bool directory, mode_t mask) {
    mode_t mode = old & ALL_BITS;
    for (; change->op; change++) {
        mode_t bits = change->copy_from ? copied(mode, change->copy_from) : change->bits;
        if (change->execute_if && (directory || mode & 0111)) bits |= 0111;
        mode_t who = change->who ? change->who : ALL_BITS & ~mask;
        /* Set-id bits of directories stay unless they are named. */
        mode_t kept = directory ? 06000 & ~(change->mentioned | (bits & 06000)) : 0;
        mode_t changes = bits & who & ~(change->op == '=' ? kept & ~bits : 0);
        switch (change->op) {
        case '+': mode |= changes; break;
        case '-': mode &= ~changes; break;
        case '=': {
            mode_t clear = change->who ? change->who : ALL_BITS;
            mode = (mode & (~clear | kept)) | changes;
            break;
        }
        }
    }
    return mode;
}
