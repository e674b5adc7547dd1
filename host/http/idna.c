/*
 * host/http/idna.c: a name with letters of any language as the ASCII that resolvers know.
 *
 * As UTS #46 without transitional processing: case folding (sharp s and final sigma stay), then
 * compatibility composition, then Punycode for each label. What remains must be letters, marks,
 * digits or symbols; a character that is invisible or a separator makes the name wrong.
 */
#include "url.h"

#include "host/base/utf8.h"

#include "libunicode.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_MAX (3 * HTTP_HOST_MAX)

enum { CASE_FOLDING = 2 };

static void *reallocate(void *opaque, void *old, size_t size) {
    (void)opaque;
    return realloc(old, size);
}

/* Is a code point of one of these general categories? */
static bool has_category(const char *const *names, uint32_t c) {
    bool found = false;
    for (; *names && !found; names++) {
        CharRange range;
        cr_init(&range, NULL, reallocate);
        if (unicode_general_category(&range, *names) == 0)
            for (int i = 0; i + 1 < range.len && !found; i += 2)
                found = c >= range.points[i] && c < range.points[i + 1];
        cr_free(&range);
    }
    return found;
}

static bool is_good(uint32_t c) {
    static const char *const good[] = {"L", "M", "Nd", "No", "So", "Sc", NULL};
    if (c < 0x80) return true; /* host.c looks at these */
    if (c == 0x200c || c == 0x200d) return false; /* joiners: invisible */
    return has_category(good, c);
}

static size_t fold(uint32_t *out, const uint32_t *in, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t folded[3], c = in[i];
        if (c == 0x3002 || c == 0xff0e || c == 0xff61) c = '.';
        if (c == 0xad || (c >= 0xfe00 && c <= 0xfe0f)) continue; /* mapped to nothing */
        int len = 1;
        if (c == 0xdf || c == 0x3c2) folded[0] = c;
        else len = lre_case_conv(folded, c, CASE_FOLDING);
        for (int k = 0; k < len && n < POINTS_MAX; k++) out[n++] = folded[k];
    }
    return n;
}

/* ---- Punycode (RFC 3492) */

enum { BASE = 36, TMIN = 1, TMAX = 26, SKEW = 38, DAMP = 700, BIAS = 72, FIRST = 128 };

static uint32_t adapt(uint32_t delta, uint32_t count, bool first) {
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / count;
    for (; delta > (BASE - TMIN) * TMAX / 2; k += BASE) delta /= BASE - TMIN;
    return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}

static char digit(uint32_t d) {
    return (char)(d < 26 ? 'a' + d : '0' + (d - 26));
}

/* A label, which has 1 .. POINTS_MAX code points, behind out[0 .. *n). */
static bool punycode(char *out, size_t *n, const uint32_t *in, size_t count) {
    uint32_t next = FIRST, delta = 0, bias = BIAS, done = 0;
    for (size_t i = 0; i < count; i++)
        if (in[i] < FIRST) {
            if (*n == HTTP_HOST_MAX) return false;
            out[(*n)++] = (char)in[i];
            done++;
        }
    uint32_t basic = done;
    if (basic && *n < HTTP_HOST_MAX) out[(*n)++] = '-';
    while (done < count) {
        uint32_t least = UINT32_MAX;
        for (size_t i = 0; i < count; i++)
            if (in[i] >= next && in[i] < least) least = in[i];
        delta += (least - next) * (done + 1); /* below 2^32: 21 bits by 10 */
        next = least;
        for (size_t i = 0; i < count; i++) {
            if (in[i] < next) delta++;
            if (in[i] != next) continue;
            uint32_t q = delta;
            for (uint32_t k = BASE;; k += BASE) {
                uint32_t t = k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;
                if (*n == HTTP_HOST_MAX) return false;
                out[(*n)++] = digit(q < t ? q : t + (q - t) % (BASE - t));
                if (q < t) break;
                q = (q - t) / (BASE - t);
            }
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
        delta++;
        next++;
    }
    return true;
}

static bool write_label(char *out, size_t *n, const uint32_t *label, size_t count) {
    bool ascii = true;
    for (size_t i = 0; i < count; i++) {
        if (!is_good(label[i])) return false;
        ascii = ascii && label[i] < 0x80;
    }
    if (!ascii) {
        static const char *const marks[] = {"M", NULL};
        if (has_category(marks, label[0]) || *n + 4 > HTTP_HOST_MAX) return false;
        if (count >= 4 && label[2] == '-' && label[3] == '-') return false;
        memcpy(out + *n, "xn--", 4);
        *n += 4;
        return punycode(out, n, label, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (*n == HTTP_HOST_MAX) return false;
        out[(*n)++] = (char)label[i];
    }
    return true;
}

static bool write_labels(char *out, size_t *n, const uint32_t *points, size_t count) {
    size_t from = 0;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && points[i] != '.') continue;
        if (i > from && !write_label(out, n, points + from, i - from)) return false;
        if (i < count) {
            if (*n == HTTP_HOST_MAX) return false;
            out[(*n)++] = '.';
        }
        from = i + 1;
    }
    return true;
}

bool http_idna(char out[HTTP_HOST_MAX + 1], size_t *out_len, const char *text, size_t len) {
    uint32_t points[HTTP_HOST_MAX], folded[POINTS_MAX], *normal = NULL;
    size_t count = 0, n = 0;
    for (size_t at = 0; at < len; count++) {
        if (count == HTTP_HOST_MAX) return false;
        size_t step = base_utf8_decode(text + at, len - at, &points[count]);
        if (step == 0) return false;
        at += step;
    }
    /* Folding what was composed, twice: NFKC brings forth letters that fold once more. */
    bool good = true;
    for (int turn = 0; turn < 2 && good; turn++) {
        count = fold(folded, turn ? normal : points, count);
        free(normal);
        normal = NULL;
        int made = unicode_normalize(&normal, folded, (int)count, UNICODE_NFKC, NULL, reallocate);
        good = made >= 0 && made <= (int)HTTP_HOST_MAX;
        count = good ? (size_t)made : 0;
    }
    good = good && write_labels(out, &n, normal, count);
    free(normal);
    *out_len = n;
    return good;
}
