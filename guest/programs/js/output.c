/*
 * output.c: standard output and error of a JavaScript program.
 *
 * Writes are gathered while JavaScript runs and go out before the process waits, ends, starts a
 * child or has run for long (engine.c), in the order in which they were made: a write to the other
 * stream flushes first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"

#define BUFFER_BYTES     (64u << 10)
#define BUFFER_MIN_BYTES (4u << 10) /* most programs write little, and new memory is slow */

static char *buffer; /* from the first write on */
static size_t room, used;
static int stream = 1; /* to which the buffered bytes go */
static int lost_error; /* of the first write that failed */

static int write_all(int fd, const char *data, size_t len) {
    while (len > 0) {
        ssize_t done = write(fd, data, len);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            if (errno != EPIPE && lost_error == 0) /* who stopped reading needs no more */
                lost_error = errno;
            return -errno;
        }
        data += done;
        len -= (size_t)done;
    }
    return 0;
}

bool output_pending(void) {
    return used > 0;
}

int output_lost(void) {
    return lost_error;
}

int output_flush(void) {
    size_t len = used;
    used = 0;
    return len ? write_all(stream, buffer, len) : 0;
}

/* Makes room for `len` more bytes if that is possible. */
static bool make_room(size_t len) {
    size_t more = room ? room : BUFFER_MIN_BYTES;
    if (len <= room - used) return true;
    while (more < BUFFER_BYTES && more - used < len) more *= 4;
    if (more - used < len) return false;
    char *larger = realloc(buffer, more);
    if (!larger) return false;
    buffer = larger;
    room = more;
    return true;
}

int output_write(int fd, const char *data, size_t len) {
    if (fd != stream || !make_room(len)) {
        int result = output_flush();
        if (result < 0 && fd == stream) return result;
        stream = fd;
    }
    if (!make_room(len)) return write_all(fd, data, len);
    memcpy(buffer + used, data, len);
    used += len;
    return 0;
}
