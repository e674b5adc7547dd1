/*
 * state.h: the state of a session's shell, as records that any later version takes over.
 *
 * The host asks for it by a run whose text is STATE_GIVE, and gets it as the run's value; it hands it
 * to a fresh session as STATE_TAKE and the records, and gets the records "left" of what could not be
 * taken. Nothing is evaluated on the way. docs/snapshot.md is the reference of the records.
 *
 * A record: u32 count of fields, then each: u32 length, bytes. Numbers are little endian. The first
 * field is the kind; a field with a text holds no NUL.
 */
#ifndef SH_STATE_H
#define SH_STATE_H

#include "sh.h"

#define STATE_GIVE "#!pinfold-state give\n"
#define STATE_TAKE "#!pinfold-state take\n"

/* Is the text of a run one of these? Then it is done, with its status. */
bool state_run(struct shell *sh, const char *text, size_t n, int *status);
/* Is it a variable that describes this build, and is not carried over? */
bool state_is_own(const char *name);

/* Appends a record with the fields of a NULL-terminated list. */
void state_put(sb *out, const char *const *fields);
/* Appends a "left" record; `name` may be NULL. */
void state_leave(sb *out, const char *what, const char *name);
/* Appends the records of all that a session remembers. */
void state_give(struct shell *sh, sb *out);
/* false: the records are malformed; what could not be taken is in `out`. */
bool state_take(struct shell *sh, const char *text, size_t n, sb *out);

#endif
