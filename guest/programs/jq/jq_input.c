/*
 * guest/programs/jq/jq_input.c: see jq_input.h.
 */
#include "jq_input.h"

#include <poll.h>

#include "jq_turns.h"

int pf_jq_depth;

/* Whether the next byte of the file would have to be read. Each C library keeps that elsewhere. */
#ifdef __wasm__
#include <stdio_ext.h>
static int is_drained(FILE *file) {
    return __freadahead(file) == 0;
}
#else
static int is_drained(FILE *file) {
    return file->_IO_read_ptr >= file->_IO_read_end;
}
#endif

char *pf_jq_fgets(char *line, int size, FILE *file) {
    if (is_drained(file)) {
        struct pollfd input = {.fd = fileno(file), .events = POLLIN};
        if (pf_jq_depth == 0)
            pf_wait_unwound(&input, 1, -1);
        else
            pf_yield();
    }
    return fgets(line, size, file);
}
