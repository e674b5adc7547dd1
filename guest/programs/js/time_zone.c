/*
 * time_zone.c: see time_zone.h; and what QuickJS's Date asks (adapt_quickjs.py).
 */
#include "time_zone.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Programs format many dates in few zones. */
enum { ZONES_KEPT = 4 };
static struct {
    char *name;
    struct pf_zone *zone;
} kept[ZONES_KEPT];
static unsigned next_kept;

const struct pf_zone *time_zone(const char *name) {
    for (unsigned i = 0; i < ZONES_KEPT; i++)
        if (kept[i].name && strcmp(kept[i].name, name) == 0) return kept[i].zone;
    unsigned at = next_kept++ % ZONES_KEPT;
    free(kept[at].name);
    pf_zone_free(kept[at].zone);
    kept[at].name = strdup(name);
    kept[at].zone = pf_zone_new(name);
    return kept[at].zone;
}

/* English names of kinds of time, as Unicode's CLDR has them: by a zone's abbreviation, or by its
 * own name where that is a number, and where several use the same one. */
static const struct {
    const char *kind, *zones; /* zones: the beginnings of their names, separated by spaces */
    const char *name;
} long_names[] = {
    {"UTC", "", "Coordinated Universal Time"},
    {"GMT", "", "Greenwich Mean Time"},
    {"BST", "Europe/ GB", "British Summer Time"},
    {"IST", "Europe/ Eire", "Irish Standard Time"},
    {"IST", "Asia/Jerusalem Asia/Tel_Aviv Israel", "Israel Standard Time"},
    {"IDT", "", "Israel Daylight Time"},
    {"IST", "Asia/", "India Standard Time"},
    {"WET", "", "Western European Standard Time"},
    {"WEST", "", "Western European Summer Time"},
    {"CET", "", "Central European Standard Time"},
    {"CEST", "", "Central European Summer Time"},
    {"EET", "", "Eastern European Standard Time"},
    {"EEST", "", "Eastern European Summer Time"},
    {"MSK", "", "Moscow Standard Time"},
    {"SAST", "", "South Africa Standard Time"},
    {"EAT", "", "East Africa Time"},
    {"CAT", "", "Central Africa Time"},
    {"WAT", "", "West Africa Standard Time"},
    {"CST", "America/Havana Cuba", "Cuba Standard Time"},
    {"CDT", "America/Havana Cuba", "Cuba Daylight Time"},
    {"CST", "Asia/Taipei ROC", "Taipei Standard Time"},
    {"CST", "Asia/ PRC", "China Standard Time"},
    {"PST", "Asia/", "Philippine Standard Time"},
    {"MST", "America/Mazatlan America/Hermosillo Mexico", "Mexican Pacific Standard Time"},
    {"EST", "", "Eastern Standard Time"},
    {"EDT", "", "Eastern Daylight Time"},
    {"CST", "", "Central Standard Time"},
    {"CDT", "", "Central Daylight Time"},
    {"MST", "", "Mountain Standard Time"},
    {"MDT", "", "Mountain Daylight Time"},
    {"PST", "", "Pacific Standard Time"},
    {"PDT", "", "Pacific Daylight Time"},
    {"AKST", "", "Alaska Standard Time"},
    {"AKDT", "", "Alaska Daylight Time"},
    {"HST", "", "Hawaii-Aleutian Standard Time"},
    {"HDT", "", "Hawaii-Aleutian Daylight Time"},
    {"AST", "", "Atlantic Standard Time"},
    {"ADT", "", "Atlantic Daylight Time"},
    {"NST", "", "Newfoundland Standard Time"},
    {"NDT", "", "Newfoundland Daylight Time"},
    {"SST", "", "Samoa Standard Time"},
    {"ChST", "", "Chamorro Standard Time"},
    {"JST", "", "Japan Standard Time"},
    {"KST", "", "Korean Standard Time"},
    {"HKT", "", "Hong Kong Standard Time"},
    {"PKT", "", "Pakistan Standard Time"},
    {"WIB", "", "Western Indonesia Time"},
    {"WITA", "", "Central Indonesia Time"},
    {"WIT", "", "Eastern Indonesia Time"},
    {"AEST", "Australia/Lord_Howe", "Lord Howe Standard Time"},
    {"+1030", "Australia/Lord_Howe", "Lord Howe Standard Time"},
    {"+11", "Australia/Lord_Howe", "Lord Howe Daylight Time"},
    {"AEST", "", "Australian Eastern Standard Time"},
    {"AEDT", "", "Australian Eastern Daylight Time"},
    {"ACST", "", "Australian Central Standard Time"},
    {"ACDT", "", "Australian Central Daylight Time"},
    {"AWST", "", "Australian Western Standard Time"},
    {"NZMT", "", "New Zealand Standard Time"},
    {"NZST", "", "New Zealand Standard Time"},
    {"NZDT", "", "New Zealand Daylight Time"},
    {"+08", "Asia/Singapore Singapore", "Singapore Standard Time"},
    {"+08", "Asia/Kuala_Lumpur Asia/Kuching", "Malaysia Time"},
    {"+07", "Asia/Bangkok Asia/Ho_Chi_Minh Asia/Saigon Asia/Phnom_Penh Asia/Vientiane",
     "Indochina Time"},
    {"+06", "Asia/Dhaka Asia/Dacca", "Bangladesh Standard Time"},
    {"+0545", "", "Nepal Time"},
    {"+0530", "Asia/Colombo", "India Standard Time"},
    {"+0430", "Asia/Kabul", "Afghanistan Time"},
    {"+0330", "Asia/Tehran Iran", "Iran Standard Time"},
    {"+04", "Asia/Dubai Asia/Muscat", "Gulf Standard Time"},
    {"+03", "Asia/Riyadh Asia/Qatar Asia/Kuwait Asia/Baghdad Asia/Bahrain Asia/Aden",
     "Arabian Standard Time"},
    {"-03", "America/Sao_Paulo America/Bahia America/Fortaleza Brazil/East",
     "Brasilia Standard Time"},
    {"-03", "America/Argentina/ America/Buenos_Aires", "Argentina Standard Time"},
    {"-04", "America/Santiago Chile/", "Chile Standard Time"},
    {"-03", "America/Santiago Chile/", "Chile Summer Time"},
    {"-04", "America/Caracas", "Venezuela Time"},
    {"-05", "America/Bogota", "Colombia Standard Time"},
    {"-05", "America/Lima", "Peru Standard Time"},
};

static bool begins_with_one(const char *zone, const char *beginnings) {
    if (!*beginnings) return true;
    for (const char *p = beginnings; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (strncmp(zone, p, len) == 0) return true;
        p += len;
    }
    return false;
}

const char *time_zone_long_name(const char *zone, const struct pf_zone_kind *kind,
                                char room[TIME_ZONE_NAME_BYTES]) {
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++)
        if (strcmp(long_names[i].kind, kind->name) == 0 &&
            begins_with_one(zone, long_names[i].zones))
            return long_names[i].name;
    int minutes = abs(kind->offset) / 60;
    snprintf(room, TIME_ZONE_NAME_BYTES, minutes ? "GMT%c%02d:%02d" : "GMT",
             kind->offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
    return room;
}

/* The zone that $TZ names, as localtime() has it. */
static const char *own_zone(void) {
    const char *name = getenv("TZ");
    return name ? name : "/etc/localtime";
}

/* For Date.prototype.toString() of the process's own zone; valid until the next call. */
const char *quickjs_zone_name(double ms);
const char *quickjs_zone_name(double ms) {
    static char room[TIME_ZONE_NAME_BYTES];
    const struct pf_zone *zone = time_zone(own_zone());
    return zone ? time_zone_long_name(own_zone(), pf_zone_at(zone, (int64_t)floor(ms / 1000)), room)
                : "UTC";
}

/* The moment, in ms, of what a clock of the process's zone shows, counted the same way. */
double quickjs_local_moment(int64_t ms);
double quickjs_local_moment(int64_t ms) {
    const struct pf_zone *zone = time_zone(own_zone());
    int64_t seconds = ms / 1000 - (ms % 1000 < 0), moment = seconds;
    if (zone) pf_zone_moment(zone, seconds, -1, &moment);
    return (double)moment * 1000 + (double)(ms - seconds * 1000);
}
