/*
 * color.c: names of colours and when there are any; see color.h.
 */
#include "color.h"

#include <ctype.h>
#include <strings.h>
#include <unistd.h>

typedef struct {
    int kind; /* 0 none, 1 a number of 256, 2 red green blue, 3 the terminal's own */
    int value, green, blue;
} shade;

static bool read_shade(const char *word, shade *s) {
    static const char *const names[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
    char *end;
    if (strcasecmp(word, "normal") == 0) return *s = (shade){0}, true;
    if (strcasecmp(word, "default") == 0) return *s = (shade){.kind = 3}, true;
    if (*word == '#' && strlen(word) == 7 && strspn(word + 1, "0123456789abcdefABCDEF") == 6) {
        unsigned rgb = (unsigned)strtoul(word + 1, NULL, 16);
        *s = (shade){2, (int)(rgb >> 16), (int)(rgb >> 8 & 255), (int)(rgb & 255)};
        return true;
    }
    bool bright = strncasecmp(word, "bright", 6) == 0;
    for (int i = 0; i < 8; i++)
        if (strcasecmp(word + (bright ? 6 : 0), names[i]) == 0) return *s = (shade){.kind = 1, .value = i + (bright ? 8 : 0)}, true;
    long n = strtol(word, &end, 10);
    if (end == word || *end || n < -1 || n > 255) return false;
    *s = n < 0 ? (shade){0} : (shade){.kind = 1, .value = (int)n};
    return true;
}

/* The number of "bold", "nobold" and their like; 0 for others. */
static int attribute(const char *word) {
    static const struct { const char *name; int on, off; } all[] = {
        {"bold", 1, 22}, {"dim", 2, 22}, {"italic", 3, 23}, {"ul", 4, 24}, {"blink", 5, 25}, {"reverse", 7, 27}, {"strike", 9, 29}};
    bool off = strncasecmp(word, "no", 2) == 0;
    if (off) word += word[2] == '-' ? 3 : 2;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcasecmp(word, all[i].name) == 0) return off ? all[i].off : all[i].on;
    return 0;
}

static void add_number(g_text *out, bool *any, const char *format, int n) {
    if (*any) g_text_addc(out, ';');
    *any = true;
    g_text_addf(out, format, n);
}

static void add_shade(g_text *out, bool *any, const shade *s, bool background) {
    int base = background ? 40 : 30;
    if (s->kind == 3) add_number(out, any, "%d", base + 9);
    else if (s->kind == 1 && s->value < 8) add_number(out, any, "%d", base + s->value);
    else if (s->kind == 1 && s->value < 16) add_number(out, any, "%d", base + 60 + s->value - 8);
    else if (s->kind == 1) add_number(out, any, background ? "48;5;%d" : "38;5;%d", s->value);
    else if (s->kind == 2) {
        add_number(out, any, background ? "48;2;%d" : "38;2;%d", s->value);
        g_text_addf(out, ";%d;%d", s->green, s->blue);
    }
}

char *color_parse(const char *text) {
    shade shades[2] = {{0}, {0}};
    unsigned attributes = 0;
    int count = 0;
    bool reset = false, any;
    g_text out = {0};
    char *copy = g_copy_string(text), *at = copy;
    g_text_adds(&out, "");
    for (char *word; (word = strsep(&at, " \t\n")) != NULL;) {
        int number;
        if (!*word) continue;
        if (strcasecmp(word, "reset") == 0) reset = true;
        else if ((number = attribute(word)) != 0) attributes |= 1u << number;
        else if (count < 2 && read_shade(word, &shades[count])) count++;
        else {
            free(copy);
            return NULL;
        }
    }
    free(copy);
    bool plain = !attributes && !shades[0].kind && !shades[1].kind;
    if (plain && !reset) return out.s;
    g_text_adds(&out, "\033[");
    any = reset && !plain;
    for (int i = 0; i < 32; i++)
        if (attributes >> i & 1) add_number(&out, &any, "%d", i);
    add_shade(&out, &any, &shades[0], false);
    add_shade(&out, &any, &shades[1], true);
    g_text_addc(&out, 'm');
    return out.s;
}

static int named(const char *text, bool *known) {
    int value;
    *known = true;
    if (!text || strcasecmp(text, "always") == 0) return COLOR_ALWAYS;
    if (strcasecmp(text, "never") == 0) return COLOR_NEVER;
    if (strcasecmp(text, "auto") == 0) return COLOR_AUTO;
    *known = git_config_parse_bool(&value, text) == 0;
    return *known && value ? COLOR_AUTO : COLOR_NEVER;
}

int color_when(const char *text, const char *option) {
    bool known;
    int when = named(text, &known);
    if (known && (!text || !*text || strcasecmp(text, "always") == 0 || strcasecmp(text, "never") == 0 || strcasecmp(text, "auto") == 0))
        return when;
    error("option `%s' expects \"always\", \"auto\", or \"never\"", option);
    g_exit(129);
}

int color_setting(const char *text) {
    bool known;
    return text ? named(text, &known) : COLOR_AUTO;
}

bool color_wanted(int option, const char *area) {
    char key[100];
    const char *term = getenv("TERM");
    int when = option;
    if (when == COLOR_UNSET) {
        snprintf(key, sizeof key, "color.%s", area);
        char *setting = config_string(key);
        if (!setting) setting = config_string("color.ui");
        when = color_setting(setting);
        free(setting);
    }
    if (when != COLOR_AUTO) return when == COLOR_ALWAYS;
    return isatty(1) && term && strcmp(term, "dumb") != 0;
}

const char *color_of(bool wanted, const char *slot, const char *otherwise) {
    char key[200];
    if (!wanted) return "";
    snprintf(key, sizeof key, "color.%s", slot);
    char *setting = config_string(key), *code = color_parse(setting ? setting : otherwise);
    if (!code) {
        error("invalid color value: %s", setting);
        die("unable to parse '%s' from configuration", key);
    }
    free(setting);
    return code;
}
