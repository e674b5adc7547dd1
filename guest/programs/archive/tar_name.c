/*
 * tar_name.c: members' names: which are wanted, what they become.
 */
#include "tar.h"
#include "g_regex.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>

/* One part of a transformation, up to a delimiter that has no backslash in front. */
static char *part(const char **p, char delimiter) {
    g_text out = {0};
    for (; **p && **p != delimiter; ++*p) {
        if (**p == '\\' && (*p)[1] == delimiter)
            ++*p;
        else if (**p == '\\' && (*p)[1])
            g_text_addc(&out, *(*p)++);
        g_text_addc(&out, **p);
    }
    if (**p != delimiter) tar_fatal(0, "Invalid transform expression");
    ++*p;
    return out.s ? out.s : g_copy_string("");
}

void tar_add_transform(tar_options *o, const char *expression) {
    for (const char *p = expression; *p;) {
        if (*p++ != 's' || !*p) tar_fatal(0, "Invalid transform expression");
        char delimiter = *p++;
        char *pattern = part(&p, delimiter);
        tar_transform t = {
            .replacement = part(&p, delimiter), .names = true, .symlinks = true, .hardlinks = true};
        unsigned compile = 0;
        for (; *p && *p != ';'; p++) {
            if (*p == 'g')
                t.global = true;
            else if (*p == 'i')
                compile |= PF_RE_ICASE;
            else if (*p == 'x')
                compile |= PF_RE_EXTENDED;
            else if (*p == 'r' || *p == 'R')
                t.names = *p == 'r';
            else if (*p == 's' || *p == 'S')
                t.symlinks = *p == 's';
            else if (*p == 'h' || *p == 'H')
                t.hardlinks = *p == 'h';
            else if (isdigit((unsigned char)*p))
                t.number = strtoul(p, (char **)&p, 10), p--;
            else
                tar_fatal(0, "Unknown flag in transform expression: %c", *p);
        }
        if (*p == ';') p++;
        const char *message;
        if (pf_regex_compile(&t.re, pattern, strlen(pattern), compile, &g_regex_host, &message))
            tar_fatal(0, "Invalid transform expression: %s", message);
        free(pattern);
        if (o->transform_count == o->transform_cap)
            o->transforms = g_more(o->transforms, &o->transform_cap, sizeof *o->transforms);
        o->transforms[o->transform_count++] = t;
    }
}

enum { GROUPS = 10 };

/* \U \L \u \l \E change the case of what follows. */
static void add_replacement(g_text *out, const char *r, const char *name, const pf_range *groups,
                            size_t count) {
    char mode = 0, once = 0;
    for (; *r; r++) {
        const char *s = r;
        size_t len = 1;
        if (*r == '&' || (*r == '\\' && isdigit((unsigned char)r[1]))) {
            size_t g = *r == '&' ? 0 : (size_t)(*++r - '0');
            if (g >= count || groups[g].start < 0) continue;
            s = name + groups[g].start;
            len = (size_t)(groups[g].end - groups[g].start);
        } else if (*r == '\\' && r[1]) {
            r++;
            if (strchr("ULE", *r)) {
                mode = *r == 'E' ? 0 : *r;
                continue;
            }
            if (*r == 'u' || *r == 'l') {
                once = *r;
                continue;
            }
            s = *r == 'n' ? "\n" : *r == 't' ? "\t" : r;
        }
        for (size_t i = 0; i < len; i++) {
            char how = once ? once : mode;
            once = 0;
            g_text_addc(out, (char)(how == 'U' || how == 'u'   ? toupper((unsigned char)s[i])
                                    : how == 'L' || how == 'l' ? tolower((unsigned char)s[i])
                                                               : s[i]));
        }
    }
}

static char *transform_one(const tar_transform *t, const char *name) {
    g_text out = {0};
    size_t len = strlen(name), at = 0, number = 0;
    pf_range groups[GROUPS];
    while (at <= len && pf_regex_search(t->re, name, len, at, 0, groups, GROUPS) == PF_RE_OK) {
        size_t start = (size_t)groups[0].start, end = (size_t)groups[0].end;
        bool this_one = ++number >= (t->number ? t->number : 1);
        g_text_add(&out, name + at, start - at);
        if (this_one)
            add_replacement(&out, t->replacement, name, groups, (size_t)pf_regex_groups(t->re) + 1);
        else
            g_text_add(&out, name + start, end - start);
        at = end;
        if (end == start) {
            if (at < len) g_text_addc(&out, name[at]);
            at++;
        }
        if (this_one && !t->global) break;
    }
    if (at < len) g_text_adds(&out, name + at);
    return out.s ? out.s : g_copy_string("");
}

char *tar_transformed(const tar_options *o, const char *name, char kind) {
    char *now = g_copy_string(name);
    for (size_t i = 0; i < o->transform_count; i++) {
        const tar_transform *t = &o->transforms[i];
        if (!(kind == 'n' ? t->names : kind == 's' ? t->symlinks : t->hardlinks)) continue;
        char *next = transform_one(t, now);
        free(now);
        now = next;
    }
    return now;
}

const char *tar_safe_name(const tar_options *o, const char *name, bool link) {
    static char *said[2];
    if (o->absolute_names) return name;
    /* Everything up to the last "..", and slashes at the beginning. */
    const char *rest = name;
    for (const char *p = name; *p;) {
        size_t len = strcspn(p, "/");
        bool up = len == 2 && p[0] == '.' && p[1] == '.';
        p += len;
        while (*p == '/') p++;
        if (up) rest = p;
    }
    while (*rest == '/') rest++;
    if (rest != name) {
        char *prefix = g_copy_bytes(name, (size_t)(rest - name));
        if (!said[link] || strcmp(said[link], prefix) != 0) {
            g_warn("Removing leading `%s' from %s", prefix,
                   link ? "hard link targets" : "member names");
            free(said[link]);
            said[link] = prefix;
        } else {
            free(prefix);
        }
    }
    if (!*rest) {
        if (!link && !said[link]) g_warn("Substituting `.' for empty member name");
        return ".";
    }
    return rest;
}

void tar_safe_link(const tar_options *o, tar_member *m) {
    if (m->type != '1') return;
    char *safe = g_copy_string(tar_safe_name(o, m->link, true));
    free(m->link);
    m->link = safe;
}

/* A pattern that covers the name or a directory in front of it. */
static bool covers(const tar_options *o, const char *pattern, const char *name, bool wildcards) {
    char *copy = g_copy_string(name);
    size_t len = strlen(copy);
    while (len > 1 && copy[len - 1] == '/') copy[--len] = '\0';
    bool match = false;
    int flags = o->ignore_case ? FNM_CASEFOLD : 0;
    for (size_t end = len; !match; end--) {
        char kept = copy[end];
        copy[end] = '\0';
        match = wildcards ? fnmatch(pattern, copy, flags) == 0 : strcmp(pattern, copy) == 0;
        copy[end] = kept;
        while (end > 0 && copy[end - 1] != '/') end--;
        if (end == 0) break;
    }
    free(copy);
    return match;
}

bool tar_excluded(const tar_options *o, const char *name) {
    for (size_t at = 0; at < o->exclude.len; at += strlen(o->exclude.s + at) + 1) {
        const char *pattern = o->exclude.s + at;
        for (const char *p = name; p; p = o->anchored ? NULL : strchr(p, '/')) {
            while (p != name && *p == '/') p++;
            if (!*p) break;
            if (covers(o, pattern, p, true)) return true;
        }
    }
    return false;
}

bool tar_wanted(tar_options *o, const char *name) {
    bool any = false, named = false;
    for (size_t i = 0; i < o->operand_count; i++) {
        tar_operand *operand = &o->operands[i];
        if (!operand->name) continue;
        named = true;
        char *pattern = g_copy_string(operand->name);
        size_t len = strlen(pattern);
        while (len > 1 && pattern[len - 1] == '/') pattern[--len] = '\0';
        if (covers(o, pattern, name, o->wildcards)) any = operand->found = true;
        free(pattern);
    }
    return any || !named;
}

const char *tar_stripped(const tar_options *o, const char *name) {
    for (uint64_t i = 0; i < o->strip; i++) {
        name += strcspn(name, "/");
        while (*name == '/') name++;
        if (!*name) return NULL;
    }
    return name;
}
