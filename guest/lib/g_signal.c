/*
 * g_signal.c: names of signals, numbered as on Linux.
 */
#include "g_signal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {
    "EXIT", "HUP",  "INT",  "QUIT", "ILL",    "TRAP", "ABRT", "BUS",  "FPE",  "KILL", "USR1",
    "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN",
    "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR",  "SYS"};
enum { NAMES = sizeof names / sizeof *names, LAST = 64 };

const char *g_signal_name(int number) {
    return number >= 0 && number < NAMES ? names[number] : NULL;
}

int g_signal_number(const char *name) {
    if (isdigit((unsigned char)*name)) {
        char *end;
        long value = strtol(name, &end, 10);
        if (*end || value > 4096) return -1;
        if (value > LAST) value &= 0x7f; /* a status: 128 + signal */
        return value <= LAST ? (int)value : -1;
    }
    if (strncasecmp(name, "SIG", 3) == 0) name += 3;
    for (int i = 0; i < NAMES; i++)
        if (strcasecmp(names[i], name) == 0) return i;
    if (strcasecmp(name, "IO") == 0) return 29;
    if (strcasecmp(name, "CLD") == 0) return 17;
    if (strcasecmp(name, "IOT") == 0) return 6;
    return -1;
}
