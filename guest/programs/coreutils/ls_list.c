/*
 * ls_list.c: the files of one listing: what is known of them, and their order.
 */
#include "g_file.h"
#include "g_quote.h"
#include "g_text.h"
#include "g_version.h"
#include "ls.h"
#include "pf.h"
#include "lib/utf8/utf8.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

bool ls_needs_stat(const ls_options *o) {
    return o->format == LS_LONG || o->sort == LS_BY_TIME || o->sort == LS_BY_SIZE || o->inode ||
           o->blocks || o->color || o->mark == LS_CLASSIFY || o->recursive || o->directories_first;
}

/* C-like escapes, with quotes around or without. */
static char *c_quote(const char *s, bool quotes, size_t *out_len) {
    g_text t = {0};
    size_t len = strlen(s);
    if (quotes) g_text_addc(&t, '"');
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)s[i];
        static const char letters[] = "abtnvfr";
        uint32_t code;
        int n = c >= 0x80 && g_utf8_locale() ? pf_utf8_decode(s + i, len - i, &code) : 0;
        if (c >= 7 && c <= 13) {
            g_text_addf(&t, "\\%c", letters[c - 7]);
        } else if (c == '\\' || (quotes && c == '"') || (!quotes && c == ' ')) {
            g_text_addf(&t, "\\%c", c);
        } else if (n > 0 && pf_uni_is(code, PF_UNI_PRINT)) {
            g_text_add(&t, s + i, (size_t)n);
            i += (size_t)n;
            continue;
        } else if (c < 0x20 || c >= 0x7f) {
            g_text_addf(&t, "\\%03o", c);
        } else {
            g_text_addc(&t, (char)c);
        }
        i++;
    }
    if (quotes) g_text_addc(&t, '"');
    else g_text_adds(&t, "");
    *out_len = t.len;
    return t.s;
}

/* '?' in the place of what a terminal cannot show. */
static void hide_controls(ls_file *f) {
    size_t to = 0;
    for (size_t i = 0; i < f->shown_len;) {
        uint32_t code;
        unsigned char c = (unsigned char)f->shown[i];
        int n = c < 0x80 ? (c >= 0x20 && c != 0x7f)
                         : g_utf8_locale() ? pf_utf8_decode(f->shown + i, f->shown_len - i, &code)
                                           : 0;
        if (c >= 0x80 && n > 0 && !pf_uni_is(code, PF_UNI_PRINT)) {
            f->shown[to++] = '?';
            i += (size_t)n;
        } else if (n == 0) {
            f->shown[to++] = '?';
            i++;
        } else {
            memmove(f->shown + to, f->shown + i, (size_t)n);
            to += (size_t)n;
            i += (size_t)n;
        }
    }
    f->shown_len = to;
}

/* Quoted for a shell, and all bytes as they are. */
static char *plain_shell_quote(const char *name, size_t len, bool always, size_t *out_len) {
    char *printable = g_copy_bytes(name, len);
    for (char *s = printable; *s; s++) {
        if (*s == '\n' || *s == '\t') *s = ' ';
        else if ((unsigned char)*s < ' ' || (unsigned char)*s > '~') *s = 'x';
    }
    char *like = g_shell_quote(printable, len, always, false, out_len);
    char mark = *like == *printable && !always ? '\0' : *like;
    free(like);
    free(printable);
    g_text out = {0};
    if (mark) g_text_addc(&out, mark);
    for (const char *s = name; *s; s++) {
        if (*s == '\'' && mark == '\'') g_text_adds(&out, "'\\''");
        else g_text_addc(&out, *s);
    }
    if (mark) g_text_addc(&out, mark);
    *out_len = out.len;
    return out.s;
}

void ls_quote_name(const ls_options *o, ls_file *f) {
    size_t len = strlen(f->name), backslashes;
    f->quoted = false;
    switch (o->quote) {
    case LS_LITERAL:
        f->shown = g_copy_bytes(f->name, len);
        f->shown_len = len;
        break;
    case LS_SHELL: case LS_SHELL_ALWAYS:
        f->shown = plain_shell_quote(f->name, len, o->quote == LS_SHELL_ALWAYS, &f->shown_len);
        f->quoted = *f->shown != *f->name;
        break;
    case LS_SHELL_ESCAPE: case LS_SHELL_ESCAPE_ALWAYS:
        f->shown = g_shell_quote(f->name, len, o->quote == LS_SHELL_ESCAPE_ALWAYS, false,
                                 &f->shown_len);
        f->quoted = *f->shown != *f->name;
        break;
    case LS_C: f->shown = c_quote(f->name, true, &f->shown_len); break;
    case LS_C_MAYBE: /* as it is, where nothing had to be escaped */
        f->shown = c_quote(f->name, true, &f->shown_len);
        backslashes = 0;
        for (const char *s = f->name; *s; s++) backslashes += *s == '\\';
        f->quoted = f->shown_len > len + 2 + backslashes;
        if (f->quoted) break;
        free(f->shown);
        f->shown = g_copy_bytes(f->name, len);
        f->shown_len = len;
        break;
    case LS_ESCAPE: f->shown = c_quote(f->name, false, &f->shown_len); break;
    case LS_CLOCALE:
        if (!g_utf8_locale()) {
            f->shown = c_quote(f->name, true, &f->shown_len);
            break;
        } /* fallthrough */
    case LS_LOCALE:
        f->shown = g_copy_string(g_quote(f->name));
        f->shown_len = strlen(f->shown);
        break;
    }
    if (o->hide_control) hide_controls(f);
    bool bytes = o->quote == LS_LITERAL && !g_utf8_locale() && !o->hide_control;
    f->width = bytes ? f->shown_len : g_text_width(f->shown, f->shown_len);
}

static int look(const ls_options *o, ls_file *f, const char *path, bool operand) {
    bool follow = o->links == LS_FOLLOW_ALL ||
                  (operand && (o->links == LS_FOLLOW_OPERANDS || o->links == LS_FOLLOW_OPERAND_DIRS));
    if (follow) {
        int error = stat(path, &f->st) < 0 ? errno : 0;
        if (o->links != LS_FOLLOW_OPERAND_DIRS) return error;
        if (error ? error != ENOENT && error != ELOOP : S_ISDIR(f->st.st_mode)) return error;
    }
    return lstat(path, &f->st) < 0 ? errno : 0;
}

static void look_behind_link(const ls_options *o, ls_file *f, const char *path) {
    struct stat st;
    if (o->format == LS_LONG) f->target = g_read_link(path);
    f->target_ok = stat(path, &st) == 0;
    f->target_mode = f->target_ok ? st.st_mode : 0;
}

#if defined(__linux__)
#include <sys/syscall.h>
static int64_t birth_of(const char *path, const struct stat *st) {
    struct statx sx;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &sx) == 0 &&
        sx.stx_mask & STATX_BTIME) {
        return sx.stx_btime.tv_sec * 1000000000ll + sx.stx_btime.tv_nsec;
    }
    return st->st_mtim.tv_sec * 1000000000ll;
}
#else
static int64_t birth_of(const char *path, const struct stat *st) {
    (void)path;
    return st->st_mtim.tv_sec * 1000000000ll;
}
#endif

/* The path of a URI: what is no letter, digit or -._~/ is written as %xx. */
static char *uri_path(const char *path) {
    char *full = g_canonicalize(path, G_ANY_MISSING, false);
    g_text out = {0};
    for (const char *s = full ? full : path; *s; s++) {
        if (isalnum((unsigned char)*s) || strchr("-._~/", *s)) g_text_addc(&out, *s);
        else g_text_addf(&out, "%%%02x", (unsigned char)*s);
    }
    free(full);
    return out.s ? out.s : g_copy_string("");
}

void ls_add(const ls_options *o, ls_list *list, const char *dir, const char *name, bool operand,
            int type, int *status) {
    if (list->count == list->cap) list->files = g_more(list->files, &list->cap, sizeof *list->files);
    if (list->count % 256 == 255) pf_yield();
    ls_file *f = &list->files[list->count];
    memset(f, 0, sizeof *f);
    char *path = dir && strcmp(dir, ".") != 0 ? g_join(dir, name) : g_copy_string(name);
    if (operand || ls_needs_stat(o) ||
        (o->mark != LS_NO_MARK && (type == 0 || (o->links == LS_FOLLOW_ALL && type == DT_LNK)))) {
        int error = look(o, f, path, operand);
        f->has_stat = error == 0;
        if (error) {
            g_warn_errno(error, "cannot access %s", g_quoteaf(path));
            if (*status < (operand ? 2 : 1)) *status = operand ? 2 : 1;
            if (operand) {
                free(path);
                return;
            }
            f->st.st_mode = (mode_t)type << 12;
        }
        if (f->has_stat && S_ISLNK(f->st.st_mode)) look_behind_link(o, f, path);
        if (f->has_stat && o->time == LS_BTIME) f->born = birth_of(path, &f->st);
    } else {
        f->st.st_mode = (mode_t)type << 12;
    }
    if (o->hyperlink_host) f->path = uri_path(path);
    free(path);
    f->name = g_copy_string(name);
    ls_quote_name(o, f);
    list->any_quoted = list->any_quoted || f->quoted;
    list->count++;
}

void ls_clear(ls_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->files[i].name);
        free(list->files[i].shown);
        free(list->files[i].target);
        free(list->files[i].path);
    }
    list->count = 0;
    list->any_quoted = false;
}

static struct timespec time_of(const ls_options *o, const ls_file *f) {
    switch (o->time) {
    case LS_CTIME: return f->st.st_ctim;
    case LS_ATIME: return f->st.st_atim;
    case LS_BTIME: return (struct timespec){(time_t)(f->born / 1000000000), (long)(f->born % 1000000000)};
    default: return f->st.st_mtim;
    }
}

static bool is_directory(const ls_file *f) {
    return S_ISDIR(f->st.st_mode) || (S_ISLNK(f->st.st_mode) && S_ISDIR(f->target_mode));
}

static int compare(const ls_options *o, const ls_file *a, const ls_file *b) {
    if (o->directories_first && is_directory(a) != is_directory(b)) return is_directory(a) ? -1 : 1;
    int order = 0;
    switch (o->sort) {
    case LS_BY_TIME: {
        struct timespec x = time_of(o, a), y = time_of(o, b);
        order = x.tv_sec != y.tv_sec ? (x.tv_sec > y.tv_sec ? -1 : 1)
                                     : (x.tv_nsec < y.tv_nsec) - (x.tv_nsec > y.tv_nsec);
        break;
    }
    case LS_BY_SIZE: order = (a->st.st_size < b->st.st_size) - (a->st.st_size > b->st.st_size); break;
    case LS_BY_ENDING: {
        const char *x = strrchr(a->name, '.'), *y = strrchr(b->name, '.');
        order = strcmp(x ? x : "", y ? y : "");
        break;
    }
    case LS_BY_VERSION:
        order = g_version_compare(a->name, strlen(a->name), b->name, strlen(b->name));
        break;
    case LS_BY_WIDTH: order = (a->width > b->width) - (a->width < b->width); break;
    default: break;
    }
    if (order == 0) order = strcmp(a->name, b->name);
    return o->reverse ? -order : order;
}

/* Merge sort: stable, and no global state for a qsort callback. */
static void merge_sort(const ls_options *o, ls_file *f, ls_file *spare, size_t n) {
    if (n < 2) return;
    size_t half = n / 2;
    merge_sort(o, f, spare, half);
    merge_sort(o, f + half, spare, n - half);
    memcpy(spare, f, half * sizeof *f);
    size_t i = 0, j = half, k = 0;
    while (i < half && j < n)
        f[k++] = compare(o, &spare[i], &f[j]) <= 0 ? spare[i++] : f[j++];
    while (i < half) f[k++] = spare[i++];
}

void ls_sort_list(const ls_options *o, ls_list *list) {
    if (o->sort == LS_BY_NOTHING || list->count < 2) return;
    ls_file *spare = g_resize(NULL, list->count, sizeof *spare);
    merge_sort(o, list->files, spare, list->count);
    free(spare);
}
