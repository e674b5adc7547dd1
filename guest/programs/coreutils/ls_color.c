/*
 * ls_color.c: colours of names, from LS_COLORS.
 */
#include "g_out.h"
#include "g_quote.h"
#include "ls.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind { LC, RC, EC, RS, NO, FI, DI, LN, PI, SO, BD, CD, MI, OR, EX, DO, SU, SG, ST, OW, TW, CA,
            MH, CL, KINDS };
static const char kind_names[KINDS][3] = {"lc", "rc", "ec", "rs", "no", "fi", "di", "ln",
                                          "pi", "so", "bd", "cd", "mi", "or", "ex", "do",
                                          "su", "sg", "st", "ow", "tw", "ca", "mh", "cl"};
static const char *const defaults[KINDS] = {
    "\033[", "m",     NULL,    "0",  NULL,    NULL,    "01;34", "01;36",
    "33",    "01;35", "01;33", "01;33", NULL, NULL,    "01;32", "01;35",
    "37;41", "30;43", "37;44", "34;42", "30;42", NULL, NULL, "\033[K"};

typedef struct {
    char *ending, *color;
} by_ending;

static struct {
    const char *codes[KINDS];
    by_ending *endings;
    size_t count, cap;
    bool used, links_as_target;
} colors;

/* One value of LS_COLORS up to ':' with its escapes undone. */
static char *value_at(const char **at) {
    g_text out = {0};
    g_text_adds(&out, "");
    const char *p = *at;
    for (; *p && *p != ':'; p++) {
        char c = *p;
        if (c == '\\' && p[1]) {
            c = *++p;
            if (c == 'e') c = 27;
            else if (c >= '0' && c <= '7') {
                int value = 0;
                for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; i++) value = value * 8 + *p++ - '0';
                p--;
                c = (char)value;
            }
        } else if (c == '^' && p[1]) {
            c = (char)(*++p & 0x1f);
        }
        g_text_addc(&out, c);
    }
    *at = p;
    return out.s;
}

/* Whether the terminal is known to show colours; without one, names stay plain. */
static bool terminal_has_color(void) {
    static const char *const known[] = {"Eterm",   "ansi",       "*color*", "con[0-9]*x[0-9]*",
                                        "cons25",  "console",    "cygwin",  "*direct*",
                                        "dtterm",  "gnome",      "hurd",    "jfbterm",
                                        "konsole", "kterm",      "linux",   "linux-c",
                                        "mlterm",  "putty",      "rxvt*",   "screen*",
                                        "st",      "terminator", "tmux*",   "vt100",
                                        "vt220",   "xterm*"};
    const char *color = getenv("COLORTERM"), *term = getenv("TERM");
    if (color && *color) return true;
    for (size_t i = 0; term && i < sizeof known / sizeof *known; i++)
        if (fnmatch(known[i], term, 0) == 0) return true;
    return false;
}

bool ls_color_init(void) {
    memcpy(colors.codes, defaults, sizeof defaults);
    const char *p = getenv("LS_COLORS");
    if ((!p || !*p) && !terminal_has_color()) return false;
    while (p && *p) {
        if (*p == ':') {
            p++;
            continue;
        }
        size_t key = strcspn(p, "=:");
        if (p[key] != '=' || (*p != '*' && key != 2)) {
            g_warn("unparsable value for LS_COLORS environment variable");
            return false;
        }
        const char *name = p;
        p += key + 1;
        char *value = value_at(&p);
        if (*name == '*') {
            if (colors.count == colors.cap)
                colors.endings = g_more(colors.endings, &colors.cap, sizeof *colors.endings);
            colors.endings[colors.count++] =
                (by_ending){g_copy_bytes(name + 1, key - 1), value};
            continue;
        }
        int kind = 0;
        while (kind < KINDS && memcmp(kind_names[kind], name, 2) != 0) kind++;
        if (kind == KINDS) {
            g_warn("unrecognized prefix: %s", g_quote_bytes(name, 2));
            g_warn("unparsable value for LS_COLORS environment variable");
            return false;
        }
        colors.codes[kind] = value;
    }
    colors.links_as_target = colors.codes[LN] && strcmp(colors.codes[LN], "target") == 0;
    return true;
}

bool ls_color_link_target(void) { return colors.links_as_target; }
bool ls_color_shows_targets(void) {
    return colors.codes[OR] || colors.codes[MI] || colors.links_as_target;
}

static enum kind kind_of(mode_t mode, bool has_stat, bool broken, nlink_t links) {
    switch (mode & S_IFMT) {
    case S_IFDIR:
        if (!has_stat) return DI;
        if ((mode & S_ISVTX) && (mode & S_IWOTH) && colors.codes[TW]) return TW;
        if ((mode & S_IWOTH) && colors.codes[OW]) return OW;
        return (mode & S_ISVTX) && colors.codes[ST] ? ST : DI;
    case S_IFLNK: return broken && has_stat && colors.codes[OR] ? OR : LN;
    case S_IFIFO: return PI;
    case S_IFSOCK: return SO;
    case S_IFBLK: return BD;
    case S_IFCHR: return CD;
    }
    if (!has_stat) return FI;
    if ((mode & S_ISUID) && colors.codes[SU]) return SU;
    if ((mode & S_ISGID) && colors.codes[SG]) return SG;
    if ((mode & 0111) && colors.codes[EX]) return EX;
    return links > 1 && colors.codes[MH] ? MH : FI;
}

static void put_code(const char *code) {
    g_outs(colors.codes[LC]);
    g_outs(code);
    g_outs(colors.codes[RC]);
}

static void put_end(void) {
    if (colors.codes[EC]) g_outs(colors.codes[EC]);
    else put_code(colors.codes[RS]);
}

bool ls_color_start(const char *name, mode_t mode, bool has_stat, bool broken, nlink_t links) {
    enum kind kind = kind_of(mode, has_stat, broken, links);
    const char *code = colors.codes[kind];
    size_t len = strlen(name);
    for (size_t i = colors.count; kind == FI && i-- > 0;) {
        size_t ending = strlen(colors.endings[i].ending);
        if (ending <= len && strcasecmp(name + len - ending, colors.endings[i].ending) == 0) {
            code = colors.endings[i].color;
            break;
        }
    }
    if (kind == LN && !has_stat && broken) code = colors.codes[MI] ? colors.codes[MI] : colors.codes[OR];
    if (!code || !*code || (kind == FI && strcmp(code, "0") == 0)) return false;
    if (!colors.used) put_end();
    colors.used = true;
    put_code(code);
    return true;
}

void ls_color_end(void) { put_end(); }
