/*
 * host/base/map.h: a map from numbers to numbers, for walks that ask "have I met this?".
 *
 * A value of 0 is none, so callers keep an index plus one. Nothing is ever taken out. Both sides
 * may come from a guest: any keys are as good as any others.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct base_map_slot {
    uint64_t key, value; /* value 0: the slot is free */
};
struct base_map {
    struct base_map_slot *slots;
    size_t count, capacity; /* keys that were asked for; a power of two, or 0 */
};

/* A map of zeros is empty and holds no memory. */
void base_map_free(struct base_map *map); /* it is then empty */
/* The value of a key, to be read or set before the next call; 0: it is new. NULL: no memory. */
uint64_t *base_map_at(struct base_map *map, uint64_t key);

#endif
