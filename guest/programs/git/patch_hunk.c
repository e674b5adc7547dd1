/*
 * patch_hunk.c: hunks applied to a text: where they fit, and what comes of it. Also the white space of
 * lines that are added.
 */
#include "patch.h"

#include <limits.h>

/* ---- white space */

enum { BLANK_END = 1, SPACE_BEFORE_TAB = 2 };

static int white_of(const char *line, size_t len) {
    int bad = 0;
    size_t end = len, at = 0;
    if (end && line[end - 1] == '\n') end--;
    if (end && strchr(" \t\r\f\v", line[end - 1])) bad |= BLANK_END;
    bool space = false;
    for (; at < end && (line[at] == ' ' || line[at] == '\t'); at++) {
        if (line[at] == '\t' && space) bad |= SPACE_BEFORE_TAB;
        if (line[at] == ' ') space = true;
    }
    return bad;
}

void patch_check_white(const char *line, size_t len, int number) {
    int bad = patching.white == WHITE_NOWARN ? 0 : white_of(line, len);
    if (!bad) return;
    patching.white_errors++;
    if (patching.squelch && patching.squelch < patching.white_errors) return;
    note("%s:%d: %s%s%s.\n%.*s", patching.input, number, bad & BLANK_END ? "trailing whitespace" : "",
         bad == (BLANK_END | SPACE_BEFORE_TAB) ? ", " : "", bad & SPACE_BEFORE_TAB ? "space before tab in indent" : "",
         (int)len - (len && line[len - 1] == '\n'), line);
}

size_t patch_fix_white(g_text *out, const char *line, size_t len) {
    size_t before = out->len, end = len, indent = 0, column = 0;
    bool newline = end && line[end - 1] == '\n', spaces = false, mixed = false;
    if (newline) end--;
    while (end && strchr(" \t\r\f\v", line[end - 1])) end--;
    for (; indent < end && (line[indent] == ' ' || line[indent] == '\t'); indent++) {
        if (line[indent] == '\t') {
            mixed |= spaces;
            column = (column / 8 + 1) * 8;
        } else {
            spaces = true;
            column++;
        }
    }
    if (mixed) {
        size_t last = indent; /* spaces behind the last tab stay */
        while (last && line[last - 1] == ' ') last--;
        size_t tail = indent - last;
        for (size_t i = 0; i < (column - tail) / 8; i++) g_text_addc(out, '\t');
        g_text_add(out, line + last, tail);
    } else {
        g_text_add(out, line, indent);
    }
    g_text_add(out, line + indent, end - indent);
    if (newline) g_text_addc(out, '\n');
    return out->len - before;
}

/* ---- texts as lines */

typedef struct {
    const char *s;
    size_t len;
    bool patched, common;
} text_line;
typedef struct {
    text_line *lines;
    size_t count, cap;
} image;

static void add_line(image *to, const char *s, size_t len, bool common) {
    if (to->count == to->cap) to->lines = g_more(to->lines, &to->cap, sizeof *to->lines);
    to->lines[to->count++] = (text_line){s, len, false, common};
}

static void split(image *to, const char *text, size_t len) {
    while (len) {
        const char *newline = memchr(text, '\n', len);
        size_t n = newline ? (size_t)(newline - text) + 1 : len;
        add_line(to, text, n, false);
        text += n;
        len -= n;
    }
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool same_but_for_space(const char *a, size_t a_len, const char *b, size_t b_len) {
    size_t i = 0, k = 0;
    while (a_len && (a[a_len - 1] == '\n' || a[a_len - 1] == '\r')) a_len--;
    while (b_len && (b[b_len - 1] == '\n' || b[b_len - 1] == '\r')) b_len--;
    while (i < a_len && k < b_len) {
        if (is_space(a[i]) || is_space(b[k])) {
            if (!is_space(a[i]) || !is_space(b[k])) return false;
            while (i < a_len && is_space(a[i])) i++;
            while (k < b_len && is_space(b[k])) k++;
        } else if (a[i++] != b[k++]) {
            return false;
        }
    }
    return i == a_len && k == b_len;
}

static bool same_line(const text_line *have, const text_line *want) {
    if (have->len == want->len && memcmp(have->s, want->s, have->len) == 0) return true;
    if (patching.ignore_space) return same_but_for_space(have->s, have->len, want->s, want->len);
    if (patching.white != WHITE_FIX) return false;
    g_text a = {0}, b = {0};
    patch_fix_white(&a, have->s, have->len);
    patch_fix_white(&b, want->s, want->len);
    bool same = a.len == b.len && memcmp(a.s ? a.s : "", b.s ? b.s : "", a.len) == 0;
    g_text_free(&a);
    g_text_free(&b);
    return same;
}

/* ---- where it fits */

typedef struct {
    image old, new_;
    size_t blank_at_end; /* empty lines that the hunk adds last */
    bool begin, end;     /* it must lie at the beginning, at the end */
} piece;

static bool fits(const image *text, const piece *h, long long at) {
    if (at < 0 || (h->begin && at)) return false;
    if ((size_t)at + h->old.count > text->count) return false;
    if (h->end && (size_t)at + h->old.count != text->count) return false;
    for (size_t i = 0; i < h->old.count; i++) {
        const text_line *have = &text->lines[(size_t)at + i];
        if (have->patched && !patching.overlap) return false;
        if (!same_line(have, &h->old.lines[i])) return false;
    }
    return true;
}

static long long find(const image *text, const piece *h, long long wanted) {
    if (h->begin) wanted = 0;
    else if (h->end) wanted = (long long)text->count - (long long)h->old.count;
    if (wanted > (long long)text->count) wanted = (long long)text->count;
    if (wanted < 0) wanted = 0;
    long long back = wanted, forth = wanted;
    for (long long i = 0, at = wanted;; i++) {
        if (fits(text, h, at)) return at;
        do {
            if (back <= 0 && forth >= (long long)text->count) return -1;
            if (i & 1) {
                if (back <= 0) {
                    i++;
                    continue;
                }
                at = --back;
            } else {
                if (forth >= (long long)text->count) {
                    i++;
                    continue;
                }
                at = ++forth;
            }
            break;
        } while (true);
    }
}

static void take_apart(piece *out, const hunk *h) {
    const char *at = h->text, *end = h->text + h->len;
    char add = patching.reverse ? '-' : '+';
    at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((newline ? newline + 1 : end) - at), plen = len - 1;
        const char *next = at + len;
        /* "\ No newline at end of file" takes the end of the line before it */
        if (next < end && *next == '\\') plen--;
        if (*at == '\n') {
            add_line(&out->old, "\n", 1, true);
            add_line(&out->new_, "\n", 1, true);
        } else if (*at == ' ' || (*at != add && *at != '\\')) {
            add_line(&out->old, at + 1, plen, *at == ' ');
            if (*at == ' ') add_line(&out->new_, at + 1, plen, true);
        } else if (*at == add && !patching.no_add) {
            g_text fixed = {0};
            if (patching.white == WHITE_FIX && white_of(at + 1, plen)) {
                size_t n = patch_fix_white(&fixed, at + 1, plen);
                patching.fixed++;
                add_line(&out->new_, fixed.s ? fixed.s : "", n, false);
            } else {
                add_line(&out->new_, at + 1, plen, false);
            }
        }
        at = next;
    }
}

static void drop_first(image *i) { i->lines++, i->count--; }
static void drop_last(image *i) { i->count--; }

static void splice(image *text, size_t at, const piece *h) {
    size_t count = text->count - h->old.count + h->new_.count;
    text_line *lines = g_zalloc((count + 1) * sizeof *lines);
    memcpy(lines, text->lines, at * sizeof *lines);
    for (size_t i = 0, old = 0; i < h->new_.count; i++) {
        lines[at + i] = h->new_.lines[i];
        if (h->new_.lines[i].common) {
            /* as the file has it, where white space was not looked at */
            while (old < h->old.count && !h->old.lines[old].common) old++;
            if (old < h->old.count) {
                const text_line *have = &text->lines[at + old++];
                lines[at + i].s = have->s, lines[at + i].len = have->len;
            }
        }
        lines[at + i].patched = true;
    }
    memcpy(lines + at + h->new_.count, text->lines + at + h->old.count, (text->count - at - h->old.count) * sizeof *lines);
    text->lines = lines;
    text->count = text->cap = count;
}

static void say_missing(const hunk *h, const image *old) {
    g_text text = {0};
    for (size_t i = 0; i < old->count; i++) g_text_add(&text, old->lines[i].s, old->lines[i].len);
    error("while searching for:\n%s", text.s ? text.s : "");
    g_text_free(&text);
    (void)h;
}

static bool apply_one(image *text, const file_patch *p, const hunk *h, int number) {
    piece it = {0};
    take_apart(&it, h);
    image whole = it.old;
    long long leading = h->leading, trailing = h->trailing, limit = patching.context < 0 ? LLONG_MAX : patching.context;
    long long wanted = h->new_at ? h->new_at - 1 : 0, at;
    it.begin = h->old_at == 0 || (h->old_at == 1 && !patching.zero_context);
    it.end = !patching.zero_context && !trailing;
    (void)p;
    for (;;) {
        at = find(text, &it, wanted);
        if (at >= 0 || (leading <= limit && trailing <= limit)) break;
        if (it.begin || it.end) {
            it.begin = it.end = false;
            continue;
        }
        if (leading >= trailing) {
            drop_first(&it.old), drop_first(&it.new_);
            wanted--, leading--;
        }
        if (trailing > leading) {
            drop_last(&it.old), drop_last(&it.new_);
            trailing--;
        }
    }
    if (at < 0) {
        if (patching.verbose) say_missing(h, &whole);
        return false;
    }
    if (at != wanted && patching.verbose) {
        long long offset = (at - wanted) * (patching.reverse ? -1 : 1);
        note(offset == 1 ? "Hunk #%d succeeded at %lld (offset %lld line)." : "Hunk #%d succeeded at %lld (offset %lld lines).",
             number, at + 1, offset);
    }
    if ((leading != h->leading || trailing != h->trailing) && !patching.quiet)
        note("Context reduced to (%lld/%lld) to apply fragment at %lld", leading, trailing, at + 1);
    splice(text, (size_t)at, &it);
    return true;
}

static bool apply_binary(g_text *text, file_patch *p) {
    extern int git_delta_apply(void **out, size_t *out_len, const unsigned char *base, size_t base_len,
                               const unsigned char *delta, size_t delta_len);
    const char *name = p->old_name ? p->old_name : p->new_name;
    git_oid id, want;
    if (strlen(p->old_id) != OID_HEX || strlen(p->new_id) != OID_HEX)
        return error("cannot apply binary patch to '%s' without full index line", name), false;
    if (p->old_name && p->is_new <= 0) {
        git_odb_hash(&id, text->s ? text->s : "", text->len, GIT_OBJECT_BLOB);
        if (strcmp(full_id(&id), p->old_id) != 0)
            return error("the patch applies to '%s' (%s), which does not match the current contents.", name, full_id(&id)), false;
    } else if (text->len) {
        return error("the patch applies to an empty '%s' but it is not empty", name), false;
    }
    if (!p->forward.data) {
        if (patching.reverse && p->backward.data) return error("cannot reverse-apply a binary patch without the reverse hunk to '%s'", name), false;
        return error("missing binary patch data for '%s'", name), false;
    }
    git_oid_fromstr(&want, p->new_id);
    if (git_oid_is_zero(&want)) {
        g_text_free(text);
        return true;
    }
    g_text made = {0};
    if (p->forward.delta) {
        void *out = NULL;
        size_t len = 0;
        if (git_delta_apply(&out, &len, (unsigned char *)(text->s ? text->s : ""), text->len, (unsigned char *)p->forward.data, p->forward.len) < 0)
            return error("binary patch does not apply to '%s'", name), false;
        g_text_add(&made, out, len);
        free(out);
    } else {
        g_text_add(&made, p->forward.data, p->forward.len);
    }
    git_odb_hash(&id, made.s ? made.s : "", made.len, GIT_OBJECT_BLOB);
    if (!git_oid_equal(&id, &want))
        return error("binary patch to '%s' creates incorrect result (expecting %s, got %s)", name, p->new_id, full_id(&id)), false;
    g_text_free(text);
    *text = made;
    return true;
}

bool patch_apply_hunks(g_text *text, file_patch *p) {
    const char *name = p->old_name ? p->old_name : p->new_name;
    image lines = {0};
    if (p->is_binary) return apply_binary(text, p);
    split(&lines, text->s ? text->s : "", text->len);
    for (size_t i = 0; i < p->count; i++) {
        if (apply_one(&lines, p, &p->hunks[i], (int)i + 1)) continue;
        error("patch failed: %s:%lld", name, p->hunks[i].old_at);
        if (!patching.reject) return false;
        p->hunks[i].rejected = true;
    }
    g_text made = {0};
    g_text_adds(&made, "");
    for (size_t i = 0; i < lines.count; i++) g_text_add(&made, lines.lines[i].s, lines.lines[i].len);
    /* the old bytes are what the lines pointed to: they stay */
    *text = made;
    return true;
}
