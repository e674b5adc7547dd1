/*
 * g_dateparse.c: dates as people write them (date -d, touch -d, find -newermt).
 *
 * The text is cut into words and numbers; items (date, time, zone, weekday, relative amount, bare
 * number) may come in any order, most of them once. What they say is put together at the end as
 * GNU's parser does: a date without a time means midnight; only relative amounts mean "from now".
 */
#include "g_time.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum token_kind {
    END,
    NUMBER,
    LEAST,
    WORD,
    SIGN,
    PUNCTUATION
}; /* LEAST: 2^63, which only a minus takes */

typedef struct {
    enum token_kind kind;
    int64_t value;   /* NUMBER */
    int digits;      /* NUMBER: how many there were */
    int nanoseconds; /* NUMBER with a fraction */
    bool fraction;
    bool spaced;     /* white space before it */
    char c;          /* SIGN, PUNCTUATION */
    char word[24];   /* WORD, in capitals, without dots */
} token;

typedef struct {
    const char *at;
    token now, next, after;
    int dates, times, zones, days, relatives, years;
    int64_t year;
    int year_digits, month, day; /* month counts from 0 */
    int64_t hour, minute, second;
    int nanoseconds, meridian; /* 0: 24 hours, 1: am, 2: pm */
    int zone_minutes;
    bool zone_local;
    int zone_dst;
    int weekday, ordinal;
    bool overflow; /* of one of these */
    int64_t rel_year, rel_month, rel_day, rel_hour, rel_minute, rel_second;
    int64_t rel_nanoseconds;
    bool absolute;
    g_moment moment; /* of "@seconds" */
} parser;

static const char *const month_names[] = {"JANUARY",   "FEBRUARY", "MARCH",    "APRIL",
                                          "MAY",       "JUNE",     "JULY",     "AUGUST",
                                          "SEPTEMBER", "OCTOBER",  "NOVEMBER", "DECEMBER"};
static const char *const day_names[] = {"SUNDAY",   "MONDAY", "TUESDAY", "WEDNESDAY",
                                        "THURSDAY", "FRIDAY", "SATURDAY"};

static const struct {
    char name[6];
    short minutes; /* east of UTC, standard time */
    bool dst;
} zones[] = {
    {"GMT", 0, 0},     {"UT", 0, 0},      {"UTC", 0, 0},     {"Z", 0, 0},       {"WET", 0, 0},
    {"WEST", 0, 1},    {"BST", 0, 1},     {"ART", -180, 0},  {"BRT", -180, 0},  {"BRST", -180, 1},
    {"NST", -210, 0},  {"NDT", -210, 1},  {"AST", -240, 0},  {"ADT", -240, 1},  {"CLT", -240, 0},
    {"CLST", -240, 1}, {"EST", -300, 0},  {"EDT", -300, 1},  {"CST", -360, 0},  {"CDT", -360, 1},
    {"MST", -420, 0},  {"MDT", -420, 1},  {"PST", -480, 0},  {"PDT", -480, 1},  {"AKST", -540, 0},
    {"AKDT", -540, 1}, {"HST", -600, 0},  {"HAST", -600, 0}, {"HADT", -600, 1}, {"SST", -720, 0},
    {"WAT", 60, 0},    {"CET", 60, 0},    {"CEST", 60, 1},   {"MET", 60, 0},    {"MEZ", 60, 0},
    {"MEST", 60, 1},   {"MESZ", 60, 1},   {"EET", 120, 0},   {"EEST", 120, 1},  {"CAT", 120, 0},
    {"SAST", 120, 0},  {"EAT", 180, 0},   {"MSK", 180, 0},   {"MSD", 180, 1},   {"IST", 330, 0},
    {"SGT", 480, 0},   {"KST", 540, 0},   {"JST", 540, 0},   {"GST", 600, 0},   {"NZST", 720, 0},
    {"NZDT", 720, 1}};

/* Words of time units: what they add to. */
enum unit { NO_UNIT, YEAR, MONTH, DAY, HOUR, MINUTE, SECOND };
static const struct {
    char name[10];
    enum unit unit;
    int factor;
} units[] = {{"YEAR", YEAR, 1}, {"MONTH", MONTH, 1},   {"FORTNIGHT", DAY, 14}, {"WEEK", DAY, 7},
             {"DAY", DAY, 1},   {"HOUR", HOUR, 1},     {"MINUTE", MINUTE, 1},  {"MIN", MINUTE, 1},
             {"SECOND", SECOND, 1}, {"SEC", SECOND, 1}};

static const struct {
    char name[9];
    int value;
} ordinals[] = {{"LAST", -1},  {"THIS", 0},   {"NEXT", 1},      {"FIRST", 1},   {"THIRD", 3},
                {"FOURTH", 4}, {"FIFTH", 5},  {"SIXTH", 6},     {"SEVENTH", 7}, {"EIGHTH", 8},
                {"NINTH", 9},  {"TENTH", 10}, {"ELEVENTH", 11}, {"TWELFTH", 12}};

static token scan(parser *p) {
    token t = {0};
    for (;;) {
        while (isspace((unsigned char)*p->at)) {
            p->at++;
            t.spaced = true;
        }
        if (*p->at != '(') break;
        int depth = 0; /* a comment */
        do {
            if (*p->at == '(') depth++;
            if (*p->at == ')') depth--;
            if (*p->at) p->at++;
        } while (*p->at && depth > 0);
        t.spaced = true;
    }
    unsigned char c = (unsigned char)*p->at;
    if (!c) return t;
    if (isdigit(c)) {
        t.kind = NUMBER;
        for (; isdigit((unsigned char)*p->at); p->at++, t.digits++) {
            int digit = *p->at - '0';
            bool least = t.kind == NUMBER && t.value == INT64_MAX / 10 && digit == 8;
            if (least || __builtin_mul_overflow(t.value, 10, &t.value) ||
                __builtin_add_overflow(t.value, digit, &t.value))
                t.kind = least ? LEAST : PUNCTUATION;
        }
        if ((*p->at == '.' || *p->at == ',') && isdigit((unsigned char)p->at[1])) {
            int scale = 100000000;
            t.fraction = true;
            for (p->at++; isdigit((unsigned char)*p->at); p->at++, scale /= 10)
                t.nanoseconds += (*p->at - '0') * scale;
        }
        return t;
    }
    if (isalpha(c)) {
        size_t len = 0;
        t.kind = WORD;
        for (; isalpha((unsigned char)*p->at) || *p->at == '.'; p->at++)
            if (*p->at != '.' && len < sizeof t.word - 1)
                t.word[len++] = (char)toupper((unsigned char)*p->at);
        return t;
    }
    t.kind = c == '+' || c == '-' ? SIGN : PUNCTUATION;
    t.c = (char)c;
    p->at++;
    return t;
}

static void advance(parser *p) {
    p->now = p->next;
    p->next = p->after;
    p->after = scan(p);
}

static bool is_word(const token *t, const char *word) {
    return t->kind == WORD && strcmp(t->word, word) == 0;
}
static bool is_char(const token *t, char c) {
    return (t->kind == PUNCTUATION || t->kind == SIGN) && t->c == c;
}

/* A full name, its first three letters, or with `longer` any of at least that many letters. */
static int name_index(const token *t, const char *const *names, int count) {
    if (t->kind != WORD) return -1;
    size_t len = strlen(t->word);
    for (int i = 0; i < count; i++)
        if (strcmp(t->word, names[i]) == 0 || (len == 3 && strncmp(t->word, names[i], 3) == 0))
            return i;
    return -1;
}

static int month_of(const token *t) {
    return is_word(t, "SEPT") ? 8 : name_index(t, month_names, 12);
}

static int weekday_of(const token *t) {
    if (is_word(t, "TUES")) return 2;
    if (is_word(t, "WEDNES")) return 3;
    if (is_word(t, "THUR") || is_word(t, "THURS")) return 4;
    return name_index(t, day_names, 7);
}

static enum unit unit_of(const token *t, int *factor) {
    if (t->kind != WORD) return NO_UNIT;
    size_t len = strlen(t->word);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i].name);
        if (strncmp(t->word, units[i].name, n) != 0) continue;
        if (len != n && !(len == n + 1 && t->word[n] == 'S')) continue;
        *factor = units[i].factor;
        return units[i].unit;
    }
    return NO_UNIT;
}

static bool ordinal_of(const token *t, int *value) {
    for (size_t i = 0; t->kind == WORD && i < sizeof ordinals / sizeof *ordinals; i++) {
        if (strcmp(t->word, ordinals[i].name) == 0) {
            *value = ordinals[i].value;
            return true;
        }
    }
    return false;
}

static int meridian_of(const token *t) {
    if (is_word(t, "AM")) return 1;
    if (is_word(t, "PM")) return 2;
    return 0;
}

static void add_relative(parser *p, enum unit unit, int64_t amount, int nanoseconds) {
    int64_t *const sums[] = {[YEAR] = &p->rel_year, [MONTH] = &p->rel_month, [DAY] = &p->rel_day,
                             [HOUR] = &p->rel_hour, [MINUTE] = &p->rel_minute};
    bool larger = (size_t)unit < sizeof sums / sizeof *sums && sums[unit];
    int64_t *sum = larger ? sums[unit] : &p->rel_second;
    p->relatives++;
    if (__builtin_add_overflow(*sum, amount, sum)) p->overflow = true;
    if (!larger) p->rel_nanoseconds += nanoseconds;
}

/* Behind an amount and its unit: "ago" turns it round. */
static void relative(parser *p, enum unit unit, int64_t amount, int nanoseconds) {
    if (is_word(&p->now, "AGO")) {
        amount = -amount;
        nanoseconds = -nanoseconds;
        advance(p);
    }
    add_relative(p, unit, amount, nanoseconds);
}

/* +HH, +HHMM, +HH:MM: minutes east of UTC. At the sign. */
static bool zone_offset(parser *p, int *minutes) {
    int sign = p->now.c == '-' ? -1 : 1;
    advance(p);
    if (p->now.kind != NUMBER || p->now.digits > 4 || p->now.fraction) return false;
    int64_t value = p->now.value;
    bool short_form = p->now.digits <= 2;
    advance(p);
    int64_t total = short_form ? value * 60 : value / 100 * 60 + value % 100;
    if (short_form && is_char(&p->now, ':') && p->next.kind == NUMBER) {
        advance(p);
        if (p->now.value > 59) return false;
        total += p->now.value;
        advance(p);
    }
    if (total > 24 * 60) return false;
    *minutes = sign * (int)total;
    return true;
}

static bool named_zone(const token *t, int *minutes, bool *dst) {
    for (size_t i = 0; t->kind == WORD && i < sizeof zones / sizeof *zones; i++) {
        if (strcmp(t->word, zones[i].name) != 0) continue;
        *minutes = zones[i].minutes;
        *dst = zones[i].dst;
        return true;
    }
    /* One letter: the military zones. J is none. */
    if (t->kind != WORD || t->word[1]) return false;
    char c = t->word[0];
    *dst = false;
    if (c >= 'A' && c <= 'I') *minutes = (c - 'A' + 1) * 60;
    else if (c >= 'K' && c <= 'M') *minutes = (c - 'K' + 10) * 60;
    else if (c >= 'N' && c <= 'Y') *minutes = -(c - 'N' + 1) * 60;
    else return false;
    return true;
}

/* HH:MM[:SS[.frac]] at the hour; then am, pm or a zone offset. */
static bool clock_time(parser *p) {
    p->times++;
    p->hour = p->now.value;
    advance(p);
    advance(p);
    if (p->now.kind != NUMBER || p->now.digits > 2) return false;
    p->minute = p->now.value;
    p->second = p->nanoseconds = 0;
    p->meridian = 0;
    if (p->now.fraction) return false;
    advance(p);
    if (is_char(&p->now, ':') && p->next.kind == NUMBER) {
        advance(p);
        if (p->now.digits > 2) return false;
        p->second = p->now.value;
        p->nanoseconds = p->now.nanoseconds;
        advance(p);
    }
    int meridian = meridian_of(&p->now);
    if (meridian) {
        p->meridian = meridian;
        advance(p);
    } else if (p->now.kind == SIGN && p->next.kind == NUMBER) {
        p->zones++;
        return zone_offset(p, &p->zone_minutes);
    }
    return p->hour < 24 && p->minute < 60 && p->second < 60;
}

static bool set_date(parser *p, int64_t year, int year_digits, int64_t month, int64_t day) {
    if (month < 1 || month > 12 || day < 1 || day > 31) return false;
    p->dates++;
    p->year = year;
    p->year_digits = year_digits;
    p->month = (int)month - 1;
    p->day = (int)day;
    return true;
}

/* MM/DD, MM/DD/YYYY or YYYY/MM/DD, at the first number. */
static bool slash_date(parser *p) {
    token a = p->now, b, c;
    advance(p);
    advance(p);
    b = p->now;
    if (b.kind != NUMBER) return false;
    advance(p);
    if (!is_char(&p->now, '/') || p->next.kind != NUMBER)
        return set_date(p, 0, 0, a.value, b.value);
    advance(p);
    c = p->now;
    advance(p);
    if (a.digits >= 4) return set_date(p, a.value, a.digits, b.value, c.value);
    return set_date(p, c.value, c.digits, a.value, b.value);
}

/* YYYY-MM-DD or DD-Mon-YYYY, at the first number. */
static bool dash_date(parser *p) {
    token a = p->now;
    advance(p);
    advance(p);
    int month = month_of(&p->now);
    if (month >= 0) {
        advance(p);
        if (!is_char(&p->now, '-') || p->next.kind != NUMBER)
            return set_date(p, 0, 0, month + 1, a.value);
        advance(p);
        token year = p->now;
        advance(p);
        return set_date(p, year.value, year.digits, month + 1, a.value);
    }
    token b = p->now;
    if (b.kind != NUMBER) return false;
    advance(p);
    if (!is_char(&p->now, '-') || p->next.kind != NUMBER) return false;
    advance(p);
    token c = p->now;
    advance(p);
    return set_date(p, a.value, a.digits, b.value, c.value);
}

/* "January 5, 2024", "Jan 5", "Jan-5-2024", "Jan 2024", at the month. */
static bool month_first(parser *p, int month) {
    advance(p);
    if (is_char(&p->now, '-') && p->next.kind == NUMBER) {
        advance(p);
        int64_t day = p->now.value;
        advance(p);
        if (!is_char(&p->now, '-') || p->next.kind != NUMBER) return false;
        advance(p);
        token year = p->now;
        advance(p);
        return set_date(p, year.value, year.digits, month + 1, day);
    }
    if (p->now.kind != NUMBER) return false;
    token day = p->now;
    advance(p);
    if (is_char(&p->now, ',') && p->next.kind == NUMBER) {
        advance(p);
        token year = p->now;
        advance(p);
        return set_date(p, year.value, year.digits, month + 1, day.value);
    }
    return set_date(p, 0, 0, month + 1, day.value);
}

/* A number that belongs to nothing else: a year, YYYYMMDD, HH or HHMM. */
static bool bare_number(parser *p) {
    token t = p->now;
    advance(p);
    if (t.fraction) return false;
    if (p->dates && !p->year_digits && !p->relatives && (p->times || t.digits > 2)) {
        p->year = t.value;
        p->year_digits = t.digits;
        return true;
    }
    if (t.digits > 4)
        return set_date(p, t.value / 10000, t.digits - 4, t.value / 100 % 100, t.value % 100);
    p->times++;
    p->hour = t.digits <= 2 ? t.value : t.value / 100;
    p->minute = t.digits <= 2 ? 0 : t.value % 100;
    p->second = p->nanoseconds = p->meridian = 0;
    return p->hour < 24 && p->minute < 60;
}

static bool number_item(parser *p) {
    int factor;
    if (is_char(&p->next, ':')) return clock_time(p);
    if (is_char(&p->next, '/')) return slash_date(p);
    if (is_char(&p->next, '-') && !p->next.spaced && !p->after.spaced &&
        (p->after.kind == NUMBER || month_of(&p->after) >= 0)) {
        return dash_date(p);
    }
    int meridian = meridian_of(&p->next);
    if (meridian && p->now.digits <= 2) {
        p->times++;
        p->hour = p->now.value;
        p->minute = p->second = p->nanoseconds = 0;
        p->meridian = meridian;
        advance(p);
        advance(p);
        return true;
    }
    int month = month_of(&p->next);
    if (month >= 0) { /* 5 January 2024 */
        int64_t day = p->now.value;
        advance(p);
        advance(p);
        if (p->now.kind == NUMBER && !is_char(&p->next, ':')) {
            token year = p->now;
            advance(p);
            return set_date(p, year.value, year.digits, month + 1, day);
        }
        return set_date(p, 0, 0, month + 1, day);
    }
    int weekday = weekday_of(&p->next);
    if (weekday >= 0 && unit_of(&p->next, &factor) == NO_UNIT) {
        p->days++;
        p->ordinal = (int)p->now.value;
        p->weekday = weekday;
        advance(p);
        advance(p);
        return true;
    }
    enum unit unit = unit_of(&p->next, &factor);
    if (unit != NO_UNIT) {
        token t = p->now;
        if (t.fraction && unit != SECOND) return false;
        advance(p);
        advance(p);
        relative(p, unit, t.value * factor, t.nanoseconds);
        return true;
    }
    return bare_number(p);
}

/* "+1 day"; a sign and a number alone are an amount of the unit behind them. */
static bool signed_item(parser *p) {
    int sign = 1, factor;
    while (p->now.kind == SIGN) {
        if (p->now.c == '-') sign = -1;
        advance(p);
    }
    if (p->now.kind != NUMBER) return false;
    token t = p->now;
    enum unit unit = unit_of(&p->next, &factor);
    if (unit == NO_UNIT || (t.fraction && unit != SECOND)) return false;
    advance(p);
    advance(p);
    relative(p, unit, sign * t.value * factor, sign * t.nanoseconds);
    return true;
}

static bool zone_item(parser *p, int minutes, bool dst) {
    advance(p);
    p->zones++;
    if (dst) minutes += 60;
    if (is_word(&p->now, "DST")) {
        minutes += 60;
        advance(p);
    }
    p->zone_minutes = minutes;
    int more;
    /* UTC+3; but "UTC +3 hours" is an amount. */
    if (p->now.kind == SIGN && p->next.kind == NUMBER) {
        int factor;
        if (unit_of(&p->after, &factor) != NO_UNIT) return true;
        if (!zone_offset(p, &more)) return false;
        p->zone_minutes += more;
    }
    return true;
}

static bool word_item(parser *p) {
    int ordinal, factor, month = month_of(&p->now), weekday = weekday_of(&p->now);
    enum unit unit;
    if (is_word(&p->now, "TODAY") || is_word(&p->now, "NOW") || is_word(&p->now, "TOMORROW") ||
        is_word(&p->now, "YESTERDAY")) {
        int64_t days = p->now.word[3] == 'O' ? 1 : p->now.word[0] == 'Y' ? -1 : 0;
        advance(p);
        relative(p, DAY, days, 0);
        return true;
    }
    if (ordinal_of(&p->now, &ordinal)) {
        advance(p);
        if ((unit = unit_of(&p->now, &factor)) != NO_UNIT) {
            advance(p);
            relative(p, unit, (int64_t)ordinal * factor, 0);
            return true;
        }
        weekday = weekday_of(&p->now);
        if (weekday < 0) return false;
        p->days++;
        p->ordinal = ordinal;
        p->weekday = weekday;
        advance(p);
        return true;
    }
    if ((unit = unit_of(&p->now, &factor)) != NO_UNIT) {
        advance(p);
        relative(p, unit, factor, 0);
        return true;
    }
    if (month >= 0) return month_first(p, month);
    if (weekday >= 0) {
        p->days++;
        p->ordinal = 0;
        p->weekday = weekday;
        advance(p);
        if (is_char(&p->now, ',')) advance(p);
        return true;
    }
    /* 2024-01-15T10:20 */
    if (is_word(&p->now, "T") && p->dates && p->next.kind == NUMBER) {
        advance(p);
        if (is_char(&p->next, ':')) return clock_time(p);
        token t = p->now;
        advance(p);
        p->times++;
        p->hour = t.digits <= 2 ? t.value : t.value / 100;
        p->minute = t.digits <= 2 ? 0 : t.value % 100;
        p->second = p->nanoseconds = p->meridian = 0;
        return t.digits >= 3 && t.digits <= 4 && p->hour <= 24 && p->minute < 60;
    }
    g_civil c;
    int minutes;
    bool dst;
    if (named_zone(&p->now, &minutes, &dst)) return zone_item(p, minutes, dst);
    /* The zone's own names. */
    for (int half = 0; half < 2; half++) {
        g_civil_local(g_now().seconds + half * 182 * 86400, &c);
        if (strcasecmp(p->now.word, c.zone) == 0) return zone_item(p, c.offset / 60, false);
    }
    return false;
}

/* "@1700000000.5" */
static bool at_item(parser *p) {
    advance(p);
    int sign = 1;
    if (p->now.kind == SIGN) {
        sign = p->now.c == '-' ? -1 : 1;
        advance(p);
    }
    bool least = p->now.kind == LEAST && sign < 0;
    if (p->now.kind != NUMBER && !least) return false;
    p->absolute = true;
    p->moment.seconds = least ? INT64_MIN : sign * p->now.value;
    p->moment.nanoseconds = p->now.nanoseconds;
    if (sign < 0 && p->moment.nanoseconds) {
        p->moment.seconds--;
        p->moment.nanoseconds = 1000000000 - p->moment.nanoseconds;
    }
    advance(p);
    return true;
}

static bool items(parser *p) {
    while (p->now.kind != END) {
        bool good;
        if (p->now.kind == NUMBER) good = number_item(p);
        else if (p->now.kind == SIGN) good = signed_item(p);
        else if (p->now.kind == WORD) good = word_item(p);
        else if (is_char(&p->now, '@')) good = at_item(p);
        else if (is_char(&p->now, ',')) {
            advance(p);
            good = true;
        } else {
            good = false;
        }
        if (!good) return false;
    }
    bool more = p->dates || p->times || p->zones || p->days || p->relatives;
    if (p->absolute && more) return false; /* a count of seconds stands alone */
    return !p->overflow && p->dates <= 1 && p->times <= 1 && p->zones <= 1 && p->days <= 1;
}

static int64_t full_year(const parser *p) {
    if (p->year_digits > 2) return p->year;
    return p->year + (p->year < 69 ? 2000 : 1900);
}

/* The moment of civil fields in the zone that was named, or in the local one. */
static bool moment_of(const parser *p, const g_civil *c, int64_t *out) {
    if (!p->zones) return g_time_from_local(c, out);
    *out = g_time_from_utc(c) - (int64_t)p->zone_minutes * 60;
    return true;
}

static bool put_together(const parser *p, g_moment now, g_moment *out) {
    g_civil c;
    int64_t t;
    /* "Today" is the day here, whatever zone was named. */
    g_civil_local(now.seconds, &c);
    int nanoseconds = now.nanoseconds;
    if (p->dates) {
        if (p->year_digits) c.year = full_year(p);
        if (c.year > INT32_MAX + INT64_C(1900)) return false; /* tm_year is an int */
        c.month = p->month;
        c.day = p->day;
        if (c.day > g_days_in_month(c.year, c.month)) return false;
    }
    if (p->times) {
        c.hour = (int)p->hour;
        if (p->meridian) {
            if (c.hour < 1 || c.hour > 12) return false;
            c.hour = c.hour % 12 + (p->meridian == 2 ? 12 : 0);
        }
        if (c.hour > 23) return false;
        c.minute = (int)p->minute;
        c.second = (int)p->second;
        nanoseconds = p->nanoseconds;
    } else if (!(p->relatives && !p->dates && !p->days)) {
        c.hour = c.minute = c.second = nanoseconds = 0;
    }
    if (p->dates || p->days || p->times) c.dst = -1;
    if (!moment_of(p, &c, &t)) return false;
    if (p->days && !p->dates) {
        g_civil at;
        if (p->zones) g_civil_utc(t + (int64_t)p->zone_minutes * 60, &at);
        else g_civil_local(t, &at);
        int ahead = (p->weekday - at.weekday + 7) % 7;
        c.day += ahead + 7 * (p->ordinal - (p->ordinal > 0 && at.weekday != p->weekday));
        c.dst = -1;
        if (!moment_of(p, &c, &t)) return false;
    }
    if (p->rel_year || p->rel_month || p->rel_day) {
        const int64_t most = INT64_MAX / 1000; /* years that are out of range in any case */
        if (p->rel_year > most || p->rel_year < -most || p->rel_month > most ||
            p->rel_month < -most)
            return false;
        c.year += p->rel_year;
        int64_t month = c.month + p->rel_month;
        c.year += month >= 0 ? month / 12 : -((11 - month) / 12);
        c.month = (int)((month % 12 + 12) % 12);
        int64_t days;
        if (__builtin_add_overflow(p->rel_day, c.day, &days) || days > INT32_MAX ||
            days < INT32_MIN)
            return false;
        c.day = (int)days;
        moment_of(p, &c, &t);
    }
    int64_t hours, minutes, ns = nanoseconds + p->rel_nanoseconds;
    if (__builtin_mul_overflow(p->rel_hour, 3600, &hours) ||
        __builtin_mul_overflow(p->rel_minute, 60, &minutes) ||
        __builtin_add_overflow(t, hours, &t) || __builtin_add_overflow(t, minutes, &t) ||
        __builtin_add_overflow(t, p->rel_second, &t) ||
        __builtin_add_overflow(t, ns >= 0 ? ns / 1000000000 : -((999999999 - ns) / 1000000000), &t))
        return false;
    out->seconds = t;
    out->nanoseconds = (int)((ns % 1000000000 + 1000000000) % 1000000000);
    return true;
}

/* TZ="zone" in front: chooses it until the result is known. */
static const char *zone_prefix(const char *text, char **tz) {
    while (isspace((unsigned char)*text)) text++;
    if (strncmp(text, "TZ=\"", 4) != 0) return text;
    const char *end = strchr(text + 4, '"');
    if (!end) return text;
    *tz = g_copy_bytes(text + 4, (size_t)(end - text - 4));
    return end + 1;
}

bool g_date_parse(const char *text, g_moment now, g_moment *out) {
    char *tz = NULL;
    parser p = {.at = zone_prefix(text, &tz)};
    if (tz) g_zone_set(tz);
    p.now = scan(&p);
    p.next = scan(&p);
    p.after = scan(&p);
    bool good = items(&p);
    if (good && p.absolute) {
        good = !p.dates && !p.times && !p.days && !p.zones;
        *out = p.moment;
        if (p.relatives) {
            parser relative_only = p;
            relative_only.absolute = false;
            good = good && put_together(&relative_only, p.moment, out);
        }
    } else if (good) {
        good = put_together(&p, now, out);
    }
    if (tz) g_zone_set(NULL);
    free(tz);
    return good;
}
