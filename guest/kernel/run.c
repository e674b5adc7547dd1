/*
 * run.c: runs: how a text of the embedder reaches its program, and its output the embedder.
 *
 * Session leaders (the shell, a Python) live over many runs and ask for each with RUN_NEXT; other
 * runs are a fresh process each. The output streams belong to the sandbox, so that background jobs
 * of an earlier run can still write; stdin belongs to its run. At most one run is on.
 */
#include "kernel.h"

static struct leader {
    struct k_proc *proc; /* while it lives */
    uint32_t run;        /* the run that it works on, 0: none */
    struct k_link wait;  /* queue: itself in RUN_NEXT */
} leaders[PF_SESSIONS];

static struct {
    uint32_t number; /* of the run that is on, or of the last one */
    bool on;
    bool done; /* its foreground has ended with `status` */
    uint32_t flags;
    struct leader *leader; /* of a session's run; NULL: spawned */
    int32_t status;
    int32_t pid;  /* of its foreground: the leader or the spawned process */
    int32_t pgid; /* gets the interrupts; 0: none */
    struct k_data text;
    uint64_t text_len;
    uint64_t value_len; /* given so far, also what was refused: over op_result_bytes it is void */
    struct k_inode *input; /* stdin of the run, referenced while it is on */
} run;

static struct k_inode *output[2]; /* the streams 1 and 2 */
static struct k_pipe *value;      /* the value of the run, until the host has drained it */
static struct k_inode *no_input;  /* /dev/null */
static uint8_t *environment;      /* of HOST_ENV */
static uint32_t environment_len, environment_count;

int k_run_boot(void) {
    memset(&run, 0, sizeof run);
    memset(leaders, 0, sizeof leaders);
    environment = NULL;
    environment_len = environment_count = 0;
    for (int i = 0; i < PF_SESSIONS; i++) k_list_init(&leaders[i].wait);
    for (int i = 0; i < 2; i++) {
        int error = k_stream_new(true, PF_ATTENTION_OUTPUT, K_IFCHR | 0620, &output[i]);
        if (error) return error;
    }
    int error = k_pipe_new(&value);
    if (error) return error;
    value->host_reads = true;
    value->attention = PF_ATTENTION_VALUE;
    return k_find(k_host(), PF_AT_FDCWD, "/dev/null", 9, 0, &no_input);
}

uint32_t k_run_number(void) {
    return run.number;
}

bool k_run_done(void) {
    return run.on && run.done;
}

#ifndef __wasm__
uint32_t k_run_holds(struct k_inode *held[4]) {
    uint32_t count = 0;
    held[count++] = output[0];
    held[count++] = output[1];
    held[count++] = no_input;
    if (run.input) held[count++] = run.input;
    return count;
}
#endif

void k_run_foreground(int32_t pgid) {
    if (run.on) run.pgid = pgid;
}

static void done(int32_t status) {
    K_ASSERT(run.on && !run.done);
    run.done = true;
    run.status = status;
    k_sched_behind(K_BEHIND_DONE);
    k_mailbox.attention |= PF_ATTENTION_RUN_DONE;
}

static int32_t shell_status(int32_t status) {
    return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}

static struct leader *leader_of(const struct k_proc *proc) {
    for (int i = 0; i < PF_SESSIONS; i++)
        if (leaders[i].proc == proc) return &leaders[i];
    return NULL;
}

void k_run_ended(struct k_proc *proc) {
    struct leader *leader = leader_of(proc);
    if (leader) leader->proc = NULL;
    if (run.on && !run.done && proc->pid == run.pid) done(shell_status(proc->status));
}

/* Descriptors 0, 1 and 2 of the current run, or of a session before its first. All or none. */
static int streams_set(struct k_proc *proc) {
    struct k_inode *inodes[3] = {run.on ? run.input : no_input, output[0], output[1]};
    struct k_file *files[3];
    for (int i = 0; i < 3; i++) {
        int error = k_file_new(inodes[i], i ? PF_O_WRONLY : PF_O_RDONLY, &files[i]);
        if (error) {
            while (i-- > 0) k_file_put(files[i]);
            return error;
        }
    }
    for (int i = 0; i < 3; i++) {
        int error = k_fd_set(proc, files[i], i, false);
        if (error) { /* only the first can fail: the table then has room for all */
            for (; i < 3; i++) k_file_put(files[i]);
            return error;
        }
    }
    return 0;
}

static int cwd_set(struct k_proc *proc) {
    struct k_inode *dir;
    int error = k_find(proc, PF_AT_FDCWD, "/workspace", 10, K_WALK_FOLLOW, &dir);
    if (error == -PF_ENOENT) return 0;
    if (error) return error;
    if (k_type(dir) != K_IFDIR) {
        k_inode_put(dir);
        return -PF_ENOTDIR;
    }
    k_inode_put(proc->cwd);
    proc->cwd = dir;
    return 0;
}

/* A process of the embedder's, child of init, with the environment that runs start with. */
static int process_start(const struct k_exec *exec, struct k_proc **out) {
    struct k_exec with_env = *exec;
    if (!with_env.head.envc) {
        with_env.head.envc = environment_count;
        with_env.env = (const char *)environment;
        with_env.env_len = environment_len;
    }
    struct k_proc *proc;
    int error = k_proc_spawn(&proc);
    if (error) return error;
    error = cwd_set(proc);
    if (!error) error = streams_set(proc);
    if (!error) error = k_exec_actions(proc, &with_env);
    if (!error) error = k_exec_load(proc, &with_env);
    if (error) {
        k_proc_discard(proc);
        return error;
    }
    k_ready(proc, false);
    *out = proc;
    return 0;
}

/* ------------------------------------------------------------------ programs */

/* The leader is done with the run that an interrupt was for: the next one must not end by it. */
static void leader_calm(const struct leader *leader) {
    if (leader && leader->proc) leader->proc->pending &= ~K_SIGBIT(K_SIGINT);
}

int64_t k_do_RUN_NEXT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t status = k_arg(call, 0);
    struct leader *leader = leader_of(proc);
    if (!leader) return -PF_EPERM;
    if (call->msg->out_cap < sizeof(struct pf_run_info)) return -PF_EFAULT;
    bool ours = run.on && run.leader == leader;
    if (ours && !run.done && run.number == leader->run) {
        done((int32_t)(status & 0xff));
        leader_calm(leader);
    }
    if (!ours || run.number == leader->run) {
        int64_t result = k_wait(call, &leader->wait, true);
        return result == -PF_EINTR ? -PF_ERESTART : result; /* between runs nothing can fail */
    }
    int error = streams_set(proc);
    if (error) return error;
    leader->run = run.number;
    proc->last_run = run.number;
    struct pf_run_info answer = {run.number, run.flags, run.text_len};
    return k_out_struct(call, &answer, sizeof answer);
}

/* Is this the process that the text of the current run is for? */
static bool has_text(const struct k_proc *proc) {
    return run.on && proc->pid == run.pid && (!run.leader || run.leader->run == run.number);
}

int64_t k_do_RUN_TEXT(struct k_call *call) {
    int64_t offset = k_arg(call, 0);
    if (!has_text(call->proc)) return -PF_ENODATA;
    if (offset < 0) return -PF_EINVAL;
    if ((uint64_t)offset >= run.text_len) return 0;
    uint32_t len = k_out_cap(call);
    if (len > run.text_len - (uint64_t)offset) len = (uint32_t)(run.text_len - (uint64_t)offset);
    k_data_copy_out(&run.text, offset, k_out_area(), len);
    k_out(call, k_out_area(), len);
    return len;
}

int64_t k_do_RUN_VALUE(struct k_call *call) {
    if (!has_text(call->proc)) return -PF_ENODATA;
    uint32_t len = call->msg->in_len < PF_IO_MAX ? call->msg->in_len : PF_IO_MAX;
    if (!len) return 0;
    if (run.value_len + len > k_limits.op_result_bytes) {
        run.value_len = UINT64_MAX / 2;
        k_mailbox.attention |= PF_ATTENTION_VALUE;
        return -PF_EFBIG;
    }
    if (!value->ring && !(value->ring = k_alloc(K_PIPE_SIZE))) return -PF_ENOMEM;
    uint32_t n = k_pipe_put(value, call->in, len);
    run.value_len += n;
    if (n) return n;
    value->write_need = 1;
    return k_wait(call, &value->write_wait, true);
}

/* ------------------------------------------------------------------ the host */

int64_t k_do_HOST_ENV(struct k_call *call) {
    uint32_t len = call->msg->in_len, count = 0;
    for (uint32_t i = 0; i < len; i++)
        if (!call->in[i]) count++;
    if (len && call->in[len - 1]) return -PF_EINVAL;
    if (len > K_ALLOC_MAX) return -PF_E2BIG;
    uint8_t *copy = NULL;
    if (len) {
        copy = k_alloc(len);
        if (!copy) return -PF_ENOMEM;
        memcpy(copy, call->in, len);
    }
    k_free(environment);
    environment = copy;
    environment_len = len;
    environment_count = count;
    return 0;
}

/* The session that the host means; NULL: there is no such. */
static struct leader *leader_at(int64_t which) {
    return which >= 0 && which < PF_SESSIONS ? &leaders[which] : NULL;
}

int64_t k_do_HOST_SESSION(struct k_call *call) {
    struct leader *leader = leader_at(k_arg(call, 0));
    if (!leader) return -PF_EINVAL;
    struct k_exec exec;
    int error = k_exec_decode(call->in, call->msg->in_len, true, &exec);
    if (error) return error;
    if (leader->proc) return -PF_EBUSY;
    struct k_proc *proc;
    error = process_start(&exec, &proc);
    if (error) return error;
    leader->proc = proc;
    leader->run = 0;
    return proc->pid;
}

static void forget(void) {
    K_ASSERT(run.on);
    k_data_free(&run.text);
    run.text_len = run.value_len = 0;
    if (run.input) {
        if (run.input->kind == K_STREAM) k_pipe_end(run.input->pipe);
        k_inode_put(run.input);
    }
    run.input = NULL;
    run.on = false;
}

/* The beginning of the text, all of it or nothing. */
static int text_begin(const uint8_t *bytes, uint32_t len) {
    int64_t n = len ? k_data_write(&run.text, 0, bytes, len) : 0;
    if (n != len) return -PF_ENOMEM;
    run.text_len = len;
    return 0;
}

int64_t k_do_HOST_RUN_BEGIN(struct k_call *call) {
    int64_t kind = k_arg(call, 0), flags = k_arg(call, 1), head = k_arg(call, 3);
    uint32_t len = call->msg->in_len, exec_len = 0;
    if (kind == PF_RUN_SPAWN) exec_len = head ? (uint32_t)head : len;
    if (head < 0 || head > len) return -PF_EINVAL;
    if ((kind != PF_RUN_SESSION && kind != PF_RUN_SPAWN) ||
        flags & ~(int64_t)(PF_RUN_STDIN | PF_RUN_END_OPTIONS | PF_RUN_PLACE))
        return -PF_EINVAL;
    struct leader *leader = kind == PF_RUN_SESSION ? leader_at(k_arg(call, 2)) : NULL;
    if (kind == PF_RUN_SESSION && !leader) return -PF_EINVAL;
    struct k_exec exec;
    if (kind == PF_RUN_SPAWN) {
        int error = k_exec_decode(call->in, exec_len, true, &exec);
        if (error) return error;
    }
    if (run.on) return -PF_EBUSY;
    if (leader && !leader->proc) return -PF_ESRCH;
    struct k_inode *input;
    if (flags & PF_RUN_STDIN) {
        int error = k_stream_new(false, PF_ATTENTION_STDIN, K_IFIFO | 0600, &input);
        if (error) return error;
    } else {
        input = k_inode_get(no_input);
    }
    run.input = input;
    run.on = true;
    run.done = false;
    run.leader = leader;
    run.flags = (uint32_t)flags;
    run.number++;
    value->head = value->used = 0; /* of an earlier run, and nobody asked for it */
    k_wake_all(&value->write_wait);
    struct k_proc *proc = leader ? leader->proc : NULL;
    for (int i = 0; i < PF_SESSIONS; i++)
        leader_calm(&leaders[i]); /* it was meant for an earlier run */
    int error = text_begin(call->in + exec_len, len - exec_len);
    if (!error && !leader) error = process_start(&exec, &proc);
    if (error) {
        forget();
        run.number--;
        return error;
    }
    run.pid = proc->pid;
    run.pgid = proc->pgid;
    if (leader) k_wake_all(&leader->wait);
    return proc->pid;
}

int64_t k_do_HOST_RUN_TEXT(struct k_call *call) {
    uint32_t len = call->msg->in_len;
    if (!run.on) return -PF_ESRCH;
    int64_t n = k_data_write(&run.text, (int64_t)run.text_len, call->in, len);
    if (n > 0) run.text_len += (uint64_t)n;
    return n;
}

int64_t k_do_HOST_STDIN(struct k_call *call) {
    uint32_t len = call->msg->in_len;
    if (!run.on || run.input->kind != K_STREAM) return -PF_ESRCH;
    struct k_pipe *pipe = run.input->pipe;
    if (pipe->ended) return -PF_EPIPE;
    if (len && !pipe->ring && !(pipe->ring = k_alloc(K_PIPE_SIZE))) return -PF_ENOMEM;
    uint32_t n = len ? k_pipe_put(pipe, call->in, len) : 0;
    if (k_arg(call, 0) && n == len) k_pipe_end(pipe);
    return n;
}

static int64_t drain(struct k_call *call, struct k_pipe *pipe) {
    const uint8_t *at;
    if (!pipe->used) return 0;
    uint32_t n = k_pipe_take(pipe, k_out_cap(call), &at);
    if (n) k_out(call, at, n);
    if (pipe->used) k_mailbox.attention |= pipe->attention;
    return n;
}

int64_t k_do_HOST_OUTPUT(struct k_call *call) {
    int64_t stream = k_arg(call, 0);
    bool any = stream == 0;
    if (any) stream = output[0]->pipe->used ? 1 : 2;
    if (stream != 1 && stream != 2) return -PF_EINVAL;
    int64_t n = drain(call, output[stream - 1]->pipe);
    if (any && output[1]->pipe->used) k_mailbox.attention |= PF_ATTENTION_OUTPUT;
    call->msg->arg[0] = stream;
    return n;
}

int64_t k_do_HOST_RUN_VALUE(struct k_call *call) {
    if (run.value_len > k_limits.op_result_bytes) return -PF_EFBIG;
    return drain(call, value);
}

static int put_state(struct k_call *call) {
    struct pf_run_state state = {.number = run.number, .foreground_done = run.done};
    state.status = run.status;
    for (uint32_t i = 0; i < PF_SESSIONS; i++)
        if (leaders[i].proc) state.session_alive |= 1u << i;
    state.ops_pending = k_ops_unanswered();
    for (struct k_link *at = k_procs()->next; at != k_procs(); at = at->next) {
        struct k_proc *proc = K_OUTER(at, struct k_proc, all);
        if (!k_proc_alive(proc)) continue;
        if (!leader_of(proc) && !(run.on && proc->pid == run.pid)) state.background++;
        if (proc->parked && !state.parked_pid) state.parked_pid = (uint32_t)proc->pid;
    }
    return k_out_struct(call, &state, sizeof state);
}

int64_t k_do_HOST_RUN_STATE(struct k_call *call) {
    return put_state(call);
}

int64_t k_do_HOST_RUN_END(struct k_call *call) {
    if (!run.on) return -PF_ESRCH;
    if (call->msg->out_cap >= sizeof(struct pf_run_state)) put_state(call);
    forget();
    return 0;
}

int64_t k_do_HOST_INTERRUPT(struct k_call *call) {
    int64_t signal = k_arg(call, 0);
    if (signal < 1 || signal >= PF_SIGNALS) return -PF_EINVAL;
    if (!run.on || !run.pgid) return 0;
    int64_t count = k_signal_group(run.pgid, (int)signal);
    if (run.done && run.leader && run.number == run.leader->run) leader_calm(run.leader);
    return count;
}

static bool ran_in(const struct k_proc *proc, int64_t number) {
    return k_proc_alive(proc) && (number < 0 || proc->last_run == number);
}

int64_t k_do_HOST_KILL(struct k_call *call) {
    int64_t which = k_arg(call, 0);
    if (which != 0 && which != 1) return -PF_EINVAL;
    return k_signal_some(ran_in, which ? -1 : (int64_t)run.number, K_SIGKILL);
}
