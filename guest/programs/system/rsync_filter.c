/*
 * rsync_filter.c: patterns of names that are left out, or taken all the same. The first that
 * matches decides.
 */
#include "g_file.h"
#include "g_in.h"
#include "rsync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

typedef struct {
    char *pattern;
    bool include, directories, anchored, whole, wild;
} rule;
static rule *rules;
static size_t rule_count, rule_room;

/* One element of a bracket expression, and where it ends. */
static bool in_bracket(const char **at, char c) {
    const char *p = *at + 1;
    bool negated = *p == '!' || *p == '^', found = false;
    if (negated) p++;
    for (const char *first = p; *p && (*p != ']' || p == first); p++) {
        if (*p == '\\' && p[1]) p++;
        if (p[1] == '-' && p[2] && p[2] != ']') {
            found |= c >= *p && c <= p[2];
            p += 2;
        } else {
            found |= c == *p;
        }
    }
    *at = *p ? p + 1 : p;
    return found != negated && c != '/';
}

/* A star matches all but slashes, two of them match those as well. */
static bool wild_match(const char *p, const char *s) {
    for (; *p; s++) {
        if (*p == '*') {
            bool across = p[1] == '*';
            while (*p == '*') p++;
            for (;; s++) {
                if (wild_match(p, s)) return true;
                if (!*s || (*s == '/' && !across)) return false;
            }
        }
        if (!*s) return false;
        if (*p == '[' && strchr(p + 1, ']')) {
            if (!in_bracket(&p, *s)) return false;
            continue;
        }
        if (*p == '?' ? *s == '/' : (*p == '\\' && p[1] ? *++p : *p) != *s) return false;
        p++;
    }
    return !*s;
}

static bool one_match(const rule *r, const char *s) {
    if (!r->wild) return strcmp(r->pattern, s) == 0;
    return wild_match(r->pattern, s);
}

/* A pattern with a slash in it is matched with the end of a name, from any of its parts on. */
static bool matches(const rule *r, const char *name, bool directory) {
    if (r->directories && !directory) return false;
    const char *s = name;
    if (!r->whole) {
        const char *slash = strrchr(name, '/');
        return one_match(r, slash ? slash + 1 : name);
    }
    if (one_match(r, s)) return true;
    while (!r->anchored && (s = strchr(s, '/')))
        if (one_match(r, ++s)) return true;
    return false;
}

void rsync_filter_add(bool include, const char *pattern) {
    if (rule_count == rule_room) rules = g_more(rules, &rule_room, sizeof *rules);
    rule *r = &rules[rule_count++];
    *r = (rule){.include = include};
    if (*pattern == '/') {
        r->anchored = r->whole = true;
        pattern++;
    }
    r->pattern = g_copy_string(pattern);
    size_t len = strlen(r->pattern);
    if (len > 4 && strcmp(r->pattern + len - 4, "/***") == 0) {
        /* The directory and all that is in it. */
        r->pattern[len -= 4] = '\0';
        rule_count--;
        rule directory = *r;
        g_text inside = {0};
        g_text_addf(&inside, "%s%s/**", r->anchored ? "/" : "", r->pattern);
        directory.directories = true;
        directory.whole |= strchr(directory.pattern, '/') != NULL;
        directory.wild = strpbrk(directory.pattern, "*?[") != NULL;
        rules[rule_count++] = directory;
        rsync_filter_add(include, inside.s);
        g_text_free(&inside);
        return;
    }
    if (len > 1 && r->pattern[len - 1] == '/') {
        r->directories = true;
        r->pattern[len - 1] = '\0';
    }
    r->whole |= strchr(r->pattern, '/') || strstr(r->pattern, "**");
    r->wild = strpbrk(r->pattern, "*?[") != NULL;
}

void rsync_filter_rule(const char *text) {
    static const struct {
        const char *word;
        bool include;
    } words[] = {{"- ", false}, {"-_", false},       {"+ ", true},
                 {"+_", true},  {"exclude ", false}, {"include ", true}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i].word);
        if (strncmp(text, words[i].word, len) == 0 && text[len]) {
            rsync_filter_add(words[i].include, text + len);
            return;
        }
    }
    g_die(RSYNC_SYNTAX, "%s: of filter rules only '- PATTERN' and '+ PATTERN' are supported", text);
}

void rsync_filter_read(bool include, const char *file, bool from0) {
    int fd = g_open_input(file);
    if (fd < 0) g_exit(RSYNC_FILES);
    g_reader in;
    g_line line;
    g_reader_init(&in, fd, from0 ? '\0' : '\n');
    while (g_read_line(&in, &line)) {
        char *text = g_copy_bytes(line.s, line.len);
        size_t len = line.len;
        if (!from0 && len > 0 && text[len - 1] == '\r') text[--len] = '\0';
        bool comment = !from0 && (*text == ';' || *text == '#');
        bool marked = strncmp(text, "- ", 2) == 0 || strncmp(text, "+ ", 2) == 0;
        if (len > 0 && !comment && marked) rsync_filter_rule(text);
        if (len > 0 && !comment && !marked) rsync_filter_add(include, text);
        free(text);
    }
    g_reader_free(&in);
    g_close_input(fd);
}

bool rsync_filter_excludes(const char *name, bool directory) {
    for (size_t i = 0; i < rule_count; i++)
        if (matches(&rules[i], name, directory)) return !rules[i].include;
    return false;
}
