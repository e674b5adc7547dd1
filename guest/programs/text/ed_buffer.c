/*
 * ed_buffer.c: the lines of ed, and what undo goes back to.
 */
#include "ed.h"

struct ed_line *ed_line_new(const char *text, size_t len) {
    struct ed_line *line = g_alloc(sizeof *line + len + 1);
    line->len = len;
    memcpy(line->text, text, len);
    line->text[len] = '\0';
    return line;
}

static void make_room(struct ed_lines *lines, size_t count) {
    while (lines->cap < lines->count + count + 2)
        lines->line = g_more(lines->line, &lines->cap, sizeof *lines->line);
}

void ed_lines_add(struct ed_lines *lines, struct ed_line *line) {
    make_room(lines, 1);
    lines->line[++lines->count] = line;
}

void ed_insert(struct ed *ed, size_t after, struct ed_line *const *lines, size_t count) {
    if (count == 0) return;
    struct ed_lines *now = &ed->now;
    make_room(now, count);
    memmove(now->line + after + 1 + count, now->line + after + 1,
            (now->count - after) * sizeof *now->line);
    memcpy(now->line + after + 1, lines, count * sizeof *lines);
    now->count += count;
    now->dot = after + count;
    ed->modified = ed->can_undo = true;
}

void ed_delete(struct ed *ed, size_t first, size_t last) {
    struct ed_lines *now = &ed->now;
    for (size_t i = first; i <= last; i++)
        for (int mark = 0; mark < 26; mark++)
            if (ed->marks[mark] == now->line[i]) ed->marks[mark] = NULL;
    memmove(now->line + first, now->line + last + 1, (now->count - last) * sizeof *now->line);
    now->count -= last - first + 1;
    now->dot = first <= now->count ? first : now->count;
    ed->modified = ed->can_undo = true;
}

static void copy(struct ed_lines *to, const struct ed_lines *from) {
    to->count = 0;
    make_room(to, from->count);
    if (from->count) memcpy(to->line + 1, from->line + 1, from->count * sizeof *to->line);
    to->count = from->count;
    to->dot = from->dot;
}

void ed_remember(struct ed *ed) {
    if (ed->global) return;
    copy(&ed->before, &ed->now);
    ed->can_undo = false;
}

bool ed_undo(struct ed *ed) {
    if (!ed->can_undo) {
        ed->error = "Nothing to undo";
        return false;
    }
    struct ed_lines was = ed->now;
    ed->now = ed->before;
    ed->before = was;
    ed->modified = true;
    return true;
}
