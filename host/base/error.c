/*
 * host/base/error.c: see error.h.
 */
#include "error.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SIZED_MAX 4096 /* what no structure of ours will ever have: its size was not set */

/* A message may repeat what a script chose. Line ends stay where they are ours, in the format. */
static void show(pf_error *error, char *text, bool lines) {
    size_t used = 0, size = sizeof error->message;
    for (char *line = text, *end; line; line = end ? end + 1 : NULL) {
        end = lines ? strchr(line, '\n') : NULL;
        size_t len = end ? (size_t)(end - line) : strlen(line);
        used += pf_printable(error->message + used, size - used, line, len);
        if (used >= size - 1) return; /* it is cut */
        if (end) error->message[used++] = '\n';
        error->message[used] = '\0';
    }
}

static void fill(pf_error *error, pf_status status, int guest_errno, const char *format,
                 va_list args) {
    if (!error) return;
    error->status = status;
    error->guest_errno = guest_errno;
    char text[sizeof error->message];
    int n = vsnprintf(text, sizeof text, format, args);
    if (n < 0)
        text[0] = '\0';
    else if ((size_t)n >= sizeof text)
        text[base_utf8_cut(text, sizeof text - 1)] = '\0';
    show(error, text, strchr(format, '\n') != NULL);
}

pf_status base_error(pf_error *error, pf_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, 0, format, args);
    va_end(args);
    return status;
}

pf_status base_error_errno(pf_error *error, pf_status status, int guest_errno, const char *format,
                           ...) {
    va_list args;
    va_start(args, format);
    fill(error, status, guest_errno, format, args);
    va_end(args);
    return status;
}

pf_status base_no_memory(pf_error *error) {
    return base_error(error, PF_NO_MEMORY, "the host has no memory left");
}

pf_status base_take_sized(void *out, size_t size, const void *given, size_t first, const char *name,
                          pf_error *error) {
    size_t theirs;
    memcpy(&theirs, given, sizeof theirs);
    bool whole =
        theirs % sizeof theirs == 0; /* as the size of every structure with such a member is */
    if (theirs < first || theirs > SIZED_MAX || !whole)
        return base_error(error, PF_INVALID, "%s.size is %zu: set it to sizeof(%s)", name, theirs,
                          name);
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i])
            return base_error(
                error, PF_UNSUPPORTED,
                "%s has a member set that this pinfold does not know: it is older than "
                "the pinfold.h that the program was compiled with",
                name);
    memset(out, 0, size);
    memcpy(out, given, theirs < size ? theirs : size);
    return PF_OK;
}

const char *pf_status_name(pf_status status) {
    switch (status) {
#define NAME(status) \
    case status: return #status;
        NAME(PF_OK)
        NAME(PF_DONE)
        NAME(PF_INVALID)
        NAME(PF_BUSY)
        NAME(PF_STATE)
        NAME(PF_NO_MEMORY)
        NAME(PF_NOT_FOUND)
        NAME(PF_FORMAT)
        NAME(PF_DEAD)
        NAME(PF_GUEST)
        NAME(PF_UNSUPPORTED)
        NAME(PF_DIVERGED)
        NAME(PF_DENIED)
        NAME(PF_NO_TIMER)
        NAME(PF_BOUND)
        NAME(PF_INTERRUPTED)
#undef NAME
    }
    return "PF_?";
}
