/*
 * sizes.h: sizes that the kernel alone decides, and that no program may rely on beyond POSIX.
 *
 * The hostile kernel (`make hostile`) has them as small as they can be: whoever takes a pipe for
 * larger than a byte, a read for complete, or its turn for longer than one call, shows it there.
 */
#ifndef K_SIZES_H
#define K_SIZES_H

#include "abi/limits.h"

#ifdef PF_HOSTILE
#define K_PIPE_SIZE   1u  /* bytes of a pipe or a stream */
#define K_PIPE_BUF    1u  /* of a write that is atomic */
#define K_SLICE_CALLS 1u  /* calls of a turn */
#define K_IO_MAX      61u /* bytes of a read or write of a pipe, of a copy */
#else
#define K_PIPE_SIZE   PF_PIPE_SIZE
#define K_PIPE_BUF    PF_PIPE_BUF
#define K_SLICE_CALLS PF_SLICE_CALLS
#define K_IO_MAX      PF_IO_MAX
#endif

/* Calls that daemons may make after a run's foreground has ended, and after each answer of the
 * host. A turn counts as some, and so do bytes that are read and written. */
#define K_BEHIND_DONE   2000u
#define K_BEHIND_ANSWER 500u
#define K_BEHIND_TURN   8u
#define K_BEHIND_BYTES  1024u

#endif
