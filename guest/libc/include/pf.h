/*
 * pf.h: calls of the sandbox beyond POSIX.
 *
 * Programs are ordinary POSIX C; they include this for the few things a Unix has no name for:
 * giving others their turn, calls to the host's tools, and taking the text of a run. Two
 * implementations exist: guest/libc (wasm, on abi/) and guest/libc/native.c, with which the same
 * program runs as a plain Linux process for tests and sanitizers, where tools answer ENOSYS.
 *
 * Every function returns >= 0, or -1 with errno set, unless it says otherwise.
 */
#ifndef PF_H
#define PF_H

#include <stddef.h>
#include <stdint.h>

/*
 * Call this every few hundred steps in any loop whose length the user's input decides (interpreter
 * loops, matching, sorting). Others run, signals arrive, limits strike here. Costs about 12 ns.
 */
void pf_yield(void);

/* The name under which this program was executed as a file (applet of a multicall image);
 * independent of argv[0]. Owned by the libc. */
const char *pf_applet(void);

/*
 * Engines that are not compiled with Asyncify as a whole (js, jq, sqlite3) say so once, before
 * anything can wait: from then on a call that must wait parks the process on its native stack, and
 * only pf_wait_unwound() can wait as plain bytes. Other programs never call this.
 */
void pf_set_unwindable(int whole_stack);
struct pollfd;
/* As poll(2) with a timeout in nanoseconds (-1: for ever), from a stack all of whose functions are
 * on the program's ASYNCIFY_ONLY list. PF_POLL_OPS (abi/types.h) stands for finished tool calls. */
int pf_wait_unwound(struct pollfd *fds, int count, int64_t timeout_ns);

/*
 * Marks the end of an engine's own start-up (runtime and library loaded, nothing yet read from
 * arguments, environment, files, clock or random). The host saves the process here once and starts
 * later ones from these bytes. Must be called from main() or a function on ASYNCIFY_ONLY, before
 * pf_args_ready(); programs that do not call it start from their linked image.
 */
void pf_booted(int *argc, char ***argv);

/* Tool calls. Start one, wait for any (pf_tool_next) or one (pf_tool_wait), read, close. */
int pf_tool_start(const char *json, size_t len);      /* {"tool": …, "params": {…}}; an id > 0 */
int pf_tool_next(void);                               /* id of a newly finished call; EAGAIN */
int pf_tool_wait(int id);                             /* waits; EINTR. Always ends finished */
/* A finished call: its outcome (enum pf_op_outcome) and its whole reply in a malloc'ed buffer with
 * a NUL after it, owned by the caller. The call is closed in any case. NULL on failure. */
char *pf_tool_take(int id, int *outcome, size_t *len);
int pf_tool_close(int id);                            /* cancels an unfinished one */

/* Runs. pf_run_next() is for the session leader; `status` is that of the run that ended, -1 at the
 * first call. Gives the run's flags (PF_RUN_…), or -1 with errno. On return the run's descriptors
 * 0, 1, 2 are in place and pf_run_text() gives its text. pf_run_text() also gives a spawned run's
 * text (js). Result: malloc'ed, NUL-terminated, owned by the caller; NULL with ENODATA when this
 * process has no text. */
int pf_run_next(int status);
char *pf_run_text(size_t *len);
int pf_run_value(const char *json, size_t len);       /* what a JS program returned */

/* The kernel's CPU-independent random stream; fills all of buf. */
void pf_random(void *buf, size_t len);

#endif
