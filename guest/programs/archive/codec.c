/*
 * codec.c: what compressed files look like from outside: their first bytes and their names.
 */
#include "codec.h"

#include <string.h>

enum codec codec_of_magic(const unsigned char *b, size_t len) {
    if (len >= 2 && b[0] == 0x1f && b[1] == 0x8b) return CODEC_GZIP;
    if (len >= 4 && memcmp(b, "BZh", 3) == 0 && b[3] >= '1' && b[3] <= '9') return CODEC_BZIP2;
    if (len >= 6 && memcmp(b,
                           "\xfd"
                           "7zXZ\0",
                           6) == 0)
        return CODEC_XZ;
    if (len >= 4 && memcmp(b, "\x28\xb5\x2f\xfd", 4) == 0) return CODEC_ZSTD;
    if (len >= 13 && b[0] == 0x5d && b[1] == 0 && b[2] == 0 && (b[12] == 0 || b[12] == 0xff))
        return CODEC_LZMA;
    return CODEC_NONE;
}

enum codec codec_of_name(const char *name) {
    static const struct {
        const char *end;
        enum codec codec;
    } ends[] = {{".gz", CODEC_GZIP},   {".tgz", CODEC_GZIP},  {".taz", CODEC_GZIP},
                {".bz2", CODEC_BZIP2}, {".tbz", CODEC_BZIP2}, {".tbz2", CODEC_BZIP2},
                {".tz2", CODEC_BZIP2}, {".xz", CODEC_XZ},     {".txz", CODEC_XZ},
                {".lzma", CODEC_LZMA}, {".tlz", CODEC_LZMA},  {".zst", CODEC_ZSTD},
                {".tzst", CODEC_ZSTD}};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i].end);
        if (len > n && strcmp(name + len - n, ends[i].end) == 0) return ends[i].codec;
    }
    return CODEC_NONE;
}
