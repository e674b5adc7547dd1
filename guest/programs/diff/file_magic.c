/*
 * file_magic.c: formats that are known by their first bytes.
 */
#include "file.h"
#include "g_time.h"

#include <stdlib.h>

static uint32_t le16(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8;
}
static uint32_t le32(const unsigned char *p) {
    return le16(p) | le16(p + 2) << 16;
}
static uint32_t be16(const unsigned char *p) {
    return (uint32_t)p[0] << 8 | p[1];
}
static uint32_t be32(const unsigned char *p) {
    return be16(p) << 16 | be16(p + 2);
}

typedef struct {
    const char *bytes;
    size_t len, at;
    const char *words, *mime;
} fixed;
#define BYTES(s) s, sizeof s - 1

/* Formats about which nothing more is said. */
static const fixed formats[] = {
    {BYTES("\xfd"
           "7zXZ\0"),
     0, "XZ compressed data", "application/x-xz"},
    {BYTES("7z\xbc\xaf\x27\x1c"), 0, "7-zip archive data", "application/x-7z-compressed"},
    {BYTES("Rar!\x1a\x07"), 0, "RAR archive data", "application/x-rar"},
    {BYTES("\xca\xfe\xba\xbe\0\0\0"), 0, "compiled Java class data", "application/x-java-applet"},
    {BYTES("OggS"), 0, "Ogg data", "application/ogg"},
    {BYTES("fLaC"), 0, "FLAC audio bitstream data", "audio/flac"},
    {BYTES("II*\0"), 0, "TIFF image data, little-endian", "image/tiff"},
    {BYTES("MM\0*"), 0, "TIFF image data, big-endian", "image/tiff"},
    {BYTES("ftypqt"), 4, "ISO Media, Apple QuickTime movie", "video/quicktime"},
    {BYTES("ftypmp42"), 4, "ISO Media, MP4 v2 [ISO 14496-14]", "video/mp4"},
    {BYTES("ftypisom"), 4, "ISO Media, MP4 Base Media v1 [ISO 14496-12:2003]", "video/mp4"},
    {BYTES("ftyp"), 4, "ISO Media", "video/mp4"},
    {BYTES("!<arch>\n"), 0, "current ar archive", "application/x-archive"},
    {BYTES("wOFF"), 0, "Web Open Font Format", "font/woff"},
    {BYTES("wOF2"), 0, "Web Open Font Format (Version 2)", "font/woff2"},
    {BYTES("\0\1\0\0\0"), 0, "TrueType Font data", "font/sfnt"},
    {BYTES("\x1a\x45\xdf\xa3"), 0, "Matroska data", "video/x-matroska"},
};

static bool is(const unsigned char *b, size_t len, const char *bytes, size_t n, size_t at) {
    return len >= at + n && memcmp(b + at, bytes, n) == 0;
}
#define IS(s) is(b, len, s, sizeof s - 1, 0)

static bool found(file_kind *k, const char *mime) {
    k->mime = mime;
    k->encoding = "binary";
    return true;
}

static bool gzip(const unsigned char *b, size_t len, file_kind *k) {
    g_text_adds(&k->words, "gzip compressed data");
    if (len >= 10) {
        if (b[3] & 8) {
            size_t n = 10;
            while (n < len && b[n]) n++;
            g_text_addf(&k->words, ", was \"%.*s\"", (int)(n - 10), (const char *)b + 10);
        }
        if (le32(b + 4)) {
            g_civil c;
            size_t n;
            g_civil_local((int64_t)le32(b + 4), &c);
            char *time = g_strftime("%a %b %e %H:%M:%S %Y", &c, (int64_t)le32(b + 4), 0, &n);
            g_text_addf(&k->words, ", last modified: %s", time);
            free(time);
        }
        if (b[8] == 2) g_text_adds(&k->words, ", max compression");
        if (b[8] == 4) g_text_adds(&k->words, ", max speed");
        if (b[9] == 3) g_text_adds(&k->words, ", from Unix");
    }
    return found(k, "application/gzip");
}

static bool png(const unsigned char *b, size_t len, file_kind *k) {
    static const char *const colors[] = {"grayscale",  "?", "color RGB", "colormap",
                                         "gray+alpha", "?", "color RGBA"};
    g_text_adds(&k->words, "PNG image data");
    if (len >= 29) {
        g_text_addf(&k->words, ", %u x %u, %d-bit", (unsigned)be32(b + 16), (unsigned)be32(b + 20),
                    b[24]);
        if (b[25] <= 6)
            g_text_addf(&k->words, b[25] == 0 || b[25] == 3 || b[25] == 4 ? " %s" : "/%s",
                        colors[b[25]]);
        g_text_adds(&k->words, b[28] ? ", interlaced" : ", non-interlaced");
    }
    return found(k, "image/png");
}

/* JPEG: what the JFIF part says, and the size from the frame's header. */
static bool jpeg(const unsigned char *b, size_t len, file_kind *k) {
    g_text_adds(&k->words, "JPEG image data");
    if (len >= 18 && memcmp(b + 6, "JFIF", 5) == 0) {
        static const char *const units[] = {"aspect ratio", "resolution (DPI)",
                                            "resolution (DPCM)"};
        g_text_addf(&k->words, ", JFIF standard %d.%02d, %s, density %ux%u, segment length %u",
                    b[11], b[12], b[13] < 3 ? units[b[13]] : "?", (unsigned)be16(b + 14),
                    (unsigned)be16(b + 16), (unsigned)be16(b + 4));
    }
    for (size_t at = 2; at + 9 < len && b[at] == 0xff;) {
        unsigned mark = b[at + 1], size = be16(b + at + 2);
        if (mark >= 0xc0 && mark <= 0xc2) {
            g_text_addf(&k->words, ", %s, precision %d, %ux%u, components %d",
                        mark == 0xc0   ? "baseline"
                        : mark == 0xc2 ? "progressive"
                                       : "extended sequential",
                        b[at + 4], (unsigned)be16(b + at + 7), (unsigned)be16(b + at + 5),
                        b[at + 9]);
            break;
        }
        if (size < 2) break;
        at += 2 + size;
    }
    return found(k, "image/jpeg");
}

static bool elf(const unsigned char *b, size_t len, file_kind *k) {
    static const char *const types[] = {"no file type", "relocatable", "executable",
                                        "shared object", "core file"};
    static const char *const mimes[] = {"application/octet-stream", "application/x-object",
                                        "application/x-executable", "application/x-sharedlib",
                                        "application/x-coredump"};
    bool big = b[5] == 2;
    g_text_addf(&k->words, "ELF %s-bit %s", b[4] == 2 ? "64" : "32", big ? "MSB" : "LSB");
    const char *mime = mimes[0];
    if (len >= 20) {
        unsigned type = big ? be16(b + 16) : le16(b + 16),
                 machine = big ? be16(b + 18) : le16(b + 18);
        const char *cpu = machine == 62    ? "x86-64"
                          : machine == 3   ? "Intel 80386"
                          : machine == 183 ? "ARM aarch64"
                          : machine == 40  ? "ARM"
                          : machine == 243 ? "UCB RISC-V"
                                           : NULL;
        if (type <= 4) {
            g_text_addf(&k->words, " %s", types[type]);
            mime = mimes[type];
        }
        if (cpu) g_text_addf(&k->words, ", %s", cpu);
        g_text_addf(&k->words, ", version %d (%s)", b[6],
                    b[7] == 0   ? "SYSV"
                    : b[7] == 3 ? "GNU/Linux"
                                : "other");
    }
    return found(k, mime);
}

static bool sqlite(const unsigned char *b, size_t len, file_kind *k) {
    g_text_adds(&k->words, "SQLite 3.x database");
    if (len >= 100) {
        if (be32(b + 68)) g_text_addf(&k->words, ", application id %u", (unsigned)be32(b + 68));
        if (be32(b + 60)) g_text_addf(&k->words, ", user version %d", (int)be32(b + 60));
        g_text_addf(&k->words, ", last written using SQLite version %u", (unsigned)be32(b + 96));
        unsigned page = be16(b + 16);
        if (page != 4096) g_text_addf(&k->words, ", page size %u", page == 1 ? 65536 : page);
        g_text_addf(&k->words, ", file counter %u, database pages %u", (unsigned)be32(b + 24),
                    (unsigned)be32(b + 28));
        if (be32(b + 36))
            g_text_addf(&k->words, ", 1st free page %u, free pages %u", (unsigned)be32(b + 32),
                        (unsigned)be32(b + 36));
        g_text_addf(&k->words, ", cookie 0x%x, schema %u", (unsigned)be32(b + 40),
                    (unsigned)be32(b + 44));
        g_text_addf(&k->words, ", %s, version-valid-for %u",
                    be32(b + 56) == 2   ? "UTF-16 little endian"
                    : be32(b + 56) == 3 ? "UTF-16 big endian"
                                        : "UTF-8",
                    (unsigned)be32(b + 92));
    }
    return found(k, "application/vnd.sqlite3");
}

static bool zip(const unsigned char *b, size_t len, file_kind *k) {
    if (len >= 30) {
        size_t name = le16(b + 26);
        const char *first = (const char *)b + 30;
        if (name == 8 && len > 64 && memcmp(first, "mimetype", 8) == 0) {
            const char *type = first + 8;
            if (strncmp(type, "application/epub+zip", 20) == 0) {
                g_text_adds(&k->words, "EPUB document");
                return found(k, "application/epub+zip");
            }
            if (strncmp(type, "application/vnd.oasis.opendocument.text", 39) == 0) {
                g_text_adds(&k->words, "OpenDocument Text");
                return found(k, "application/vnd.oasis.opendocument.text");
            }
        }
        if (name >= 9 && len >= 39 && memcmp(first, "META-INF/", 9) == 0) {
            g_text_adds(&k->words, "Java archive data (JAR)");
            return found(k, "application/java-archive");
        }
        if (name >= 19 && len >= 49 && memcmp(first, "[Content_Types].xml", 19) == 0) {
            g_text_adds(&k->words, "Microsoft OOXML");
            return found(k, "application/octet-stream");
        }
    }
    g_text_adds(&k->words, "Zip archive data");
    if (len >= 10) {
        static const char *const methods[] = {
            [0] = "store", [8] = "deflate", [12] = "bzip2", [14] = "lzma"};
        unsigned method = le16(b + 8);
        g_text_addf(&k->words, ", at least v%d.%d to extract", b[4] / 10, b[4] % 10);
        if (method < 15 && methods[method])
            g_text_addf(&k->words, ", compression method=%s", methods[method]);
    }
    return found(k, "application/zip");
}

bool file_magic(const unsigned char *b, size_t len, file_kind *k) {
    if (IS("\x1f\x8b")) return gzip(b, len, k);
    if (IS("\x89PNG\r\n\x1a\n")) return png(b, len, k);
    if (IS("\xff\xd8\xff")) return jpeg(b, len, k);
    if (IS("\x7f"
           "ELF") &&
        len >= 8)
        return elf(b, len, k);
    if (IS("SQLite format 3\0")) return sqlite(b, len, k);
    if (IS("PK\3\4")) return zip(b, len, k);
    if (IS("PK\5\6")) {
        g_text_adds(&k->words, "Zip archive data (empty)");
        return found(k, "application/zip");
    }
    if (IS("BZh") && len >= 4) {
        g_text_addf(&k->words, "bzip2 compressed data, block size = %c00k", b[3]);
        return found(k, "application/x-bzip2");
    }
    if (IS("\x28\xb5\x2f\xfd")) {
        g_text_adds(&k->words, "Zstandard compressed data (v0.8+), Dictionary ID: None");
        return found(k, "application/zstd");
    }
    if (IS("\xfd"
           "7zXZ\0") &&
        len >= 8) {
        g_text_addf(&k->words, "XZ compressed data, checksum %s",
                    b[7] == 0   ? "NONE"
                    : b[7] == 1 ? "CRC32"
                    : b[7] == 4 ? "CRC64"
                                : "SHA-256");
        return found(k, "application/x-xz");
    }
    if ((IS("GIF87a") || IS("GIF89a")) && len >= 10) {
        g_text_addf(&k->words, "GIF image data, version %.3s, %u x %u", (const char *)b + 3,
                    (unsigned)le16(b + 6), (unsigned)le16(b + 8));
        return found(k, "image/gif");
    }
    if (IS("%PDF-") && len >= 8) {
        g_text_addf(&k->words, "PDF document, version %.3s", (const char *)b + 5);
        return found(k, "application/pdf");
    }
    if (IS("\0asm") && len >= 8) {
        g_text_addf(&k->words, "WebAssembly (wasm) binary module version 0x%x (MVP)",
                    (unsigned)le32(b + 4));
        return found(k, "application/wasm");
    }
    if (IS("RIFF") && len >= 12) {
        bool wave = memcmp(b + 8, "WAVE", 4) == 0, webp = memcmp(b + 8, "WEBP", 4) == 0,
             avi = memcmp(b + 8, "AVI ", 4) == 0;
        g_text_addf(&k->words, "RIFF (little-endian) data%s",
                    wave   ? ", WAVE audio"
                    : webp ? ", Web/P image"
                    : avi  ? ", AVI"
                           : "");
        return found(k, wave   ? "audio/x-wav"
                        : webp ? "image/webp"
                        : avi  ? "video/x-msvideo"
                               : "application/octet-stream");
    }
    if (IS("ID3") && len >= 5) {
        g_text_addf(&k->words, "Audio file with ID3 version 2.%d.%d", b[3], b[4]);
        return found(k, "audio/mpeg");
    }
    if (is(b, len, "ustar", 5, 257)) {
        g_text_adds(&k->words, len >= 265 && memcmp(b + 257, "ustar  ", 8) == 0
                                   ? "POSIX tar archive (GNU)"
                                   : "POSIX tar archive");
        return found(k, "application/x-tar");
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const fixed *f = &formats[i];
        if (!is(b, len, f->bytes, f->len, f->at)) continue;
        g_text_adds(&k->words, f->words);
        return found(k, f->mime);
    }
    return false;
}
