/*
 * unexpand.c: converts blanks to tabs.
 *
 * help unexpand:
 *   Usage: unexpand [OPTION]... [FILE]...
 *   Convert blanks in each FILE to tabs, writing to standard output.
 *
 *     -a, --all         convert all blanks, instead of just initial blanks
 *         --first-only  convert only leading sequences of blanks (overrides -a)
 *     -t, --tabs=N      have tabs N characters apart instead of 8 (enables -a)
 *     -t, --tabs=LIST   use comma separated list of tab positions; the last one may be /N for
 *                         multiples of N behind it, or +N for steps of N from the stop before it
 *         --help        display this help and exit
 *         --version     output version information and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"
#include "g_quote.h"
#include "g_text.h"
#include "tabs.h"

#include <ctype.h>

typedef struct {
    tab_stops tabs;
    bool all;
    g_text pending; /* blanks that may still become a tab */
    /* Where the file before ended without a newline. */
    uint64_t column;
    bool copying, after_text;
} unexpander;

/* Writes the blanks that did not reach a tab stop; one just before a stop became a tab with them.
 */
static void put_pending(unexpander *u, bool *single_before_stop) {
    if (u->pending.len > 1 && *single_before_stop) u->pending.s[0] = '\t';
    g_out(u->pending.s, u->pending.len);
    u->pending.len = 0;
    *single_before_stop = false;
}

static void unexpand_line(void *context, const g_line *line) {
    unexpander *u = context;
    uint64_t column = u->column, next; /* goes on where a file ended without a newline */
    bool converting = !u->copying, after_blank = !u->after_text, single_before_stop = false;
    u->pending.len = 0;
    for (size_t i = 0; i < line->len; i++) {
        char c = line->s[i];
        if (!converting) {
            g_outc(c);
            continue;
        }
        bool blank = isblank((unsigned char)c);
        if (blank && !tab_stops_next(&u->tabs, column, &next)) converting = false;
        if (blank && converting) {
            if (c == '\t') {
                column = next;
                if (u->pending.len) u->pending.s[0] = '\t';
            } else {
                column++;
                if (!(after_blank && column == next)) {
                    if (column == next) single_before_stop = true;
                    g_text_addc(&u->pending, c);
                    after_blank = true;
                    continue;
                }
                c = '\t';
                if (u->pending.len) u->pending.s[0] = '\t';
            }
            u->pending.len = u->pending.len && single_before_stop ? 1 : 0;
        } else if (c == '\b') {
            column -= column > 0;
        } else {
            column++;
        }
        if (u->pending.len) put_pending(u, &single_before_stop);
        after_blank = blank;
        converting = converting && (u->all || blank);
        g_outc(c);
    }
    if (u->pending.len) put_pending(u, &single_before_stop);
    u->column = line->terminated ? 0 : column;
    u->copying = !line->terminated && !converting;
    u->after_text = !line->terminated && !after_blank;
    if (line->terminated) g_outc('\n');
}

enum { FIRST_ONLY = 256 };
static const g_long longs[] = {
    {"tabs", 't', G_REQUIRED}, {"all", 'a', G_NONE}, {"first-only", FIRST_ONLY, G_NONE}, {0}};

int unexpand_main(int argc, char **argv) {
    unexpander u = {.all = false};
    bool first_only = false;
    char digits[64] = "";
    size_t len = 0;
    g_options o = g_options_of(argc, argv, "at:0123456789,", longs);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'a': u.all = true; break;
        case FIRST_ONLY: first_only = true; break;
        case 't':
            u.all = true;
            tab_stops_add(&u.tabs, o.arg);
            break;
        default:
            if (len < sizeof digits - 1) digits[len++] = (char)option;
            digits[len] = '\0';
        }
    if (len) tab_stops_add(&u.tabs, digits);
    if (first_only) u.all = false;
    tab_stops_finish(&u.tabs);
    return g_each_line(argc - o.at, argv + o.at, unexpand_line, &u);
}
