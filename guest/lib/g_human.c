/*
 * g_human.c: sizes for people, as ls -h, du -h and df -h print them.
 */
#include "g_human.h"
#include "g_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One digit behind the point below ten, always rounded away from zero. */
static void scaled(uint64_t amount, int base, char out[G_HUMAN_SIZE]) {
    static const char letters[] = "BkMGTPEZY";
    int power = 0;
    uint64_t whole = amount, rest = 0; /* amount = whole * base^power + rest, tenths kept apart */
    bool inexact = false;
    unsigned tenths = 0;
    while (whole >= (uint64_t)base && power < 8) {
        rest = whole % (uint64_t)base;
        whole /= (uint64_t)base;
        uint64_t scaled_rest = rest * 10 + tenths;
        inexact = inexact || scaled_rest % (uint64_t)base != 0;
        tenths = (unsigned)(scaled_rest / (uint64_t)base);
        power++;
    }
    if (power == 0) {
        snprintf(out, G_HUMAN_SIZE, "%llu", (unsigned long long)whole);
        return;
    }
    if (whole < 10) {
        if (inexact) tenths++;
        if (tenths == 10) {
            whole++;
            tenths = 0;
        }
    } else if (tenths || inexact) {
        whole++;
        tenths = 0;
    }
    if (whole >= (uint64_t)base) {
        whole = 1;
        tenths = 0;
        power++;
    }
    char letter = power == 1 && base == 1024 ? 'K' : letters[power];
    if (whole < 10) snprintf(out, G_HUMAN_SIZE, "%d.%u%c", (int)whole, tenths, letter);
    else snprintf(out, G_HUMAN_SIZE, "%llu%c", (unsigned long long)whole, letter);
}

const char *g_human(uint64_t amount, const g_size_style *style, char out[G_HUMAN_SIZE]) {
    if (style->base) {
        scaled(amount, style->base, out);
        return out;
    }
    uint64_t block = style->block ? style->block : 1;
    uint64_t units = amount / block + (amount % block != 0);
    snprintf(out, G_HUMAN_SIZE, "%llu%s", (unsigned long long)units,
             style->suffix ? style->suffix : "");
    return out;
}

void g_size_style_usual(const char *variable, g_size_style *style) {
    *style = (g_size_style){.block = getenv("POSIXLY_CORRECT") ? 512 : 1024, .suffix = ""};
    const char *const names[] = {variable, "BLOCK_SIZE", "BLOCKSIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        g_size_style found;
        if (!text) continue;
        if (g_size_style_parse(text, &found)) *style = found;
        return;
    }
}

bool g_size_style_parse(const char *text, g_size_style *style) {
    memset(style, 0, sizeof *style);
    style->suffix = "";
    if (*text == '\'') text++; /* digits in groups, which these locales have not */
    if (*text && (strncmp("human-readable", text, strlen(text)) == 0 || strcmp(text, "si") == 0)) {
        style->base = *text == 'h' ? 1024 : 1000;
        style->block = 1;
        return true;
    }
    if (g_parse_unsigned(text, G_SIZES, &style->block, NULL) != G_NUMBER_OK || !style->block)
        return false;
    /* A unit without a number is also printed: --block-size=K shows "4K". */
    static const char *const units[] = {"K", "M", "G", "T", "P", "E", "kB", "MB", "GB", "TB", "KiB",
                                        "MiB", "GiB"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(text, units[i]) == 0) style->suffix = units[i];
        if (strcmp(text, "KB") == 0) style->suffix = "kB";
    }
    return true;
}
