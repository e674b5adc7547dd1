/*
 * free.c: how much memory there is.
 *
 * help free:
 *   Usage:
 *    free [options]
 *
 *   Options:
 *    -b, --bytes         show output in bytes
 *    -k, --kibi          show output in kibibytes (the default); -m, --mebi; -g, --gibi; --tebi
 *        --kilo          show output in kilobytes; --mega; --giga; --tera
 *    -h, --human         show human-readable output
 *        --si            use powers of 1000 not 1024
 *    -l, --lohi          (ignored)
 *    -t, --total         show total for RAM + swap
 *    -w, --wide          wide output
 *        --help          display this help and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    uint64_t unit; /* bytes; 0: human */
    bool si, total, wide;
} form;

static uint64_t field(const char *text, const char *name) {
    const char *s = strstr(text, name);
    return s ? strtoull(s + strlen(name), NULL, 10) * 1024 : 0;
}

static void put(const form *f, uint64_t bytes) {
    char text[32];
    if (f->unit) {
        snprintf(text, sizeof text, "%" PRIu64, bytes / f->unit);
    } else {
        static const char letters[] = "BKMGTPE";
        unsigned base = f->si ? 1000 : 1024;
        int power = 0;
        double value = (double)bytes;
        for (; value >= base && power < 6; power++) value /= base;
        if (power == 0)
            snprintf(text, sizeof text, "%" PRIu64 "B", bytes);
        else
            snprintf(text, sizeof text, value < 9.95 ? "%.1f%c%s" : "%.0f%c%s",
                     value < 9.95 ? value : (double)(uint64_t)value, letters[power],
                     f->si ? "" : "i");
    }
    g_outf("%12s", text);
}

static void put_row(const form *f, const char *name, const uint64_t *values, int count) {
    g_outf("%-8s", name);
    for (int i = 0; i < count; i++) put(f, values[i]);
    g_outc('\n');
}

enum { KILO = 256, MEGA, GIGA, TERA, TEBI, SI };
static const g_long longs[] = {
    {"bytes", 'b', G_NONE}, {"kibi", 'k', G_NONE},  {"mebi", 'm', G_NONE},
    {"gibi", 'g', G_NONE},  {"tebi", TEBI, G_NONE}, {"kilo", KILO, G_NONE},
    {"mega", MEGA, G_NONE}, {"giga", GIGA, G_NONE}, {"tera", TERA, G_NONE},
    {"human", 'h', G_NONE}, {"si", SI, G_NONE},     {"lohi", 'l', G_NONE},
    {"total", 't', G_NONE}, {"wide", 'w', G_NONE},  {0}};

int free_main(int argc, char **argv) {
    form f = {.unit = 1024};
    int power = 1;
    bool human = false;
    g_set_write_error(1, "write error");
    g_options o = g_options_of(argc, argv, "bkmghltw", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'b': power = 0; break;
        case 'k': power = 1; break;
        case 'm': power = 2; break;
        case 'g': power = 3; break;
        case TEBI: power = 4; break;
        case KILO:
        case MEGA:
        case GIGA:
        case TERA:
            power = option - KILO + 1;
            f.si = true;
            break;
        case 'h': human = true; break;
        case SI: f.si = true; break;
        case 't': f.total = true; break;
        case 'w': f.wide = true; break;
        }
    f.unit = human ? 0 : 1;
    for (int i = 0; i < power && !human; i++) f.unit *= f.si ? 1000 : 1024;
    int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    size_t len;
    char *text = fd < 0 ? NULL : g_read_all(fd, &len);
    if (!text) g_die_errno(1, errno, "/proc/meminfo");
    uint64_t total = field(text, "MemTotal:"), left = field(text, "MemFree:"),
             available = field(text, "MemAvailable:");
    uint64_t buffers = field(text, "Buffers:"),
             cache = field(text, "\nCached:") + field(text, "SReclaimable:");
    uint64_t shared = field(text, "Shmem:"), used = total > available ? total - available : 0;
    uint64_t swap = field(text, "SwapTotal:"), swap_left = field(text, "SwapFree:");
    g_outs("               total        used        free      shared");
    g_outs(f.wide ? "     buffers       cache   available\n" : "  buff/cache   available\n");
    if (f.wide)
        put_row(&f, "Mem:", (uint64_t[]){total, used, left, shared, buffers, cache, available}, 7);
    else
        put_row(&f, "Mem:", (uint64_t[]){total, used, left, shared, buffers + cache, available}, 6);
    put_row(&f, "Swap:", (uint64_t[]){swap, swap - swap_left, swap_left}, 3);
    if (f.total)
        put_row(&f, "Total:", (uint64_t[]){total + swap, used + swap - swap_left, left + swap_left},
                3);
    return 0;
}
