/*
 * tests/unit/test_kernel_smoke.c: one way through everything: a session, a run, a pipe between two
 * processes, output, a value, a host operation, the end.
 */
#include "kernel_machine.h"

static void session(void) {
    uint32_t sh = boot();
    CHECK_EQ(CALL(sh, ARGS, 0), (int64_t)(sizeof(struct pf_start_block) + 5 + 8 + 3 + 3));
    CHECK(memcmp(got + sizeof(struct pf_start_block), "bash\0/bin/sh\0sh\0-x", 19) == 0);
    CALL(sh, RUN_NEXT, -1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), 0);

    CHECK(CALL_IN(HOST, HOST_RUN_BEGIN, "", 0, PF_RUN_SESSION, PF_RUN_STDIN) > 1);
    CHECK_EQ(CALL_PATH(HOST, HOST_RUN_TEXT, "echo hi | cat"), 13);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, RUN_NEXT, -1), 0);
    CHECK_EQ(CALL(sh, RUN_TEXT, 0), 13);

    CHECK_EQ(CALL(sh, PIPE, 0), 0);
    int32_t fds[2];
    memcpy(fds, got, sizeof fds);
    CHECK_EQ(fds[0], 3);
    CHECK_EQ(fds[1], 4);
    int64_t pid, other;
    uint32_t writer = fork_(sh, &pid), reader = fork_(sh, &other);
    CHECK_EQ(CALL(sh, CLOSE, 3), 0);
    CHECK_EQ(CALL(sh, CLOSE, 4), 0);
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);

    CHECK_EQ(next(), writer);
    CHECK_EQ(CALL(writer, FORK), 0);
    CHECK_EQ(next(), writer); /* still in its slice */
    CHECK_EQ(CALL_PATH(writer, WRITE, "hi\n", 4), 3);
    CALL(writer, EXIT, 7);
    CHECK_EQ(action, PF_ACTION_GONE);
    CHECK_EQ(next(), reader);
    CHECK_EQ(CALL(reader, FORK), 0);
    CHECK_EQ(CALL(reader, CLOSE, 4), 0);
    CHECK_EQ(CALL(reader, READ, 3), 3);
    CHECK_EQ(CALL_PATH(reader, WRITE, "hi\n", 1), 3);
    CHECK_EQ(CALL(reader, READ, 3), 0);
    CALL(reader, EXIT, 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    struct pf_wait answer;
    memcpy(&answer, got, sizeof answer);
    CHECK_EQ(answer.status, 7 << 8);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), other);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), -PF_ECHILD);

    CHECK(k_mailbox.attention & PF_ATTENTION_OUTPUT);
    CHECK_EQ(CALL(HOST, HOST_OUTPUT, 1), 3);
    CHECK(memcmp(got, "hi\n", 3) == 0);
    CHECK_EQ(CALL_PATH(sh, RUN_VALUE, "42"), 2);
    CHECK_EQ(CALL(HOST, HOST_RUN_VALUE), 2);

    int64_t op = CALL_PATH(sh, OP_START, "{}", PF_OP_TOOL);
    CHECK(op > 0);
    CALL(sh, OP_STATUS, op, 1);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(CALL(HOST, HOST_OP_TAKE), 2);
    CHECK_EQ(next(), 0);
    CHECK_EQ(CALL_PATH(HOST, HOST_OP_REPLY, "[1]", op, PF_OP_OK, 1), 3);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, OP_STATUS, op, 1), 0);
    CHECK_EQ(CALL(sh, OP_READ, op, 0), 3);
    CHECK_EQ(CALL(sh, OP_CLOSE, op), 0);
    CHECK_EQ(CALL(sh, READ, 0), 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(CALL_PATH(HOST, HOST_STDIN, "in", 1), 2);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, READ, 0), 2);
    CHECK_EQ(CALL(sh, READ, 0), 0);

    CALL(sh, RUN_NEXT, 5);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(CALL(HOST, HOST_RUN_STATE), 0);
    struct pf_run_state state;
    memcpy(&state, got, sizeof state);
    CHECK_EQ(state.foreground_done, 1);
    CHECK_EQ(state.status, 5);
    CHECK_EQ(state.background, 0);
    CHECK_EQ(CALL(HOST, HOST_RUN_END), 0);
    CHECK_EQ(next(), 0);
    k_check();
}

int main(void) {
    session();
    return check_report();
}
