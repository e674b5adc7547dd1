/* tool.c: calls to the host's tools (pf.h), as host operations (abi/call.def). */
#include <stdlib.h>

#include "internal.h"
#include "pf.h"

int pf_tool_start(const char *json, size_t len) {
    return __pf_result(PF_SEND(OP_START, .arg = {PF_OP_TOOL}, PF_IN(json, len)));
}

int pf_tool_next(void) { return __pf_result(PF_SEND(OP_NEXT)); }

static int64_t status(int id, struct pf_op_status *out) {
    return PF_SEND(OP_STATUS, .arg = {id, 0}, PF_OUT(out, sizeof *out));
}

int pf_tool_wait(int id) {
    struct pf_op_status found; /* an engine may have this function on its ASYNCIFY_ONLY list */
    return __pf_result(PF_SEND(OP_STATUS, .arg = {id, 1}, PF_OUT(&found, sizeof found)));
}

static char *read_reply(int id, int *outcome, size_t *len) {
    struct pf_op_status found;
    int64_t result = status(id, &found);
    if (result < 0) {
        __pf_result(result);
        return NULL;
    }
    *outcome = (int)found.outcome;
    char *reply = found.reply_len < SIZE_MAX ? malloc((size_t)found.reply_len + 1) : NULL;
    if (!reply) {
        errno = ENOMEM;
        return NULL;
    }
    size_t done = 0;
    while (done < found.reply_len) {
        int64_t n = PF_SEND(OP_READ, .arg = {id, (int64_t)done},
                            PF_OUT(reply + done, found.reply_len - done));
        if (n <= 0) {
            free(reply);
            errno = n < 0 ? (int)-n : EIO;
            return NULL;
        }
        done += (size_t)n;
    }
    reply[done] = 0;
    *len = done;
    return reply;
}

char *pf_tool_take(int id, int *outcome, size_t *len) {
    char *reply = read_reply(id, outcome, len);
    pf_tool_close(id);
    return reply;
}

int pf_tool_close(int id) { return __pf_result(PF_SEND(OP_CLOSE, .arg = {id})); }
