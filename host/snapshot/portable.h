/*
 * host/snapshot/portable.h: a sandbox as what any later version takes over: files, the shell's
 * state, Python's names, budgets. docs/snapshot.md is the reference of the format.
 *
 * The guest says what it holds: a copy of the sandbox is asked (guest/programs/sh/state.h,
 * state.py), so the original does not notice. At a restore a new sandbox takes that over before
 * anybody may use it: without tools, without time, and within the limits of who restores.
 */
#ifndef PF_SNAPSHOT_PORTABLE_H
#define PF_SNAPSHOT_PORTABLE_H

#include "frame.h"
#include "host/machine/machine.h"

/* Makes a sandbox, which was entered and is empty, of a portable snapshot. */
pf_status portable_restore(pf_sandbox *sandbox, const pf_options *options, const char *data,
                           size_t len, pf_error *error);
/* Gives an empty sandbox its settings and opens a snapshot of this `kind` (frame.h) by their terms.
 * After PF_OK *contents is the caller's to free(). snapshot.c */
pf_status snapshot_open(pf_sandbox *sandbox, const pf_options *options, enum frame_kind kind,
                        const char *data, size_t len, char **contents, size_t *contents_len,
                        pf_error *error);

/* guests.c: the session of a sandbox, which was entered, without tools and recording, is asked for
 * its records
 * (`take` NULL), or given those of another one; what it answers is appended to `out`. PF_OK with
 * `*why` set (constant): it does not answer; then a run may still be on. */
pf_status guest_shell(pf_sandbox *sandbox, const char *take, size_t len, struct base_buf *out,
                      const char **why, pf_error *error);
/* The same for the session of Python. */
pf_status guest_python(pf_sandbox *sandbox, const char *take, size_t len, struct base_buf *out,
                       const char **why, pf_error *error);

/* put_back.c: writes the files of a list into a new sandbox, which was entered. What is not in it
 * is appended to `left`, as texts each ended by a NUL. */
struct filemap;
struct reader;
/* `data`: the memory that segments with an address point into; PF_FORMAT for a path that is not
 * allowed. */
pf_status files_put_back(pf_sandbox *sandbox, const struct filemap *map, const struct reader *data,
                         struct base_buf *left, pf_error *error);

#endif
