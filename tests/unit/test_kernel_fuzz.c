/*
 * tests/unit/test_kernel_fuzz.c: random messages from random processes and the host, with every
 * invariant checked in between, and allocations that fail now and then.
 *
 * The processes follow the rules that the machine enforces (a blocked message is sent again, only
 * the running process calls); what they ask for is arbitrary. A failure prints its seed;
 * `test_kernel_fuzz SEED [COUNT]` runs it again.
 */
#include <signal.h>
#include <unistd.h>

#include "kernel_machine.h"

static uint64_t state, seed_now;

static uint32_t any(uint32_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % n;
}

static bool chance(uint32_t percent) {
    return any(100) < percent;
}

struct request {
    bool waiting;
    uint32_t call, flags, cap;
    struct words words;
    uint32_t in_len;
    uint8_t in[70000];
};
static struct request *requests[PF_PROCESS_TABLE];

static const uint32_t calls[] = {
#define X(number, name, input, output, args, meaning) number,
#include "abi/call.def"
#undef X
};

static const char *const paths[] = {
    "a",
    "b",
    "a/b",
    "a/c",
    "../a",
    "/workspace/a",
    "/tmp/x",
    "/tmp/y",
    "/dev/null",
    "/dev/zero",
    "/dev/stdin",
    "/dev/stdout",
    "/proc/self/fd/1",
    "/proc/self/status",
    "/proc",
    "/proc/self/fd",
    "/proc/2/cmdline",
    "/bin/sh",
    "/bin/cat",
    "/tmp/script",
    "f1",
    "f2",
    "/",
    ".",
    "..",
    "a/",
    "l",
    "/dev/tty",
    "/proc/self/exe",
    "/proc/self/cwd",
    "/dev/full",
    "/proc/self/environ",
    "/proc/3",
};

static int64_t any_number(void) {
    static const int64_t some[] = {0,         1,     -1,      2,         3,         4095,
                                   4096,      65536, 100000,  -100,      INT64_MAX, INT64_MIN,
                                   INT32_MAX, 1000,  1000000, 1ll << 31, 262144};
    switch (any(6)) {
    case 0: return some[any(K_COUNT(some))];
    case 1: return (int64_t)(1u << any(20));
    case 2: return (int64_t)any(66);
    default: return (int64_t)any(8);
    }
}

static uint32_t any_path(uint8_t *to) {
    const char *path = paths[any(K_COUNT(paths))];
    uint32_t len = (uint32_t)strlen(path);
    memcpy(to, path, len);
    if (chance(2)) to[any(len)] = (uint8_t)any(256);
    return len;
}

static uint32_t any_exec(uint8_t *to) {
    struct pf_exec head = {.flags = any(2) ? 0 : any(16) | (any(2) ? PF_SPAWN_FOREGROUND : 0),
                           .pgid = (int32_t)any(6),
                           .sigmask = any(2) ? UINT64_MAX : any(100)};
    uint32_t len = sizeof head;
    head.strings_offset = len;
    static const char *const programs[] = {"/bin/sh", "/bin/cat", "/tmp/script", "/tmp/x",
                                           "/proc/self/exe"};
    len += (uint32_t)sprintf((char *)to + len, "%s", programs[any(5)]) + 1;
    head.argc = any(4);
    head.envc = any(3);
    for (uint32_t i = 0; i < head.argc + head.envc; i++)
        len += (uint32_t)sprintf((char *)to + len, "arg%u", any(1000)) + 1;
    uint32_t path_at = len;
    len += any_path(to + len);
    to[len++] = 0;
    head.strings_len = len - head.strings_offset;
    while (len % 8) to[len++] = 0;
    head.actions_offset = len;
    head.action_count = any(3);
    for (uint32_t i = 0; i < head.action_count; i++) {
        struct pf_spawn_action action = {.kind = 1 + any(5),
                                         .fd = (int32_t)any(12),
                                         .fd2 = (int32_t)any(12),
                                         .flags = (int32_t)any(01000),
                                         .mode = 0644,
                                         .path_offset = path_at};
        memcpy(to + len, &action, sizeof action);
        len += sizeof action;
    }
    memcpy(to, &head, sizeof head);
    if (chance(5)) to[any(len)] = (uint8_t)any(256);
    return len;
}

static uint32_t any_poll(uint8_t *to) {
    uint32_t count = chance(10) ? any(200) : any(8);
    for (uint32_t i = 0; i < count; i++) {
        struct pf_pollfd entry = {.fd = chance(10) ? PF_POLL_OPS : (int32_t)any(12) - 1,
                                  .events = (uint16_t)any(8)};
        memcpy(to + i * sizeof entry, &entry, sizeof entry);
    }
    return count * (uint32_t)sizeof(struct pf_pollfd);
}

/* Few bytes, so that processes meet. */
static uint32_t any_lock(struct request *r) {
    struct pf_lock lock = {.type = any(3), .start = any(40), .len = any(12)};
    if (chance(20)) lock.whence = any(4);
    if (chance(5)) lock.start = any_number();
    if (chance(5)) lock.len = any_number();
    r->words.arg[0] = any(8);
    r->words.arg[1] = any(3);
    r->words.arg[2] = any(3);
    memcpy(r->in, &lock, sizeof lock);
    return sizeof lock;
}

static void fill(struct request *r, uint32_t call) {
    *r = (struct request){.call = call, .flags = chance(85) ? PF_MSG_UNWIND : 0};
    for (int i = 0; i < PF_MESSAGE_ARGS; i++) r->words.arg[i] = any_number();
    static const uint32_t caps[] = {0, 1, 8, 16, 100, 4096, 65536, 100000};
    r->cap = caps[2 + any(6)];
    if (chance(5)) r->cap = caps[any(8)];
    switch (call) {
    case PF_CALL_RENAMEAT:
    case PF_CALL_LINKAT:
    case PF_CALL_SYMLINKAT:
        r->in_len = any_path(r->in);
        r->in[r->in_len++] = 0;
        r->in_len += any_path(r->in + r->in_len);
        r->in[r->in_len++] = 0;
        break;
    case PF_CALL_EXEC:
        r->in_len = any_exec(r->in);
        if (chance(90)) memset(r->in + 12, 0, 4); /* no actions */
        break;
    case PF_CALL_SPAWN: r->in_len = any_exec(r->in); break;
    case PF_CALL_POLL: r->in_len = any_poll(r->in); break;
    case PF_CALL_LOCK: r->in_len = any_lock(r); break;
    case PF_CALL_WRITE:
    case PF_CALL_PWRITE:
    case PF_CALL_OP_START:
    case PF_CALL_RUN_VALUE:
        r->in_len = any(3) ? any(100) : any(70000);
        memset(r->in, 'x', r->in_len);
        break;
    case PF_CALL_MKNODAT: r->words.arg[1] = K_IFIFO | 0644; /* fallthrough */
    default: r->in_len = any_path(r->in);
    }
    if (call <= PF_CALL_STATFS && call != PF_CALL_CLOSE && call != PF_CALL_READ &&
        call != PF_CALL_WRITE && r->in_len && chance(80))
        r->words.arg[0] = CWD;
    if (call == PF_CALL_RENAMEAT || call == PF_CALL_LINKAT) r->words.arg[1] = CWD;
    if (call == PF_CALL_OPENAT) r->words.arg[1] = any(020000);
    if (call == PF_CALL_OP_START) r->words.arg[0] = PF_OP_TOOL;
}

/* Ending and killing are made rare, or nobody would live long. */
static uint32_t any_call(void) {
    static const uint32_t often[] = {PF_CALL_OPENAT, PF_CALL_READ,      PF_CALL_WRITE,
                                     PF_CALL_PIPE,   PF_CALL_POLL,      PF_CALL_FORK,
                                     PF_CALL_WAIT,   PF_CALL_MKNODAT,   PF_CALL_DUPFD,
                                     PF_CALL_SPAWN,  PF_CALL_SIGACTION, PF_CALL_CLOSE,
                                     PF_CALL_LOCK};
    if (chance(40)) return often[any(K_COUNT(often))];
    uint32_t call = calls[any(K_COUNT(calls))];
    if ((call == PF_CALL_KILL || call == PF_CALL_EXIT || call == PF_CALL_EXEC) && chance(60))
        return PF_CALL_YIELD;
    return call;
}

static void process_turn(uint32_t proc) {
    struct request *r = requests[proc];
    if (!r) r = requests[proc] = calloc(1, sizeof *r);
    for (uint32_t i = 0; i < 30; i++) {
        if (!r->waiting) fill(r, any_call());
        r->waiting = false;
        call_raw(proc, r->call, r->words, r->in, r->in_len, r->cap, r->flags);
        if (action == PF_ACTION_RETURN) continue;
        if (action == PF_ACTION_GONE) return;
        r->waiting = true;
        if (action == PF_ACTION_BLOCK) return;
        struct pf_message *unused = NULL;
        (void)unused;
        return;
    }
}

static void fork_answer(uint32_t parent, uint32_t child) {
    int64_t ok = chance(90);
    if (chance(2)) CALL(HOST, HOST_KILL, 1); /* in between */
    if (ok) {
        if (!requests[child]) requests[child] = calloc(1, sizeof **requests);
        memcpy(requests[child], requests[parent], sizeof **requests);
    }
    CALL(HOST, HOST_FORK_DONE, child, ok);
}

static void host_turn(void) {
    uint8_t in[4000];
    uint32_t len = any(sizeof in);
    memset(in, 'h', sizeof in);
    switch (any(16)) {
    case 0: CALL(HOST, HOST_RUN_END); break;
    case 1: CALL_IN(HOST, HOST_RUN_BEGIN, "", 0, PF_RUN_SESSION, any(2)); break;
    case 2:
        len = any_exec(in);
        CALL_IN(HOST, HOST_RUN_BEGIN, in, len, PF_RUN_SPAWN, any(2));
        break;
    case 3: CALL_IN(HOST, HOST_STDIN, in, len, chance(10)); break;
    case 4:
    case 5: CALL(HOST, HOST_OUTPUT, 1 + any(2)); break;
    case 6: CALL(HOST, HOST_OP_TAKE); break;
    case 7:
    case 8: CALL_IN(HOST, HOST_OP_REPLY, in, len, any(60), any(8), any(2)); break;
    case 9: CALL(HOST, HOST_STATS); break;
    case 10: CALL(HOST, HOST_RUN_VALUE); break;
    case 11: CALL(HOST, HOST_RUN_STATE); break;
    case 12:
        if (chance(10))
            CALL(HOST, HOST_KILL, any(2));
        else
            CALL(HOST, HOST_INTERRUPT, 1 + any(30));
        break;
    case 13: CALL_IN(HOST, HOST_RUN_TEXT, in, len); break;
    case 14: CALL(HOST, HOST_PROCESS, any(20)); break;
    default: {
        struct request r;
        fill(&r, calls[any(K_COUNT(calls))]);
        if (r.call == PF_CALL_HOST_KILL || r.call == PF_CALL_HOST_CONFIGURE) return;
        call_raw(HOST, r.call, r.words, r.in, r.in_len, r.cap, 0);
        break;
    }
    }
}

static void session(void) {
    size_t len = exec_block(0, "/bin/sh", (const char *const[]){"sh", NULL});
    CALL_IN(HOST, HOST_SESSION, block, len);
}

static void one(uint64_t seed) {
    seed_now = seed;
    state = seed * 0x9e3779b97f4a7c15ull + 7;
    boot();
    host_file("/tmp/script", "#!/bin/sh -e\necho\n", 0755);
    struct pf_kernel_limits limits = {4 << 20, 200, 12, 64, 5000, 10000, 0};
    CALL_IN(HOST, HOST_CONFIGURE, &limits, sizeof limits);
    for (int step = 0; step < 1500; step++) {
        if (chance(5)) k_alloc_fail_at = 1 + any(4);
        if (chance(20)) host_turn();
        k_next(&event);
        if (event.kind == PF_EVENT_LOAD || event.kind == PF_EVENT_FREE) {
            if (requests[event.proc]) requests[event.proc]->waiting = false;
        }
        if (event.kind == PF_EVENT_LOAD || event.kind == PF_EVENT_RUN) {
            process_turn(event.proc);
            if (action == PF_ACTION_FORK) {
                /* the child's index came in arg[0], which call_raw returned as the result */
                for (uint32_t i = 1; i < PF_PROCESS_TABLE; i++) {
                    struct k_proc *proc = k_proc_at(i);
                    if (proc && proc->embryo) {
                        fork_answer(event.proc, i);
                        break;
                    }
                }
            } else if (action == PF_ACTION_RETURN && chance(3)) {
                CALL(HOST, HOST_TRAP, event.proc, 11);
            }
        }
        if (event.kind == PF_EVENT_IDLE) {
            if (event.deadline_ns < INT64_MAX / 2 && chance(50))
                k_mailbox.monotonic_ns = event.deadline_ns;
            else
                k_mailbox.monotonic_ns += any(1000000);
            if (chance(30)) session();
            if (chance(2)) CALL(HOST, HOST_KILL, 1);
        }
        k_alloc_fail_at = 0;
        if (step % 10 == 0) k_check();
    }
    CALL(HOST, HOST_KILL, 1);
    next();
    CALL(HOST, HOST_RUN_END);
    k_check();
    CHECK_EQ(k_proc_count(), 0);
}

static void crashed(int signal) {
    fprintf(stderr, "signal %d with seed %" PRIu64 "\n", signal, seed_now);
    _exit(1);
}

int main(int argc, char **argv) {
    signal(SIGABRT, crashed);
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? 1 : 40;
    for (uint64_t seed = from; seed < from + count; seed++) one(seed);
    for (uint32_t i = 0; i < PF_PROCESS_TABLE; i++) free(requests[i]);
    return check_report();
}
