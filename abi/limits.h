/*
 * abi/limits.h: every hard bound of a sandbox, in one place.
 *
 * These are sizes of tables and messages that the kernel, the libc and the host compile in. The
 * limits an embedder can set (SPEC section 6) are run-time values below these bounds.
 */
#ifndef PF_ABI_LIMITS_H
#define PF_ABI_LIMITS_H

/* Bytes of input of one message: argument lists of exec and spawn, tool calls. As Linux ARG_MAX. */
#define PF_MESSAGE_IN_MAX (2u << 20)
/* Bytes of one read or write; the libc splits larger ones. A kernel call is bounded by this. */
#define PF_IO_MAX (64u << 10)
/* Bytes a pipe holds (Linux default) and a write that is atomic (POSIX PIPE_BUF, Linux value). */
#define PF_PIPE_SIZE (64u << 10)
#define PF_PIPE_BUF  4096u
/* Bytes an output stream holds before its writers wait for the host to drain it. */
#define PF_STREAM_SIZE (64u << 10)
/* Bytes of a path and of one name in it (Linux PATH_MAX, NAME_MAX); symbolic links followed. */
#define PF_PATH_MAX    4096u
#define PF_NAME_MAX    255u
#define PF_SYMLINK_MAX 40u
/* Entries of the process table, index 0 being the host; highest descriptor of one process. */
#define PF_PROCESS_TABLE 1024u
#define PF_OPEN_MAX      4096u
/* Files of a sandbox: the bound of `files`. */
#define PF_FILES_MAX (1u << 20)
/* Largest file (bounded by memory long before). */
#define PF_FILE_SIZE_MAX (2ll << 30)
/* Host operations that one sandbox may have unanswered. */
#define PF_OPS_MAX 4096u
/* Signals are numbered as on Linux, 1 .. PF_SIGNALS-1. */
#define PF_SIGNALS 65
/* Nested interpreter files ("#!") that exec follows. */
#define PF_SHEBANG_DEPTH 4
/* Program images that a kernel can know. */
#define PF_IMAGES_MAX 64u
/* Calls that a process may make before another runnable one gets its turn. */
#define PF_SLICE_CALLS 1000

_Static_assert(PF_PIPE_BUF <= PF_PIPE_SIZE, "an atomic write must fit an empty pipe");
_Static_assert(PF_IO_MAX <= PF_MESSAGE_IN_MAX, "a write must fit a message");

#endif
