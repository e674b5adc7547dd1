/* run.c: the embedder's runs (pf.h): the next one, its text, its value; and an engine's boot. */
#include <stdlib.h>

#include "internal.h"
#include "pf.h"
#include "start.h"

static uint64_t text_len = UINT64_MAX; /* of the run that pf_run_next() gave; else not known */

int pf_run_next(int status) {
    struct pf_run_info run;
    int result = __pf_result(PF_SEND(RUN_NEXT, .arg = {status}, PF_OUT(&run, sizeof run)));
    if (result < 0) return result;
    text_len = run.text_len;
    return (int)run.flags;
}

char *pf_run_text(size_t *len) {
    size_t room = 4096, done = 0;
    char *text = malloc(room);
    while (text && done < text_len) {
        int64_t n = PF_SEND(RUN_TEXT, .arg = {(int64_t)done}, PF_OUT(text + done, room - done - 1));
        if (n < 0) {
            free(text);
            __pf_result(n);
            return NULL;
        }
        if (n == 0) break;
        done += (size_t)n;
        if (done < room - 1) continue;
        char *more = realloc(text, room * 2);
        if (!more) {
            free(text);
            errno = ENOMEM;
            return NULL;
        }
        text = more;
        room *= 2;
    }
    if (!text) return NULL;
    text[done] = 0;
    if (len) *len = done;
    return text;
}

int pf_run_value(const char *json, size_t len) {
    for (size_t done = 0; done < len;) {
        size_t now = len - done < PF_IO_MAX ? len - done : PF_IO_MAX;
        int64_t n = PF_SEND(RUN_VALUE, PF_IN(json + done, now));
        if (n < 0) return __pf_result(n);
        done += (size_t)n;
    }
    return 0;
}

void pf_set_unwindable(int whole_stack) { __pf_unwindable = whole_stack ? PF_MSG_UNWIND : 0; }

__attribute__((noinline)) void pf_booted(int *argc, char ***argv) { __pf_load_args(argc, argv); }
