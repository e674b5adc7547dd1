/*
 * host/cpu/memory.h: address space for linear memories.
 *
 * A slot is 8 GiB + 64 KiB of reserved address space whose first bytes are a linear memory: any
 * 32-bit address plus any 32-bit offset falls inside it, so generated code needs no bounds checks.
 * Slots are recycled. The rule that keeps tenants apart: a slot that leaves its sandbox is emptied
 * (cpu_slot_release) before anybody else can take it, or given back all of a template's bytes;
 * inside one sandbox it is handed on as it is, and whoever fills it overwrites what the next
 * process could see.
 *
 * The pool is shared by all threads; a slot belongs to one sandbox at a time.
 */
#ifndef PF_CPU_MEMORY_H
#define PF_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_SLOT_BYTES ((8ull << 30) + (64u << 10))

/* Addresses in a linear memory, [from, to). */
struct cpu_range {
    uint32_t from, to;
};

/* Parts of a slot that can be sealed. */
#define CPU_SEALS_MAX 16

struct cpu_slot {
    uint8_t *base;
    size_t accessible;     /* [base, base + accessible) may be read and written */
    size_t file_from, file_to; /* a private mapping of a template's bytes; the rest is anonymous */
    const struct cpu_template *origin; /* that template; meaningful with file_to */
    bool lasting;          /* the template is there as long as the process */
    bool dirty;            /* anonymous bytes may be other than zero */
    size_t began_with;     /* accessible bytes when its last process began */
    /* Its last process began as a copy of this template; NULL: as something else. */
    const struct cpu_template *copied;
    /* Parts of that copy, rising; those with a bit in `sealed` are read-only, so still the
     * template's bytes. */
    struct cpu_range seals[CPU_SEALS_MAX];
    unsigned seal_count, sealed;
    unsigned broken; /* somebody wrote there: it is not worth to seal them again */
    size_t sealed_from, sealed_to; /* around all that is sealed; 0, 0: nothing is */
    struct cpu_slot *next; /* in a free list */
};

/* A slot with nothing accessible, or NULL when address space is out. */
struct cpu_slot *cpu_slot_acquire(void);
/* One as cpu_template_map() leaves it, which is of no sandbox; NULL: there is none, map it. */
struct cpu_slot *cpu_slot_ready(const struct cpu_template *origin);
/* Around fork(): a child must not find the pool in the middle of another thread's change. */
void cpu_slots_hold(void);
void cpu_slots_go_on(void); /* Ends cpu_slots_hold(). */
/* Empties it and gives it back. */
void cpu_slot_release(struct cpu_slot *slot);

/* Makes exactly `size` bytes (a multiple of 64 KiB) accessible; what lay beyond is dropped, what is
 * new is zero. False when the system refuses. */
bool cpu_slot_resize(struct cpu_slot *slot, size_t size);
/* Makes slot->seals read-only but those that are broken, so that the next process of the same
 * template need not copy them. The first write unseals them: a program's faults (trap.c), the host
 * asks before it writes (cpu_will_write). Small parts only if `small`. What the system refuses is
 * not sealed. */
void cpu_slot_seal(struct cpu_slot *slot, bool small);
/* Is this address in a part that is sealed? */
bool cpu_slot_sealed_at(const struct cpu_slot *slot, size_t at);
/* Makes what is sealed and has bytes of [from, to) writable again. False when the system refuses.
 * It can run in a signal handler. */
bool cpu_slot_unseal(struct cpu_slot *slot, size_t from, size_t to);
/* What pages of it contain is of no use any more; they are other pages at their next use. */
void cpu_slot_discard(struct cpu_slot *slot, size_t from, size_t to);
/* Makes a memory of `size` bytes: [from, to) is a file's bytes from `offset` on, copy-on-write, the
 * rest is zero. All are multiples of the page size. False when the system refuses. */
bool cpu_slot_map(struct cpu_slot *slot, int fd, size_t offset, size_t from, size_t to,
                  size_t size);

#endif
