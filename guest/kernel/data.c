/*
 * data.c: byte stores that grow and may have holes: file contents, program texts, payloads.
 *
 * A store is cut into extents whose size depends on the offset only:
 *     0 .. 64 KiB      4 KiB each   (the first one grows from 64 bytes, for small files)
 *     64 .. 256 KiB   16 KiB each
 *     from 256 KiB    64 KiB each, so that one read or write touches at most two
 * An extent that was never written is a hole. Allocated bytes beyond the end of the contents are
 * always zero, so growing a file needs no clearing.
 */
#include "kernel.h"

#define SMALL     4096
#define SMALL_MIN 64u
#define SLOTS_MAX 32792u /* extents of PF_FILE_SIZE_MAX, without the first */

static uint64_t charged_bytes;

struct extent {
    uint32_t slot; /* 0: data->first, else data->more[slot - 1] */
    uint32_t size;
    int64_t start;
};

static struct extent extent_at(int64_t offset) {
    K_ASSERT(offset >= 0 && offset <= PF_FILE_SIZE_MAX);
    if (offset < 64 << 10)
        return (struct extent){(uint32_t)(offset >> 12), 4096, offset & ~(int64_t)4095};
    if (offset < 256 << 10)
        return (struct extent){16 + (uint32_t)((offset - (64 << 10)) >> 14), 16 << 10,
                               offset & ~(int64_t)((16 << 10) - 1)};
    return (struct extent){28 + (uint32_t)((offset - (256 << 10)) >> 16), 64 << 10,
                           offset & ~(int64_t)((64 << 10) - 1)};
}

static uint32_t slot_size(uint32_t slot) {
    return slot < 16 ? 4096u : slot < 28 ? 16u << 10 : 64u << 10;
}

static int charge(struct k_data *data, uint32_t bytes) {
    if (data->charged) {
        if (k_memory_short()) return -PF_ENOSPC;
        if (bytes > k_limits.filesystem_bytes || charged_bytes > k_limits.filesystem_bytes - bytes)
            return -PF_ENOSPC;
        charged_bytes += bytes;
    }
    data->allocated += bytes;
    return 0;
}

static void discharge(struct k_data *data, uint32_t bytes) {
    K_ASSERT(data->allocated >= bytes && (!data->charged || charged_bytes >= bytes));
    if (data->charged) charged_bytes -= bytes;
    data->allocated -= bytes;
}

static int slots_grow(struct k_data *data, uint32_t slots) {
    K_ASSERT(slots <= SLOTS_MAX);
    if (slots <= data->slots) return 0;
    uint32_t want = data->slots ? data->slots : 4;
    while (want < slots) want *= 2;
    if (want > SLOTS_MAX) want = SLOTS_MAX;
    uint8_t **more = k_alloc(want * sizeof *more);
    if (!more) return -PF_ENOMEM;
    if (data->slots) memcpy(more, data->more, data->slots * sizeof *more);
    memset(more + data->slots, 0, (want - data->slots) * sizeof *more);
    k_free(data->more);
    data->more = more;
    data->slots = want;
    return 0;
}

/* The first extent, with room for `need` bytes; what is new is zero. */
static int first_grow(struct k_data *data, uint32_t need) {
    K_ASSERT(need <= SMALL);
    if (need <= data->first_cap) return 0;
    uint32_t cap = data->first_cap ? data->first_cap : SMALL_MIN;
    while (cap < need) cap *= 2;
    int error = charge(data, cap - data->first_cap);
    if (error) return error;
    uint8_t *first = k_alloc(cap);
    if (!first) {
        discharge(data, cap - data->first_cap);
        return -PF_ENOMEM;
    }
    if (data->first_cap) memcpy(first, data->first, data->first_cap);
    memset(first + data->first_cap, 0, cap - data->first_cap);
    k_free(data->first);
    data->first = first;
    data->first_cap = cap;
    return 0;
}

/* The extent for a write of its bytes [from, to): the rest is zero if it is new. */
static int extent_open(struct k_data *data, struct extent extent, uint32_t from, uint32_t to,
                       uint8_t **out) {
    K_ASSERT(from < to && to <= extent.size);
    if (extent.slot == 0) {
        int error = first_grow(data, to);
        *out = data->first;
        return error;
    }
    int error = slots_grow(data, extent.slot);
    if (error) return error;
    uint8_t **slot = &data->more[extent.slot - 1];
    if (!*slot) {
        error = charge(data, extent.size);
        if (error) return error;
        *slot = k_alloc(extent.size);
        if (!*slot) {
            discharge(data, extent.size);
            return -PF_ENOMEM;
        }
        memset(*slot, 0, from);
        memset(*slot + to, 0, extent.size - to);
    }
    *out = *slot;
    return 0;
}

uint32_t k_data_piece(const struct k_data *data, int64_t offset, uint32_t len, const uint8_t **at) {
    struct extent extent = extent_at(offset);
    uint32_t within = (uint32_t)(offset - extent.start);
    const uint8_t *bytes = NULL;
    uint32_t size = extent.size;
    if (extent.slot == 0) {
        if (within < data->first_cap) {
            bytes = data->first;
            size = data->first_cap;
        }
    } else if (extent.slot <= data->slots) {
        bytes = data->more[extent.slot - 1];
    }
    K_ASSERT(within < size);
    *at = bytes ? bytes + within : k_data_zeros;
    return len < size - within ? len : size - within;
}

bool k_data_is_hole(const uint8_t *at) {
    return at == k_data_zeros;
}

void k_data_copy_out(const struct k_data *data, int64_t offset, uint8_t *to, uint32_t len) {
    while (len) {
        const uint8_t *at;
        uint32_t n = k_data_piece(data, offset, len, &at);
        memcpy(to, at, n);
        to += n;
        offset += n;
        len -= n;
    }
}

int64_t k_data_seek(const struct k_data *data, int64_t offset, int64_t size, bool hole) {
    while (offset < size) {
        struct extent extent = extent_at(offset);
        bool written = extent.slot == 0             ? data->first != NULL
                       : extent.slot <= data->slots ? data->more[extent.slot - 1] != NULL
                                                    : false;
        if (written != hole) return offset;
        if (extent.slot > data->slots) return size; /* holes up to the end */
        offset = extent.start + extent.size;
    }
    return size;
}

int64_t k_data_write(struct k_data *data, int64_t offset, const void *from, uint32_t len) {
    const uint8_t *bytes = from;
    int64_t done = 0;
    while (done < len) {
        if (offset >= PF_FILE_SIZE_MAX) return done ? done : -PF_EFBIG;
        struct extent extent = extent_at(offset);
        uint32_t within = (uint32_t)(offset - extent.start);
        uint32_t n = len - (uint32_t)done, room = extent.size - within;
        if (n > room) n = room;
        uint8_t *to;
        int error = extent_open(data, extent, within, within + n, &to);
        if (error) return done ? done : error;
        memcpy(to + within, bytes + done, n);
        done += n;
        offset += n;
    }
    return done;
}

static void slot_free(struct k_data *data, uint32_t slot) {
    K_ASSERT(slot <= data->slots);
    if (slot == 0) {
        discharge(data, data->first_cap);
        k_free(data->first);
        data->first = NULL;
        data->first_cap = 0;
    } else if (data->more[slot - 1]) {
        discharge(data, slot_size(slot));
        k_free(data->more[slot - 1]);
        data->more[slot - 1] = NULL;
    }
}

void k_data_cut(struct k_data *data, int64_t size) {
    struct extent extent = extent_at(size);
    uint32_t within = (uint32_t)(size - extent.start);
    uint32_t keep = extent.slot; /* slots below this one stay, and this one if it has bytes left */
    if (within) {
        uint8_t *bytes = extent.slot == 0             ? data->first
                         : extent.slot <= data->slots ? data->more[extent.slot - 1]
                                                      : NULL;
        uint32_t cap = extent.slot == 0 ? data->first_cap : extent.size;
        if (bytes && within < cap) memset(bytes + within, 0, cap - within);
        keep++;
    }
    for (uint32_t slot = keep; slot <= data->slots; slot++) slot_free(data, slot);
    if (keep <= 1) {
        k_free(data->more);
        data->more = NULL;
        data->slots = 0;
    }
}

void k_data_free(struct k_data *data) {
    k_data_cut(data, 0);
}

uint64_t k_data_charged(void) {
    return charged_bytes;
}

void k_data_boot(void) {
    charged_bytes = 0;
}
