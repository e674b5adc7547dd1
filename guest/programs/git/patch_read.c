/*
 * patch_read.c: takes patches apart, those of git and those of diff -u.
 */
#include "patch.h"

#include <ctype.h>

int patch_line_number;
#define line_number patch_line_number
#define line_length patch_line_length
#define begins patch_begins

size_t patch_line_length(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((newline ? newline + 1 : end) - at);
}

bool patch_begins(const char *at, const char *end, const char *with) {
    size_t len = strlen(with);
    return (size_t)(end - at) >= len && memcmp(at, with, len) == 0;
}

/* ---- names */

/* A name in C quotes; *end is behind them. NULL when they do not close. */
static char *unquote(const char *at, const char *limit, const char **end) {
    g_text out = {0};
    g_text_adds(&out, "");
    for (at++; at < limit && *at != '"'; at++) {
        static const char escapes[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
        if (*at == '\n') return NULL;
        if (*at != '\\') {
            g_text_addc(&out, *at);
            continue;
        }
        if (++at >= limit) return NULL;
        const char *escape = memchr(escapes, *at, sizeof escapes - 1);
        if (escape) {
            g_text_addc(&out, bytes[escape - escapes]);
        } else if (*at >= '0' && *at <= '3' && limit - at > 2) {
            g_text_addc(&out, (char)((at[0] - '0') << 6 | (at[1] - '0') << 3 | (at[2] - '0')));
            at += 2;
        } else {
            return NULL;
        }
    }
    if (at >= limit) return NULL;
    *end = at + 1;
    return out.s;
}

static char *rooted(const char *name) {
    g_text out = {0};
    if (patching.directory && *patching.directory) {
        size_t len = strlen(patching.directory);
        g_text_adds(&out, patching.directory);
        if (patching.directory[len - 1] != '/') g_text_addc(&out, '/');
    }
    g_text_adds(&out, name);
    for (char *p = out.s; *p;) {
        if (p[0] == '/' && p[1] == '/') memmove(p, p + 1, strlen(p));
        else p++;
    }
    return out.s;
}

static const char *stripped(const char *name, int parts) {
    for (; parts > 0; parts--) {
        name = strchr(name, '/');
        if (!name) return NULL;
        while (*name == '/') name++;
    }
    return *name ? name : NULL;
}

/* The name on a line that names one; `tab` ends it as in --- and +++. NULL: too few parts. */
static char *find_name(const char *at, const char *end, int strip, bool tab) {
    const char *stop;
    char *name;
    if (at < end && *at == '"') {
        name = unquote(at, end, &stop);
        if (!name) return NULL;
    } else {
        size_t len = strcspn(at, tab ? "\t\n" : "\n");
        if (at + len > end) len = (size_t)(end - at);
        if (tab && len && at[len - 1] == '\r' && at[len] == '\n') len--;
        name = g_copy_bytes(at, len);
    }
    const char *rest = stripped(name, strip);
    char *made = rest ? rooted(rest) : NULL;
    free(name);
    return made;
}

/* The time behind a name of diff -u when no tab parts them: " 2020-01-01 00:00:00.000 +0000" */
static size_t time_length(const char *line, size_t len) {
    static const char shape[] = " dddd-dd-dd dd:dd:dd";
    for (size_t at = len; at-- > 0;) {
        size_t i = 0;
        for (; shape[i] && at + i < len; i++)
            if (shape[i] == 'd' ? !isdigit((unsigned char)line[at + i]) : shape[i] != line[at + i]) break;
        if (!shape[i]) return len - at;
    }
    return 0;
}

static char *traditional_name(const char *at, const char *end, int strip) {
    if (*at == '"') return find_name(at, end, strip, true);
    size_t len = line_length(at, end);
    while (len && (at[len - 1] == '\n' || at[len - 1] == '\r')) len--;
    const char *tab = memchr(at, '\t', len);
    if (tab) len = (size_t)(tab - at);
    else len -= time_length(at, len);
    char *copy = g_copy_bytes(at, len);
    const char *rest = stripped(copy, strip);
    return rest ? rooted(rest) : NULL;
}

static bool is_null(const char *at) {
    return strncmp(at, "/dev/null", 9) == 0 && (isspace((unsigned char)at[9]) || !at[9]);
}

/* A time of 1970 says that there was no file. */
static bool is_epoch(const char *at, size_t len) {
    char *copy = g_copy_bytes(at, len), *tab = strchr(copy, '\t');
    bool yes = tab && (strncmp(tab + 1, "1970-01-01 00:00:00", 19) == 0 ||
                       strncmp(tab + 1, "1969-12-31", 10) == 0 ||
                       strncmp(tab + 1, "1970-01-01", 10) == 0) && strstr(tab, ":00:00");
    free(copy);
    return yes;
}

/* The one name that "diff --git a/x b/x" has on both sides; NULL when they differ. */
static char *header_name(const char *at, const char *end) {
    const char *stop;
    if (*at == '"') {
        char *first = unquote(at, end, &stop);
        if (!first) return NULL;
        const char *rest = stripped(first, patching.strip);
        while (stop < end && isspace((unsigned char)*stop)) stop++;
        char *second = stop < end && *stop == '"' ? unquote(stop, end, &stop)
                                                  : g_copy_bytes(stop, strcspn(stop, "\n"));
        const char *other = second ? stripped(second, patching.strip) : NULL;
        return rest && other && strcmp(rest, other) == 0 ? rooted(rest) : NULL;
    }
    size_t len = strcspn(at, "\n");
    char *line = g_copy_bytes(at, len);
    char *quote = strstr(line, " \"");
    if (quote) {
        char *second = unquote(quote + 1, line + len, &stop);
        *quote = '\0';
        const char *a = stripped(line, patching.strip), *b = second ? stripped(second, patching.strip) : NULL;
        return a && b && strcmp(a, b) == 0 ? rooted(a) : NULL;
    }
    for (char *space = line; (space = strpbrk(space, " \t")) != NULL; space++) {
        char *a_copy = g_copy_bytes(line, (size_t)(space - line));
        const char *a = stripped(a_copy, patching.strip), *b = stripped(space + 1, patching.strip);
        if (a && b && strcmp(a, b) == 0) return rooted(a);
        free(a_copy);
    }
    return NULL;
}

/* ---- the header of git */

static unsigned mode_of(const char *at) {
    unsigned mode = 0;
    int digits = 0;
    for (; *at >= '0' && *at <= '7' && digits < 7; at++, digits++) mode = mode << 3 | (unsigned)(*at - '0');
    if (!digits || !isspace((unsigned char)*at)) die_status(128, "error: invalid mode on line %d: %.*s", line_number, (int)strcspn(at, "\n"), at);
    return mode;
}

static bool verify_name(file_patch *p, const char *at, const char *end, bool null, char **name, const char *side) {
    if (!*name && !null) {
        *name = find_name(at, end, patching.strip, true);
        return true;
    }
    if (*name) {
        if (is_null(at)) {
            error("git apply: bad git-diff - expected %s, got /dev/null on line %d", *name, line_number);
            return false;
        }
        char *another = find_name(at, end, patching.strip, true);
        if (another && strcmp(another, *name) == 0) return true;
        error("git apply: bad git-diff - inconsistent %s filename on line %d", side, line_number);
        return false;
    }
    if (!is_null(at)) {
        error("git apply: bad git-diff - expected /dev/null on line %d", line_number);
        return false;
    }
    (void)p;
    return true;
}

static void take_index(file_patch *p, const char *at) {
    size_t len = strspn(at, "0123456789abcdef");
    if (!len || len > OID_HEX || at[len] != '.' || at[len + 1] != '.') return;
    const char *second = at + len + 2;
    size_t more = strspn(second, "0123456789abcdef");
    if (!more || more > OID_HEX) return;
    snprintf(p->old_id, sizeof p->old_id, "%.*s", (int)len, at);
    snprintf(p->new_id, sizeof p->new_id, "%.*s", (int)more, second);
    if (second[more] == ' ') p->old_mode = mode_of(second + more + 1);
}

/* 1 went on, 0 the header ends here, -1 after a message. */
static int header_line(file_patch *p, const char *at, const char *end) {
    int strip = patching.strip ? patching.strip - 1 : 0;
#define IS(text) (begins(at, end, text) && (at += strlen(text)))
    if (begins(at, end, "@@ -")) return 0;
    if (IS("--- ")) return verify_name(p, at, end, p->is_new > 0, &p->old_name, "old") ? 1 : -1;
    if (IS("+++ ")) return verify_name(p, at, end, p->is_delete > 0, &p->new_name, "new") ? 1 : -1;
    if (IS("old mode ")) return p->old_mode = mode_of(at), 1;
    if (IS("new mode ")) return p->new_mode = mode_of(at), 1;
    if (IS("deleted file mode ")) {
        p->is_delete = 1;
        free(p->old_name);
        p->old_name = p->def_name ? g_copy_string(p->def_name) : NULL;
        p->old_mode = mode_of(at);
        return 1;
    }
    if (IS("new file mode ")) {
        p->is_new = 1;
        p->new_name = p->def_name ? g_copy_string(p->def_name) : NULL;
        p->new_mode = mode_of(at);
        return 1;
    }
    if (IS("copy from ")) return p->is_copy = true, p->old_name = find_name(at, end, strip, false), 1;
    if (IS("copy to ")) return p->is_copy = true, p->new_name = find_name(at, end, strip, false), 1;
    if (IS("rename old ") || IS("rename from "))
        return p->is_rename = true, p->old_name = find_name(at, end, strip, false), 1;
    if (IS("rename new ") || IS("rename to "))
        return p->is_rename = true, p->new_name = find_name(at, end, strip, false), 1;
    if (IS("similarity index ") || IS("dissimilarity index ")) return p->score = atoi(at) <= 100 ? atoi(at) : 0, 1;
    if (IS("index ")) return take_index(p, at), 1;
#undef IS
    return 0;
}

/* The header behind "diff --git": where the hunks begin. NULL after a message. */
static const char *git_header(file_patch *p, const char *at, const char *end) {
    p->is_new = p->is_delete = 0;
    p->from_top = true;
    p->def_name = header_name(at + strlen("diff --git "), end);
    at += line_length(at, end);
    line_number++;
    for (; at < end; at += line_length(at, end), line_number++) {
        int more = at[line_length(at, end) - 1] == '\n' ? header_line(p, at, end) : 0;
        if (more < 0) return NULL;
        if (!more) break;
    }
    if (!p->old_name && !p->new_name) {
        if (!p->def_name) {
            error("git diff header lacks filename information when removing %d leading pathname component%s (line %d)",
                  patching.strip, patching.strip == 1 ? "" : "s", line_number);
            return NULL;
        }
        p->old_name = g_copy_string(p->def_name);
        p->new_name = g_copy_string(p->def_name);
    }
    if ((!p->new_name && p->is_delete <= 0) || (!p->old_name && p->is_new <= 0)) {
        error("git diff header lacks filename information (line %d)", line_number);
        return NULL;
    }
    return at;
}

/* How many parts to strip from the names of a diff that is not git's: -1 when the name does not tell. */
static int guess_strip(const char *at, const char *end) {
    if (is_null(at)) return -1;
    char *name = traditional_name(at, end, 0), *slash = name ? strchr(name, '/') : NULL;
    if (!name) return -1;
    if (!slash) return 0;
    if (!*prefix) return -1;
    int depth = 0;
    for (const char *p = prefix; *p; p++) depth += *p == '/';
    if (strncmp(name, prefix, strlen(prefix)) == 0) return depth;
    return strncmp(slash + 1, prefix, strlen(prefix)) == 0 ? depth + 1 : -1;
}

/* "--- " and "+++ " of any other diff. */
static bool traditional_header(file_patch *p, const char *first, const char *second, const char *end) {
    const char *old = first + 4, *new_ = second + 4;
    if (!patching.strip_given) {
        int a = guess_strip(old, end), b = guess_strip(new_, end);
        if (a < 0) a = b;
        if (b < 0) b = a;
        if (a >= 0 && a == b) patching.strip = a, patching.strip_given = true;
    }
    p->is_new = p->is_delete = -1;
    if (is_null(old)) {
        p->is_new = 1, p->is_delete = 0;
        p->new_name = traditional_name(new_, end, patching.strip);
    } else if (is_null(new_)) {
        p->is_new = 0, p->is_delete = 1;
        p->old_name = traditional_name(old, end, patching.strip);
    } else {
        char *a = traditional_name(old, end, patching.strip), *b = traditional_name(new_, end, patching.strip);
        /* the shorter one is without ".orig" */
        char *name = a && b ? (strlen(b) < strlen(a) ? b : strlen(a) < strlen(b) ? a : b) : a ? a : b;
        if (is_epoch(old, line_length(old, end))) p->is_new = 1, p->is_delete = 0, p->new_name = name;
        else if (is_epoch(new_, line_length(new_, end))) p->is_new = 0, p->is_delete = 1, p->old_name = name;
        else p->old_name = name, p->new_name = name ? g_copy_string(name) : NULL;
    }
    if (!p->old_name && !p->new_name) {
        error("unable to find filename in patch at line %d", line_number);
        return false;
    }
    return true;
}

/* ---- hunks */

static const char *range(const char *at, long long *first, long long *count) {
    char *stop;
    if (!isdigit((unsigned char)*at)) return NULL;
    *first = strtoll(at, &stop, 10);
    *count = 1;
    if (*stop != ',') return stop;
    if (!isdigit((unsigned char)stop[1])) return NULL;
    *count = strtoll(stop + 1, &stop, 10);
    return stop;
}

static bool hunk_header(hunk *h, const char *at, const char *end) {
    size_t len = line_length(at, end);
    if (!len || at[len - 1] != '\n') return false;
    at = range(at + 4, &h->old_at, &h->old_count);
    if (!at || at[0] != ' ' || at[1] != '+') return false;
    at = range(at + 2, &h->new_at, &h->new_count);
    return at && at[0] == ' ' && at[1] == '@' && at[2] == '@';
}

/* The counts of a hunk whose header is not to be believed. */
static void count_again(hunk *h, const char *at, const char *end) {
    long long old = 0, new_ = 0;
    for (; at < end; at += line_length(at, end)) {
        if (*at == ' ' || *at == '\n') old++, new_++;
        else if (*at == '-' && !(begins(at, end, "--- "))) old++;
        else if (*at == '+') new_++;
        else if (*at != '\\') break;
    }
    h->old_count = old;
    h->new_count = new_;
}

/* Where the hunk ends, or NULL when it is corrupt. */
static const char *read_hunk(file_patch *p, hunk *h, const char *at, const char *end) {
    const char *start = at;
    long long added = 0, deleted = 0;
    if (!hunk_header(h, at, end)) return NULL;
    h->line = line_number;
    at += line_length(at, end);
    line_number++;
    if (p->recount) count_again(h, at, end);
    long long old = h->old_count, new_ = h->new_count;
    for (size_t len; at < end && (old || new_); at += len, line_number++) {
        len = line_length(at, end);
        if (at[len - 1] != '\n') return NULL;
        switch (*at) {
        case '\n':
        case ' ':
            old--, new_--;
            if (!added && !deleted) h->leading++;
            h->trailing++;
            break;
        case '-':
            if (patching.reverse) patch_check_white(at + 1, len - 1, line_number);
            deleted++, old--;
            h->trailing = 0;
            break;
        case '+':
            if (!patching.reverse) patch_check_white(at + 1, len - 1, line_number);
            added++, new_--;
            h->trailing = 0;
            break;
        case '\\':
            if (len < 12 || at[1] != ' ') return NULL;
            break;
        default: return NULL;
        }
        if (old < 0 || new_ < 0) return NULL;
    }
    if (old || new_ || (!p->recount && !added && !deleted)) return NULL;
    if (end - at > 12 && at[0] == '\\' && at[1] == ' ') at += line_length(at, end); /* no line of its own in git's count */
    h->text = start;
    h->len = (size_t)(at - start);
    p->added += added;
    p->deleted += deleted;
    return at;
}

static const char *read_hunks(file_patch *p, const char *at, const char *end) {
    long long old = 0, new_ = 0, context = 0;
    while (begins(at, end, "@@ -")) {
        hunk h = {0};
        const char *next = read_hunk(p, &h, at, end);
        if (!next) {
            error("corrupt patch at line %d", line_number);
            return NULL;
        }
        if (p->count == p->cap) p->hunks = g_more(p->hunks, &p->cap, sizeof *p->hunks);
        p->hunks[p->count++] = h;
        old += h.old_count, new_ += h.new_count, context += h.leading + h.trailing;
        at = next;
    }
    if (p->is_new < 0 && (old || p->count > 1)) p->is_new = 0;
    if (p->is_delete < 0 && (new_ || p->count > 1)) p->is_delete = 0;
    if (p->is_new > 0 && old) return error("new file %s depends on old contents", p->new_name), NULL;
    if (p->is_delete > 0 && new_) return error("deleted file %s still has contents", p->old_name), NULL;
    if (p->count && !p->is_delete && !new_ && context && !patching.quiet)
        note("** warning: file %s becomes empty but is not deleted", p->new_name);
    return at;
}

static bool changes_metadata(const file_patch *p) {
    return p->is_rename || p->is_copy || p->is_new > 0 || p->is_delete > 0 ||
           (p->old_mode && p->new_mode && p->old_mode != p->new_mode);
}

/* ---- all of it */

/* The next header: where its hunks begin. NULL: there is none, or *bad after a message. */
static const char *next_header(file_patch *p, const char *at, const char *end, bool *bad) {
    for (size_t len; at < end; at += len, line_number++) {
        hunk dummy = {0};
        len = line_length(at, end);
        if (len < 6) continue;
        if (begins(at, end, "@@ -") && hunk_header(&dummy, at, end)) {
            error("patch fragment without header at line %d: %.*s", line_number, (int)len - 1, at);
            *bad = true;
            return NULL;
        }
        if ((size_t)(end - at) < len + 6) return NULL;
        if (begins(at, end, "diff --git ")) {
            const char *body = git_header(p, at, end);
            if (!body) *bad = true;
            if (!body || body > at + len) return body;
            memset(p, 0, sizeof *p);
            line_number--;
            continue;
        }
        const char *second = at + len;
        if (!begins(at, end, "--- ") || !begins(second, end, "+++ ")) continue;
        size_t more = line_length(second, end);
        if (!begins(second + more, end, "@@ -")) continue;
        *bad = !traditional_header(p, at, second, end);
        line_number += 2;
        return *bad ? NULL : second + more;
    }
    return NULL;
}

int patch_read(patch_list *list, const char *text, size_t len) {
    const char *at = text, *end = text + len;
    line_number = 1;
    while (at < end) {
        file_patch p = {0};
        bool bad = false;
        p.recount = patching.recount;
        at = next_header(&p, at, end, &bad);
        if (bad) return -1;
        if (!at) break;
        const char *body = at;
        p.recount = patching.recount;
        at = read_hunks(&p, at, end);
        if (!at) return -1;
        if (at == body && !(at = patch_read_binary(&p, at, end))) return -1;
        if (at == body && !p.is_binary && !changes_metadata(&p) && (patching.apply || patching.check))
            return error("patch with only garbage at line %d", line_number);
        if (patching.reverse) patch_reverse(&p);
        if (!patch_wanted(&p)) {
            list->skipped++;
            if (patching.verbose) note("Skipped patch '%s'.", patch_name(&p));
            continue;
        }
        if (list->count == list->cap) list->items = g_more(list->items, &list->cap, sizeof *list->items);
        list->items[list->count++] = p;
    }
    for (size_t i = 0; patching.reverse && i < list->count / 2; i++) {
        file_patch swap = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = swap;
    }
    if (list->count || list->skipped || patching.allow_empty) return 0;
    return error("No valid patches in input (allow with \"--allow-empty\")");
}
