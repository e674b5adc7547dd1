/*
 * shell_functions.c: the functions that the shell adds to SQL: regexp() and with it the operator
 * REGEXP, regexpi(), readfile() and writefile(). shell_series.c has generate_series().
 */
#include "shell.h"
#include "g_file.h"
#include "g_regex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/regex/regex.h"
#include "lib/utf8/utf8.h"

static void free_regex(void *re) {
    pf_regex_free(re);
}

/* One escape that SQLite's expressions have and POSIX's do not; how much of `p` it takes. */
static size_t add_escape(g_text *to, const char *p, const char *end, bool in_set) {
    static const char letters[] = "aefnrtv", bytes[] = "\a\033\f\n\r\t\v";
    static const char classes[] = "dws", inverses[] = "DWS"; /* ASCII only */
    static const char *const members[] = {"0-9", "0-9A-Za-z_", " \t-\r"};
    const char *class;
    size_t left = (size_t)(end - p);
    const char *letter = left > 1 && p[1] ? strchr(letters, p[1]) : NULL;
    size_t digits = left > 1 && p[1] == 'x' ? 2 : left > 1 && p[1] == 'u' ? 4 : 0;
    if (letter) {
        g_text_addc(to, bytes[letter - letters]);
    } else if (digits && left >= 2 + digits) {
        char number[5] = {0}, utf8[4];
        memcpy(number, p + 2, digits);
        char *stop;
        unsigned long c = strtoul(number, &stop, 16);
        if (*stop || !c || (c & 0xf800) == 0xd800) return 0; /* half of a surrogate pair is none */
        size_t len = (size_t)pf_utf8_encode((uint32_t)c, utf8);
        if (!in_set && len == 1 && strchr("\\()*.+?[$^{|", utf8[0])) g_text_addc(to, '\\');
        g_text_add(to, utf8, len);
        return 2 + digits;
    } else if (left > 1 && p[1] && (class = strchr(classes, p[1]))) {
        g_text_adds(to, in_set ? "" : "[");
        g_text_adds(to, members[class - classes]);
        g_text_adds(to, in_set ? "" : "]");
    } else if (left > 1 && p[1] && !in_set && (class = strchr(inverses, p[1]))) {
        g_text_adds(to, "[^");
        g_text_adds(to, members[class - inverses]);
        g_text_addc(to, ']');
    } else if (left > 1 && in_set) { /* a bracket that is not the end has to be the first one */
        if (p[1] == ']' || p[1] == '-' || p[1] == '^') return 0;
        g_text_addc(to, p[1]);
    } else {
        return 0;
    }
    return 2;
}

/* A set; returns where it ends. POSIX wants ] in front and - behind: so are \] and \-. */
static const char *add_set(g_text *to, const char *p, const char *end) {
    bool bracket = false, hyphen = false, caret = false;
    g_text inner = {0};
    bool inverse = ++p < end && *p == '^';
    p += inverse;
    for (const char *first = p; p < end && (*p != ']' || p == first); p++) {
        const char *class = p + 1 < end && *p == '[' && p[1] == ':' ? strstr(p + 2, ":]") : NULL;
        if (class) {
            g_text_add(&inner, p, (size_t)(class + 2 - p));
            p = class + 1;
        } else if (*p == '\\' && p + 1 < end) {
            size_t len = add_escape(&inner, p, end, true);
            if (!len) {
                bracket |= p[1] == ']';
                hyphen |= p[1] == '-';
                caret |= p[1] == '^';
            }
            p += (len ? len : 2) - 1;
        } else if (*p == ']') {
            bracket = true;
        } else {
            g_text_addc(&inner, *p);
        }
    }
    if (caret && !inverse && !bracket && inner.len == 0) {
        g_text_adds(to, hyphen ? "[-^]" : "\\^");
    } else {
        g_text_adds(to, inverse ? "[^" : "[");
        if (bracket) g_text_addc(to, ']');
        if (inner.len) g_text_add(to, inner.s, inner.len);
        if (caret) g_text_addc(to, '^');
        if (hyphen) g_text_addc(to, '-');
        if (p < end) g_text_addc(to, ']');
    }
    g_text_free(&inner);
    return p;
}

/* NULL: the error is the function's result. */
static pf_regex *compile(sqlite3_context *context, const char *pattern, bool any_case) {
    g_text posix = {0};
    const char *end = pattern + strlen(pattern);
    g_text_add(&posix, "", 0);
    for (const char *p = pattern; p < end; p++) {
        if (*p == '[') {
            p = add_set(&posix, p, end);
        } else if (*p == '\\') {
            size_t len = add_escape(&posix, p, end, false);
            if (!len) g_text_add(&posix, p, len = p + 1 < end ? 2 : 1);
            p += len - 1;
        } else {
            g_text_addc(&posix, *p);
        }
    }
    pf_regex *re = NULL;
    const char *message = "out of memory";
    unsigned flags = PF_RE_EXTENDED | PF_RE_NOSUB | PF_RE_STRICT | (any_case ? PF_RE_ICASE : 0);
    if (pf_regex_compile(&re, posix.s, posix.len, flags, &g_regex_host, &message) != PF_RE_OK) {
        sqlite3_result_error(context, message, -1);
        re = NULL;
    }
    g_text_free(&posix);
    return re;
}

/* regexp(PATTERN, TEXT), which is TEXT REGEXP PATTERN. The last pattern is kept while it is the
 * same. */
static void regexp(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const char *pattern = (const char *)sqlite3_value_text(values[0]);
    const char *text = (const char *)sqlite3_value_text(values[1]);
    if (!pattern || !text) return;
    pf_regex *re = sqlite3_get_auxdata(context, 0);
    bool fresh = !re;
    if (fresh) {
        re = compile(context, pattern, sqlite3_user_data(context) != NULL);
        if (!re) return;
    }
    pf_range whole;
    int found = pf_regex_search(re, text, (size_t)sqlite3_value_bytes(values[1]), 0, 0, &whole, 1);
    if (found == PF_RE_OK || found == PF_RE_NOMATCH)
        sqlite3_result_int(context, found == PF_RE_OK);
    else
        sqlite3_result_error_nomem(context);
    if (fresh) sqlite3_set_auxdata(context, 0, re, free_regex);
}

static void readfile(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    const char *name = (const char *)sqlite3_value_text(values[0]);
    struct stat st;
    FILE *file = name ? fopen(name, "rb") : NULL;
    if (!file) return; /* NULL, as the original */
    if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(file);
        return;
    }
    g_text all = {0};
    char block[8192];
    size_t limit =
        (size_t)sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
    for (size_t n; all.len <= limit && (n = fread(block, 1, sizeof block, file)) > 0;)
        g_text_add(&all, block, n);
    fclose(file);
    if (all.len > limit)
        sqlite3_result_error_code(context, SQLITE_TOOBIG);
    else
        sqlite3_result_blob64(context, all.len ? all.s : "", all.len, SQLITE_TRANSIENT);
    g_text_free(&all);
}

/* What `mode` says shall be there: a directory, a link or a file. */
static bool make_file(const char *name, mode_t mode, const char *data, size_t len) {
    if (S_ISLNK(mode)) {
        char *target = g_copy_bytes(data, len);
        bool made = symlink(target, name) == 0;
        free(target);
        return made;
    }
    if (S_ISDIR(mode)) {
        struct stat st;
        bool made = mkdir(name, mode & 07777) == 0 ||
                    (errno == EEXIST && stat(name, &st) == 0 && S_ISDIR(st.st_mode));
        return made && chmod(name, mode & 07777) == 0;
    }
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    bool written = fwrite(data, 1, len, file) == len;
    if (fclose(file) != 0) written = false;
    return written && (!mode || chmod(name, mode & 0777) == 0);
}

/* writefile(NAME, DATA [, MODE [, MTIME]]): how many bytes. */
static void writefile(sqlite3_context *context, int count, sqlite3_value **values) {
    if (count < 2 || count > 4) {
        sqlite3_result_error(context, "wrong number of arguments to function writefile()", -1);
        return;
    }
    const char *name = (const char *)sqlite3_value_text(values[0]);
    if (!name) return;
    const char *data = (const char *)sqlite3_value_blob(values[1]);
    size_t len = data ? (size_t)sqlite3_value_bytes(values[1]) : 0;
    mode_t mode = count > 2 ? (mode_t)sqlite3_value_int(values[2]) : 0;
    bool made = make_file(name, mode, data ? data : "", len);
    if (!made && errno == ENOENT) {
        g_make_parents(name);
        made = make_file(name, mode, data ? data : "", len);
    }
    if (made && count > 3) {
        struct timespec times[2] = {{.tv_sec = time(NULL)},
                                    {.tv_sec = (time_t)sqlite3_value_int64(values[3])}};
        made = utimensat(AT_FDCWD, name, times, AT_SYMLINK_NOFOLLOW) == 0;
    }
    if (!made) {
        char *message = sqlite3_mprintf("failed to %s: %s",
                                        S_ISLNK(mode)   ? "create symlink"
                                        : S_ISDIR(mode) ? "create directory"
                                                        : "write file",
                                        name);
        sqlite3_result_error(context, message, -1);
        sqlite3_free(message);
    } else if (!S_ISLNK(mode) && !S_ISDIR(mode)) {
        sqlite3_result_int64(context, (sqlite3_int64)len);
    }
}

void shell_functions_add(sqlite3 *db) {
    static bool any_case = true;
    int pure = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC;
    int outside = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    sqlite3_create_function(db, "regexp", 2, pure, NULL, regexp, NULL, NULL);
    sqlite3_create_function(db, "regexpi", 2, pure, &any_case, regexp, NULL, NULL);
    sqlite3_create_function(db, "readfile", 1, outside, NULL, readfile, NULL, NULL);
    sqlite3_create_function(db, "writefile", -1, outside, NULL, writefile, NULL, NULL);
    shell_series_add(db);
}
