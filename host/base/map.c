/*
 * host/base/map.c: see map.h. Open addressing, at most half full.
 */
#include "map.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

void base_map_free(struct base_map *map) {
    free(map->slots);
    *map = (struct base_map){0};
}

/* The slot of a key, or the free one where it belongs. */
static struct base_map_slot *slot_of(struct base_map_slot *slots, size_t capacity, uint64_t key) {
    assert(capacity && (capacity & (capacity - 1)) == 0); /* and never full: grow() */
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
    while (slots[at].value && slots[at].key != key) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool grow(struct base_map *map) {
    size_t capacity = map->capacity ? 2 * map->capacity : 64;
    struct base_map_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value) *slot_of(slots, capacity, map->slots[i].key) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
    return true;
}

uint64_t *base_map_at(struct base_map *map, uint64_t key) {
    if (2 * map->count >= map->capacity && !grow(map)) return NULL;
    struct base_map_slot *slot = slot_of(map->slots, map->capacity, key);
    if (!slot->value) {
        slot->key = key;
        map->count++;
    }
    return &slot->value;
}
