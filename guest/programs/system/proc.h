/*
 * proc.h: the processes there are, from /proc; for ps, pgrep and pkill.
 */
#ifndef PROC_H
#define PROC_H

#include "g_program.h"

#include <sys/types.h>

typedef struct {
    pid_t pid, ppid, pgid, sid;
    uid_t uid;
    gid_t gid;
    char state;
    int nice, threads;
    uint64_t ticks;      /* of processor time, 100 a second */
    uint64_t start;      /* ticks after the system's start */
    uint64_t vsize, rss; /* bytes */
    char *name;          /* as the kernel has it, at most 15 bytes */
    char *command;       /* the arguments with blanks between them, or [name] */
} process;

/* All of them, ascending by pid. Owned by the caller, who ends soon. */
process *proc_list(size_t *count);
/* Seconds since the system's start. */
double proc_uptime(void);

#endif
