/*
 * host/cpu/template.c: a frozen instance from which others start.
 *
 * Short-lived processes are copied: a page fault costs more than copying its page. Instances that
 * live long (the kernel, the session's shell) are mapped copy-on-write, so that an idle sandbox
 * stays small. So are large ones (a booted Python), of which a process writes a small part: clone.c
 * learns which.
 */
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE 4096u

/* More than this costs more to copy than the faults of a process that writes to some of its
 * pages. */
#define WIDE_BYTES (3u << 20)

/* Processes of a template that are looked at before a part of it is sealed. */
#define STEADY_LOOKS 4
/* What a sealed page saves each process: to copy one takes as long as to clear four. A part has to
 * save more than its mappings cost. */
#define WORTH_CLEARED 1u
#define WORTH_COPIED  4u
#define WORTH_MIN     24u

const uint8_t cpu_zero_page[CPU_PAGE];

static bool zero_page(const uint8_t *p) { return p[0] == 0 && memcmp(p, p + 1, PAGE - 1) == 0; }

/* The parts of the memory that are not zero, in pages. */
static bool find_runs(struct cpu_template *t) {
    size_t capacity = 0;
    struct cpu_range *runs = NULL;
    /* Below a program's stack pointer lies nothing, and looking would touch each page. All of a
     * kernel is kept (cpu_live_ranges()). */
    uint32_t sp = t->image->start ? cpu_stack_pointer(t->model) : 0;
    size_t begin = sp <= t->image->stack_size ? sp / PAGE * PAGE : 0;
    for (size_t at = begin > t->from ? begin : t->from; at < t->to; at += PAGE) {
        if (zero_page(cpu_template_page(t, at))) continue;
        struct cpu_range *last = t->run_count ? &runs[t->run_count - 1] : NULL;
        if (last && last->to == at) {
            last->to += PAGE;
            continue;
        }
        if (t->run_count == capacity) {
            capacity = capacity ? capacity * 2 : 16;
            struct cpu_range *more = realloc(runs, capacity * sizeof *more);
            if (!more) return false;
            t->runs = runs = more;
        }
        runs[t->run_count++] = (struct cpu_range){(uint32_t)at, (uint32_t)(at + PAGE)};
    }
    return true;
}

bool cpu_file_allowed(size_t size) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size) return true;
    errno = EFBIG;
    return false;
}

bool cpu_write_at(int fd, const uint8_t *data, size_t from, size_t to) {
    while (from < to) {
        ssize_t n = pwrite(fd, data + from, to - from, (off_t)from);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += (size_t)n;
    }
    return true;
}

/* Writes what means something; the rest of the file stays a hole, which reads as zeros. */
static bool fill(int fd, const cpu_instance *from, size_t size) {
    struct cpu_range live[CPU_LIVE_MAX];
    int n = cpu_live_ranges(from, live);
    if (ftruncate(fd, (off_t)size) != 0) return false;
    for (int i = 0; i < n; i++)
        for (size_t at = live[i].from; at < live[i].to;) {
            size_t next = (at / PAGE + 1) * PAGE;
            if (next > live[i].to) next = live[i].to;
            if (next - at < PAGE || !zero_page(from->slot->base + at))
                if (!cpu_write_at(fd, from->slot->base, at, next)) return false;
            at = next;
        }
    return true;
}

struct cpu_template *cpu_template_new(const cpu_instance *from) {
    struct cpu_template *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->fd = -1;
    t->image = from->image;
    t->size = t->to = from->memory->size;
    t->model = cpu_instance_model(from);
    t->steady = calloc(1, sizeof *t->steady);
    if (!cpu_file_allowed(t->size)) goto fail;
    t->fd = memfd_create("pinfold-template", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (!t->model || !t->steady || t->fd < 0 || !fill(t->fd, from, t->size)) goto fail;
    fcntl(t->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    void *data = mmap(NULL, t->size, PROT_READ, MAP_PRIVATE, t->fd, 0);
    if (data == MAP_FAILED) goto fail;
    t->data = data;
    if (!find_runs(t)) goto fail;
    cpu_template_measure(t);
    return t;
fail:
    cpu_template_free(t);
    return NULL;
}

void cpu_template_measure(struct cpu_template *t) {
    size_t bytes = 0;
    for (size_t i = 0; i < t->run_count; i++) bytes += t->runs[i].to - t->runs[i].from;
    t->wide = bytes > WIDE_BYTES;
}

size_t cpu_template_size(const struct cpu_template *t) {
    return t->size;
}

void cpu_template_free(struct cpu_template *t) {
    if (!t) return;
    int saved = errno;
    if (!t->baked) {
        if (t->data) munmap((void *)t->data, t->size);
        if (t->fd >= 0) close(t->fd);
        free((void *)t->runs);
    }
    if (t->steady) {
        free(t->steady->written);
        free(atomic_load(&t->steady->hot));
    }
    free(t->steady);
    free(t->model);
    free(t);
    errno = saved;
}

/* Zeroes [from, to) except what lies in `dead`. */
static void clear(uint8_t *base, size_t from, size_t to, struct cpu_range dead) {
    if (from >= to) return;
    if (dead.to <= from || dead.from >= to) {
        memset(base + from, 0, to - from);
        return;
    }
    if (dead.from > from) memset(base + from, 0, dead.from - from);
    if (dead.to < to) memset(base + dead.to, 0, to - dead.to);
}

static unsigned worth(const struct cpu_template *t, size_t at) {
    for (size_t i = 0; i < t->run_count; i++)
        if (t->runs[i].from <= at && at < t->runs[i].to) return WORTH_COPIED;
    return WORTH_CLEARED;
}

/* What lies behind a template's data is where the next process may write. */
static size_t steady_end(const struct cpu_template *t) {
    return t->run_count ? t->runs[t->run_count - 1].to : 0;
}

/* The part above the stack that is worth most of those that nobody wrote to. Who waits writes to
 * its Asyncify stack, `dead`, which is never filled anyway. */
static struct cpu_range find_steady(const struct cpu_template *t, struct cpu_range dead) {
    struct cpu_range best = {0, 0};
    unsigned most = WORTH_MIN - 1, sum = 0;
    size_t from = (t->image->stack_size + PAGE - 1) / PAGE * PAGE, end = steady_end(t);
    for (size_t at = from; at < end; at += PAGE) {
        if (t->steady->written[at / PAGE] || (at < dead.to && at + PAGE > dead.from)) {
            from = at + PAGE;
            sum = 0;
            continue;
        }
        sum += worth(t, at);
        if (sum <= most) continue;
        most = sum;
        best = (struct cpu_range){(uint32_t)from, (uint32_t)(at + PAGE)};
    }
    return best;
}

/* Before a slot that is a used copy of the template is overwritten. */
static void learn_steady(const struct cpu_template *t, const uint8_t *base, struct cpu_range dead) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct cpu_steady *steady = t->steady;
    if (atomic_load_explicit(&steady->looked, memory_order_relaxed) >= STEADY_LOOKS) return;
    /* Another thread looks just now, or did when this process was forked: the next one will do. */
    if (pthread_mutex_trylock(&lock) != 0) return;
    if (!steady->written) steady->written = calloc(t->size / PAGE, 1);
    if (steady->written && atomic_load(&steady->looked) < STEADY_LOOKS) {
        for (size_t at = 0, end = steady_end(t); at < end; at += PAGE)
            if (at >= t->image->stack_size && memcmp(base + at, cpu_template_page(t, at), PAGE))
                steady->written[at / PAGE] = 1;
        if (atomic_fetch_add(&steady->looked, 1) + 1 == STEADY_LOOKS) {
            struct cpu_range found = find_steady(t, dead);
            atomic_store(&steady->range, (uint64_t)found.from << 32 | found.to);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Makes [from, to) of a used slot the template's, except what is `dead`. */
static void overwrite(const struct cpu_template *t, uint8_t *base, size_t from, size_t to,
                      struct cpu_range dead) {
    for (size_t i = 0; i < t->run_count; i++) {
        size_t begin = t->runs[i].from > from ? t->runs[i].from : from;
        size_t end = t->runs[i].to < to ? t->runs[i].to : to;
        if (begin >= end) continue;
        clear(base, from, begin, dead);
        memcpy(base + begin, cpu_template_page(t, begin), end - begin);
        from = end;
    }
    clear(base, from, to, dead);
}

/* Copies the template over whatever the slot's last process left there. */
static void fill_slot(const struct cpu_template *t, cpu_instance *instance) {
    struct cpu_slot *slot = instance->slot;
    uint8_t *base = slot->base;
    if (!slot->dirty) {
        for (size_t i = 0; i < t->run_count; i++)
            memcpy(base + t->runs[i].from, cpu_template_page(t, t->runs[i].from),
                   t->runs[i].to - t->runs[i].from);
    } else {
        if (slot->copied == t) learn_steady(t, base, instance->asyncify_stack);
        /* Bytes below the live stack and in the unused Asyncify stack are never read before they
         * are written, so they need no cleaning within one sandbox. */
        uint32_t sp = cpu_stack_pointer(instance) & ~15u;
        size_t at = sp <= t->image->stack_size ? sp : 0;
        struct cpu_range dead = instance->asyncify_stack;
        if (slot->sealed_to) {
            overwrite(t, base, at, slot->sealed_from, dead);
            at = slot->sealed_to;
        }
        overwrite(t, base, at, t->size, dead);
    }
    slot->copied = t;
    uint64_t steady = atomic_load_explicit(&t->steady->range, memory_order_relaxed);
    /* Should the system refuse, all is copied each time. */
    if (steady && !slot->sealed_to) cpu_slot_seal(slot, steady >> 32, (uint32_t)steady);
}

bool cpu_template_map(const struct cpu_template *t, struct cpu_slot *slot) {
    if (!cpu_slot_map(slot, t->fd, t->offset, t->from, t->to, t->size)) return false;
    slot->origin = t;
    slot->lasting = t->baked;
    return true;
}

cpu_instance *cpu_template_instance(const struct cpu_template *t, struct cpu_budget *budget,
                                    bool mapped, struct cpu_slot *slot) {
    bool warm = mapped && slot; /* all of it is the template's: cpu_hot_restore() */
    bool ready = warm || (mapped && (slot = cpu_slot_ready(t)) != NULL);
    cpu_instance *instance = cpu_instance_like(t->model, budget, slot);
    if (!instance) return NULL;
    if (ready) {
        if (!warm) cpu_hot_touch(t, slot);
        return instance;
    }
    bool keep = instance->slot->copied == t; /* what is sealed is right already */
    bool ok = mapped ? cpu_template_map(t, instance->slot)
                     : (keep || cpu_slot_unseal(instance->slot)) &&
                           cpu_slot_resize(instance->slot, t->size);
    if (!ok) {
        cpu_instance_free(instance);
        errno = ENOMEM;
        return NULL;
    }
    if (mapped) {
        cpu_hot_touch(t, instance->slot);
    } else {
        fill_slot(t, instance);
        instance->slot->dirty = true;
        instance->slot->began_with = t->size;
    }
    return instance;
}
