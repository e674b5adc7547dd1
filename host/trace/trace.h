/*
 * host/trace/trace.h: recorded runs. docs/trace.md is the reference of the format.
 *
 * A trace is JSON Lines: a head, then, in order, the embedder's acts ("do"), what came from outside
 * at a moment of its own ("in": time, interrupts, limits) and what the guest did ("out"). The first
 * two are the inputs, from which everything follows; the last is what a replay is compared with.
 *
 * Files: lines.c (the chain of checksums) record.c (a tape that writes) replay.c (a tape that
 * reads, and the acts done again).
 */
#ifndef PF_TRACE_H
#define PF_TRACE_H

#include "host/base/json.h"
#include "host/machine/machine.h"

#define TRACE_FORMAT 2
/* Each line ends in ,"sum":"xxxxxxxx"}: 8 digits of a BLAKE2b over all lines up to here. */
#define TRACE_SUM 8

/* The members of the last line of one that has come to its bound. */
#define TRACE_FULL ",\"full\":true"

struct trace_chain {
    uint8_t state[16];
};
/* Takes one line without its sum and brace; gives the sum. */
void trace_chain_add(struct trace_chain *chain, const char *text, size_t len,
                     char sum[TRACE_SUM + 1]);

struct trace_line {
    const char *text; /* without sum and brace */
    size_t len;
};
/* A whole trace, its lines checked. Points into the caller's text. */
struct trace_lines {
    struct trace_line *items;
    size_t count;
    bool complete; /* the last line is there */
    bool full;     /* it came to its bound; the line that says so is not among `items` */
};
/* Splits a trace into lines and checks the chain of their sums; half a line at the end is left out.
 * Free out->items. PF_FORMAT: a line was changed. */
pf_status trace_split(const char *text, size_t len, struct trace_lines *out, pf_error *error);
/* PF_FORMAT, with the reason, for one that does not go on to the end of its sandbox. */
pf_status trace_whole(const struct trace_lines *lines, pf_error *error);

/* Members of a line as JSON. The value lives in the arena. */
pf_status trace_parse(struct base_arena *arena, const struct trace_line *line, yyjson_val **out,
                      pf_error *error);
/* A member that tape_member() wrote; false: it is not there, or not a string. */
bool trace_bytes(struct base_arena *arena, yyjson_val *object, const char *name, const char **data,
                 size_t *len);
/* A member that is a whole number; `missing` when it is not there, or no int64_t. */
int64_t trace_int(yyjson_val *object, const char *name, int64_t missing);
/* The same of an unsigned one; 0 when it is not there. */
uint64_t trace_uint(yyjson_val *object, const char *name);

/* The names of strikes in traces, in the order of enum machine_strike. */
extern const char *const trace_strikes[STRIKE_COUNT];

#endif
