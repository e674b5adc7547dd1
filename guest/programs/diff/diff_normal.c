/*
 * diff_normal.c: the styles without context: normal, ed script, RCS.
 */
#include "diff.h"
#include "g_out.h"

/* Lines first .. first + count - 1, counted from 1; of no lines, the one before. */
static void put_range(size_t first, size_t count) {
    if (count <= 1)
        g_outf("%zu", first + count);
    else
        g_outf("%zu,%zu", first + 1, first + count);
}

static char letter(const diff_change *c) {
    return !c->deleted ? 'a' : !c->inserted ? 'd' : 'c';
}

static void put_lines(const diff_pair *pair, int f, const char *mark, size_t first, size_t count) {
    const diff_side *side = &pair->side[f];
    for (size_t i = first; i < first + count; i++) {
        diff_color(pair->o, f ? "32" : "31");
        diff_put_line(pair->o, mark, &side->lines[i]);
        diff_plain(pair->o);
        g_outc('\n');
        if (side->no_newline && i + 1 == side->line_count) g_outs("\\ No newline at end of file\n");
    }
}

void diff_put_normal(const diff_pair *pair) {
    for (size_t i = 0; i < pair->change_count; i++) {
        const diff_change *c = &pair->changes[i];
        if (c->ignorable) continue;
        diff_color(pair->o, "36");
        put_range(c->line0, c->deleted);
        g_outc(letter(c));
        put_range(c->line1, c->inserted);
        diff_plain(pair->o);
        g_outc('\n');
        put_lines(pair, 0, "< ", c->line0, c->deleted);
        if (c->deleted && c->inserted) g_outs("---\n");
        put_lines(pair, 1, "> ", c->line1, c->inserted);
    }
}

/* Inserts lines for ed. A line with a dot alone would end the text: it goes in as two dots, which a
 * substitution then shortens, and the command begins anew. */
static void put_ed_text(const diff_pair *pair, const diff_change *c) {
    const diff_side *side = &pair->side[1];
    bool open = true;
    for (size_t i = c->line1; i < c->line1 + c->inserted; i++) {
        const diff_line *line = &side->lines[i];
        if (!open) {
            g_outs("a\n");
            open = true;
        }
        bool dot = line->len >= 1 && line->s[0] == '.' && (line->len == 1 || line->s[1] == '\n');
        if (dot) {
            g_outs("..\n.\ns/.//\n");
            open = false;
            continue;
        }
        diff_put_line(pair->o, NULL, line);
        g_outc('\n');
    }
    if (open) g_outs(".\n");
}

void diff_put_ed(const diff_pair *pair) {
    for (size_t i = pair->change_count; i-- > 0;) {
        const diff_change *c = &pair->changes[i];
        if (c->ignorable) continue;
        put_range(c->line0, c->deleted);
        g_outc(letter(c));
        g_outc('\n');
        if (c->inserted) put_ed_text(pair, c);
    }
}

void diff_put_forward_ed(const diff_pair *pair) {
    for (size_t i = 0; i < pair->change_count; i++) {
        const diff_change *c = &pair->changes[i];
        if (c->ignorable) continue;
        g_outc(letter(c));
        g_outf(c->deleted > 1 ? "%zu %zu\n" : "%zu\n",
               c->deleted ? c->line0 + 1 : c->line0, c->line0 + c->deleted);
        if (!c->inserted) continue;
        for (size_t k = c->line1; k < c->line1 + c->inserted; k++) {
            diff_put_line(pair->o, NULL, &pair->side[1].lines[k]);
            g_outc('\n');
        }
        g_outs(".\n");
    }
}

void diff_put_rcs(const diff_pair *pair) {
    for (size_t i = 0; i < pair->change_count; i++) {
        const diff_change *c = &pair->changes[i];
        const diff_side *side = &pair->side[1];
        if (c->ignorable) continue;
        if (c->deleted) g_outf("d%zu %zu\n", c->line0 + 1, c->deleted);
        if (!c->inserted) continue;
        g_outf("a%zu %zu\n", c->line0 + c->deleted, c->inserted);
        for (size_t l = c->line1; l < c->line1 + c->inserted; l++)
            g_out(side->lines[l].s, side->lines[l].len);
    }
}
