/* changes.c: lists the differences between the files of two sandboxes. See approve.h.
 *
 * Contents are compared, never times alone: a script can set those. */
#include "approve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATH_BYTES  4200
#define TEXT_BYTES  (1 << 20)
#define FILES_MAX   60
#define SECONDS_MAX 30

#define KIND(info) ((info)->mode & 0170000)
enum { DIRECTORY = 0040000, REGULAR = 0100000, LINK = 0120000 };

struct comparing {
    struct text *out;
    pf_sandbox *before, *after;
    size_t count;
    time_t until;
};

static time_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static struct text contents(pf_sandbox *sandbox, const char *path) {
    struct text text = {0};
    char *data;
    size_t len;
    if (sandbox && pf_file_take(sandbox, path, &data, &len, NULL) == PF_OK) {
        text_add(&text, data, len);
        pf_free(data);
    } else
        text_puts(&text, "");
    return text;
}

static void add_note(struct text *out, const char *format, int64_t a, int64_t b) {
    char line[120];
    snprintf(line, sizeof line, format, a, b);
    text_puts(out, line);
}

static void show_contents(struct comparing *c, const char *path, const pf_file_info *was,
                          const pf_file_info *is) {
    int64_t a = was ? was->size : 0, b = is ? is->size : 0;
    bool shown = a <= TEXT_BYTES && b <= TEXT_BYTES;
    if (shown) {
        struct text old = contents(was ? c->before : NULL, path);
        struct text new = contents(is ? c->after : NULL, path);
        shown = !memchr(old.data, '\0', old.len) && !memchr(new.data, '\0', new.len);
        if (shown) diff_show(c->out, "      ", old.data, old.len, new.data, new.len);
        free(old.data);
        free(new.data);
    }
    if (!shown) add_note(c->out, "      %" PRId64 " → %" PRId64 " bytes\n", a, b);
}

static void show_name(struct comparing *c, char kind, const char *path) {
    add_line(c->out, "    ", (char[]){kind, ' ', '\0'}, path, strlen(path));
}

static struct text target_of(pf_sandbox *sandbox, const char *path) {
    struct text text = {0};
    char *data;
    size_t len;
    text_puts(&text, "");
    if (pf_file_link(sandbox, path, &data, &len, NULL) != PF_OK) return text;
    text_add(&text, data, len);
    pf_free(data);
    return text;
}

static bool link_differs(struct comparing *c, const char *path) {
    struct text old = target_of(c->before, path), new = target_of(c->after, path);
    bool differs = strcmp(old.data, new.data) != 0;
    free(old.data);
    free(new.data);
    return differs;
}

static bool differs(struct comparing *c, const char *path, const pf_file_info *was,
                    const pf_file_info *is) {
    uint8_t old[PF_DIGEST_BYTES], new[PF_DIGEST_BYTES];
    if (KIND(was) != KIND(is) || was->mode != is->mode) return true;
    if (KIND(is) == DIRECTORY) return false;
    if (was->size != is->size) return true;
    if (KIND(is) == LINK) return link_differs(c, path);
    if (KIND(is) != REGULAR) return false;
    return pf_file_digest(c->before, path, old, NULL) != PF_OK ||
           pf_file_digest(c->after, path, new, NULL) != PF_OK || memcmp(old, new, sizeof old);
}

static void compare(struct comparing *c, const char *path) {
    pf_file_info was, is;
    bool there = pf_file_lstat(c->before, path, &was, NULL) == PF_OK;
    bool here = pf_file_lstat(c->after, path, &is, NULL) == PF_OK;
    if (!there && !here) return;
    if (there && here && !differs(c, path, &was, &is)) return;
    if (c->count++ >= FILES_MAX) return;
    show_name(c, !there ? 'A' : !here ? 'D' : 'M', path);
    if (there && here && KIND(&was) != KIND(&is)) {
        text_puts(c->out, "      it is of another kind\n");
        return;
    }
    if (there && here && was.mode != is.mode) {
        char line[80];
        snprintf(line, sizeof line, "      mode %04o → %04o\n", was.mode & 07777, is.mode & 07777);
        text_puts(c->out, line);
    }
    if (KIND(here ? &is : &was) == REGULAR)
        show_contents(c, path, there ? &was : NULL, here ? &is : NULL);
    else if (KIND(here ? &is : &was) == LINK) {
        struct text target = target_of(here ? c->after : c->before, path);
        add_line(c->out, "      ", "a link → ", target.data, target.len);
        free(target.data);
    }
}

/* Every path below a directory in one of the two; what both have is met once. */
static void walk(struct comparing *c, char *path, size_t len, bool second) {
    char *names;
    size_t names_len;
    pf_sandbox *sandbox = second ? c->after : c->before;
    if (pf_file_list(sandbox, path, &names, &names_len, NULL) != PF_OK) return;
    for (const char *name = names; name < names + names_len; name += strlen(name) + 1) {
        size_t name_len = strlen(name);
        pf_file_info info, other;
        if (now() > c->until || len + 1 + name_len >= PATH_BYTES) break;
        path[len] = '/';
        memcpy(path + len + 1, name, name_len + 1);
        bool met = second && pf_file_lstat(c->before, path, &other, NULL) == PF_OK;
        if (!met) compare(c, path);
        if (pf_file_lstat(sandbox, path, &info, NULL) == PF_OK && KIND(&info) == DIRECTORY)
            walk(c, path, len + 1 + name_len, second);
    }
    path[len] = '\0';
    pf_free(names);
}

/* What is not as it came into a mount, in either of the two. */
static void compare_mount(struct comparing *c, const char *guest) {
    for (int i = 0; i < 2; i++) {
        char *changes;
        size_t len;
        if (pf_mount_changes(i ? c->after : c->before, guest, &changes, &len, NULL) != PF_OK)
            continue;
        for (const char *at = changes; at < changes + len; at += strlen(at) + 1) {
            bool again = false;
            char *first = NULL;
            size_t first_len = 0;
            if (i && pf_mount_changes(c->before, guest, &first, &first_len, NULL) == PF_OK)
                for (const char *old = first; old < first + first_len; old += strlen(old) + 1)
                    again |= !strcmp(old + 1, at + 1);
            pf_free(first);
            if (!again) compare(c, at + 1);
        }
        pf_free(changes);
    }
}

void changes_show(struct text *out, pf_sandbox *before, pf_sandbox *after,
                  const struct arguments *arguments) {
    static const char *const tops[] = {"/workspace", "/tmp"};
    struct text found = {0};
    struct comparing c = {&found, before, after, 0, now() + SECONDS_MAX};
    char path[PATH_BYTES];
    for (int i = 0; i < 2; i++)
        for (int second = 0; second < 2; second++) {
            snprintf(path, sizeof path, "%s", tops[i]);
            walk(&c, path, strlen(path), second);
        }
    for (size_t i = 0; i < arguments->copies.count; i++)
        compare_mount(&c, arguments->copies.items[i].value);
    if (c.count) {
        text_puts(out, "  files:\n");
        text_add(out, found.data, found.len);
    }
    if (c.count > FILES_MAX)
        add_note(out, "    … %" PRId64 " more files …\n", (int64_t)c.count - FILES_MAX, 0);
    if (now() > c.until) text_puts(out, "    … not all files were looked at: it took too long …\n");
    free(found.data);
}
