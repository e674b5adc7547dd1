/*
 * patch_read.c: understands the text of a patch: unified, copied context, normal; git's headers.
 *
 * What stands between the changes of two files is passed over, whatever it is. Malformed hunks end
 * the command.
 */
#include "patch.h"
#include "pf.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct {
    const char *s;
    size_t len; /* with the line end, if there is one */
} view;

static bool peek(const patch_text *t, view *line) {
    if (t->at >= t->len) return false;
    const char *s = t->s + t->at, *end = memchr(s, '\n', t->len - t->at);
    *line = (view){s, end ? (size_t)(end + 1 - s) : t->len - t->at};
    return true;
}

static bool next(patch_text *t, view *line) {
    if (!peek(t, line)) return false;
    t->at += line->len;
    t->line++;
    t->cut_short |= line->s[line->len - 1] != '\n';
    return true;
}

static bool begins(const view *line, const char *with) {
    size_t n = strlen(with);
    return line->len >= n && memcmp(line->s, with, n) == 0;
}

/* Without the line end and, where the patch came through Windows, the return in front of it. */
static view body(const patch_text *t, view line) {
    if (line.len > 0 && line.s[line.len - 1] == '\n') line.len--;
    if (t->strip_cr && line.len > 0 && line.s[line.len - 1] == '\r') line.len--;
    return line;
}

static _Noreturn void malformed(patch_text *t, const view *line) {
    t->announce(t, t->now);
    view b = body(t, *line);
    patch_fatal("malformed patch at line %lld: %.*s\n", (long long)t->line - 1,
                (int)(b.len < 1000 ? b.len : 1000), b.s);
}

static _Noreturn void cut_off(patch_text *t) {
    t->announce(t, t->now);
    patch_fatal("unexpected end of file in patch");
}

/* Names */

static char *unquote(const char *s, size_t len) {
    g_text name = {0};
    for (size_t i = 1; i < len && s[i] != '"'; i++) {
        if (s[i] != '\\' || i + 1 == len) {
            g_text_addc(&name, s[i]);
            continue;
        }
        static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
        const char *known = strchr(from, s[++i]);
        if (known && *known) {
            g_text_addc(&name, to[known - from]);
        } else {
            int code = 0, digits = 0;
            for (; digits < 3 && i < len && s[i] >= '0' && s[i] <= '7'; digits++)
                code = code * 8 + s[i++] - '0';
            if (digits == 0) break;
            i--;
            if (code) g_text_addc(&name, (char)code);
        }
    }
    return name.s;
}

/* Drops the leading parts that -p wants dropped; false when there are not so many. */
static bool strip(char *name, int parts) {
    char *start = name;
    int left = parts;
    for (char *p = name; *p; p++) {
        if (*p != '/') continue;
        while (p[1] == '/') p++;
        if (parts < 0 || --left >= 0) start = p + 1;
    }
    if ((parts >= 0 && left > 0) || !*start) return false;
    memmove(name, start, strlen(start) + 1);
    return true;
}

/* The name at the beginning of a header's text: up to a tab, or else a space. */
static char *read_name(view text, size_t *end) {
    size_t from = 0;
    while (from < text.len && (text.s[from] == ' ' || text.s[from] == '\t')) from++;
    if (from < text.len && text.s[from] == '"') {
        *end = text.len;
        return unquote(text.s + from, text.len - from);
    }
    const char *tab = memchr(text.s + from, '\t', text.len - from);
    size_t stop = tab ? (size_t)(tab - text.s) : from;
    while (!tab && stop < text.len && !isspace((unsigned char)text.s[stop])) stop++;
    *end = stop;
    return stop > from ? g_copy_bytes(text.s + from, stop - from) : NULL;
}

static bool has(view text, const char *what) {
    return memmem(text.s, text.len, what, strlen(what)) != NULL;
}

static void set_name(const patch_text *t, file_patch *p, int which, view line) {
    size_t end;
    view text = body(t, line);
    char *name = read_name(text, &end);
    free(p->names[which]);
    p->names[which] = NULL;
    if (which < INDEX) {
        p->header[which] = text.s;
        p->header_len[which] = text.len;
        view date = {text.s + end, text.len - end};
        bool epoch = has(date, "1970-01-01 00:00:00") || has(date, "1969-12-31 ") ||
                     has(date, "Thu Jan  1 00:00:00 1970");
        if ((name && strcmp(name, "/dev/null") == 0) || epoch) p->nonexistent[which] = 2;
    }
    if (name && strcmp(name, "/dev/null") != 0 && strip(name, t->o->strip))
        p->names[which] = name;
    else
        free(name);
}

static char *git_name(const patch_text *t, view line, size_t skip) {
    view text = body(t, line);
    text.s += skip;
    text.len -= skip;
    char *name =
        text.len > 0 && *text.s == '"' ? unquote(text.s, text.len) : g_copy_bytes(text.s, text.len);
    /* These have no a/ and b/ in front. */
    if (name && t->o->strip > 0 && !strip(name, t->o->strip - 1)) {
        free(name);
        name = NULL;
    }
    return name;
}

/* "diff --git a/NAME b/NAME": both are the same unless the file was renamed. */
static void git_names(const patch_text *t, file_patch *p, view line) {
    view text = body(t, line);
    text.s += 11;
    text.len -= 11;
    for (size_t i = 1; i + 1 < text.len; i++) {
        size_t rest = text.len - i - 1;
        const char *a = memchr(text.s, '/', i), *b = memchr(text.s + i + 1, '/', rest);
        if (text.s[i] != ' ' || !a || !b) continue;
        size_t la = (size_t)(text.s + i - a), lb = (size_t)(text.s + text.len - b);
        if (la != lb || memcmp(a, b, la) != 0) continue;
        for (int f = 0; f < 2; f++) {
            char *name = f ? g_copy_bytes(text.s + i + 1, rest) : g_copy_bytes(text.s, i);
            free(p->names[f]);
            p->names[f] = NULL;
            if (strip(name, t->o->strip))
                p->names[f] = name;
            else
                free(name);
        }
        return;
    }
}

/* "index 0000000..e69de29": zeros stand for a file that is not there. */
static void read_index(file_patch *p, view line) {
    const char *s = line.s + 6, *end = line.s + line.len;
    for (int f = 0; f < 2; f++) {
        size_t zeros = 0, digits = 0;
        for (; s < end && isxdigit((unsigned char)*s); s++, digits++) zeros += *s == '0';
        if (digits > 0 && zeros == digits) p->nonexistent[f] = 2;
        while (s < end && *s == '.') s++;
    }
}

static int octal(view line, size_t skip) {
    return (int)strtol(line.s + skip, NULL, 8);
}

/* A line in front of the hunks; false when it says nothing. */
static bool read_header(const patch_text *t, file_patch *p, view line, bool *starred) {
    static const char *const marks[] = {"*** ", "+++ ", "--- ", "Index:"};
    bool stars = *starred;
    *starred = false;
    if (begins(&line, marks[0])) {
        *starred = true;
        set_name(t, p, OLD, (view){line.s + 4, line.len - 4});
    } else if (begins(&line, marks[1])) {
        set_name(t, p, NEW, (view){line.s + 4, line.len - 4});
    } else if (begins(&line, marks[2])) {
        set_name(t, p, stars ? NEW : OLD, (view){line.s + 4, line.len - 4});
    } else if (begins(&line, marks[3])) {
        set_name(t, p, INDEX, (view){line.s + 6, line.len - 6});
    } else if (p->git && begins(&line, "new file mode ")) {
        p->new_mode = octal(line, 14);
        p->nonexistent[OLD] = 2;
    } else if (p->git && begins(&line, "deleted file mode ")) {
        p->old_mode = octal(line, 18);
        p->nonexistent[NEW] = 2;
    } else if (p->git && begins(&line, "old mode ")) {
        p->old_mode = octal(line, 9);
    } else if (p->git && begins(&line, "new mode ")) {
        p->new_mode = octal(line, 9);
    } else if (p->git && (begins(&line, "rename from ") || begins(&line, "copy from "))) {
        p->copy = line.s[0] == 'c';
        p->rename_from = git_name(t, line, p->copy ? 10 : 12);
    } else if (p->git && (begins(&line, "rename to ") || begins(&line, "copy to "))) {
        p->rename_to = git_name(t, line, line.s[0] == 'c' ? 8 : 10);
    } else if (p->git && begins(&line, "index ")) {
        read_index(p, line);
    } else if (p->git && begins(&line, "GIT binary patch")) {
        p->git_binary = true;
    } else {
        return false;
    }
    return true;
}

/* Hunks */

static bool read_number(const char **s, const char *end, int64_t *out) {
    if (*s == end || !isdigit((unsigned char)**s)) return false;
    int64_t n = 0;
    for (; *s < end && isdigit((unsigned char)**s); (*s)++) {
        if (n > INT32_MAX) return false;
        n = n * 10 + (**s - '0');
    }
    *out = n;
    return true;
}

/* "START" or "START,SECOND"; the second is `otherwise` when it is missing. */
static bool read_pair(const char **s, const char *end, int64_t *start, int64_t *second,
                      int64_t otherwise) {
    if (!read_number(s, end, start)) return false;
    *second = otherwise < 0 ? *start : otherwise;
    if (*s == end || **s != ',') return true;
    (*s)++;
    return read_number(s, end, second);
}

static patch_hunk *new_hunk(file_patch *p) {
    if (p->hunk_count == p->hunk_cap) p->hunks = g_more(p->hunks, &p->hunk_cap, sizeof *p->hunks);
    patch_hunk *hunk = &p->hunks[p->hunk_count++];
    *hunk = (patch_hunk){0};
    return hunk;
}

static void add_line(const patch_text *t, patch_hunk *hunk, char kind, view line, size_t skip) {
    if (hunk->count == hunk->cap)
        hunk->lines = g_more(hunk->lines, &hunk->cap, sizeof *hunk->lines);
    patch_line *to = &hunk->lines[hunk->count++];
    *to = (patch_line){kind, line.s + skip, line.len - skip};
    bool returned = to->len > 1 && to->s[to->len - 2] == '\r' && to->s[to->len - 1] == '\n';
    if (t->strip_cr && returned) {
        /* The return goes; the few lines of a patch may have memory of their own. */
        char *copy = g_copy_bytes(to->s, to->len - 1);
        copy[to->len - 2] = '\n';
        to->s = copy;
        to->len--;
    }
}

/* "\ No newline at end of file" behind a line. */
static void read_no_newline(patch_text *t, patch_hunk *hunk, size_t from) {
    view line;
    if (hunk->count <= from || !peek(t, &line) || line.s[0] != '\\') return;
    next(t, &line);
    patch_line *last = &hunk->lines[hunk->count - 1];
    if (last->len > 0 && last->s[last->len - 1] == '\n') last->len--;
}

static void finish_hunk(patch_hunk *hunk) {
    size_t n = hunk->count, i = 0;
    hunk->old_count = hunk->new_count = 0;
    for (size_t k = 0; k < n; k++) {
        hunk->old_count += hunk->lines[k].kind != '+';
        hunk->new_count += hunk->lines[k].kind != '-';
    }
    hunk->old_start += hunk->old_count == 0;
    hunk->new_start += hunk->new_count == 0;
    while (i < n && hunk->lines[i].kind == ' ') i++;
    hunk->prefix = (int64_t)i;
    size_t j = n;
    while (j > i && hunk->lines[j - 1].kind == ' ') j--;
    hunk->suffix = (int64_t)(n - j);
}

static void note_empty(file_patch *p, const patch_hunk *hunk) {
    if (hunk->old_count == 0 && hunk->old_start == 1 && !p->nonexistent[OLD])
        p->nonexistent[OLD] = 1;
    if (hunk->new_count == 0 && hunk->new_start == 1 && !p->nonexistent[NEW])
        p->nonexistent[NEW] = 1;
}

static _Noreturn void missing_number(patch_text *t, view line) {
    view b = body(t, line);
    t->announce(t, t->now);
    patch_fatal("missing line number at line %lld: %.*s\n", (long long)t->line - 1,
                (int)(b.len < 1000 ? b.len : 1000), b.s);
}

/* "@@ -1,3 +1,4 @@" and its lines; false when the line is something else. */
static bool read_unified(patch_text *t, file_patch *p) {
    view line;
    int64_t a, m, b, n;
    if (!peek(t, &line) || !begins(&line, "@@ -")) return false;
    const char *s = line.s + 4, *end = line.s + line.len;
    next(t, &line);
    if (!read_pair(&s, end, &a, &m, 1)) missing_number(t, line);
    if (s == end || *s++ != ' ' || s == end || *s++ != '+') malformed(t, &line);
    if (!read_pair(&s, end, &b, &n, 1)) missing_number(t, line);
    patch_hunk *hunk = new_hunk(p);
    hunk->old_start = a;
    hunk->new_start = b;
    while (m > 0 || n > 0) {
        if (!next(t, &line)) {
            /* Blank lines at the end may have been lost on the way. */
            if (n >= 3) cut_off(t);
            line = (view){" \n", 2};
        }
        char kind = line.s[0] == '\n' || line.s[0] == '\r' || line.s[0] == '\t' ? ' ' : line.s[0];
        size_t skip = line.s[0] == kind;
        if (kind == ' ' && m > 0 && n > 0) {
            m--;
            n--;
        } else if (kind == '-' && m > 0) {
            m--;
        } else if (kind == '+' && n > 0) {
            n--;
        } else if (kind == '=' && m > 0 && n > 0) {
            kind = ' ';
            m--;
            n--;
        } else {
            malformed(t, &line);
        }
        add_line(t, hunk, kind, line, skip);
        read_no_newline(t, hunk, 0);
    }
    finish_hunk(hunk);
    note_empty(p, hunk);
    return true;
}

/* One half of a context hunk: into a hunk of its own, with '!' as a kind. */
static void read_half(patch_text *t, patch_hunk *half, int64_t count, const char *kinds,
                      const char *stop) {
    view line;
    int64_t read = 0;
    while (read < count && peek(t, &line)) {
        if (begins(&line, stop) || line.s[0] == '*') break;
        char kind = line.s[0] == '\n' ? ' ' : line.s[0];
        next(t, &line);
        if (!strchr(kinds, kind) ||
            (line.len > 1 && line.s[0] != '\n' && line.s[1] != ' ' && line.s[1] != '\t'))
            malformed(t, &line);
        add_line(t, half, kind, line, line.s[0] == '\n' ? 0 : line.len > 2 ? 2 : line.len - 1);
        read_no_newline(t, half, 0);
        read++;
    }
    if (read > 0 && read < count)
        patch_fatal("replacement text or line numbers mangled in hunk at line %lld",
                    (long long)t->line);
}

/* Both halves as one list. A half that is missing has only the lines that did not change. */
static void merge(const patch_text *t, patch_hunk *to, const patch_hunk *old,
                  const patch_hunk *new) {
    size_t i = 0, j = 0;
    while (i < old->count || j < new->count) {
        const patch_line *a = i < old->count ? &old->lines[i] : NULL,
                         *b = j < new->count ? &new->lines[j] : NULL;
        if (a && a->kind != ' ') {
            add_line(t, to, '-', (view){a->s, a->len}, 0);
            i++;
        } else if (b && b->kind != ' ') {
            add_line(t, to, '+', (view){b->s, b->len}, 0);
            j++;
        } else {
            const patch_line *same = a ? a : b;
            if (a && b && (a->len != b->len || memcmp(a->s, b->s, a->len) != 0) &&
                !t->o->ignore_space)
                patch_fatal(
                    "Out-of-sync patch, lines %lld,%lld--mangled text or line numbers, maybe?",
                    (long long)t->line, (long long)t->line);
            add_line(t, to, ' ', (view){same->s, same->len}, 0);
            i += a != NULL;
            j += b != NULL;
        }
    }
}

static bool read_context(patch_text *t, file_patch *p) {
    view line;
    if (!peek(t, &line) || !begins(&line, "********")) return false;
    next(t, &line);
    int64_t a, m, b, n;
    if (!next(t, &line) || !begins(&line, "*** ")) malformed(t, &line);
    const char *s = line.s + 4, *end = line.s + line.len;
    if (!read_pair(&s, end, &a, &m, -1)) malformed(t, &line);
    patch_hunk old = {0}, new = {0};
    int64_t count = a == 0 ? 0 : m - a + 1;
    read_half(t, &old, count, " -!", "--- ");
    if (!next(t, &line) || !begins(&line, "--- ")) malformed(t, &line);
    s = line.s + 4;
    end = line.s + line.len;
    if (!read_pair(&s, end, &b, &n, -1)) malformed(t, &line);
    read_half(t, &new, b == 0 ? 0 : n - b + 1, " +!", "***");
    patch_hunk *hunk = new_hunk(p);
    hunk->old_start = a;
    hunk->new_start = b;
    merge(t, hunk, &old, &new);
    free(old.lines);
    free(new.lines);
    finish_hunk(hunk);
    /* "0" stands for nothing in an empty file; otherwise the line in front. */
    note_empty(p, hunk);
    return true;
}

static bool normal_command(view line, int64_t *a, int64_t *m, char *what, int64_t *b, int64_t *n) {
    const char *s = line.s, *end = line.s + line.len;
    if (!read_pair(&s, end, a, m, -1) || s == end || !strchr("acd", *s)) return false;
    *what = *s++;
    return read_pair(&s, end, b, n, -1) && (s == end || *s == '\n' || *s == '\r');
}

static bool read_normal(patch_text *t, file_patch *p) {
    view line;
    int64_t a, m, b, n;
    char what;
    if (!peek(t, &line) || !normal_command(line, &a, &m, &what, &b, &n)) return false;
    next(t, &line);
    patch_hunk *hunk = new_hunk(p);
    hunk->old_start = a;
    hunk->new_start = b;
    for (int64_t i = a; what != 'a' && i <= m; i++) {
        if (!next(t, &line)) cut_off(t);
        if (line.s[0] != '<' || (line.len > 1 && line.s[1] != ' ' && line.s[1] != '\t'))
            patch_fatal("'<' expected at line %lld of patch", (long long)t->line - 1);
        add_line(t, hunk, '-', line, line.len > 1 ? 2 : 1);
    }
    read_no_newline(t, hunk, 0);
    if (what == 'c' && (!next(t, &line) || line.s[0] != '-'))
        patch_fatal("'---' expected at line %lld of patch", (long long)t->line - 1);
    size_t had = hunk->count;
    for (int64_t i = b; what != 'd' && i <= n; i++) {
        if (!next(t, &line)) cut_off(t);
        if (line.s[0] != '>' || (line.len > 1 && line.s[1] != ' ' && line.s[1] != '\t'))
            patch_fatal("'>' expected at line %lld of patch", (long long)t->line - 1);
        add_line(t, hunk, '+', line, line.len > 1 ? 2 : 1);
    }
    read_no_newline(t, hunk, had);
    finish_hunk(hunk);
    return true;
}

/* What kind of hunk begins here: false for none. */
static bool hunk_begins(const patch_text *t, const file_patch *p, view line,
                        enum patch_kind *kind) {
    int64_t a, m, b, n;
    char what;
    int only = t->o->only;
    if (begins(&line, "@@ -") && (only < 0 || only == PATCH_UNIFIED)) {
        *kind = PATCH_UNIFIED;
        return true;
    }
    if (begins(&line, "********") && (only < 0 || only == PATCH_CONTEXT) &&
        (p->header[OLD] || t->o->operand)) {
        patch_text ahead = *t;
        view two;
        if (next(&ahead, &two) && next(&ahead, &two) && begins(&two, "*** ") && two.len > 4 &&
            isdigit((unsigned char)two.s[4])) {
            *kind = PATCH_CONTEXT;
            return true;
        }
    }
    if ((only < 0 || only == PATCH_NORMAL) && normal_command(line, &a, &m, &what, &b, &n)) {
        patch_text ahead = *t;
        view two;
        if (next(&ahead, &two) && peek(&ahead, &two) &&
            (begins(&two, "< ") || begins(&two, "> ") || begins(&two, "<\n") ||
             begins(&two, ">\n"))) {
            *kind = PATCH_NORMAL;
            return true;
        }
    }
    return false;
}

static bool empty_git_patch(const file_patch *p) {
    return p->git && (p->rename_to || p->new_mode >= 0 || p->old_mode >= 0 || p->git_binary);
}

bool patch_next(patch_text *t, file_patch *p) {
    *p = (file_patch){.old_mode = -1, .new_mode = -1, .lead_start = t->at};
    bool starred = false, found = false;
    for (view line; !found && peek(t, &line);) {
        if (begins(&line, "diff --git ")) {
            if (empty_git_patch(p)) break;
            p->git = true;
            git_names(t, p, line);
        } else if (hunk_begins(t, p, line, &p->kind)) {
            found = true;
            break;
        } else {
            read_header(t, p, line, &starred);
        }
        next(t, &line);
        if (t->line % 1024 == 0) pf_yield();
    }
    p->lead_end = t->at;
    p->line = t->line;
    t->now = p;
    if (!found) return empty_git_patch(p);
    t->cut_short = false;
    view first;
    peek(t, &first);
    t->strip_cr = !t->o->binary && first.len > 1 && first.s[first.len - 2] == '\r' &&
                  first.s[first.len - 1] == '\n';
    while (p->kind == PATCH_UNIFIED   ? read_unified(t, p)
           : p->kind == PATCH_CONTEXT ? read_context(t, p)
                                      : read_normal(t, p))
        pf_yield();
    return true;
}

void patch_free(file_patch *p) {
    for (int i = 0; i < 3; i++) free(p->names[i]);
    free(p->rename_from);
    free(p->rename_to);
    for (size_t i = 0; i < p->hunk_count; i++) free(p->hunks[i].lines);
    free(p->hunks);
}

void patch_swap(patch_hunk *hunk) {
    int64_t start = hunk->old_start, count = hunk->old_count;
    hunk->old_start = hunk->new_start;
    hunk->old_count = hunk->new_count;
    hunk->new_start = start;
    hunk->new_count = count;
    /* Removed lines stay in front of added ones. */
    patch_line *swapped = g_resize(NULL, hunk->count + 1, sizeof *swapped);
    size_t n = 0;
    for (size_t i = 0; i < hunk->count;) {
        size_t end = i;
        while (end < hunk->count && hunk->lines[end].kind != ' ') end++;
        for (size_t k = i; k < end; k++)
            if (hunk->lines[k].kind == '+')
                swapped[n++] = (patch_line){'-', hunk->lines[k].s, hunk->lines[k].len};
        for (size_t k = i; k < end; k++)
            if (hunk->lines[k].kind == '-')
                swapped[n++] = (patch_line){'+', hunk->lines[k].s, hunk->lines[k].len};
        if (end < hunk->count) swapped[n++] = hunk->lines[end++];
        i = end;
    }
    free(hunk->lines);
    hunk->lines = swapped;
    hunk->cap = hunk->count;
}
