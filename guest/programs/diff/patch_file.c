/*
 * patch_file.c: which file a patch means, and how it is written, kept or removed.
 */
#include "patch.h"
#include "g_file.h"
#include "g_out.h"
#include "g_quote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t parts(const char *name) {
    size_t n = 0;
    for (const char *p = name; *p;) {
        while (*p == '/') p++;
        if (*p) n++;
        p += strcspn(p, "/");
    }
    return n;
}

/* Of its directories, how many are not there. */
static size_t missing_parts(const char *name) {
    size_t missing = 0;
    char *copy = g_copy_string(name);
    for (char *slash; (slash = strrchr(copy, '/')) && slash > copy;) {
        *slash = '\0';
        if (access(copy, F_OK) == 0) break;
        missing++;
    }
    free(copy);
    return missing;
}

/* Fewest parts, then the shortest last part, then the shortest; the first of equals. */
static int best(char *const *names, const bool *candidate) {
    int found = -1;
    for (int i = 0; i < 3; i++) {
        if (!candidate[i]) continue;
        if (found < 0) {
            found = i;
            continue;
        }
        const char *a = names[i], *b = names[found];
        size_t pa = parts(a), pb = parts(b), la = strlen(g_last_part(a)),
               lb = strlen(g_last_part(b));
        if (pa != pb ? pa < pb : la != lb ? la < lb : strlen(a) < strlen(b)) found = i;
    }
    return found;
}

char *patch_choose(const patch_options *o, const file_patch *p) {
    char *const *names = p->names;
    bool usable[3] = {0}, exists[3] = {0}, any = false;
    for (int i = 0; i < 3; i++) {
        if (!names[i] || (i == INDEX && (names[OLD] || names[NEW]))) continue;
        struct stat st;
        bool seen = false;
        for (int k = 0; k < i; k++) seen |= names[k] && strcmp(names[k], names[i]) == 0;
        if (*names[i] == '/') {
            if (!seen) g_outf("Ignoring potentially dangerous file name %s\n", g_quotef(names[i]));
            continue;
        }
        usable[i] = !g_path_climbs(names[i]); /* it would lead out of here */
        exists[i] = usable[i] && stat(names[i], &st) == 0;
        any |= exists[i];
    }
    if (p->rename_from && p->rename_to)
        return g_copy_string(o->reverse ? p->rename_to : p->rename_from);
    if (any) return g_copy_string(names[best(names, exists)]);
    /* None is there: fine when the patch creates it, in the directory that lacks least. */
    if (!p->nonexistent[OLD] && !p->nonexistent[NEW]) return NULL;
    size_t least = SIZE_MAX;
    for (int i = 0; i < 3; i++)
        if (usable[i] && missing_parts(names[i]) < least) least = missing_parts(names[i]);
    for (int i = 0; i < 3; i++) usable[i] = usable[i] && missing_parts(names[i]) == least;
    int chosen = best(names, usable);
    return chosen < 0 ? NULL : g_copy_string(names[chosen]);
}

void patch_make_parents(const char *name) {
    char *copy = g_copy_string(name);
    for (char *p = copy + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        if (mkdir(copy, 0777) < 0 && errno != EEXIST)
            patch_fatal("Can't create directory %s : %s", g_quotef(copy), strerror(errno));
        *p = '/';
    }
    free(copy);
}

bool patch_first_change(const char *name) {
    static char **names;
    static size_t count, cap;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return false;
    if (count == cap) names = g_more(names, &cap, sizeof *names);
    names[count++] = g_copy_string(name);
    return true;
}

void patch_back_up(const patch_options *o, const char *name, bool exists) {
    g_text to = {0};
    size_t dir = (size_t)(g_last_part(name) - name);
    if (o->prefix) g_text_adds(&to, o->prefix);
    g_text_add(&to, name, dir);
    g_text_adds(&to, name + dir);
    if (o->suffix || !o->prefix) g_text_adds(&to, o->suffix ? o->suffix : ".orig");
    if (o->prefix) patch_make_parents(to.s);
    if (exists) {
        if (rename(name, to.s) < 0)
            patch_fatal("Can't rename file %s to %s : %s", g_quotef(name), g_quotef(to.s),
                        strerror(errno));
    } else {
        int fd = open(to.s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd >= 0) close(fd);
    }
    g_text_free(&to);
}

void patch_write(const char *name, const g_text *content, mode_t mode) {
    if (strcmp(name, "-") == 0) {
        g_out(content->s ? content->s : "", content->len);
        return;
    }
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) patch_fatal("Can't create file %s : %s", g_quotef(name), strerror(errno));
    g_sink sink = {.fd = fd};
    g_sink_put(&sink, content->s ? content->s : "", content->len);
    int error = g_sink_flush(&sink);
    g_sink_free(&sink);
    if (mode) fchmod(fd, mode);
    if (close(fd) < 0 && !error) error = errno;
    if (error) patch_fatal("write error : %s", strerror(error));
}

void patch_remove(const char *name) {
    if (unlink(name) < 0) patch_fatal("Can't remove file %s : %s", g_quotef(name), strerror(errno));
    char *copy = g_copy_string(name);
    for (char *slash; (slash = strrchr(copy, '/')) && slash > copy;) {
        *slash = '\0';
        if (rmdir(copy) < 0) break;
    }
    free(copy);
}
