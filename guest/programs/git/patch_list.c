/*
 * patch_list.c: patches as a list: turned round, chosen by path, and what they change (--stat,
 * --numstat, --summary).
 */
#include "patch.h"

#include "diff.h"

char *patch_name(const file_patch *p) {
    g_text out = {0};
    if (p->old_name && p->new_name && strcmp(p->old_name, p->new_name) != 0)
        g_text_addf(&out, "%s => %s", quoted(p->old_name, ""), quoted(p->new_name, ""));
    else
        g_text_adds(&out, quoted(p->new_name ? p->new_name : p->old_name, ""));
    return out.s;
}

static char *shown(const file_patch *p) { return quoted(p->new_name ? p->new_name : p->old_name, ""); }

static void stat_line(const file_patch *p, int width, long long most) {
    char *name = shown(p);
    size_t len = strlen(name);
    if (width > 50) width = 50;
    if ((int)len > width) {
        char *from = name + len + 3 - (size_t)width, *slash = strchr(from, '/');
        g_text cut = {0};
        g_text_addf(&cut, "...%s", slash ? slash : from);
        name = cut.s;
    }
    if (p->is_binary) {
        g_outf(" %-*s |  Bin\n", width, name);
        return;
    }
    long long room = width + most > 70 ? 70 - width : most, added = p->added, deleted = p->deleted;
    if (most > 0) {
        long long total = ((added + deleted) * room + most / 2) / most;
        added = (added * room + most / 2) / most;
        deleted = total - added;
    }
    g_outf(" %-*s |%5lld ", width, name, p->added + p->deleted);
    g_out_fill('+', (size_t)(added > 0 ? added : 0));
    g_out_fill('-', (size_t)(deleted > 0 ? deleted : 0));
    g_outc('\n');
}

void patch_stat(const patch_list *list) {
    int width = 0;
    long long most = 0, added = 0, deleted = 0;
    for (size_t i = 0; i < list->count; i++) {
        const file_patch *p = &list->items[i];
        int len = (int)strlen(shown(p));
        if (len > width) width = len;
        if (p->added + p->deleted > most) most = p->added + p->deleted;
        added += p->added;
        deleted += p->deleted;
    }
    for (size_t i = 0; i < list->count; i++) stat_line(&list->items[i], width, most);
    if (!list->count) {
        g_outs(" 0 files changed\n");
        return;
    }
    g_outf(" %zu file%s changed", list->count, list->count == 1 ? "" : "s");
    if (added || !deleted) g_outf(", %lld insertion%s(+)", added, added == 1 ? "" : "s");
    if (deleted || !added) g_outf(", %lld deletion%s(-)", deleted, deleted == 1 ? "" : "s");
    g_outc('\n');
}

void patch_numstat(const patch_list *list, bool null) {
    for (size_t i = 0; i < list->count; i++) {
        const file_patch *p = &list->items[i];
        if (p->is_binary) g_outs("-\t-\t");
        else g_outf("%lld\t%lld\t", p->added, p->deleted);
        out_path(p->new_name ? p->new_name : p->old_name, null ? '\0' : '\n');
    }
}

static void mode_change(const file_patch *p, const char *name) {
    if (!p->old_mode || !p->new_mode || p->old_mode == p->new_mode) return;
    g_outf(" mode change %06o => %06o", p->old_mode, p->new_mode);
    if (name) g_outf(" %s", name);
    g_outc('\n');
}

static void name_and_mode(const char *what, unsigned mode, const char *name) {
    if (mode) g_outf(" %s mode %06o %s\n", what, mode, name);
    else g_outf(" %s %s\n", what, name);
}

static void moved(const file_patch *p) {
    const char *old = p->old_name, *new_ = p->new_name;
    for (;;) {
        size_t a = strcspn(old, "/"), b = strcspn(new_, "/");
        if (!old[a] || !new_[b] || a != b || memcmp(old, new_, a) != 0) break;
        old += a + 1;
        new_ += b + 1;
    }
    g_outf(" %s ", p->is_rename ? "rename" : "copy");
    if (old != p->old_name) g_outf("%.*s{%s => %s}", (int)(old - p->old_name), p->old_name, old, new_);
    else g_outf("%s => %s", old, new_);
    g_outf(" (%d%%)\n", p->score);
    mode_change(p, NULL);
}

void patch_summary(const patch_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const file_patch *p = &list->items[i];
        if (p->is_new > 0) name_and_mode("create", p->new_mode, p->new_name);
        else if (p->is_delete > 0) name_and_mode("delete", p->old_mode, p->old_name);
        else if (p->is_rename || p->is_copy) moved(p);
        else {
            if (p->score) g_outf(" rewrite %s (%d%%)\n", p->new_name, p->score);
            mode_change(p, p->score ? NULL : p->new_name);
        }
    }
}

void patch_reverse(file_patch *p) {
#define SWAP(type, a, b) do { type swap = a; a = b; b = swap; } while (0)
    SWAP(char *, p->old_name, p->new_name);
    SWAP(unsigned, p->old_mode, p->new_mode);
    if (p->old_mode && !p->new_mode && p->is_delete <= 0 && p->is_new <= 0) p->new_mode = p->old_mode;
    SWAP(int, p->is_new, p->is_delete);
    SWAP(long long, p->added, p->deleted);
    SWAP(binary_hunk, p->forward, p->backward);
    char id[sizeof p->old_id];
    memcpy(id, p->old_id, sizeof id);
    memcpy(p->old_id, p->new_id, sizeof id);
    memcpy(p->new_id, id, sizeof id);
    for (size_t i = 0; i < p->count; i++) {
        SWAP(long long, p->hunks[i].old_at, p->hunks[i].new_at);
        SWAP(long long, p->hunks[i].old_count, p->hunks[i].new_count);
    }
#undef SWAP
}

/* Below a directory of the repository only what lies there is applied. */
bool patch_wanted(file_patch *p) {
    extern int wildmatch(const char *pattern, const char *text, unsigned flags);
    const char *name = p->new_name ? p->new_name : p->old_name;
    bool includes = false;
    if (*prefix && !patching.unsafe) {
        if (!p->from_top) {
            char **names[] = {&p->old_name, &p->new_name};
            for (int i = 0; i < 2; i++) {
                g_text with = {0};
                if (!*names[i]) continue;
                g_text_addf(&with, "%s%s", prefix, *names[i]);
                *names[i] = with.s;
            }
            name = p->new_name ? p->new_name : p->old_name;
        } else if (strncmp(name, prefix, strlen(prefix)) != 0) {
            return false;
        }
    }
    for (int i = 0; i < patching.limits.count; i++) {
        const char *limit = patching.limits.items[i];
        if (wildmatch(limit + 1, name, 0) == 0) return *limit == '+';
        includes |= *limit == '+';
    }
    return !includes;
}
