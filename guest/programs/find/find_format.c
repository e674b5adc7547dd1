/*
 * find_format.c: -printf and -ls.
 */
#include "find.h"
#include "g_escape.h"
#include "g_file.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void put(g_sink *out, const char *s, size_t len) {
    if (out == &g_stdout) g_out(s, len);
    else g_sink_put(out, s, len);
}

/* A time: %A, %B, %C or %T with the letter of what is wanted. Seconds have ten decimals. */
static char *time_text(struct timespec t, char letter) {
    g_civil c;
    char format[64], decimals[16];
    g_civil_local(t.tv_sec, &c);
    snprintf(decimals, sizeof decimals, ".%09ld0", (long)t.tv_nsec);
    switch (letter) {
    case '@': {
        g_text text = {0};
        g_text_addf(&text, "%lld%s", (long long)t.tv_sec, decimals);
        return text.s;
    }
    case '+': snprintf(format, sizeof format, "%%Y-%%m-%%d+%%H:%%M:%%S%s", decimals); break;
    case 'S': snprintf(format, sizeof format, "%%S%s", decimals); break;
    case 'T': case 'X': snprintf(format, sizeof format, "%%H:%%M:%%S%s", decimals); break;
    case 'r': snprintf(format, sizeof format, "%%I:%%M:%%S %%p"); break;
    default: snprintf(format, sizeof format, "%%%c", letter); break;
    }
    return g_strftime(format, &c, t.tv_sec, (int)t.tv_nsec, NULL);
}

static char *ctime_text(struct timespec t) {
    g_civil c;
    char format[64];
    g_civil_local(t.tv_sec, &c);
    snprintf(format, sizeof format, "%%a %%b %%e %%H:%%M:%%S.%09ld0 %%Y", (long)t.tv_nsec);
    return g_strftime(format, &c, t.tv_sec, (int)t.tv_nsec, NULL);
}

static char *number_text(uint64_t value, const char *format) {
    g_text text = {0};
    if (*format == 'o') g_text_addf(&text, "%llo", (unsigned long long)value);
    else g_text_addf(&text, "%llu", (unsigned long long)value);
    return text.s;
}

static char *type_text(const struct stat *st) {
    char mode[11];
    g_mode_string(st->st_mode, mode);
    if (mode[0] == '-') mode[0] = 'f';
    return g_copy_bytes(mode, 1);
}

/* %Y: what a link leads to; N leads nowhere, L in a circle. */
static char *target_type(const find_file *file) {
    struct stat st;
    if (!S_ISLNK(file->e->st.st_mode)) return type_text(&file->e->st);
    if (fstatat(file->e->dir, file->e->at, &st, 0) == 0) return type_text(&st);
    return g_copy_string(errno == ELOOP ? "L" : "N");
}

static char *directory_text(const g_entry *e) {
    const char *slash = strrchr(e->path, '/');
    if (!slash) return g_copy_string(".");
    if (slash == e->path) return g_copy_string("");
    return g_copy_bytes(e->path, (size_t)(slash - e->path));
}

/* The text of a one-letter directive; NULL for an unknown one. */
static char *directive_text(find_file *file, char letter) {
    const g_entry *e = file->e;
    const struct stat *st = &e->st;
    size_t start = strlen(file->start);
    switch (letter) {
    case 'a': return ctime_text(st->st_atim);
    case 'b': return number_text((uint64_t)st->st_blocks, "u");
    case 'c': return ctime_text(st->st_ctim);
    case 'd': return number_text((uint64_t)e->depth, "u");
    case 'D': return number_text((uint64_t)st->st_dev, "u");
    case 'f': {
        if (e->depth > 0) return g_copy_string(e->name);
        const char *last = g_last_part(e->path); /* with its slashes */
        return g_copy_string(*last ? last : e->path);
    }
    case 'F': return g_copy_string("tmpfs");
    case 'g': {
        struct group *g = getgrgid(st->st_gid);
        return g ? g_copy_string(g->gr_name) : number_text(st->st_gid, "u");
    }
    case 'G': return number_text(st->st_gid, "u");
    case 'h': return directory_text(e);
    case 'H': return g_copy_string(file->start);
    case 'i': return number_text((uint64_t)st->st_ino, "u");
    case 'k': return number_text(((uint64_t)st->st_blocks + 1) / 2, "u");
    case 'l': {
        char *target = S_ISLNK(st->st_mode) ? g_read_link_at(e->dir, e->at) : NULL;
        return target ? target : g_copy_string("");
    }
    case 'm': return number_text(st->st_mode & 07777, "o");
    case 'M': {
        char mode[11];
        g_mode_string(st->st_mode, mode);
        return g_copy_string(mode);
    }
    case 'n': return number_text((uint64_t)st->st_nlink, "u");
    case 'p': return g_copy_string(e->path);
    case 'P': {
        const char *rest = e->path + (e->path_len < start ? e->path_len : start);
        while (*rest == '/') rest++;
        return g_copy_string(rest);
    }
    case 's': return number_text((uint64_t)st->st_size, "u");
    case 'S': {
        g_text text = {0};
        double ratio = st->st_size == 0 ? (st->st_blocks == 0 ? 1.0 : 0.0)
                                        : (double)st->st_blocks * 512 / (double)st->st_size;
        g_text_addf(&text, "%g", ratio);
        return text.s;
    }
    case 't': return ctime_text(st->st_mtim);
    case 'u': {
        struct passwd *user = getpwuid(st->st_uid);
        return user ? g_copy_string(user->pw_name) : number_text(st->st_uid, "u");
    }
    case 'U': return number_text(st->st_uid, "u");
    case 'y': return type_text(st);
    case 'Y': return target_type(file);
    case 'Z': return g_copy_string("");
    default: return NULL;
    }
}

static bool is_time(char letter) { return letter != '\0' && strchr("ABCT", letter) != NULL; }

/* Flags, width and precision behind %; returns where the letter stands. */
static const char *skip_spec(const char *p) {
    p += strspn(p, "-+ #0");
    p += strspn(p, "0123456789");
    if (*p == '.') p += 1 + strspn(p + 1, "0123456789");
    return p;
}

void find_check_format(const char *format) {
    for (const char *p = format; *p; p++) {
        if (*p == '\\') {
            if (!p[1]) g_warn("warning: escape `\\' followed by nothing at all");
            else if (!strchr("abcfnrtv\\01234567", p[1])) g_warn("warning: unrecognized escape `\\%c'", p[1]);
            if (p[1]) p++;
        } else if (*p == '%') {
            if (p[1] == '%') {
                p++;
                continue;
            }
            const char *letter = skip_spec(p + 1);
            if (!*letter) g_die(1, "error: %s at end of format string", p);
            if (is_time(*letter)) {
                if (!letter[1]) g_die(1, "error: the format directive `%.*s' is incomplete", (int)(letter - p) + 1, p);
                letter++;
            } else if (!strchr("abcdDfFgGhHiklmMnpPsStuUyYZ", *letter)) {
                g_warn("warning: unrecognized format directive `%%%c'", *letter);
            }
            p = letter;
        }
    }
}

static const char *put_directive(find_file *file, g_sink *out, const char *start) {
    const char *letter = skip_spec(start + 1);
    char *text;
    const char *end = letter + 1;
    if (is_time(*letter)) {
        const struct stat *st = &file->e->st;
        struct timespec t = *letter == 'A' ? st->st_atim : *letter == 'C' ? st->st_ctim : st->st_mtim;
        text = time_text(t, letter[1]);
        end++;
    } else {
        text = directive_text(file, *letter);
    }
    if (!text) {
        put(out, start, (size_t)(end - start));
        return end;
    }
    if (letter == start + 1) {
        put(out, text, strlen(text));
    } else {
        char format[32];
        bool number = *letter && strchr("bdDGiknmsU", *letter);
        size_t len = (size_t)(letter - start);
        if (len > sizeof format - 8) len = sizeof format - 8;
        memcpy(format, start, len);
        strcpy(format + len, number ? (*letter == 'm' ? "llo" : "lld") : "s");
        char small[512];
        int n = number ? snprintf(small, sizeof small, format, strtoll(text, NULL, *letter == 'm' ? 8 : 10))
                       : snprintf(small, sizeof small, format, text);
        if (n >= 0 && n < (int)sizeof small) {
            put(out, small, (size_t)n);
        } else if (n >= 0) {
            char *large = g_alloc((size_t)n + 1);
            snprintf(large, (size_t)n + 1, format, text);
            put(out, large, (size_t)n);
            free(large);
        }
    }
    free(text);
    return end;
}

void find_put_format(find_file *file, g_sink *out, const char *format) {
    g_text bytes = {0};
    for (const char *p = format; *p;) {
        size_t plain = strcspn(p, "\\%");
        put(out, p, plain);
        p += plain;
        if (*p == '%' && p[1] == '%') {
            put(out, "%", 1);
            p += 2;
        } else if (*p == '%') {
            p = put_directive(file, out, p);
        } else if (*p == '\\') {
            bool stop = false;
            const char *bad = NULL;
            bytes.len = 0;
            size_t n = p[1] && strchr("abcfnrtv\\01234567", p[1])
                           ? g_escape(p + 1, strlen(p + 1), G_ESCAPE_FORMAT, &bytes, &stop, &bad) : 0;
            if (stop) {
                if (out == &g_stdout) g_out_flush();
                else g_sink_flush(out);
                return;
            }
            if (n == 0) put(out, p, p[1] ? 2 : 1);
            else put(out, bytes.s, bytes.len);
            p += n ? n + 1 : p[1] ? 2 : 1;
        }
    }
    g_text_free(&bytes);
}

/* Names in -ls: what is not printable, blanks and backslashes are escaped. */
static void put_escaped(g_sink *out, const char *s) {
    g_text t = {0};
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        static const char letters[] = "btnvfr";
        if (c == '\\' || c == ' ' || c == '"') g_text_addf(&t, "\\%c", c);
        else if (c >= 8 && c <= 13) g_text_addf(&t, "\\%c", letters[c - 8]);
        else if (c < 0x20 || c == 0x7f) g_text_addf(&t, "\\%03o", c);
        else g_text_addc(&t, (char)c);
    }
    if (t.len) put(out, t.s, t.len);
    g_text_free(&t);
}

void find_put_ls(find_file *file, g_sink *out) {
    const g_entry *e = file->e;
    const struct stat *st = &e->st;
    char mode[11];
    g_text t = {0};
    g_mode_string(st->st_mode, mode);
    struct passwd *user = getpwuid(st->st_uid);
    struct group *group = getgrgid(st->st_gid);
    g_text_addf(&t, "%9llu %6llu %s %3llu ", (unsigned long long)st->st_ino,
                ((unsigned long long)st->st_blocks + 1) / 2, mode, (unsigned long long)st->st_nlink);
    if (user) g_text_addf(&t, "%-8s ", user->pw_name);
    else g_text_addf(&t, "%-8lu ", (unsigned long)st->st_uid);
    if (group) g_text_addf(&t, "%-8s ", group->gr_name);
    else g_text_addf(&t, "%-8lu ", (unsigned long)st->st_gid);
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
        g_text_addf(&t, "%3u, %3u ", (unsigned)major(st->st_rdev), (unsigned)minor(st->st_rdev));
    else
        g_text_addf(&t, "%8lld ", (long long)st->st_size);
    int64_t now = file->f->now.seconds, age = now - st->st_mtim.tv_sec;
    g_civil c;
    g_civil_local(st->st_mtim.tv_sec, &c);
    bool recent = age < 6 * 30 * 86400 && age > -3600;
    char *when = g_strftime(recent ? "%b %e %H:%M" : "%b %e  %Y", &c, st->st_mtim.tv_sec, 0, NULL);
    g_text_addf(&t, "%s ", when);
    put(out, t.s, t.len);
    put_escaped(out, e->path);
    if (S_ISLNK(st->st_mode)) {
        char *target = g_read_link_at(e->dir, e->at);
        put(out, " -> ", 4);
        put_escaped(out, target ? target : "");
        free(target);
    }
    put(out, "\n", 1);
    free(when);
    g_text_free(&t);
}
