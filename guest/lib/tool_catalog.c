/*
 * guest/lib/tool_catalog.c: see tool_catalog.h.
 */
#include "tool_catalog.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pf.h"

#ifndef TOOL_CATALOG_ROOT
#define TOOL_CATALOG_ROOT "/tools"
#endif
#define NAME_MAX_LEN 255

const char *tool_catalog_text(yyjson_val *tool, const char *member) {
    const char *text = yyjson_get_str(yyjson_obj_get(tool, member));
    return text != NULL ? text : "";
}

/* ------------------------------------------------------------------ names */

/* `mcp:a.b/c` is `a/b/c`; false when it is too long to be a name. */
static bool make_id(const char *name, char id[NAME_MAX_LEN + 1]) {
    if (strncmp(name, "mcp:", 4) == 0) name += 4;
    size_t len = strlen(name);
    if (len == 0 || len > NAME_MAX_LEN) return false;
    for (size_t i = 0; i <= len; i++) id[i] = name[i] == '.' ? '/' : name[i];
    return true;
}

/* A flat name that several tools have, or that is something else's, is nobody's. */
static bool is_called(yyjson_val *tool, const char *name, const char *id) {
    return strcmp(tool_catalog_text(tool, "id"), id) == 0 ||
           (strcmp(tool_catalog_text(tool, "flat"), name) == 0 &&
            !yyjson_is_false(yyjson_obj_get(tool, "flat_usable")));
}

#define SHORT_LEN 4096

/* The last short document, and the text that it was read from: a loop calls one tool. */
static struct {
    yyjson_doc *doc;
    char *text;
    size_t len;
    bool lent;
} last;

static void keep_last(yyjson_doc *doc, const char *text, size_t len) {
    char *copy = malloc(len);
    if (copy == NULL) return;
    memcpy(copy, text, len);
    yyjson_doc_free(last.doc);
    free(last.text);
    last.doc = doc;
    last.text = copy;
    last.len = len;
    last.lent = true;
}

/* The document in a text that is whole; NULL: it is no JSON. */
static yyjson_doc *parse(const char *text, size_t len) {
    if (last.doc != NULL && !last.lent && len == last.len && memcmp(text, last.text, len) == 0) {
        last.lent = true;
        return last.doc;
    }
    yyjson_doc *doc = yyjson_read(text, len, 0);
    if (doc != NULL && len <= SHORT_LEN && !last.lent) keep_last(doc, text, len);
    return doc;
}

static void release(yyjson_doc *doc) {
    if (doc != NULL && doc == last.doc)
        last.lent = false;
    else
        yyjson_doc_free(doc);
}

void tool_catalog_release(struct tool_entry *entry) {
    release(entry->doc);
    *entry = (struct tool_entry){NULL, NULL};
}

/* The document in a file; NULL when there is none. Every call of a tool comes here: three calls of
 * the system are enough for a file that fits the first buffer. */
static yyjson_doc *read_document(const char *path) {
    char first[SHORT_LEN], *text = first;
    size_t len = 0, cap = sizeof first;
    yyjson_doc *doc = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    for (;;) {
        ssize_t n = read(fd, text + len, cap - len);
        if (n < 0) break;
        len += (size_t)n;
        if (len < cap) { /* what reads short is at its end */
            doc = parse(text, len);
            break;
        }
        char *more = realloc(text == first ? NULL : text, cap * 2);
        if (more == NULL) break;
        if (text == first) memcpy(more, first, len);
        text = more;
        cap *= 2;
    }
    if (text != first) free(text);
    close(fd);
    return doc;
}

static yyjson_val *all_tools(yyjson_doc **doc) {
    *doc = read_document(TOOL_CATALOG_ROOT "/tools.json");
    yyjson_val *root = yyjson_doc_get_root(*doc);
    return yyjson_is_arr(root) ? root : yyjson_obj_get(root, "tools");
}

/* Does a flat name keep this of an id? As cap_name_flat() of the host has it, which names the
 * files. */
static bool is_flat(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

struct tool_entry tool_catalog_find(const char *name) {
    struct tool_entry entry = {NULL, NULL};
    char id[NAME_MAX_LEN + 1], path[sizeof TOOL_CATALOG_ROOT + NAME_MAX_LEN + 20];
    if (!make_id(name, id)) return entry;
    char *p = stpcpy(path, TOOL_CATALOG_ROOT "/schema/");
    for (const char *from = id; *from; from++) *p++ = is_flat(*from) ? *from : '_';
    strcpy(p, ".json");
    entry.doc = read_document(path);
    entry.tool = yyjson_doc_get_root(entry.doc);
    if (entry.tool != NULL && is_called(entry.tool, name, id)) return entry;
    /* Two ids can have one flat name: then the list has the other. */
    bool file = entry.doc != NULL;
    tool_catalog_release(&entry);
    if (!file) return entry;
    size_t i, count;
    yyjson_val *tool;
    yyjson_arr_foreach(all_tools(&entry.doc), i, count, tool) {
        if (is_called(tool, name, id)) {
            entry.tool = tool;
            return entry;
        }
    }
    return entry;
}

/* ------------------------------------------------------------------ lists */

/* The name, and the first line of what it does. */
static void print_line(yyjson_val *tool) {
    const char *what = tool_catalog_text(tool, "description");
    printf("%-28s", tool_catalog_text(tool, "name"));
    if (*what != '\0') printf("  %.*s", (int)strcspn(what, "\n"), what);
    putchar('\n');
}

/* Whether `word` is in `text`, in any case. */
static bool contains(const char *text, const char *word) {
    size_t len = strlen(word);
    for (;; text++) {
        size_t i = 0;
        while (i < len && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i])) i++;
        if (i == len) return true;
        if (*text == '\0') return false;
    }
}

/* Prints a line for each tool that `wanted` is true of. */
static int list_tools(bool (*wanted)(yyjson_val *tool, const char *text, const char *id),
                      const char *text, const char *id) {
    yyjson_doc *doc;
    yyjson_val *tool;
    size_t i, count;
    int found = 0;
    yyjson_arr_foreach(all_tools(&doc), i, count, tool) {
        if (!wanted(tool, text, id)) continue;
        print_line(tool);
        found++;
        pf_yield();
    }
    release(doc);
    return found;
}

static bool begins_so(yyjson_val *tool, const char *prefix, const char *id) {
    return strncmp(tool_catalog_text(tool, "id"), id, strlen(id)) == 0 ||
           strncmp(tool_catalog_text(tool, "flat"), prefix, strlen(prefix)) == 0;
}

int tool_catalog_list(const char *prefix) {
    char id[NAME_MAX_LEN + 1] = "";
    if (*prefix != '\0' && !make_id(prefix, id)) return 0;
    return list_tools(begins_so, prefix, id);
}

static bool has_word(yyjson_val *tool, const char *word, const char *unused) {
    static const char *const members[] = {"name", "id", "flat", "description"};
    (void)unused;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (contains(tool_catalog_text(tool, members[i]), word)) return true;
    return false;
}

int tool_catalog_search(const char *word) {
    return list_tools(has_word, word, NULL);
}

/* ------------------------------------------------------------------ names that are like one */

/* Edits between two names; case and separators count for nothing. */
static int distance(const char *a, const char *b) {
    unsigned char row[NAME_MAX_LEN + 2];
    size_t m = strlen(b);
    if (m > 60 || strlen(a) > 60) return 99;
    for (size_t k = 0; k <= m; k++) row[k] = (unsigned char)k;
    for (size_t i = 0; a[i] != '\0'; i++) {
        unsigned char corner = row[0];
        row[0] = (unsigned char)(i + 1);
        for (size_t k = 0; k < m; k++) {
            unsigned char up = row[k + 1];
            int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[k]);
            bool same = x == y || (strchr("._-/", x) != NULL && strchr("._-/", y) != NULL);
            unsigned char best = (unsigned char)(corner + !same);
            if (up + 1 < best) best = (unsigned char)(up + 1);
            if (row[k] + 1 < best) best = (unsigned char)(row[k] + 1);
            row[k + 1] = best;
            corner = up;
        }
    }
    return row[m];
}

#define SUGGESTIONS 3

void tool_catalog_suggest(const char *name) {
    const char *best[SUGGESTIONS];
    int cost[SUGGESTIONS], known = 0, limit = (int)strlen(name) / 3 + 1;
    yyjson_doc *doc;
    yyjson_val *tool;
    size_t i, count;
    yyjson_arr_foreach(all_tools(&doc), i, count, tool) {
        const char *other = tool_catalog_text(tool, "name");
        int edits = distance(name, other), flat = distance(name, tool_catalog_text(tool, "flat"));
        if (flat < edits) edits = flat;
        if (edits > limit && strlen(name) > 2 && (contains(other, name) || contains(name, other)))
            edits = limit;
        if (edits > limit || edits == 0) continue; /* itself: the host does not know it any more */
        if (known == SUGGESTIONS && edits >= cost[SUGGESTIONS - 1]) continue;
        int at = known < SUGGESTIONS ? known++ : SUGGESTIONS - 1;
        for (; at > 0 && cost[at - 1] > edits; at--) {
            cost[at] = cost[at - 1];
            best[at] = best[at - 1];
        }
        cost[at] = edits;
        best[at] = other;
    }
    for (int k = 0; k < known; k++)
        fprintf(stderr, "%s%s",
                k == 0          ? "; did you mean "
                : k + 1 < known ? ", "
                                : " or ",
                best[k]);
    if (known > 0) fputc('?', stderr);
    release(doc);
}
