/*
 * diff_file.c: loads two files, says whether they differ, and hands their changes to a style.
 */
#include "diff.h"
#include "g_in.h"
#include "g_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* How much of a file is looked at to tell text from binary data, as GNU diff does. */
enum { SNIFF = 4096 };

bool diff_load(diff_side *side) {
    if (side->absent) {
        side->text = g_zalloc(1);
        return true;
    }
    int fd = side->is_stdin ? STDIN_FILENO : open(side->name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) side->text = g_read_all(fd, &side->len);
    if (!side->text) {
        int error = errno;
        if (fd > 0) close(fd);
        g_warn_errno(error, "%s", side->name);
        return false;
    }
    if (fd > 0) close(fd);
    return true;
}

void diff_strip_returns(diff_side *side) {
    char *to = side->text;
    for (size_t i = 0; i < side->len; i++) {
        if (side->text[i] == '\r' && i + 1 < side->len && side->text[i + 1] == '\n') continue;
        *to++ = side->text[i];
    }
    side->len = (size_t)(to - side->text);
}

bool diff_is_binary(const diff_side *side) {
    return side->len > 0 && memchr(side->text, '\0', side->len < SNIFF ? side->len : SNIFF);
}

static bool same_file(const diff_side *a, const diff_side *b) {
    return !a->absent && !b->absent && a->st.st_ino == b->st.st_ino &&
           a->st.st_dev == b->st.st_dev && S_ISREG(a->st.st_mode);
}

static const char *shown_name(const diff_options *o, const diff_side *side, int f) {
    return o->labels[f] ? o->labels[f] : side->name;
}

static void put_heading(const char *heading) {
    if (heading) g_outf("%s\n", heading);
}

/* Whether files without a difference are printed. */
static bool shows_equal(const diff_options *o) {
    return o->style == STYLE_SIDE || (o->style == STYLE_FORMATS && diff_formats_show_equal(o));
}

static int put_changes(diff_pair *pair, const char *heading) {
    const diff_options *o = pair->o;
    bool differ = diff_mark_ignorable(pair);
    if (o->style == STYLE_BRIEF) {
        if (differ)
            g_outf("Files %s and %s differ\n", shown_name(o, &pair->side[0], 0),
                   shown_name(o, &pair->side[1], 1));
        return differ;
    }
    if (!differ && !shows_equal(o)) return 0;
    put_heading(heading);
    switch (o->style) {
    case STYLE_UNIFIED: diff_put_unified(pair); break;
    case STYLE_CONTEXT: diff_put_context(pair); break;
    case STYLE_ED: diff_put_ed(pair); break;
    case STYLE_RCS: diff_put_rcs(pair); break;
    case STYLE_FORWARD_ED: diff_put_forward_ed(pair); break;
    case STYLE_FORMATS: diff_put_formats(pair); break;
    case STYLE_SIDE: diff_put_side(pair); break;
    default: diff_put_normal(pair); break;
    }
    return differ;
}

static void free_pair(diff_pair *pair) {
    for (int f = 0; f < 2; f++) {
        diff_side *side = &pair->side[f];
        free(side->text);
        free(side->lines);
        free(side->classes);
        if (side->changed) free(side->changed - 1);
    }
    free(pair->changes);
}

static int compare(diff_pair *pair, const char *heading) {
    const diff_options *o = pair->o;
    diff_side *a = &pair->side[0], *b = &pair->side[1];
    bool same = same_file(a, b) && a->is_stdin == b->is_stdin;
    if (same && !shows_equal(o)) return 0;
    if (a->is_stdin && b->is_stdin) {
        if (!diff_load(a)) return 2;
        b->text = g_copy_bytes(a->text, a->len);
        b->len = a->len;
    } else {
        bool first = diff_load(a), second = diff_load(b); /* both are said to be missing */
        if (!first || !second) return 2;
    }
    if (!o->text && (diff_is_binary(a) || diff_is_binary(b))) {
        if (a->len == b->len && memcmp(a->text, b->text, a->len) == 0) return 0;
        const char *kind = o->style == STYLE_BRIEF ? "Files" : "Binary files";
        g_outf("%s %s and %s differ\n", kind, shown_name(o, a, 0), shown_name(o, b, 1));
        return 1;
    }
    if (o->strip_cr) {
        diff_strip_returns(a);
        diff_strip_returns(b);
    }
    if (a->len == b->len && memcmp(a->text, b->text, a->len) == 0 && !shows_equal(o)) return 0;
    diff_match(pair, diff_classify(pair));
    int status = put_changes(pair, heading);
    /* An ed script cannot say that the last line has no end. */
    for (int f = 0; f < 2 && diff_is_script(o); f++) {
        if (!pair->side[f].no_newline) continue;
        g_warn("%s: No newline at end of file\n", pair->side[f].name);
        status = 2;
    }
    return status;
}

int diff_files(const diff_options *o, diff_side *side0, diff_side *side1, const char *heading) {
    diff_pair pair = {.o = o, .side = {*side0, *side1}};
    int status = compare(&pair, heading);
    if (status == 0 && o->report_identical)
        g_outf("Files %s and %s are identical\n", shown_name(o, side0, 0), shown_name(o, side1, 1));
    free_pair(&pair);
    return status;
}
