/*
 * trace.c: recordings that JavaScript is given as bytes. The library writes into a file in memory;
 * what is new in it goes with the answer of each act.
 */
#include "addon.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct addon_trace {
    int fd;
    off_t told; /* what comes before was told, and is no more */
};

struct addon_trace *addon_trace_new(pf_options *options, bool redact) {
    struct addon_trace *trace = calloc(1, sizeof *trace);
    if (!trace) return NULL;
    trace->fd = memfd_create("pinfold trace", MFD_CLOEXEC);
    if (trace->fd < 0) {
        free(trace);
        return NULL;
    }
    pf_options_record_to(options, trace->fd, redact);
    return trace;
}

void addon_trace_free(struct addon_trace *trace) {
    if (!trace) return;
    close(trace->fd);
    free(trace);
}

napi_value addon_trace_take(napi_env env, struct addon_trace *trace) {
    struct stat now;
    napi_value buffer, array = NULL;
    void *data;
    if (!trace || fstat(trace->fd, &now) != 0 || now.st_size <= trace->told) return NULL;
    size_t len = (size_t)(now.st_size - trace->told), at = 0;
    if (napi_create_arraybuffer(env, len, &data, &buffer) != napi_ok) return NULL;
    while (at < len) {
        ssize_t n = pread(trace->fd, (char *)data + at, len - at, trace->told + (off_t)at);
        if (n <= 0) return NULL;
        at += (size_t)n;
    }
    if (napi_create_typedarray(env, napi_uint8_array, len, buffer, 0, &array) != napi_ok)
        return NULL;
    trace->told = now.st_size;
    (void)!fallocate(trace->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, trace->told);
    return array;
}
