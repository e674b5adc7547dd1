/*
 * pipe.c: pipes, FIFOs, and the streams between a run and the host: all one ring of bytes.
 *
 * A stream is a ring whose other end is the host: stdin, which it fills, and output, which it
 * drains after each slice. A reader that finds nothing and a writer that finds no room wait; a
 * waiting process is woken when its call can go on, not before: a writer says how much room it
 * needs.
 */
#include "kernel.h"

#define SIZE K_PIPE_SIZE

int k_pipe_new(struct k_pipe **out) {
    struct k_pipe *pipe = k_zalloc(sizeof *pipe);
    if (!pipe) return -PF_ENOMEM;
    k_list_init(&pipe->read_wait);
    k_list_init(&pipe->write_wait);
    pipe->write_need = UINT32_MAX;
    *out = pipe;
    return 0;
}

static int ring_new(struct k_pipe *pipe) {
    if (pipe->ring) return 0;
    pipe->ring = k_alloc(SIZE);
    return pipe->ring ? 0 : -PF_ENOMEM;
}

void k_pipe_free(struct k_pipe *pipe) {
    if (!pipe) return;
    K_ASSERT(k_list_empty(&pipe->read_wait) && k_list_empty(&pipe->write_wait));
    k_free(pipe->ring);
    k_free(pipe);
}

int k_stream_new(bool host_reads, uint32_t attention, uint32_t mode, struct k_inode **out) {
    K_ASSERT(attention == PF_ATTENTION_OUTPUT || attention == PF_ATTENTION_STDIN);
    struct k_pipe *pipe;
    int error = k_pipe_new(&pipe);
    if (error) return error;
    struct k_inode *inode;
    error = k_inode_new(K_STREAM, mode, false, &inode);
    if (error) {
        k_pipe_free(pipe);
        return error;
    }
    inode->uid = inode->gid = K_UID;
    inode->pipe = pipe;
    pipe->host_reads = host_reads;
    pipe->host_writes = !host_reads;
    pipe->attention = attention;
    *out = inode;
    return 0;
}

static bool reads(const struct k_file *file) {
    return (file->flags & PF_O_ACCMODE) != PF_O_WRONLY;
}

static bool writes(const struct k_file *file) {
    return (file->flags & PF_O_ACCMODE) != PF_O_RDONLY;
}

int k_pipe_opened(struct k_file *file) {
    K_ASSERT(file->inode->kind == K_PIPE || file->inode->kind == K_STREAM);
    struct k_inode *inode = file->inode;
    if (inode->kind == K_PIPE) {
        struct k_pipe *pipe = inode->pipe;
        if (!pipe) {
            int error = k_pipe_new(&pipe);
            if (error) return error;
        }
        if (ring_new(pipe)) {
            if (!inode->pipe) k_pipe_free(pipe);
            return -PF_ENOMEM;
        }
        inode->pipe = pipe;
    }
    struct k_pipe *pipe = inode->pipe;
    file->seen = reads(file) ? pipe->writers_ever : pipe->readers_ever;
    if (reads(file)) {
        pipe->readers++;
        pipe->readers_ever++;
        k_wake_all(&pipe->write_wait);
    }
    if (writes(file)) {
        pipe->writers++;
        pipe->writers_ever++;
        k_wake_all(&pipe->read_wait);
    }
    return 0;
}

void k_pipe_closed(struct k_file *file) {
    struct k_inode *inode = file->inode;
    struct k_pipe *pipe = inode->pipe;
    K_ASSERT((!reads(file) || pipe->readers > 0) && (!writes(file) || pipe->writers > 0));
    if (reads(file) && --pipe->readers == 0) k_wake_all(&pipe->write_wait);
    if (writes(file) && --pipe->writers == 0) k_wake_all(&pipe->read_wait);
    if (inode->kind == K_PIPE && !pipe->readers && !pipe->writers) { /* what was in it is lost */
        k_pipe_free(pipe);
        inode->pipe = NULL;
    }
}

bool k_pipe_open_ready(const struct k_file *file) {
    const struct k_inode *inode = file->inode;
    if (inode->kind != K_PIPE || !inode->counted || file->flags & (PF_O_NONBLOCK | PF_O_PATH))
        return true;
    const struct k_pipe *pipe = inode->pipe;
    if (reads(file) && writes(file)) return true;
    return reads(file) ? pipe->writers || pipe->writers_ever != file->seen
                       : pipe->readers || pipe->readers_ever != file->seen;
}

/* Takes up to len bytes that lie in one piece. */
uint32_t k_pipe_take(struct k_pipe *pipe, uint32_t len, const uint8_t **at) {
    K_ASSERT(pipe->used <= SIZE && pipe->head < SIZE && (pipe->ring || !pipe->used));
    uint32_t n = pipe->used < len ? pipe->used : len;
    if (n > SIZE - pipe->head) n = SIZE - pipe->head;
    *at = pipe->ring + pipe->head;
    pipe->head = (pipe->head + n) % SIZE;
    pipe->used -= n;
    if (!pipe->used) pipe->head = 0;
    if (SIZE - pipe->used >= pipe->write_need) {
        pipe->write_need = UINT32_MAX;
        k_wake_all(&pipe->write_wait);
    }
    return n;
}

uint32_t k_pipe_put(struct k_pipe *pipe, const uint8_t *from, uint32_t len) {
    K_ASSERT(pipe->ring && pipe->used <= SIZE && pipe->head < SIZE);
    uint32_t n = SIZE - pipe->used < len ? SIZE - pipe->used : len;
    uint32_t tail = (pipe->head + pipe->used) % SIZE;
    uint32_t first = n < SIZE - tail ? n : SIZE - tail;
    memcpy(pipe->ring + tail, from, first);
    if (first < n) memcpy(pipe->ring, from + first, n - first);
    pipe->used += n;
    if (n) {
        k_wake_all(&pipe->read_wait);
        k_mailbox.attention |= pipe->attention & ~PF_ATTENTION_STDIN;
    }
    return n;
}

void k_pipe_end(struct k_pipe *pipe) {
    K_ASSERT(pipe->host_writes);
    pipe->ended = true;
    k_wake_all(&pipe->read_wait);
}

static bool no_more(const struct k_pipe *pipe) {
    return pipe->host_writes ? pipe->ended : !pipe->writers;
}

int64_t k_pipe_read(struct k_call *call, struct k_file *file, uint32_t len) {
    struct k_pipe *pipe = file->inode->pipe;
    if (len == 0) return 0;
    if (!pipe->used) {
        if (no_more(pipe)) return 0;
        if (pipe->host_writes) k_mailbox.attention |= PF_ATTENTION_STDIN;
        if (file->flags & PF_O_NONBLOCK) return -PF_EAGAIN;
        return k_wait(call, &pipe->read_wait, true);
    }
    if (len > pipe->used) len = pipe->used;
    const uint8_t *at;
    uint32_t n = k_pipe_take(pipe, len, &at);
    if (n < len) { /* it goes around the end of the ring */
        uint8_t *to = k_out_area();
        memcpy(to, at, n);
        k_pipe_take(pipe, len - n, &at);
        memcpy(to + n, at, len - n);
        at = to;
    }
    k_out(call, at, len);
    return len;
}

int64_t k_pipe_write(struct k_call *call, struct k_file *file, uint32_t len) {
    struct k_pipe *pipe = file->inode->pipe;
    if (!pipe->host_reads && !pipe->readers) {
        k_signal(call->proc, K_SIGPIPE);
        return k_after_signal(call, -PF_EPIPE);
    }
    if (len == 0) return 0;
    if (ring_new(pipe)) return -PF_ENOMEM;
    uint32_t room = SIZE - pipe->used;
    uint32_t need = len <= K_PIPE_BUF ? len : 1; /* small writes are whole or not at all */
    if (room >= need) return k_pipe_put(pipe, call->in, len);
    if (file->flags & PF_O_NONBLOCK) return -PF_EAGAIN;
    int64_t result = k_wait(call, &pipe->write_wait, true);
    if (result == K_BLOCK) {
        /* A large write waits until going on is worth a switch. */
        uint32_t worth = len <= K_PIPE_BUF ? len : K_PIPE_BUF;
        if (worth < pipe->write_need) pipe->write_need = worth;
    }
    return result;
}

int64_t k_do_PIPE(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t flags = k_arg(call, 0);
    if (flags & ~(int64_t)(PF_O_CLOEXEC | PF_O_NONBLOCK)) return -PF_EINVAL;
    if (call->msg->out_cap < 2 * sizeof(int32_t)) return -PF_EFAULT;
    bool cloexec = flags & PF_O_CLOEXEC;
    uint32_t nonblock = (uint32_t)flags & PF_O_NONBLOCK;
    struct k_inode *inode;
    struct k_file *read_end = NULL, *write_end = NULL;
    int error = k_inode_new(K_PIPE, K_IFIFO | 0600, false, &inode);
    if (error) return error;
    inode->uid = inode->gid = K_UID;
    int64_t fds[2] = {-1, -1};
    error = k_file_new(inode, PF_O_RDONLY | nonblock, &read_end);
    if (!error) error = k_file_new(inode, PF_O_WRONLY | nonblock, &write_end);
    if (!error) {
        fds[0] = k_fd_new(proc, read_end, 0, cloexec);
        fds[1] = fds[0] < 0 ? fds[0] : k_fd_new(proc, write_end, 0, cloexec);
        if (fds[1] < 0) error = (int)fds[1];
    }
    k_inode_put(inode);
    if (error) {
        if (fds[0] >= 0)
            k_fd_close(proc, fds[0]);
        else if (read_end)
            k_file_put(read_end);
        if (write_end) k_file_put(write_end);
        return error;
    }
    int32_t answer[2] = {(int32_t)fds[0], (int32_t)fds[1]};
    return k_out_struct(call, answer, sizeof answer);
}
