/*
 * g_human.h: sizes for people, as ls -h, du -h and df -h print them.
 */
#ifndef G_HUMAN_H
#define G_HUMAN_H

#include "g_program.h"

enum { G_HUMAN_SIZE = 32 };

/* How a size option wants amounts: in units of block bytes, or scaled with a letter. */
typedef struct {
    int base;            /* 0: plain numbers; 1000 or 1024: scaled with a suffix */
    uint64_t block;      /* unit of plain numbers */
    const char *suffix;  /* printed behind plain numbers, e.g. "K" for --block-size=K; or "" */
} g_size_style;

/* Rounded up, as GNU does: 1.1K, 12K, 1.0M. */
const char *g_human(uint64_t amount, const g_size_style *style, char out[G_HUMAN_SIZE]);
/* What holds without an option: the command's own variable, BLOCK_SIZE, BLOCKSIZE, and
 * POSIXLY_CORRECT. */
void g_size_style_usual(const char *variable, g_size_style *style);
/* --block-size=TEXT and the environment's BLOCK_SIZE; false when malformed. */
bool g_size_style_parse(const char *text, g_size_style *style);

#endif
