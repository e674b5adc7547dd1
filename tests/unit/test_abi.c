/*
 * tests/unit/test_abi.c: pins every size, offset and number of abi/: a change here is a change of
 * what snapshots and programs mean.
 */
#include <stddef.h>

#include "abi/limits.h"
#include "abi/message.h"
#include "abi/types.h"
#include "check.h"

static void message(void) {
    CHECK_EQ(sizeof(struct pf_message), 88);
    CHECK_EQ(offsetof(struct pf_message, call), 0);
    CHECK_EQ(offsetof(struct pf_message, flags), 4);
    CHECK_EQ(offsetof(struct pf_message, result), 8);
    CHECK_EQ(offsetof(struct pf_message, arg), 16);
    CHECK_EQ(offsetof(struct pf_message, in), 64);
    CHECK_EQ(offsetof(struct pf_message, in_len), 68);
    CHECK_EQ(offsetof(struct pf_message, out), 72);
    CHECK_EQ(offsetof(struct pf_message, out_cap), 76);
    CHECK_EQ(offsetof(struct pf_message, out_len), 80);
    CHECK_EQ(sizeof(struct pf_event), 24);
    CHECK_EQ(offsetof(struct pf_event, deadline_ns), 16);
    CHECK_EQ(offsetof(struct pf_mailbox, event), 88);
    CHECK_EQ(offsetof(struct pf_mailbox, realtime_ns), 112);
    CHECK_EQ(offsetof(struct pf_mailbox, monotonic_ns), 120);
    CHECK_EQ(offsetof(struct pf_mailbox, in_area), 128);
    CHECK_EQ(offsetof(struct pf_mailbox, clock_reads), 136);
    CHECK_EQ(offsetof(struct pf_mailbox, attention), 140);
    CHECK_EQ(offsetof(struct pf_mailbox, preempt), 144);
    CHECK_EQ(sizeof(struct pf_mailbox), 168);
}

static void structures(void) {
    CHECK_EQ(sizeof(struct pf_stat), 96);
    CHECK_EQ(offsetof(struct pf_stat, mode), 16);
    CHECK_EQ(offsetof(struct pf_stat, rdev), 32);
    CHECK_EQ(offsetof(struct pf_stat, size), 40);
    CHECK_EQ(offsetof(struct pf_stat, blksize), 56);
    CHECK_EQ(offsetof(struct pf_stat, atime_ns), 64);
    CHECK_EQ(offsetof(struct pf_stat, btime_ns), 88);
    CHECK_EQ(sizeof(struct pf_dirent), 16);
    CHECK_EQ(PF_DIRENT_SIZE(1), 24);
    CHECK_EQ(PF_DIRENT_SIZE(8), 24);
    CHECK_EQ(PF_DIRENT_SIZE(9), 32);
    CHECK_EQ(sizeof(struct pf_tree_entry), 64);
    CHECK_EQ(offsetof(struct pf_tree_entry, mode), 32);
    CHECK_EQ(offsetof(struct pf_tree_entry, pieces), 56);
    CHECK_EQ(sizeof(struct pf_tree_piece), 16);
    CHECK_EQ(offsetof(struct pf_tree_piece, at), 8);
    CHECK_EQ(sizeof(struct pf_statfs), 40);
    CHECK_EQ(sizeof(struct pf_pollfd), 8);
    CHECK_EQ(sizeof(struct pf_exec), 48);
    CHECK_EQ(offsetof(struct pf_exec, sigmask), 24);
    CHECK_EQ(offsetof(struct pf_exec, strings_offset), 40);
    CHECK_EQ(sizeof(struct pf_spawn_action), 24);
    CHECK_EQ(sizeof(struct pf_start_block), 16);
    CHECK_EQ(sizeof(struct pf_rusage), 16);
    CHECK_EQ(sizeof(struct pf_wait), 24);
    CHECK_EQ(sizeof(struct pf_op_status), 16);
    CHECK_EQ(sizeof(struct pf_op_request), 32);
    CHECK_EQ(sizeof(struct pf_run_info), 16);
    CHECK_EQ(sizeof(struct pf_run_state), 32);
    CHECK_EQ(sizeof(struct pf_kernel_limits), 56);
    CHECK_EQ(sizeof(struct pf_kernel_stats), 56);
    CHECK_EQ(sizeof(struct pf_process_info), 16);
    CHECK_EQ(sizeof PF_PROGRAM_MAGIC, 6);
}

/* Numbers rise within call.def, so that none is given twice, and the known ones stay. */
static void numbers(void) {
    static const int calls[] = {
#define X(number, name, input, output, args, meaning) number,
#include "abi/call.def"
#undef X
    };
    for (size_t i = 1; i < sizeof calls / sizeof *calls; i++) CHECK(calls[i] > calls[i - 1]);
    CHECK_EQ(PF_CALL_OPENAT, 1);
    CHECK_EQ(PF_CALL_COPY, 34);
    CHECK_EQ(PF_CALL_LOCK, 35);
    CHECK_EQ(PF_CALL_ARGS, 64);
    CHECK_EQ(PF_CALL_NAME, 86);
    CHECK_EQ(PF_CALL_OP_START, 128);
    CHECK_EQ(PF_CALL_RUN_NEXT, 144);
    CHECK_EQ(PF_CALL_HOST_CONFIGURE, 256);
    CHECK_EQ(PF_CALL_HOST_PROCESS, 274);
    CHECK_EQ(PF_CALL_HOST_FILLED, 280);
    CHECK_EQ(PF_CALL_HOST_TREE, 281);
    static const int errors[] = {
#define X(number, name, text) number,
#include "abi/errno.def"
#undef X
    };
    for (size_t i = 1; i < sizeof errors / sizeof *errors; i++) CHECK(errors[i] > errors[i - 1]);
    CHECK_EQ(PF_ENOENT, 2);
    CHECK_EQ(PF_ECANCELED, 125);
    CHECK(PF_ERESTART > errors[sizeof errors / sizeof *errors - 1]);
}

int main(void) {
    message();
    structures();
    numbers();
    return check_report();
}
