/* limits.c: --limit NAME=VALUE as the library's limits, which count milliseconds and bytes. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static uint64_t milliseconds(const struct pair *limit) {
    char *end;
    double seconds = strtod(limit->value, &end);
    if (end == limit->value || *end || !(seconds >= 0) || seconds > 1e12)
        die("--limit %s=%s: not a number of seconds", limit->name, limit->value);
    return (uint64_t)ceil(seconds * 1000);
}

static uint64_t number(const struct pair *limit) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(limit->value, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift) end++;
    if (limit->value[0] < '0' || limit->value[0] > '9' || *end || errno || value >> (63 - shift))
        die("--limit %s=%s: not a number", limit->name, limit->value);
    return value << shift;
}

uint64_t limit_of(const struct pairs *limits, const char *name) {
    pf_options *options = pf_options_new();
    if (!options) die("out of memory");
    add_limits(options, limits);
    uint64_t limit = pf_options_limit_of(options, name);
    pf_options_free(options);
    return limit;
}

void read_within(struct text *text, const char *path, const char *what, const char *name,
                 uint64_t limit) {
    if (!text_read_file_up_to(text, path, limit < SIZE_MAX ? (size_t)limit + 1 : SIZE_MAX))
        die("%s: %s", path, strerror(errno));
    if (text->len > limit)
        die("%s has more bytes than the limit %s (%llu); see --limit", what, name,
            (unsigned long long)limit);
}

void add_limits(pf_options *options, const struct pairs *limits) {
    for (size_t i = 0; i < limits->count; i++) {
        const struct pair *limit = &limits->items[i];
        char name[64];
        size_t len = strlen(limit->name);
        /* Here they are seconds. */
        bool milliseconds_name = len > 3 && !strcmp(limit->name + len - 3, "_ms");
        bool seconds = len > 8 && len < sizeof name && !strcmp(limit->name + len - 8, "_seconds");
        if (seconds) snprintf(name, sizeof name, "%.*s_ms", (int)(len - 8), limit->name);
        uint64_t value = !strcmp(limit->value, "none") ? PF_UNLIMITED
                         : seconds                     ? milliseconds(limit)
                                                       : number(limit);
        pf_error error;
        if (!milliseconds_name &&
            pf_options_limit(options, seconds ? name : limit->name, value, &error) == PF_OK)
            continue;
        die("--limit %s: there is no limit of that name; see pinfold run --help", limit->name);
    }
}
