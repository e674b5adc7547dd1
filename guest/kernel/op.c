/*
 * op.c: host operations, which processes start: tool calls, for example.
 *
 * An operation goes QUEUED -> TAKEN (by the host) -> FINISHED (answered), and belongs to the
 * process that started it. Closing one early, or the end of its process, cancels it: one not yet
 * taken is forgotten, one taken is kept as CANCELLED until the host has heard of it.
 */
#include "kernel.h"

enum state { QUEUED, TAKEN, FINISHED, CANCELLED };

#define BUCKETS 64

struct k_op {
    uint32_t id;
    uint32_t kind;
    uint8_t state; /* enum state */
    bool named;    /* OP_NEXT has told of it */
    int32_t pid;
    struct k_proc *owner;  /* NULL: CANCELLED */
    struct k_op *chain;    /* same hash bucket */
    struct k_link mine;    /* in owner->ops, oldest first */
    struct k_link news;    /* in `news`: QUEUED or CANCELLED */
    struct k_link waiting; /* queue: the owner in OP_STATUS */
    uint32_t outcome;
    uint64_t payload_len, payload_taken, reply_len;
    struct k_data payload, reply;
};

static struct k_op *buckets[BUCKETS];
static struct k_link news; /* what the host is to be told, oldest first */
static uint32_t next_id;
static uint32_t count;      /* all there are */
static uint32_t unanswered; /* QUEUED or TAKEN */

void k_op_boot(void) {
    memset(buckets, 0, sizeof buckets);
    k_list_init(&news);
    next_id = 1;
    count = unanswered = 0;
}

uint32_t k_ops_unanswered(void) {
    return unanswered;
}

static struct k_op *find(int64_t id) {
    struct k_op *op = buckets[id & (BUCKETS - 1)];
    while (op && op->id != id) op = op->chain;
    return op;
}

static struct k_op *find_mine(const struct k_proc *proc, int64_t id) {
    struct k_op *op = find(id);
    return op && op->owner == proc ? op : NULL;
}

static void op_free(struct k_op *op) {
    K_ASSERT(count > 0);
    struct k_op **at = &buckets[op->id & (BUCKETS - 1)];
    for (; *at != op; at = &(*at)->chain) K_ASSERT(*at);
    *at = op->chain;
    k_list_remove(&op->mine);
    k_list_remove(&op->news);
    k_data_free(&op->payload);
    k_data_free(&op->reply);
    k_free(op);
    count--;
}

static void finish(struct k_op *op, uint32_t outcome) {
    K_ASSERT((op->state == QUEUED || op->state == TAKEN) && op->owner && unanswered > 0);
    op->state = FINISHED;
    op->outcome = outcome;
    unanswered--;
    k_sched_behind(K_BEHIND_ANSWER);
    k_list_remove(&op->news);
    k_data_free(&op->payload);
    op->owner->ops_finished++;
    k_wake_all(&op->waiting);
    k_wake_all(&op->owner->ops_wait);
}

static void op_close(struct k_op *op) {
    K_ASSERT(op->owner && op->state != CANCELLED);
    if (op->state == FINISHED && !op->named) op->owner->ops_finished--;
    if (op->state == QUEUED || op->state == TAKEN) unanswered--;
    if (op->state == TAKEN || (op->state == QUEUED && op->payload_taken)) {
        op->state = CANCELLED;
        op->owner = NULL;
        k_list_remove(&op->mine);
        k_list_remove(&op->news);
        k_list_append(&news, &op->news);
        k_data_free(&op->payload);
        k_mailbox.attention |= PF_ATTENTION_OP;
    } else {
        op_free(op);
    }
}

void k_ops_close(struct k_proc *proc) {
    while (!k_list_empty(&proc->ops)) op_close(K_OUTER(proc->ops.next, struct k_op, mine));
}

static bool kind_known(int64_t kind) {
    switch (kind) {
#define X(number, name, payload, reply) case number:
#include "abi/hostop.def"
#undef X
        return true;
    default: return false;
    }
}

static int op_new(struct k_proc *proc, uint32_t kind, struct k_op **out) {
    K_ASSERT(k_proc_alive(proc));
    if (count >= PF_OPS_MAX) return -PF_EAGAIN;
    struct k_op *op = k_zalloc(sizeof *op);
    if (!op) return -PF_ENOMEM;
    op->id = next_id++;
    op->kind = kind;
    op->pid = proc->pid;
    op->owner = proc;
    k_list_init(&op->waiting);
    op->chain = buckets[op->id & (BUCKETS - 1)];
    buckets[op->id & (BUCKETS - 1)] = op;
    k_list_append(&proc->ops, &op->mine);
    count++;
    unanswered++;
    *out = op;
    return 0;
}

/* Too large a payload is an operation that failed: the program sees the same as for the host's
 * own refusals. */
static void refuse(struct k_op *op, uint32_t len) {
    char text[120], *at = k_put_text(text, "the arguments have ");
    at = k_put_number(at, len);
    at = k_put_text(at, " bytes, the limit is ");
    at = k_put_number(at, k_limits.op_argument_bytes);
    int64_t n = k_data_write(&op->reply, 0, text, (uint32_t)(at - text));
    op->reply_len = n > 0 ? (uint64_t)n : 0;
    finish(op, PF_OP_INVALID);
}

int64_t k_do_OP_START(struct k_call *call) {
    struct k_proc *proc = call->proc;
    int64_t kind = k_arg(call, 0);
    uint32_t len = call->msg->in_len;
    if (!kind_known(kind)) return -PF_EINVAL;
    struct k_op *op;
    int error = op_new(proc, (uint32_t)kind, &op);
    if (error) return error;
    if (len > k_limits.op_argument_bytes) {
        refuse(op, len);
        return op->id;
    }
    if (len && k_data_write(&op->payload, 0, call->in, len) != (int64_t)len) {
        op_close(op);
        return -PF_ENOMEM;
    }
    op->payload_len = len;
    k_list_append(&news, &op->news);
    k_mailbox.attention |= PF_ATTENTION_OP;
    return op->id;
}

int64_t k_do_OP_STATUS(struct k_call *call) {
    struct k_op *op = find_mine(call->proc, k_arg(call, 0));
    int64_t wait = k_arg(call, 1);
    if (!op || (wait != 0 && wait != 1)) return -PF_EINVAL;
    if (op->state != FINISHED) return wait ? k_wait(call, &op->waiting, true) : -PF_EAGAIN;
    struct pf_op_status status = {.outcome = op->outcome, .reply_len = op->reply_len};
    return k_out_struct(call, &status, sizeof status);
}

int64_t k_do_OP_READ(struct k_call *call) {
    struct k_op *op = find_mine(call->proc, k_arg(call, 0));
    int64_t offset = k_arg(call, 1);
    if (!op || offset < 0) return -PF_EINVAL;
    if (op->state != FINISHED) return -PF_EAGAIN;
    if ((uint64_t)offset >= op->reply_len) return 0;
    uint32_t len = k_out_cap(call);
    if (len > op->reply_len - (uint64_t)offset) len = (uint32_t)(op->reply_len - (uint64_t)offset);
    const uint8_t *at;
    uint32_t piece = len ? k_data_piece(&op->reply, offset, len, &at) : 0;
    if (piece < len) {
        k_data_copy_out(&op->reply, offset, k_out_area(), len);
        at = k_out_area();
    }
    if (len) k_out(call, at, len);
    return len;
}

int64_t k_do_OP_NEXT(struct k_call *call) {
    struct k_proc *proc = call->proc;
    if (!proc->ops_finished) return -PF_EAGAIN;
    for (struct k_link *at = proc->ops.next; at != &proc->ops; at = at->next) {
        struct k_op *op = K_OUTER(at, struct k_op, mine);
        if (op->state != FINISHED || op->named) continue;
        op->named = true;
        proc->ops_finished--;
        return op->id;
    }
    return -PF_EAGAIN;
}

int64_t k_do_OP_CLOSE(struct k_call *call) {
    struct k_op *op = find_mine(call->proc, k_arg(call, 0));
    if (!op) return -PF_EINVAL;
    op_close(op);
    return 0;
}

/* A cancelled one is told with its id alone. A payload comes in as many pieces as it takes. */
int64_t k_do_HOST_OP_TAKE(struct k_call *call) {
    if (k_list_empty(&news)) return -PF_EAGAIN;
    struct k_op *op = K_OUTER(news.next, struct k_op, news);
    uint32_t cap = k_out_cap(call);
    struct pf_op_request request = {.id = op->id, .kind = op->kind, .pid = op->pid};
    if (cap < sizeof request) return -PF_EFAULT;
    uint8_t *to = k_out_area();
    uint32_t len = 0;
    request.cancelled = op->state == CANCELLED;
    if (!request.cancelled) {
        request.payload_len = op->payload_len;
        request.offset = op->payload_taken;
        len = cap - (uint32_t)sizeof request;
        if (len > op->payload_len - op->payload_taken)
            len = (uint32_t)(op->payload_len - op->payload_taken);
        k_data_copy_out(&op->payload, (int64_t)op->payload_taken, to + sizeof request, len);
    }
    memcpy(to, &request, sizeof request);
    k_out(call, to, (uint32_t)sizeof request + len);
    op->payload_taken += len;
    K_ASSERT(op->payload_taken <= op->payload_len || request.cancelled);
    if (request.cancelled) {
        op_free(op);
    } else if (op->payload_taken == op->payload_len) {
        op->state = TAKEN;
        k_list_remove(&op->news);
        k_data_free(&op->payload);
    }
    if (!k_list_empty(&news)) k_mailbox.attention |= PF_ATTENTION_OP;
    return (int64_t)request.payload_len;
}

int64_t k_do_HOST_OP_REPLY(struct k_call *call) {
    struct k_op *op = find(k_arg(call, 0));
    int64_t outcome = k_arg(call, 1), last = k_arg(call, 2);
    uint32_t len = call->msg->in_len;
    if (outcome < 0 || outcome > PF_OP_CANCELLED || (last != 0 && last != 1)) return -PF_EINVAL;
    if (!op || op->state != TAKEN) return -PF_ENOENT;
    if (op->reply_len + len > k_limits.op_result_bytes) return -PF_EFBIG;
    if (len && k_data_write(&op->reply, (int64_t)op->reply_len, call->in, len) != (int64_t)len) {
        k_data_free(&op->reply); /* the host may answer with something shorter */
        op->reply_len = 0;
        return -PF_ENOMEM;
    }
    op->reply_len += len;
    if (last) finish(op, (uint32_t)outcome);
    return len;
}
