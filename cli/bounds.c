/* bounds.c: bounds on what a stranger's recording may ask for: --limit and --max-seconds. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double seconds_of(const char *text) {
    char *end;
    if (!strcmp(text, "none")) return HUGE_VAL;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0))
        die("--max-seconds %s: not a number of seconds", text);
    return seconds;
}

/* The default limits; the time of all runs together has a bound of its own. */
pf_options *replay_limits(const struct pairs *limits) {
    pf_options *options = pf_options_new();
    if (!options || pf_options_limit(options, "cpu_ms", PF_UNLIMITED, NULL) != PF_OK ||
        pf_options_limit(options, "wall_ms", PF_UNLIMITED, NULL) != PF_OK)
        die("out of memory");
    add_limits(options, limits);
    return options;
}
