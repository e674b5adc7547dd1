/*
 * pack_list.c: see pack_list.h.
 */
#include "pack_list.h"

enum { COMMIT = 1, TREE, BLOB, TAG, BY_OFFSET = 6, BY_NAME, HASH = 20, FANOUT = 256 * 4, HEAD = 8, DEEPEST = 50 };

typedef struct {
    git_oid id;
    size_t at, size; /* in the pack; unpacked, of a difference that of the difference */
    int type; /* of a difference that of what comes of it */
    unsigned depth;
    size_t base; /* the number of the object that it differs from */
    bool delta, settled;
} packed;

static packed *list;
static size_t count;
static const unsigned char *bytes;
static size_t length;

static uint32_t number(const unsigned char *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

static int by_place(const void *a, const void *b) {
    const packed *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Where the names of an index begin, or what it is not. */
static bool read_index(const unsigned char *index, size_t len) {
    if (len < HEAD + FANOUT + 2 * HASH || memcmp(index, "\377tOc\0\0\0\2", 8) != 0) return false;
    count = number(index + HEAD + FANOUT - 4);
    size_t names = HEAD + FANOUT, places = names + count * (HASH + 4), large = places + count * 4;
    if (count > len / (HASH + 8) || large + 2 * HASH > len) return false;
    list = g_zalloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        uint32_t at = number(index + places + 4 * i);
        git_oid_fromraw(&list[i].id, index + names + HASH * i);
        if (at & 0x80000000u) return false; /* a pack of 2 GiB */
        list[i].at = at;
    }
    if (count) qsort(list, count, sizeof *list, by_place);
    return true;
}

static size_t find_place(size_t at) {
    packed key = {.at = at};
    packed *found = bsearch(&key, list, count, sizeof *list, by_place);
    return found ? (size_t)(found - list) : SIZE_MAX;
}

static size_t find_name(const unsigned char *name) {
    for (size_t i = 0; i < count; i++)
        if (memcmp(list[i].id.id, name, HASH) == 0) return i;
    return SIZE_MAX;
}

/* The head of an object: its type, its size, and what it differs from. */
static bool read_head(packed *object) {
    size_t at = object->at, shift = 4, back;
    if (at >= length) return false;
    unsigned char c = bytes[at++];
    object->type = c >> 4 & 7;
    uint64_t size = c & 15;
    for (; c & 0x80 && at < length && shift < 57; shift += 7) {
        c = bytes[at++];
        size |= (uint64_t)(c & 0x7f) << shift;
    }
    object->size = (size_t)size;
    object->delta = object->type >= BY_OFFSET;
    if (!object->delta) return object->type >= COMMIT && object->type <= TAG;
    if (at + HASH > length) return false;
    if (object->type == BY_NAME) return (object->base = find_name(bytes + at)) != SIZE_MAX;
    c = bytes[at++];
    for (back = c & 0x7f; c & 0x80 && at < length;) {
        c = bytes[at++];
        back = ((back + 1) << 7) | (c & 0x7f);
    }
    return back <= object->at && (object->base = find_place(object->at - back)) != SIZE_MAX;
}

/* Type and depth by what an object differs from; false: in a circle. */
static bool settle(size_t i) {
    size_t chain[4096], n = 0;
    for (; list[i].delta && !list[i].settled; i = list[i].base) {
        if (n == sizeof chain / sizeof *chain) return false;
        chain[n++] = i;
    }
    while (n) {
        packed *object = &list[chain[--n]];
        object->type = list[object->base].type;
        object->depth = list[object->base].depth + 1;
        object->settled = true;
    }
    return true;
}

static void show(size_t i) {
    static const char *const types[] = {"", "commit", "tree", "blob", "tag"};
    const packed *object = &list[i];
    size_t end = i + 1 < count ? list[i + 1].at : length - HASH;
    g_outf("%s %-6s %zu %zu %zu", full_id(&object->id), types[object->type], object->size, end - object->at, object->at);
    if (object->delta) g_outf(" %u %s", object->depth, full_id(&list[object->base].id));
    g_outc('\n');
}

bool list_pack(const char *pack, size_t pack_len, const char *index, size_t index_len, bool objects) {
    size_t chains[DEEPEST + 2] = {0};
    bytes = (const unsigned char *)pack;
    length = pack_len;
    if (pack_len < 12 + HASH || !read_index((const unsigned char *)index, index_len)) return false;
    for (size_t i = 0; i < count; i++)
        if (!read_head(&list[i])) return false;
    for (size_t i = 0; i < count; i++) {
        if (!settle(i)) return false;
        chains[list[i].depth <= DEEPEST ? list[i].depth : DEEPEST + 1]++;
        if (objects) show(i);
    }
    if (chains[0]) g_outf("non delta: %zu object%s\n", chains[0], chains[0] == 1 ? "" : "s");
    for (unsigned i = 1; i <= DEEPEST; i++)
        if (chains[i]) g_outf("chain length = %u: %zu object%s\n", i, chains[i], chains[i] == 1 ? "" : "s");
    if (chains[DEEPEST + 1]) g_outf("chain length > %d: %zu object%s\n", DEEPEST, chains[DEEPEST + 1], chains[DEEPEST + 1] == 1 ? "" : "s");
    free(list);
    return true;
}
