/*
 * patch_hunk.c: finds where a hunk fits and changes the lines there.
 *
 * A hunk is tried where it says it belongs, moved by as much as the last one was, then ever further
 * away in both directions. Context that is shorter at one end means that end of the file. Fuzz
 * leaves out lines from the ends of the context.
 */
#include "patch.h"
#include "pf.h"

#include <ctype.h>

/* -l: runs of white space are equal, and at line ends any. */
static bool similar(const char *a, size_t n, const char *b, size_t m) {
    const char *ea = a + n, *eb = b + m;
    while (n > 0 && isspace((unsigned char)ea[-1])) ea--, n--;
    while (m > 0 && isspace((unsigned char)eb[-1])) eb--, m--;
    while (a < ea && b < eb) {
        bool space = isspace((unsigned char)*a);
        if (space != (isspace((unsigned char)*b) != 0)) return false;
        if (!space) {
            if (*a++ != *b++) return false;
            continue;
        }
        while (a < ea && isspace((unsigned char)*a)) a++;
        while (b < eb && isspace((unsigned char)*b)) b++;
    }
    return a == ea && b == eb;
}

/* Whether the old lines of the hunk, without the fuzz at its ends, are at line `where`. */
static bool matches(const patch_state *st, const patch_options *o, const patch_hunk *hunk,
                    int64_t where, int64_t prefix_fuzz, int64_t suffix_fuzz) {
    int64_t at = 0, end = hunk->old_count - suffix_fuzz;
    for (size_t i = 0; i < hunk->count && at < end; i++) {
        const patch_line *line = &hunk->lines[i];
        if (line->kind == '+') continue;
        if (at++ < prefix_fuzz) continue;
        int64_t here = where - 1 + at - 1;
        if (here < 0 || here >= st->count) return false;
        const patch_line *mine = &st->lines[here];
        bool same = mine->len == line->len && memcmp(mine->s, line->s, line->len) == 0;
        if (!same && !(o->ignore_space && similar(mine->s, mine->len, line->s, line->len)))
            return false;
    }
    return true;
}

int64_t patch_locate(patch_state *st, const patch_options *o, const patch_hunk *hunk,
                     int64_t fuzz) {
    int64_t context = hunk->prefix > hunk->suffix ? hunk->prefix : hunk->suffix;
    int64_t prefix_fuzz = fuzz + hunk->prefix - context,
            suffix_fuzz = fuzz + hunk->suffix - context;
    int64_t lines = hunk->old_count, guess = hunk->old_start + st->in_offset;
    if (lines == 0) return guess; /* nothing to find: it fits everywhere */
    int64_t highest = st->count - (lines - suffix_fuzz) + 1, lowest = st->frozen + 1;
    int64_t up = highest - guess, down = guess - lowest;
    if (down >= guess) down = guess - 1;
    if (prefix_fuzz < 0 && hunk->old_start <= 1) {
        /* Only the beginning of the file will do. */
        if (suffix_fuzz < 0 && (lines != st->count || hunk->prefix < st->frozen)) return 0;
        int64_t offset = 1 - guess;
        if (st->frozen > hunk->prefix || offset > up ||
            !matches(st, o, hunk, 1, 0, suffix_fuzz < 0 ? 0 : suffix_fuzz))
            return 0;
        st->in_offset += offset;
        return 1;
    }
    if (prefix_fuzz < 0) prefix_fuzz = 0;
    if (suffix_fuzz < 0) {
        /* Only the end of the file will do. */
        int64_t offset = guess - (st->count - lines + 1);
        if (offset > down || !matches(st, o, hunk, guess - offset, prefix_fuzz, 0)) return 0;
        st->in_offset -= offset;
        return guess - offset;
    }
    int64_t most = up > down ? up : down;
    for (int64_t offset = 0; offset <= most; offset++) {
        if (offset <= up && matches(st, o, hunk, guess + offset, prefix_fuzz, suffix_fuzz)) {
            st->in_offset += offset;
            return guess + offset;
        }
        if (offset > 0 && offset <= down &&
            matches(st, o, hunk, guess - offset, prefix_fuzz, suffix_fuzz)) {
            st->in_offset -= offset;
            return guess - offset;
        }
        if (offset % 1024 == 1023) pf_yield();
    }
    return 0;
}

static void put(patch_state *st, const char *s, size_t len) {
    /* A line that had no end gets one when another follows. */
    if (st->out.len > 0 && st->out.s[st->out.len - 1] != '\n') g_text_addc(&st->out, '\n');
    g_text_add(&st->out, s, len);
}

static void copy_until(patch_state *st, int64_t end) {
    if (end > st->count) end = st->count;
    for (; st->frozen < end; st->frozen++)
        put(st, st->lines[st->frozen].s, st->lines[st->frozen].len);
}

void patch_apply(patch_state *st, const patch_hunk *hunk, int64_t where) {
    int64_t at = where - 1;
    for (size_t i = 0; i < hunk->count; i++) {
        const patch_line *line = &hunk->lines[i];
        if (line->kind == ' ') {
            at++;
            continue;
        }
        copy_until(st, at);
        if (line->kind == '-') {
            at++;
            if (st->frozen < at) st->frozen = at;
        } else {
            put(st, line->s, line->len);
        }
    }
    st->out_offset += hunk->new_count - hunk->old_count;
}

void patch_copy_rest(patch_state *st) {
    copy_until(st, st->count);
}

static void add_line(g_text *out, const char *mark, const patch_line *line) {
    g_text_adds(out, mark);
    g_text_add(out, line->s, line->len);
    if (line->len == 0 || line->s[line->len - 1] != '\n')
        g_text_adds(out, "\n\\ No newline at end of file\n");
}

static void add_range(g_text *out, int64_t start, int64_t count, bool unified) {
    if (count == 0)
        g_text_addf(out, unified ? "%lld,0" : "%lld", (long long)start - 1);
    else if (count == 1)
        g_text_addf(out, "%lld", (long long)start);
    else
        g_text_addf(out, "%lld,%lld", (long long)start,
                    (long long)(unified ? count : start + count - 1));
}

/* Of a normal diff: without "!", and without stars behind the first range. */
static void reject_context(g_text *out, const patch_hunk *hunk, bool normal) {
    g_text_adds(out, "***************\n");
    for (int f = 0; f < 2; f++) {
        char mine = f ? '+' : '-', others = f ? '-' : '+';
        g_text_adds(out, f ? "--- " : "*** ");
        if (f)
            add_range(out, hunk->new_start, hunk->new_count, false);
        else
            add_range(out, hunk->old_start, hunk->old_count, false);
        g_text_adds(out, f ? (normal ? " -----\n" : " ----\n") : normal ? "\n" : " ****\n");
        for (size_t i = 0; i < hunk->count; i++) {
            if (hunk->lines[i].kind == others) continue;
            /* '!' where lines were both taken and given in one place. */
            bool changed = false;
            if (hunk->lines[i].kind == mine && !normal) {
                for (size_t j = i; j < hunk->count && hunk->lines[j].kind != ' '; j++)
                    changed |= hunk->lines[j].kind == others;
                for (size_t j = i; j-- > 0 && hunk->lines[j].kind != ' ';)
                    changed |= hunk->lines[j].kind == others;
            }
            const char *mark = hunk->lines[i].kind == ' ' ? "  " : changed ? "! " : f ? "+ " : "- ";
            add_line(out, mark, &hunk->lines[i]);
        }
    }
}

void patch_reject(g_text *out, const patch_hunk *hunk, enum patch_kind kind) {
    if (kind != PATCH_UNIFIED) {
        reject_context(out, hunk, kind == PATCH_NORMAL);
        return;
    }
    g_text_adds(out, "@@ -");
    add_range(out, hunk->old_start, hunk->old_count, true);
    g_text_adds(out, " +");
    add_range(out, hunk->new_start, hunk->new_count, true);
    g_text_adds(out, " @@\n");
    for (size_t i = 0; i < hunk->count; i++) {
        const char mark[2] = {hunk->lines[i].kind, '\0'};
        add_line(out, mark, &hunk->lines[i]);
    }
}
