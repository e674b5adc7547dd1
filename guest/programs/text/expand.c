/*
 * expand.c: converts tabs to blanks. As in GNU, every byte takes one column.
 *
 * help expand:
 *   Usage: expand [OPTION]... [FILE]...
 *   Convert tabs in each FILE to spaces, writing to standard output.
 *
 *     -i, --initial    do not convert tabs after non blanks
 *     -t, --tabs=N     have tabs N characters apart, not 8
 *     -t, --tabs=LIST  use comma separated list of tab positions; the last one may be /N for
 *                        multiples of N behind it, or +N for steps of N from the stop before it
 *         --help       display this help and exit
 *         --version    output version information and exit
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
    bool initial;
    uint64_t column; /* where the file before ended without a newline */
    bool copying;    /* and whether its line was converted no more */
} expander;

static void expand_line(void *context, const g_line *line) {
    expander *e = context;
    uint64_t column = e->column; /* goes on where a file ended without a newline */
    bool converting = !e->copying;
    for (size_t i = 0; i < line->len; i++) {
        char c = line->s[i];
        if (!converting) {
            g_outc(c);
            continue;
        }
        if (c == '\t') {
            uint64_t next;
            if (!tab_stops_next(&e->tabs, column, &next)) next = column + 1;
            g_out_fill(' ', (size_t)(next - column));
            column = next;
            continue;
        }
        if (c == '\b')
            column -= column > 0;
        else
            column++;
        if (e->initial && !isblank((unsigned char)c)) converting = false;
        g_outc(c);
    }
    e->column = line->terminated ? 0 : column;
    e->copying = !line->terminated && !converting;
    if (line->terminated) g_outc('\n');
}

static const g_long longs[] = {{"tabs", 't', G_REQUIRED}, {"initial", 'i', G_NONE}, {0}};

int expand_main(int argc, char **argv) {
    expander e = {.initial = false};
    g_options o = g_options_of(argc, argv, "it:0::1::2::3::4::5::6::7::8::9::", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case 'i': e.initial = true; break;
        case 't': tab_stops_add(&e.tabs, o.arg); break;
        default: { /* -4 or -4,8 */
            g_text list = {0};
            g_text_addc(&list, (char)option);
            g_text_adds(&list, o.arg ? o.arg : "");
            tab_stops_add(&e.tabs, list.s);
            g_text_free(&list);
        }
        }
    }
    tab_stops_finish(&e.tabs);
    return g_each_line(argc - o.at, argv + o.at, expand_line, &e);
}
