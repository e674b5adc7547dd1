/* exec.h: the block that starts a program, for exec and spawn. */
#ifndef PF_LIBC_EXEC_H
#define PF_LIBC_EXEC_H

#include "internal.h"

/* What a spawn does in the child before the program starts. */
struct __pf_spawn_step {
    struct pf_spawn_action action;
    char *path; /* owned; NULL for actions without one */
};

struct __pf_exec_block {
    struct pf_exec *head;
    size_t len;
    uint64_t small[256];
};
/* Builds the block. -1 with E2BIG or ENOMEM. */
int __pf_exec_make(struct __pf_exec_block *block, const char *path, char *const argv[],
                   char *const envp[], const struct __pf_spawn_step *steps, int step_count);
void __pf_exec_free(struct __pf_exec_block *block); /* Frees what __pf_exec_make() allocated. */

/*
 * Tries each place where `file` may be, as execvp does: `attempt` gets a path and returns 0 when
 * it worked, or a positive errno. Returns what it should fail with.
 */
int __pf_search(const char *file, int (*attempt)(const char *path, void *context), void *context);

#endif
