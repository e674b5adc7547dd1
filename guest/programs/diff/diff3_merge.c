/*
 * diff3_merge.c: brings what changed from OLD to YOURS into MINE, as a script for ed or as a file.
 */
#include "diff3.h"
#include "g_out.h"

enum outcome { LEAVE, TAKE_YOURS, CONFLICT };

static enum outcome outcome_of(const diff3_work *w, const diff3_block *b) {
    switch (b->odd) {
    case ODD_YOURS: return w->overlap_only ? LEAVE : TAKE_YOURS;
    case ODD_OLD: return w->show_all ? CONFLICT : LEAVE;
    case ODD_ALL:
        if (w->easy_only) return LEAVE;
        return w->bracket ? CONFLICT : TAKE_YOURS;
    default: return LEAVE;
    }
}

static size_t count_of(const diff3_block *b, int file) {
    return b->range[file].end - b->range[file].first;
}

static void put_lines(const diff3_work *w, int file, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) g_out(w->lines[file][i].s, w->lines[file][i].len);
}

/* The lines of a block for ed's input, where a dot alone would end the text: each line that begins
 * with a dot gets another. Whether there was one. */
static bool put_dotted(const diff3_work *w, const diff3_block *b, int file) {
    bool dotted = false;
    for (size_t i = b->range[file].first; i < b->range[file].end; i++) {
        const diff_line *line = &w->lines[file][i];
        if (line->len > 0 && line->s[0] == '.') {
            g_outc('.');
            dotted = true;
        }
        g_out(line->s, line->len);
        if (line->len == 0 || line->s[line->len - 1] != '\n') g_outc('\n');
    }
    return dotted;
}

/* The end of ed's input, and the command that takes the added dots away again. */
static void end_dotted(bool dotted, size_t first, size_t count) {
    g_outs(".\n");
    if (!dotted) return;
    if (count == 1)
        g_outf("%zus/^\\.//\n", first);
    else
        g_outf("%zu,%zus/^\\.//\n", first, first + count - 1);
}

static void put_script_conflict(const diff3_work *w, const diff3_block *b) {
    const diff3_range *mine = &b->range[MINE];
    bool all = b->odd == ODD_ALL, dotted = false;
    g_outf("%zua\n", mine->end);
    if (all && w->show_all) {
        g_outf("||||||| %s\n", w->names[OLD]);
        dotted = put_dotted(w, b, OLD);
    }
    if (all) {
        g_outs("=======\n");
        dotted |= put_dotted(w, b, YOURS);
    }
    g_outf(">>>>>>> %s\n", w->names[YOURS]);
    end_dotted(dotted, mine->end + 2, count_of(b, OLD) + count_of(b, YOURS) + 1);

    g_outf("%zua\n<<<<<<< %s\n", mine->first, w->names[all ? MINE : OLD]);
    dotted = false;
    if (!all) {
        dotted = put_dotted(w, b, OLD);
        g_outs("=======\n");
    }
    end_dotted(dotted, mine->first + 2, count_of(b, OLD));
}

static void put_script_change(const diff3_work *w, const diff3_block *b) {
    const diff3_range *mine = &b->range[MINE];
    size_t count = count_of(b, MINE), taken = count_of(b, YOURS);
    if (count > 1)
        g_outf("%zu,%zu", mine->first + 1, mine->end);
    else
        g_outf("%zu", mine->end);
    g_outs(taken == 0 ? "d\n" : count == 0 ? "a\n" : "c\n");
    if (taken > 0) {
        bool dotted = put_dotted(w, b, YOURS);
        end_dotted(dotted, mine->first + 1, taken);
    }
}

bool diff3_put_script(const diff3_work *w) {
    bool conflicts = false;
    for (size_t i = w->block_count; i-- > 0;) {
        const diff3_block *b = &w->blocks[i];
        enum outcome outcome = outcome_of(w, b);
        if (outcome == CONFLICT) put_script_conflict(w, b);
        if (outcome == TAKE_YOURS) put_script_change(w, b);
        conflicts |= outcome == CONFLICT;
    }
    if (w->write_and_quit) g_outs("w\nq\n");
    return conflicts;
}

static void put_block(const diff3_work *w, const diff3_block *b, int file) {
    put_lines(w, file, b->range[file].first, b->range[file].end);
}

bool diff3_put_merged(const diff3_work *w) {
    bool conflicts = false;
    size_t done = 0; /* lines of MINE */
    for (size_t i = 0; i < w->block_count; i++) {
        const diff3_block *b = &w->blocks[i];
        enum outcome outcome = outcome_of(w, b);
        if (outcome == LEAVE) continue;
        put_lines(w, MINE, done, b->range[MINE].first);
        done = b->range[MINE].end;
        if (outcome == CONFLICT) {
            conflicts = true;
            if (b->odd == ODD_ALL) {
                g_outf("<<<<<<< %s\n", w->names[MINE]);
                put_block(w, b, MINE);
            }
            if (w->show_all) {
                g_outf(b->odd == ODD_ALL ? "||||||| %s\n" : "<<<<<<< %s\n", w->names[OLD]);
                put_block(w, b, OLD);
            }
            g_outs("=======\n");
        }
        put_block(w, b, YOURS);
        if (outcome == CONFLICT) g_outf(">>>>>>> %s\n", w->names[YOURS]);
    }
    put_lines(w, MINE, done, w->line_count[MINE]);
    return conflicts;
}
