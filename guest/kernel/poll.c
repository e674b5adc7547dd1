/*
 * poll.c: POLL: waiting for any of several descriptors, or for finished host operations.
 *
 * Every try looks anew for what is ready. Only when nothing is, the caller is put into the queue of
 * each descriptor where a change would show.
 */
#include "kernel.h"

uint16_t k_poll_file(struct k_file *file, struct k_link *queues[K_POLL_QUEUES], uint16_t events) {
    struct k_inode *inode = file->inode;
    queues[0] = queues[1] = NULL;
    if (file->flags & PF_O_PATH) return PF_POLLNVAL;
    if (inode->kind != K_PIPE && inode->kind != K_STREAM) return events & (PF_POLLIN | PF_POLLOUT);
    struct k_pipe *pipe = inode->pipe;
    uint32_t access = file->flags & PF_O_ACCMODE;
    uint16_t ready = 0;
    if (access != PF_O_WRONLY) {
        bool end = pipe->host_writes ? pipe->ended : !pipe->writers;
        if (pipe->used) ready |= PF_POLLIN;
        if (end && (pipe->host_writes || pipe->writers_ever)) ready |= PF_POLLHUP;
        if (pipe->host_writes && !pipe->used && !pipe->ended)
            k_mailbox.attention |= PF_ATTENTION_STDIN;
        queues[0] = &pipe->read_wait;
    }
    if (access != PF_O_RDONLY) {
        if (K_PIPE_SIZE - pipe->used >= K_PIPE_BUF)
            ready |= PF_POLLOUT;
        else if (pipe->write_need > K_PIPE_BUF)
            pipe->write_need = K_PIPE_BUF;
        if (!pipe->host_reads && !pipe->readers) ready |= PF_POLLERR;
        queues[1] = &pipe->write_wait;
    }
    return ready & (events | PF_POLLERR | PF_POLLHUP);
}

/* Number of ready entries; with `wait` also into the queues: -ENOMEM when that fails. */
static int64_t scan(struct k_proc *proc, struct pf_pollfd *fds, uint32_t count, bool wait) {
    int64_t ready = 0;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pf_pollfd *entry = &fds[i];
        struct k_link *queues[K_POLL_QUEUES] = {NULL, NULL};
        entry->revents = 0;
        if (entry->fd == PF_POLL_OPS) {
            if (proc->ops_finished) entry->revents = PF_POLLIN;
            queues[0] = &proc->ops_wait;
        } else if (entry->fd >= 0) {
            struct k_file *file = k_fd(proc, entry->fd);
            entry->revents = file ? k_poll_file(file, queues, entry->events) : PF_POLLNVAL;
        }
        if (entry->revents) ready++;
        for (int q = 0; wait && q < K_POLL_QUEUES; q++) {
            if (!queues[q]) continue;
            if (k_wait_also(proc, slot++, queues[q])) {
                k_wait_over(proc);
                return -PF_ENOMEM;
            }
        }
    }
    return ready;
}

int64_t k_do_POLL(struct k_call *call) {
    struct k_proc *proc = call->proc;
    uint32_t len = call->msg->in_len, count = len / sizeof(struct pf_pollfd);
    int64_t timeout = k_arg(call, 0);
    if (len % sizeof(struct pf_pollfd) || count > PF_OPEN_MAX || timeout < -1) return -PF_EINVAL;
    if (call->msg->out_cap < len) return -PF_EFAULT;
    struct pf_pollfd *fds = (struct pf_pollfd *)k_out_area();
    memcpy(fds, call->in, len);
    int64_t ready = scan(proc, fds, count, false);
    if (!ready && timeout) {
        int64_t when = timeout == -1 ? K_NEVER : k_later(timeout);
        if (when != K_NEVER && !proc->has_deadline) k_clock_observed();
        int passed = k_deadline(proc, when);
        if (passed < 0) return passed;
        if (!passed) {
            int64_t result = k_wait(call, NULL, false);
            if (result != K_BLOCK) return result;
            ready = scan(proc, fds, count, true);
            return ready < 0 ? ready : K_BLOCK;
        }
    }
    k_out(call, fds, len);
    return ready;
}
