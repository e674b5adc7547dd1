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
/* What a sealed page saves each process: to copy one takes as long as to clear two. A part has to
 * save more in a few processes than its mappings cost. */
#define WORTH_CLEARED 1u
#define WORTH_COPIED  2u
#define WORTH_MIN     4u
/* Free memory is sealed in pieces of so many bytes. */
#define FREE_PART     (64u << 10)

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
    assert(from <= to);
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
    assert(size % PAGE == 0);
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
    assert(from->state == CPU_UNWOUND && from->memory->size % PAGE == 0);
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
    assert(t->run_count == 0 || t->runs[t->run_count - 1].to <= t->to);
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

/* The parts that are worth most, in any order. */
struct steady_parts {
    struct cpu_range at[CPU_SEALS_MAX];
    unsigned worth[CPU_SEALS_MAX], count;
};

static void add_part(struct steady_parts *parts, size_t from, size_t to, unsigned sum) {
    assert(from <= to && parts->count <= CPU_SEALS_MAX);
    unsigned place = parts->count;
    if (sum < WORTH_MIN) return;
    if (place < CPU_SEALS_MAX) {
        parts->count++;
    } else {
        place = 0;
        for (unsigned i = 1; i < parts->count; i++)
            if (parts->worth[i] < parts->worth[place]) place = i;
        if (parts->worth[place] >= sum) return;
    }
    parts->at[place] = (struct cpu_range){(uint32_t)from, (uint32_t)to};
    parts->worth[place] = sum;
}

static int compare_parts(const void *a, const void *b) {
    uint32_t x = ((const struct cpu_range *)a)->from, y = ((const struct cpu_range *)b)->from;
    return x < y ? -1 : x > y;
}

/* Who waits writes to its Asyncify stack, `dead`, which is never filled anyway. */
static bool is_written(const struct cpu_template *t, size_t at, struct cpu_range dead) {
    return t->steady->written[at / PAGE] || (at < dead.to && at + PAGE > dead.from);
}

/* Whether a part ends before this page. What is free behind the template's data is used from its
 * beginning on, so that the next process may well come further: only a piece of it is broken
 * then. */
static bool part_ends(const struct cpu_template *t, size_t at, struct cpu_range dead) {
    size_t data_end = t->run_count ? t->runs[t->run_count - 1].to : 0;
    return is_written(t, at, dead) || at == data_end || (at > data_end && at % FREE_PART == 0);
}

/* The parts above the stack to which nobody wrote. */
static void find_steady(const struct cpu_template *t, struct cpu_range dead) {
    struct steady_parts parts = {.count = 0};
    unsigned sum = 0;
    size_t from = (t->image->stack_size + PAGE - 1) / PAGE * PAGE, at = from;
    for (; at < t->size; at += PAGE) {
        if (part_ends(t, at, dead)) {
            add_part(&parts, from, at, sum);
            from = at;
            sum = 0;
        }
        if (is_written(t, at, dead)) from = at + PAGE;
        else sum += worth(t, at);
    }
    add_part(&parts, from, at, sum);
    qsort(parts.at, parts.count, sizeof *parts.at, compare_parts);
    assert(parts.count <= CPU_SEALS_MAX);
    memcpy(t->steady->seals, parts.at, sizeof parts.at);
    atomic_store_explicit(&t->steady->seal_count, parts.count, memory_order_release);
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
        for (size_t at = 0; at < t->size; at += PAGE)
            if (at >= t->image->stack_size && memcmp(base + at, cpu_template_page(t, at), PAGE))
                steady->written[at / PAGE] = 1;
        if (atomic_fetch_add(&steady->looked, 1) + 1 == STEADY_LOOKS) find_steady(t, dead);
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

/* In its first process as well what is large; the rest where one follows the other. */
static void seal_slot(const struct cpu_template *t, struct cpu_slot *slot) {
    bool again = slot->copied == t;
    if (!again) slot->seal_count = slot->broken = 0;
    assert(slot->seal_count <= CPU_SEALS_MAX);
    if (slot->seal_count == 0) {
        slot->seal_count = atomic_load_explicit(&t->steady->seal_count, memory_order_acquire);
        memcpy(slot->seals, t->steady->seals, slot->seal_count * sizeof *slot->seals);
    }
    cpu_slot_seal(slot, again);
}

/* Copies the template over whatever the slot's last process left there. */
static void fill_slot(const struct cpu_template *t, cpu_instance *instance) {
    struct cpu_slot *slot = instance->slot;
    assert(slot->accessible == t->size && slot->file_to == 0);
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
        for (unsigned i = 0; slot->sealed >> i; i++) {
            if (!(slot->sealed >> i & 1)) continue;
            overwrite(t, base, at, slot->seals[i].from, dead);
            at = slot->seals[i].to;
        }
        overwrite(t, base, at, t->size, dead);
    }
    seal_slot(t, slot);
    slot->copied = t;
}

bool cpu_template_map(const struct cpu_template *t, struct cpu_slot *slot) {
    if (!cpu_slot_map(slot, t->fd, t->offset, t->from, t->to, t->size)) return false;
    slot->origin = t;
    slot->lasting = t->baked;
    assert(slot->accessible == t->size && slot->file_to <= t->size);
    return true;
}

cpu_instance *cpu_template_instance(const struct cpu_template *t, struct cpu_budget *budget,
                                    bool mapped, struct cpu_slot *slot) {
    assert(!slot || mapped == (slot->file_to != 0));
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
                     : (keep || cpu_slot_unseal(instance->slot, 0, CPU_SLOT_BYTES)) &&
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
        assert(instance->slot->copied == t);
    }
    return instance;
}
