/*
 * tput.c: clear, tput: what xterm would be sent; there is no terminfo database.
 *
 * help clear:
 *   Usage: clear [options]
 *   Clear the terminal screen.
 *
 *     -T TERM     (ignored)
 *     -x          do not try to clear scrollback
 *         --help  display this help and exit
 *
 * help tput:
 *   Usage: tput [-T type] capname [parameters]
 *     or:  tput -S
 *   Print the string of a terminal capability, or a number, or answer with the exit status.
 *
 *     -S          read capabilities from standard input
 *     -T TYPE     use this TERM
 *         --help  display this help and exit
 */
#include "g_in.h"
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>

/* %1 and %2 are the parameters, of row and column one more (@1). */
static const struct {
    const char *name, *text;
} strings[] = {
    {"bel", "\a"},
    {"blink", "\033[5m"},
    {"bold", "\033[1m"},
    {"civis", "\033[?25l"},
    {"clear", "\033[H\033[2J\033[3J"},
    {"cnorm", "\033[?12l\033[?25h"},
    {"cr", "\r"},
    {"cub1", "\b"},
    {"cuf1", "\033[C"},
    {"cup", "\033[@1;@2H"},
    {"cud1", "\n"},
    {"cuu1", "\033[A"},
    {"cub", "\033[%1D"},
    {"cuf", "\033[%1C"},
    {"cuu", "\033[%1A"},
    {"cud", "\033[%1B"},
    {"dim", "\033[2m"},
    {"ed", "\033[J"},
    {"el", "\033[K"},
    {"el1", "\033[1K"},
    {"home", "\033[H"},
    {"invis", "\033[8m"},
    {"op", "\033[39;49m"},
    {"rc", "\0338"},
    {"rev", "\033[7m"},
    {"ritm", "\033[23m"},
    {"rmcup", "\033[?1049l"},
    {"rmso", "\033[27m"},
    {"rmul", "\033[24m"},
    {"sc", "\0337"},
    {"sgr0", "\033(B\033[m"},
    {"sitm", "\033[3m"},
    {"smcup", "\033[?1049h"},
    {"smso", "\033[7m"},
    {"smul", "\033[4m"},
    {"init", "\033[!p\033[?3;4l\033[4l\033>"},
    {"reset", "\033c\033[!p\033[?3;4l\033[4l\033>"},
};

static bool colors_256(const char *term) {
    return strstr(term, "256color") != NULL;
}

static void put_color(const char *term, int base, int color) {
    if (color < 8)
        g_outf("\033[%dm", base + color);
    else if (colors_256(term) && color < 16)
        g_outf("\033[%dm", base + 60 + color - 8);
    else if (colors_256(term))
        g_outf("\033[%d;5;%dm", base + 8, color);
}

static int capability(const char *term, int count, char **words) {
    const char *name = words[0];
    int first = count > 1 ? atoi(words[1]) : 0, second = count > 2 ? atoi(words[2]) : 0;
    if (strcmp(name, "cols") == 0 || strcmp(name, "lines") == 0) {
        const char *value = getenv(*name == 'c' ? "COLUMNS" : "LINES");
        g_outf("%d\n", value && atoi(value) > 0 ? atoi(value) : *name == 'c' ? 80 : 24);
        return 0;
    }
    if (strcmp(name, "colors") == 0) {
        g_outf("%d\n", colors_256(term) ? 256 : 8);
        return 0;
    }
    if (strcmp(name, "longname") == 0) {
        g_outs("xterm terminal emulator (X Window System)");
        return 0;
    }
    if (strcmp(name, "setaf") == 0 || strcmp(name, "setab") == 0) {
        put_color(term, name[4] == 'f' ? 30 : 40, first);
        return 0;
    }
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        if (strcmp(name, strings[i].name) != 0) continue;
        for (const char *s = strings[i].text; *s; s++) {
            if ((*s == '%' || *s == '@') && (s[1] == '1' || s[1] == '2')) {
                g_outf("%d", (s[1] == '1' ? first : second) + (*s == '@'));
                s++;
            } else {
                g_outc(*s);
            }
        }
        return 0;
    }
    g_die(4, "unknown terminfo capability '%s'", name);
}

static int from_input(const char *term) {
    g_reader in;
    g_line line;
    int status = 0;
    g_reader_init(&in, 0, '\n');
    while (g_read_line(&in, &line)) {
        char *copy = g_copy_bytes(line.s, line.len), *words[4];
        int count = 0;
        for (char *word = strtok(copy, " \t"); word && count < 4; word = strtok(NULL, " \t"))
            words[count++] = word;
        if (count > 0) status = capability(term, count, words);
        free(copy);
    }
    return status;
}

int tput_main(int argc, char **argv) {
    const char *slash = strrchr(g_name(), '/'), *name = slash ? slash + 1 : g_name();
    const char *term = getenv("TERM");
    bool clear = strcmp(name, "clear") == 0, input = false, keep = false;
    g_set_failure(clear ? 1 : 2);
    g_options o = g_options_of(argc, argv, clear ? "+T:xV" : "+T:SxV", NULL);
    for (int option; (option = g_option(&o)) >= 0;)
        switch (option) {
        case 'T': term = o.arg; break;
        case 'S': input = true; break;
        case 'x': keep = true; break;
        case 'V': g_print_version(); return 0;
        }
    if (!clear && (!term || !*term)) g_die(2, "No value for $TERM and no -T specified");
    if (clear) {
        g_outs("\033[H\033[2J");
        if (!keep) g_outs("\033[3J");
        return 0;
    }
    if (input) return from_input(term);
    if (o.at == argc) g_usage("missing capability");
    return capability(term, argc - o.at, argv + o.at);
}
