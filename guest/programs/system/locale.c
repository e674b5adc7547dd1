/*
 * locale.c: which locale the environment asks for, and what it means.
 *
 * There are two: POSIX, and the same with UTF-8. Deviation: of the keywords there are those of
 * LC_NUMERIC, LC_TIME and LC_MESSAGES, and charmap.
 *
 * help locale:
 *   Usage: locale [OPTION...] NAME
 *     or:  locale [OPTION...] [-a|-m]
 *   Get locale-specific information.
 *
 *    System information:
 *     -a, --all-locales          Write names of available locales
 *     -m, --charmaps             Write names of available charmaps
 *
 *    Modify output format:
 *     -c, --category-name        Write names of selected categories
 *     -k, --keyword-name         Write names of selected keywords
 *     -v, --verbose              Print more information
 *
 *     -?, --help                 Give this help list
 *         --usage                Give a short usage message
 *     -V, --version              Print program version
 */
#include "g_option.h"
#include "g_out.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const categories[] = {
    "LC_CTYPE", "LC_NUMERIC", "LC_TIME",    "LC_COLLATE",   "LC_MONETARY",    "LC_MESSAGES",
    "LC_PAPER", "LC_NAME",    "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
enum { CATEGORIES = sizeof categories / sizeof *categories };

/* Values that are numbers stand without quotes. NULL: the name of the character set. */
static const struct {
    const char *category, *name, *value;
    bool number, hidden; /* hidden: not among those of its category */
} keywords[] = {
    {"LC_CTYPE", "charmap", NULL, false, true},
    {"LC_NUMERIC", "decimal_point", ".", false, false},
    {"LC_NUMERIC", "thousands_sep", "", false, false},
    {"LC_NUMERIC", "grouping", "-1", true, false},
    {"LC_NUMERIC", "numeric-decimal-point-wc", "46", true, false},
    {"LC_NUMERIC", "numeric-thousands-sep-wc", "0", true, false},
    {"LC_NUMERIC", "numeric-codeset", NULL, false, false},
    {"LC_TIME", "abday", "Sun;Mon;Tue;Wed;Thu;Fri;Sat", false, false},
    {"LC_TIME", "day", "Sunday;Monday;Tuesday;Wednesday;Thursday;Friday;Saturday", false, false},
    {"LC_TIME", "abmon", "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec", false, false},
    {"LC_TIME", "mon",
     "January;February;March;April;May;June;July;August;September;October;November;December", false,
     false},
    {"LC_TIME", "am_pm", "AM;PM", false, false},
    {"LC_TIME", "d_t_fmt", "%a %b %e %H:%M:%S %Y", false, false},
    {"LC_TIME", "d_fmt", "%m/%d/%y", false, false},
    {"LC_TIME", "t_fmt", "%H:%M:%S", false, false},
    {"LC_TIME", "t_fmt_ampm", "%I:%M:%S %p", false, false},
    {"LC_TIME", "era", "", true, false},
    {"LC_TIME", "era_year", "", false, false},
    {"LC_TIME", "era_d_fmt", "", false, false},
    {"LC_TIME", "alt_digits", "", true, false},
    {"LC_TIME", "era_d_t_fmt", "", false, false},
    {"LC_TIME", "era_t_fmt", "", false, false},
    {"LC_TIME", "time-era-num-entries", "0", true, false},
    {"LC_TIME", "time-era-entries", "S", false, false},
    {"LC_TIME", "week-ndays", "7", true, false},
    {"LC_TIME", "week-1stday", "19971130", true, false},
    {"LC_TIME", "week-1stweek", "4", true, false},
    {"LC_TIME", "first_weekday", "1", true, false},
    {"LC_TIME", "first_workday", "2", true, false},
    {"LC_TIME", "cal_direction", "1", true, false},
    {"LC_TIME", "timezone", "", false, false},
    {"LC_TIME", "date_fmt", "%a %b %e %H:%M:%S %Z %Y", false, false},
    {"LC_TIME", "time-codeset", NULL, false, false},
    {"LC_TIME", "alt_mon",
     "January;February;March;April;May;June;July;August;September;October;November;December", false,
     false},
    {"LC_TIME", "ab_alt_mon", "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec", false, false},
    {"LC_MESSAGES", "yesexpr", "^[yY]", false, false},
    {"LC_MESSAGES", "noexpr", "^[nN]", false, false},
    {"LC_MESSAGES", "yesstr", "", false, false},
    {"LC_MESSAGES", "nostr", "", false, false},
    {"LC_MESSAGES", "messages-codeset", NULL, false, false},
};
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static const char *chosen(const char *category) {
    const char *names[] = {"LC_ALL", category, "LANG"};
    for (int i = 0; i < 3; i++)
        if (*variable(names[i])) return variable(names[i]);
    return "POSIX";
}

static bool exists(const char *locale) {
    static const char *const names[] = {"C", "POSIX", "C.UTF-8", "C.utf8"};
    for (int i = 0; i < 4; i++)
        if (strcasecmp(locale, names[i]) == 0) return true;
    return false;
}

static const char *charmap(void) {
    const char *locale = chosen("LC_CTYPE");
    return exists(locale) && strcasestr(locale, "utf") ? "UTF-8" : "ANSI_X3.4-1968";
}

static void check(void) {
    static const char *const settings[] = {"LC_CTYPE", "LC_MESSAGES"};
    bool good = true;
    for (int i = 0; i < 2; i++) {
        if (exists(chosen(settings[i]))) continue;
        g_warn("Cannot set %s to default locale: No such file or directory", settings[i]);
        good = false;
    }
    for (int i = 0; i < CATEGORIES; i++) good = good && exists(chosen(categories[i]));
    if (!good) g_warn("Cannot set LC_ALL to default locale: No such file or directory");
}

static void show_environment(void) {
    const char *all = variable("LC_ALL");
    g_outf("LANG=%s\nLANGUAGE=%s\n", variable("LANG"), variable("LANGUAGE"));
    for (int i = 0; i < CATEGORIES; i++) {
        bool own = !*all && *variable(categories[i]);
        const char *quote = own ? "" : "\"";
        g_outf("%s=%s%s%s\n", categories[i], quote, chosen(categories[i]), quote);
    }
    g_outf("LC_ALL=%s\n", all);
}

static void show_keyword(int i, bool named) {
    const char *value = keywords[i].value ? keywords[i].value : charmap();
    if (!named)
        g_outf("%s\n", value);
    else if (keywords[i].number)
        g_outf("%s=%s\n", keywords[i].name, value);
    else
        g_outf("%s=\"%s\"\n", keywords[i].name, value);
}

/* A category or a keyword; false: neither. */
static bool show(const char *name, bool with_category, bool with_name) {
    for (int i = 0; i < KEYWORDS; i++) {
        if (strcmp(name, keywords[i].name)) continue;
        if (with_category) g_outf("%s\n", keywords[i].category);
        show_keyword(i, with_name);
        return true;
    }
    bool known = false;
    for (int i = 0; i < KEYWORDS; i++) {
        if (strcmp(name, keywords[i].category)) continue;
        if (!known && with_category) g_outf("%s\n", name);
        known = true;
        if (!keywords[i].hidden) show_keyword(i, with_name);
    }
    return known;
}

int locale_main(int argc, char **argv) {
    static const g_long longs[] = {{"all-locales", 'a', G_NONE},
                                   {"charmaps", 'm', G_NONE},
                                   {"category-name", 'c', G_NONE},
                                   {"keyword-name", 'k', G_NONE},
                                   {"verbose", 'v', G_NONE},
                                   {"usage", '?', G_NONE},
                                   {0}};
    bool all = false, maps = false, category = false, keyword = false;
    int status = 0;
    g_set_failure(64);
    g_set_hint("Try `locale --help' or `locale --usage' for more information.");
    g_options o = g_options_of(argc, argv, "amckvV?", longs);
    for (int option; (option = g_option(&o)) >= 0;) {
        switch (option) {
        case 'a': all = true; break;
        case 'm': maps = true; break;
        case 'c': category = true; break;
        case 'k': keyword = true; break;
        case 'V': g_print_version(); return 0;
        case '?': g_outs(g_help()); return 0;
        }
    }
    check();
    if (all) {
        g_outs("C\nC.utf8\nPOSIX\n");
    } else if (maps) {
        g_outs("ANSI_X3.4-1968\nCP1252\nISO-8859-1\nISO-8859-15\nUTF-8\n");
    } else if (o.at == argc) {
        show_environment();
    }
    for (int i = o.at; i < argc && !all && !maps; i++) {
        if (show(argv[i], category, keyword)) continue;
        g_warn("unknown name \"%s\"", argv[i]);
        status = 1;
    }
    return status;
}
