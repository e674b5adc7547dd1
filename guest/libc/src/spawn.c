/* spawn.c: posix_spawn: a new process in one message, also for programs that cannot fork. */
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "exec.h"

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions) {
    *actions = (posix_spawn_file_actions_t){0};
    return 0;
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions) {
    for (int i = 0; i < actions->__count; i++) free(actions->__steps[i].path);
    free(actions->__steps);
    return posix_spawn_file_actions_init(actions);
}

static int add(posix_spawn_file_actions_t *actions, struct pf_spawn_action action,
               const char *path) {
    if (actions->__count == actions->__room) {
        int room = actions->__room ? actions->__room * 2 : 8;
        struct __pf_spawn_step *more =
            realloc(actions->__steps, (size_t)room * sizeof *more);
        if (!more) return ENOMEM;
        actions->__steps = more;
        actions->__room = room;
    }
    char *copy = NULL;
    if (path && !(copy = strdup(path))) return ENOMEM;
    actions->__steps[actions->__count++] =
        (struct __pf_spawn_step){.action = action, .path = copy};
    return 0;
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict actions, int fd,
                                     const char *restrict path, int flags, mode_t mode) {
    if (fd < 0) return EBADF;
    return add(actions,
               (struct pf_spawn_action){
                   .kind = PF_SPAWN_OPEN, .fd = fd, .flags = flags, .mode = mode},
               path);
}
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *actions, int fd) {
    if (fd < 0) return EBADF;
    return add(actions, (struct pf_spawn_action){.kind = PF_SPAWN_CLOSE, .fd = fd}, NULL);
}
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to) {
    if (from < 0 || to < 0) return EBADF;
    return add(actions, (struct pf_spawn_action){.kind = PF_SPAWN_DUP2, .fd = to, .fd2 = from},
               NULL);
}
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *restrict actions,
                                         const char *restrict path) {
    return add(actions, (struct pf_spawn_action){.kind = PF_SPAWN_CHDIR}, path);
}

int posix_spawnattr_init(posix_spawnattr_t *how) {
    *how = (posix_spawnattr_t){0};
    return 0;
}
int posix_spawnattr_destroy(posix_spawnattr_t *how) {
    (void)how;
    return 0;
}
#define FLAGS                                                                                      \
    (POSIX_SPAWN_RESETIDS | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |                        \
     POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_USEVFORK | POSIX_SPAWN_SETSID | \
     POSIX_SPAWN_TCSETPGROUP)
int posix_spawnattr_setflags(posix_spawnattr_t *how, short flags) {
    if (flags & ~FLAGS) return EINVAL;
    how->__flags = flags;
    return 0;
}
int posix_spawnattr_getflags(const posix_spawnattr_t *restrict how, short *restrict flags) {
    *flags = (short)how->__flags;
    return 0;
}
int posix_spawnattr_setpgroup(posix_spawnattr_t *how, pid_t group) {
    how->__pgrp = group;
    return 0;
}
int posix_spawnattr_getpgroup(const posix_spawnattr_t *restrict how, pid_t *restrict group) {
    *group = how->__pgrp;
    return 0;
}
int posix_spawnattr_setsigmask(posix_spawnattr_t *restrict how, const sigset_t *restrict mask) {
    how->__mask = *mask;
    return 0;
}
int posix_spawnattr_getsigmask(const posix_spawnattr_t *restrict how, sigset_t *restrict mask) {
    *mask = how->__mask;
    return 0;
}
int posix_spawnattr_setsigdefault(posix_spawnattr_t *restrict how, const sigset_t *restrict set) {
    how->__def = *set;
    return 0;
}
int posix_spawnattr_getsigdefault(const posix_spawnattr_t *restrict how, sigset_t *restrict set) {
    *set = how->__def;
    return 0;
}

_Static_assert(POSIX_SPAWN_SETPGROUP == PF_SPAWN_SETPGROUP &&
                   POSIX_SPAWN_SETSIGDEF == PF_SPAWN_SETSIGDEF &&
                   POSIX_SPAWN_SETSIGMASK == PF_SPAWN_SETSIGMASK &&
                   POSIX_SPAWN_SETSID == PF_SPAWN_SETSID &&
                   POSIX_SPAWN_TCSETPGROUP == PF_SPAWN_FOREGROUND,
               "the flags go to the kernel as they are");
#define SENT                                                                                       \
    (PF_SPAWN_SETPGROUP | PF_SPAWN_SETSIGDEF | PF_SPAWN_SETSIGMASK | PF_SPAWN_SETSID |             \
     PF_SPAWN_FOREGROUND)

struct attempt {
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *how;
    char *const *argv;
    char *const *envp;
    pid_t pid;
};

static int start(const char *path, void *context) {
    struct attempt *attempt = context;
    struct __pf_exec_block block;
    const posix_spawn_file_actions_t *actions = attempt->actions;
    if (__pf_exec_make(&block, path, attempt->argv, attempt->envp,
                       actions ? actions->__steps : NULL, actions ? actions->__count : 0) < 0)
        return errno;
    if (attempt->how) {
        block.head->flags = (uint32_t)attempt->how->__flags & SENT;
        block.head->pgid = attempt->how->__pgrp;
        block.head->sigmask = attempt->how->__mask.bits;
        block.head->sigdefault = attempt->how->__def.bits;
    }
    int64_t result = PF_SEND(SPAWN, PF_IN(block.head, block.len));
    __pf_exec_free(&block);
    if (result < 0) return (int)-result;
    attempt->pid = (pid_t)result;
    return 0;
}

static int spawn(pid_t *pid, struct attempt *attempt, const char *path, int search) {
    int saved = errno;
    int error = search ? __pf_search(path, start, attempt) : start(path, attempt);
    errno = saved;
    if (!error && pid) *pid = attempt->pid;
    return error;
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
                const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict how,
                char *const argv[], char *const envp[]) {
    return spawn(pid, &(struct attempt){actions, how, argv, envp, 0}, path, 0);
}
int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict how,
                 char *const argv[], char *const envp[]) {
    return spawn(pid, &(struct attempt){actions, how, argv, envp, 0}, file, 1);
}
