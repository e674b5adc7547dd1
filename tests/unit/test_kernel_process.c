/*
 * tests/unit/test_kernel_process.c: fork, exec, spawn, wait, orphans, groups, and signals.
 */
#include "kernel_machine.h"

static uint32_t sh;
static int64_t pid;

static struct pf_wait waited(void) {
    struct pf_wait answer;
    memcpy(&answer, got, sizeof answer);
    return answer;
}

/* A child of the session that runs now. */
static uint32_t child(void) {
    uint32_t proc = fork_(sh, &pid);
    switch_to(proc);
    CHECK_EQ(CALL(proc, FORK), 0);
    return proc;
}

static void fork_copies(void) {
    sh = boot();
    CHECK_EQ(CALL_PATH(sh, CHDIR, "/tmp"), 0);
    CALL(sh, UMASK, 077);
    CALL(sh, SIGACTION, 10, 2, 0);
    CALL(sh, SIGMASK, 0, 1 << 11);
    int64_t fd = CALL_PATH(sh, OPENAT, "f", CWD, PF_O_RDWR | PF_O_CREAT, 0666);
    CALL_PATH(sh, WRITE, "0123456789", fd);
    int64_t before = CALL(sh, GETPID, 0);
    uint32_t c = child();
    CHECK_EQ(CALL(c, GETPID, 1), before);
    CHECK_EQ(CALL(c, GETPID, 0), pid);
    CHECK_EQ(CALL(c, GETPID, 2), CALL(c, GETPID, 3));
    CHECK_EQ(CALL(c, GETCWD), 4);
    CHECK_EQ(CALL(c, UMASK, 0), 077);
    CHECK_EQ(CALL(c, SIGACTION, 10, -1, 0), 2);
    CHECK_EQ(CALL(c, SIGMASK, 3, 0), 1 << 11);
    CHECK_EQ(CALL(c, LSEEK, fd, 3, 0), 3); /* the offset is shared */
    switch_to(sh);
    CHECK_EQ(CALL(sh, READ, fd), 7);
    CHECK_EQ(CALL(sh, UMASK, 022), 077); /* the umask is not */
    k_check();
    CHECK_EQ(call_raw(sh, PF_CALL_FORK, (struct words){{0}}, NULL, 0, 0, 0), -PF_ENOSYS);
    /* the host cannot copy: no child, and the parent hears of it */
    uint32_t none = (uint32_t)CALL(sh, FORK);
    CHECK_EQ(action, PF_ACTION_FORK);
    k_check();
    CHECK_EQ(CALL(HOST, HOST_FORK_DONE, none, 0), 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, FORK), -PF_ENOMEM);
    CHECK_EQ(CALL(HOST, HOST_FORK_DONE, none, 1), -PF_ESRCH);
    k_check();
}

static int64_t exec_(uint32_t proc, const char *path, const char *const *argv) {
    size_t len = exec_block(0, path, argv);
    return CALL_IN(proc, EXEC, block, len);
}

static const char *start_strings(void) {
    return (char *)got + sizeof(struct pf_start_block);
}

static void exec_loads(void) {
    sh = boot();
    int64_t keep = CALL_PATH(sh, OPENAT, "/dev/null", CWD, 0, 0);
    int64_t lose = CALL_PATH(sh, OPENAT, "/dev/null", CWD, PF_O_CLOEXEC, 0);
    CALL(sh, SIGACTION, 10, 2, 0);
    CALL(sh, SIGACTION, 12, 1, 0);
    CHECK_EQ(exec_(sh, "/bin/none", (const char *const[]){"x", NULL}), -PF_ENOENT);
    CHECK_EQ(exec_(sh, "/bin", (const char *const[]){"x", NULL}), -PF_EACCES);
    host_file("/bin/plain", "echo plain\n", 0755);
    CHECK_EQ(exec_(sh, "/bin/plain", (const char *const[]){"x", NULL}), -PF_ENOEXEC);
    host_file("/bin/not", "\x7fPF1 sh sh\n", 0644);
    CHECK_EQ(exec_(sh, "/bin/not", (const char *const[]){"x", NULL}), -PF_EACCES);
    host_file("/bin/unknown", "\x7fPF1 nothing x\n", 0755);
    CHECK_EQ(exec_(sh, "/bin/unknown", (const char *const[]){"x", NULL}), -PF_ENOEXEC);
    exec_(sh, "/bin/cat", (const char *const[]){"cat", "a b", NULL});
    CHECK_EQ(action, PF_ACTION_GONE);
    CHECK_EQ(next(), sh);
    CHECK_EQ(event.kind, PF_EVENT_LOAD);
    CHECK_EQ(event.image, 1);
    CALL(sh, ARGS, 0);
    CHECK(memcmp(start_strings(), "cat\0/bin/cat\0cat\0a b", 21) == 0);
    CHECK_EQ(CALL(sh, FCNTL, keep, 1, 0), 0);
    CHECK_EQ(CALL(sh, FCNTL, lose, 1, 0), -PF_EBADF);
    CHECK_EQ(CALL(sh, SIGACTION, 10, -1, 0), 0);
    CHECK_EQ(CALL(sh, SIGACTION, 12, -1, 0), 1);
    k_check();
}

static void exec_scripts(void) {
    sh = boot();
    host_file("/tmp/s1", "#! /bin/sh  -e -x \necho\n", 0755);
    exec_(sh, "/tmp/s1", (const char *const[]){"zero", "one", NULL});
    CHECK_EQ(next(), sh);
    CALL(sh, ARGS, 0);
    CHECK(memcmp(start_strings(), "bash\0/bin/sh\0/bin/sh\0-e -x\0/tmp/s1\0one", 38) == 0);
    host_file("/tmp/s2", "#!/tmp/s1 arg", 0755);
    exec_(sh, "/tmp/s2", (const char *const[]){"zero", "one", NULL});
    CHECK_EQ(next(), sh);
    CALL(sh, ARGS, 0);
    CHECK(memcmp(start_strings(), "bash\0/bin/sh\0/bin/sh\0-e -x\0/tmp/s1\0arg\0/tmp/s2\0one",
                 51) == 0);
    struct pf_start_block head;
    memcpy(&head, got, sizeof head);
    CHECK_EQ(head.argc, 6);
    CHECK_EQ(head.total_len, got_len);
    host_file("/tmp/loop", "#!/tmp/loop\n", 0755);
    CHECK_EQ(exec_(sh, "/tmp/loop", (const char *const[]){"x", NULL}), -PF_ELOOP);
    host_file("/tmp/empty", "#!\n", 0755);
    CHECK_EQ(exec_(sh, "/tmp/empty", (const char *const[]){"x", NULL}), -PF_ENOEXEC);
    host_file("/tmp/gone", "#!/no/such\n", 0755);
    CHECK_EQ(exec_(sh, "/tmp/gone", (const char *const[]){"x", NULL}), -PF_ENOENT);
    CHECK_EQ(CALL_PATH(sh, READLINKAT, "/proc/self/exe", CWD), 7);
    CHECK(memcmp(got, "/bin/sh", 7) == 0);
    k_check();
}

static void spawn_acts(void) {
    sh = boot();
    size_t len = exec_block(0, "/bin/cat", (const char *const[]){"cat", NULL});
    struct pf_exec head;
    memcpy(&head, block, sizeof head);
    static const char out[] = "/tmp/out";
    uint32_t path_at = (uint32_t)(len + 6 * sizeof(struct pf_spawn_action));
    struct pf_spawn_action actions[] = {
        {.kind = PF_SPAWN_OPEN,
         .fd = 1,
         .flags = PF_O_WRONLY | PF_O_CREAT,
         .mode = 0600,
         .path_offset = path_at},
        {.kind = PF_SPAWN_DUP2, .fd = 5, .fd2 = 1},
        {.kind = PF_SPAWN_CLOSE, .fd = 0},
        {.kind = PF_SPAWN_CLOSE, .fd = 9},
    };
    memcpy(block + len, actions, sizeof actions);
    memcpy(block + path_at, out, sizeof out);
    head.action_count = K_COUNT(actions);
    head.flags = PF_SPAWN_SETPGROUP | PF_SPAWN_SETSIGMASK;
    head.sigmask = 1 << 9;
    memcpy(block, &head, sizeof head);
    pid = CALL_IN(sh, SPAWN, block, path_at + sizeof out);
    CHECK(pid > 0);
    CALL(sh, WAIT, pid, 0);
    uint32_t c = next();
    CHECK_EQ(event.kind, PF_EVENT_LOAD);
    CHECK_EQ(CALL(c, GETPID, 2), pid);
    CHECK_EQ(CALL(c, SIGMASK, 3, 0), 1 << 9);
    CHECK_EQ(CALL_PATH(c, WRITE, "out", 5), 3);
    CHECK_EQ(CALL(c, READ, 0), -PF_EBADF);
    CHECK_EQ(CALL_PATH(c, FSTATAT, "/tmp/out", CWD, 0), 0);
    CHECK_EQ(((struct pf_stat *)got)->size, 3);
    CALL(c, EXIT, 3);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, pid, 0), pid);
    CHECK_EQ(waited().status, 3 << 8);
    /* errors of an action and of the program come back from spawn, and leave nothing */
    memcpy(block + path_at, "/no/out", 8);
    CHECK_EQ(CALL_IN(sh, SPAWN, block, path_at + sizeof out), -PF_ENOENT);
    len = exec_block(0, "/bin/none", (const char *const[]){"x", NULL});
    CHECK_EQ(CALL_IN(sh, SPAWN, block, len), -PF_ENOENT);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), -PF_ECHILD);
    k_check();
}

static void wait_chooses(void) {
    sh = boot();
    int64_t a, b;
    uint32_t ca = fork_(sh, &a), cb = fork_(sh, &b);
    CHECK_EQ(CALL(sh, WAIT, -1, 1), 0);
    CHECK_EQ(CALL(sh, WAIT, 9999, 1), -PF_ECHILD);
    switch_to(cb);
    CALL(cb, FORK);
    CALL(cb, SETPGID, 0, 0);
    CALL(cb, EXIT, 1);
    switch_to(ca);
    CALL(ca, FORK);
    CALL(ca, EXIT, 2);
    switch_to(sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0x101), -PF_ECHILD); /* who has not ended */
    CHECK_EQ(CALL(sh, WAIT, -b, 0x1000000), b);      /* to be told again */
    CHECK_EQ(CALL(sh, WAIT, -b, 0), b);
    CHECK_EQ(CALL(sh, WAIT, b, 0), -PF_ECHILD);
    CHECK_EQ(CALL(sh, WAIT, 0, 0), a);
    CHECK_EQ(waited().status, 2 << 8);
    CHECK_EQ(CALL(sh, WAIT, -1, 99), -PF_EINVAL);
}

static void orphans(void) {
    sh = boot();
    uint32_t c = child();
    int64_t grand;
    uint32_t g = fork_(c, &grand);
    CALL(c, EXIT, 0);
    switch_to(g);
    CHECK_EQ(CALL(g, FORK), 0);
    CHECK_EQ(CALL(g, GETPID, 1), 1);
    uint32_t before = k_proc_count();
    CALL(g, EXIT, 5); /* init waits for it at once */
    CHECK_EQ(k_proc_count(), before - 1);
    k_check();
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), -PF_ECHILD);
    /* who ignores SIGCHLD has no zombies */
    CALL(sh, SIGACTION, K_SIGCHLD, 1, 0);
    c = child();
    CALL(c, EXIT, 0);
    switch_to(sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), -PF_ECHILD);
    k_check();
}

static void slots_are_freed_in_any_order(void) {
    sh = boot();
    for (int i = 0; i < 3000; i++) {
        uint32_t c = child();
        CALL(c, EXIT, i & 255);
        if (i % 2) {
            do k_next(&event);
            while (event.kind != PF_EVENT_RUN || event.proc != sh);
        } else {
            k_next(&event); /* FREE comes first */
            CHECK_EQ(event.kind, PF_EVENT_FREE);
            CHECK_EQ(event.proc, c);
            CHECK_EQ(next(), sh);
        }
        CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
        if (check_failed) return;
    }
    k_check();
    CHECK(k_proc_at(3) == NULL);
}

static void groups(void) {
    sh = boot();
    int64_t leader = CALL(sh, GETPID, 0);
    CHECK_EQ(CALL(sh, SETSID), -PF_EPERM);
    CHECK_EQ(CALL(sh, SETPGID, 0, 0), -PF_EPERM);
    uint32_t c = fork_(sh, &pid);
    CHECK_EQ(CALL(sh, SETPGID, pid, pid), 0);
    CHECK_EQ(CALL(sh, GETPID, 2, pid), pid);
    CHECK_EQ(CALL(sh, SETPGID, pid, 4242), -PF_EPERM);
    CHECK_EQ(CALL(sh, SETPGID, 4242, 0), -PF_ESRCH);
    switch_to(c);
    CALL(c, FORK);
    CHECK_EQ(CALL(c, SETPGID, leader, 0), -PF_ESRCH);
    CHECK_EQ(CALL(c, SETPGID, 0, leader), 0);
    CHECK_EQ(CALL(c, SETSID), pid);
    exec_(c, "/bin/cat", (const char *const[]){"cat", NULL});
    switch_to(sh);
    CHECK_EQ(CALL(sh, SETPGID, pid, 0), -PF_EPERM); /* another session by now */
    int64_t other;
    uint32_t d = fork_(sh, &other);
    switch_to(d);
    CALL(d, FORK);
    exec_(d, "/bin/cat", (const char *const[]){"cat", NULL});
    switch_to(sh);
    CHECK_EQ(CALL(sh, SETPGID, other, 0), -PF_EACCES); /* it has execed */
    k_check();
}

static void default_actions(void) {
    sh = boot();
    uint32_t c = child();
    CALL(c, READ, 0);
    CALL(c, KILL, pid, K_SIGCHLD);
    CALL(c, KILL, pid, K_SIGCONT);
    CHECK_EQ(action, PF_ACTION_RETURN);
    CALL(c, KILL, 0, 0);
    CHECK_EQ(action, PF_ACTION_RETURN);
    CALL(c, KILL, pid, 15);
    CHECK_EQ(action, PF_ACTION_GONE);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    CHECK_EQ(waited().status, 15);
    CHECK_EQ(CALL(sh, KILL, pid, 0), -PF_ESRCH);
    CHECK_EQ(CALL(sh, KILL, 1, 9), -PF_EPERM);
    CHECK_EQ(CALL(sh, KILL, 0, 65), -PF_EINVAL);
    /* a zombie still exists for kill */
    c = child();
    CALL(c, EXIT, 0);
    switch_to(sh);
    CHECK_EQ(CALL(sh, KILL, pid, 9), 0);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    CHECK_EQ(waited().status, 0);
    /* one that waits is ended where it is */
    c = child();
    CALL(c, SLEEP, 1, 1000000, 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, KILL, pid, 2), 0);
    CHECK_EQ(CALL(sh, WAIT, pid, 0), pid);
    CHECK_EQ(waited().status, 2);
    CALL(sh, WAIT, -1, 0);
    k_next(&event);
    CHECK_EQ(event.kind, PF_EVENT_FREE);
    CHECK_EQ(event.proc, c);
    k_check();
}

static void caught_signals(void) {
    sh = boot();
    CHECK_EQ(CALL(sh, SIGACTION, 9, 2, 0), -PF_EINVAL);
    CHECK_EQ(CALL(sh, SIGACTION, 10, 2, 0), 0);
    CHECK_EQ(CALL(sh, SIGACTION, 12, 2, PF_SA_RESTART), 0);
    int64_t self = CALL(sh, GETPID, 0);
    CHECK(!(reply_flags & PF_MSG_SIGNAL));
    CALL(sh, KILL, self, 12);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CALL(sh, KILL, self, 10);
    CHECK_EQ(CALL(sh, SIGTAKE), 10);
    CHECK_EQ(CALL(sh, SIGTAKE), 12);
    CHECK_EQ(CALL(sh, SIGTAKE), 0);
    CHECK(!(reply_flags & PF_MSG_SIGNAL));
    /* blocked ones stay pending, silently */
    CHECK_EQ(CALL(sh, SIGMASK, 0, 1 << 9), 0);
    CALL(sh, KILL, self, 10);
    CHECK(!(reply_flags & PF_MSG_SIGNAL));
    CHECK_EQ(CALL(sh, SIGPENDING), 1 << 9);
    CHECK_EQ(CALL(sh, SIGTAKE), 0);
    CHECK_EQ(CALL(sh, SIGTAKE, 1 << 11), 0); /* those that are named, blocked or not */
    CHECK_EQ(CALL(sh, SIGTAKE, 1 << 9), 10);
    CHECK_EQ(CALL(sh, SIGPENDING), 0);
    CALL(sh, KILL, self, 10);
    CHECK_EQ(CALL(sh, SIGMASK, 2, 0), 1 << 9);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CHECK_EQ(CALL(sh, SIGTAKE), 10);
    /* all but the unblockable can be blocked, and the mask is no error */
    CHECK_EQ(CALL(sh, SIGMASK, 2, -1), 0);
    CHECK(CALL(sh, SIGMASK, 2, 0) > 0);
    /* ignored ones vanish */
    CALL(sh, SIGACTION, 10, 1, 0);
    CALL(sh, KILL, self, 10);
    CHECK_EQ(CALL(sh, SIGPENDING), 0);
    /* a pending one of a disposition that becomes default takes its effect */
    uint32_t c = child();
    CALL(c, SIGMASK, 0, 1 << 14);
    CALL(c, KILL, pid, 15);
    CHECK_EQ(action, PF_ACTION_RETURN);
    CALL(c, SIGMASK, 1, 1 << 14);
    CHECK_EQ(action, PF_ACTION_GONE);
}

static void interrupted_calls(void) {
    sh = boot();
    int32_t fds[2];
    CALL(sh, PIPE, 0);
    memcpy(fds, got, 8);
    uint32_t c = child();
    CALL(c, SIGACTION, 10, 2, 0);
    CALL(c, SIGACTION, 12, 2, PF_SA_RESTART);
    int64_t victim = pid;

    CALL(c, READ, fds[0]);
    CHECK_EQ(next(), sh);
    CALL(sh, KILL, victim, 10);
    CALL(sh, SLEEP, 1, 1, 0);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, READ, fds[0]), -PF_EINTR);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CHECK_EQ(CALL(c, SIGTAKE), 10);

    CALL(c, READ, fds[0]);
    k_mailbox.monotonic_ns += 10;
    CHECK_EQ(next(), sh);
    CALL(sh, KILL, victim, 12);
    CALL(sh, SLEEP, 1, 1, 0);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, READ, fds[0]), -PF_ERESTART);
    CHECK_EQ(CALL(c, SIGTAKE), 12);

    /* what is there is read before a signal counts */
    CALL(c, READ, fds[0]);
    k_mailbox.monotonic_ns += 10;
    CHECK_EQ(next(), sh);
    CALL_PATH(sh, WRITE, "x", fds[1]);
    CALL(sh, KILL, victim, 10);
    CALL(sh, SLEEP, 1, 1, 0);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, READ, fds[0]), 1);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CALL(c, SIGTAKE);

    /* sleep never restarts; its deadline is forgotten */
    CALL(c, SLEEP, 1, 1000000, 0);
    k_mailbox.monotonic_ns += 10;
    CHECK_EQ(next(), sh);
    CALL(sh, KILL, victim, 12);
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, SLEEP, 1, 1000000, 0), -PF_EINTR);
    CALL(c, SIGTAKE);
    CALL(c, SLEEP, 1, 500, 0);
    CHECK_EQ(next(), 0);
    CHECK_EQ(event.deadline_ns, k_mailbox.monotonic_ns + 500);
    k_check();
}

static void suspend(void) {
    sh = boot();
    uint32_t c = child();
    CALL(c, SIGACTION, 10, 2, 0);
    CALL(c, SIGMASK, 2, 1 << 9 | 1 << 11);
    CALL(c, SIGSUSPEND, 0);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CALL(sh, KILL, pid, 10);
    CALL(sh, WAIT, -1, 0);
    CHECK_EQ(next(), c);
    CHECK_EQ(CALL(c, SIGSUSPEND, 0), -PF_EINTR);
    CHECK(reply_flags & PF_MSG_SIGNAL);
    CHECK_EQ(CALL(c, SIGMASK, 3, 0), 1 << 9 | 1 << 11);
    CHECK_EQ(CALL(c, SIGTAKE), 10);
    CHECK_EQ(CALL(c, SIGTAKE), 0);
    CALL(c, KILL, pid, 10);
    CHECK_EQ(CALL(c, SIGTAKE), 0);               /* blocked again */
    CHECK_EQ(CALL(c, SIGSUSPEND, 0), -PF_EINTR); /* at once */
}

static void stop_and_continue(void) {
    sh = boot();
    CALL(sh, SIGACTION, K_SIGCHLD, 2, 0);
    uint32_t c = child();
    CALL(c, KILL, pid, K_SIGSTOP);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, SIGTAKE), K_SIGCHLD);
    CHECK_EQ(CALL(sh, WAIT, -1, 1), 0); /* not asked for */
    CHECK_EQ(CALL(sh, WAIT, -1, 3), pid);
    CHECK_EQ(waited().status, K_SIGSTOP << 8 | 0x7f);
    CHECK_EQ(CALL(sh, WAIT, -1, 3), 0); /* told once */
    CALL(sh, SLEEP, 1, 5, 0);
    CHECK_EQ(next(), 0);
    k_mailbox.monotonic_ns += 10;
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, KILL, pid, 10), 0); /* waits until it goes on */
    CHECK_EQ(CALL(sh, WAIT, -1, 3), 0);
    CHECK_EQ(CALL(sh, KILL, pid, K_SIGCONT), 0);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    CHECK_EQ(waited().status, 10);
    CALL(sh, SIGTAKE);

    c = child();
    CALL(c, KILL, pid, K_SIGSTOP);
    CHECK_EQ(next(), sh);
    CALL(sh, SIGTAKE);
    CHECK_EQ(CALL(sh, KILL, pid, K_SIGCONT), 0);
    CHECK_EQ(CALL(sh, WAIT, -1, 9), pid);
    CHECK_EQ(waited().status, 0xffff);
    switch_to(c);
    CHECK_EQ(CALL(c, KILL, pid, K_SIGSTOP), 0); /* the result of then */
    CHECK_EQ(action, PF_ACTION_RETURN);
    /* killed while stopped */
    CALL(c, KILL, pid, K_SIGSTOP);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, KILL, pid, 9), 0);
    CHECK_EQ(CALL(sh, WAIT, pid, 0), pid);
    CHECK_EQ(waited().status, 9);
    k_check();
}

/* A stopped job is hung up when nobody is left who could continue it. */
static void orphaned_group(void) {
    sh = boot();
    uint32_t c = child();
    CALL(c, KILL, pid, K_SIGTSTP); /* its group has no anchor: no effect */
    CHECK_EQ(action, PF_ACTION_RETURN);
    int64_t grand;
    uint32_t g = fork_(c, &grand);
    CALL(c, SETPGID, grand, grand);
    switch_to(g);
    CALL(g, FORK);
    CALL(g, KILL, grand, K_SIGTSTP);
    CHECK_EQ(action, PF_ACTION_BLOCK);
    switch_to(c);
    k_check();
    CALL(c, EXIT, 0);            /* SIGHUP and SIGCONT for the grandchild */
    CHECK_EQ(k_proc_count(), 2); /* sh, and c as a zombie */
    k_check();
}

static void kill_everybody(void) {
    sh = boot();
    int64_t a, b;
    fork_(sh, &a);
    fork_(sh, &b);
    CHECK_EQ(CALL(sh, KILL, -1, 9), 0);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), a);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), b);
    CHECK_EQ(CALL(sh, KILL, -1, 9), -PF_ESRCH);
    CALL(sh, KILL, 0, 9);
    CHECK_EQ(action, PF_ACTION_GONE);
    CHECK_EQ(next(), 0);
    CHECK_EQ(k_proc_count(), 0);
    k_check();
}

static void traps(void) {
    sh = boot();
    uint32_t c = child();
    CHECK_EQ(CALL(HOST, HOST_TRAP, c, 11), 0);
    CHECK_EQ(next(), sh);
    CHECK_EQ(CALL(sh, WAIT, -1, 0), pid);
    CHECK_EQ(waited().status, 11);
    CHECK_EQ(CALL(HOST, HOST_TRAP, c, 11), -PF_ESRCH);
    CHECK_EQ(CALL(HOST, HOST_TRAP, 5000, 11), -PF_ESRCH);
    CHECK_EQ(CALL(sh, HOST_TRAP, sh, 11), -PF_EPERM);
    CHECK_EQ(CALL(HOST, FORK), -PF_EPERM);
    call_raw(900, PF_CALL_GETPID, (struct words){{0}}, NULL, 0, 0, 0);
    CHECK_EQ(action, PF_ACTION_RETURN);
    call_raw(5000, PF_CALL_GETPID, (struct words){{0}}, NULL, 0, 0, 0);
    CHECK_EQ(call_raw(sh, 200, (struct words){{0}}, NULL, 0, 0, 0), -PF_ENOSYS);
}

int main(void) {
    fork_copies();
    exec_loads();
    exec_scripts();
    spawn_acts();
    wait_chooses();
    orphans();
    slots_are_freed_in_any_order();
    groups();
    default_actions();
    caught_signals();
    interrupted_calls();
    suspend();
    stop_and_continue();
    orphaned_group();
    kill_everybody();
    traps();
    return check_report();
}
