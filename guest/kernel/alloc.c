/*
 * alloc.c: all memory of the kernel. Called by every file that keeps something.
 *
 * Memory comes from the system in segments of 1 MiB. A segment begins with one descriptor per page
 * of 4 KiB; the other pages are handed out in runs. Small objects share a page with others of their
 * size class. Descriptors lie apart from the pages so that the host may drop the contents of free
 * runs (k_alloc_trim) without our noticing.
 *
 * What lies in free pages and was dropped, or never used, is not counted as the sandbox's memory
 * (mailbox.clean), and is taken again only while the host leaves room (mailbox.room). Once enough
 * was freed, the host is asked to look.
 *
 * Every operation takes bounded time: free runs are kept in bins by power of two, joined with their
 * neighbours when freed.
 */
#include "kernel.h"

#define SEGMENT       (1u << 20)
#define SEGMENT_PAGES (SEGMENT / K_PAGE)
#define HEADER_PAGES  ((uint32_t)((SEGMENT_PAGES * sizeof(struct page) + K_PAGE - 1) / K_PAGE))
#define BINS          8
#define NO_OBJECT     0xffff
#define SEARCH_MAX    16 /* runs looked at in the bin where some may be too short */
/* Dirty free pages that are worth the host's attention: many, or some when memory is short. */
#define DIRTY_MANY ((8u << 20) / K_PAGE)
#define DIRTY_SOME ((256u << 10) / K_PAGE)
#define ROOM_SHORT (16u << 20)

enum page_kind { PAGE_INNER, PAGE_HEADER, PAGE_FREE, PAGE_FREE_TAIL, PAGE_RUN, PAGE_OBJECTS };

struct page {
    uint8_t kind; /* enum page_kind */
    union {
        uint8_t size_class; /* PAGE_OBJECTS */
        uint8_t dirty;      /* PAGE_FREE: used since it was last given to the host */
    };
    union {
        uint16_t length; /* pages of the run: PAGE_RUN, PAGE_FREE, PAGE_FREE_TAIL */
        uint16_t fresh;  /* PAGE_OBJECTS: index of the first object never used */
    };
    uint16_t free;      /* PAGE_OBJECTS: index of the first object that was freed, NO_OBJECT */
    uint16_t used;      /* PAGE_OBJECTS: objects in use */
    struct k_link link; /* PAGE_FREE: in bins[dirty][…]; PAGE_OBJECTS: in partial[], if not full */
};

static const uint16_t class_size[] = {16,  32,  48,  64,  80,  96,  128,  160,  192,
                                      256, 320, 384, 512, 672, 816, 1008, 1360, 2048};
#define CLASSES K_COUNT(class_size)

static uint8_t class_of[2048 / 16 + 1]; /* by size in units of 16, rounded up */
static struct k_link bins[2][BINS];     /* [dirty][log2 of length] */
static struct k_link partial[CLASSES];
static uint32_t segment_count;
static uint64_t used_pages;
static uint64_t dirty_pages; /* free ones */

#ifndef __wasm__
int64_t k_alloc_fail_at;
static bool fails(void) {
    return k_alloc_fail_at && --k_alloc_fail_at == 0;
}
#else
static bool fails(void) {
    return false;
}
#endif

/* Under AddressSanitizer, freed memory is poisoned, so that a use after free shows. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(at, len)   ASAN_POISON_MEMORY_REGION(at, len)
#define UNPOISON(at, len) ASAN_UNPOISON_MEMORY_REGION(at, len)
#else
#define POISON(at, len)   ((void)0)
#define UNPOISON(at, len) ((void)0)
#endif

static struct page *page_of(const void *pointer) {
    uintptr_t address = (uintptr_t)pointer;
    struct page *table = (struct page *)(address & ~(uintptr_t)(SEGMENT - 1));
    return table + ((address & (SEGMENT - 1)) / K_PAGE);
}

static char *address_of(const struct page *page) {
    uintptr_t table = (uintptr_t)page & ~(uintptr_t)(SEGMENT - 1);
    return (char *)table + (page - (const struct page *)table) * K_PAGE;
}

static uint32_t index_of(const struct page *page) {
    return (uint32_t)(page - (const struct page *)((uintptr_t)page & ~(uintptr_t)(SEGMENT - 1)));
}

static uint32_t bin_of(uint32_t length) {
    K_ASSERT(length > 0 && length <= SEGMENT_PAGES);
    return 31u - (uint32_t)__builtin_clz(length);
}

static void count_free(int64_t pages, bool dirty) {
    if (!dirty) {
        k_mailbox.clean += (uint64_t)pages * K_PAGE;
        return;
    }
    dirty_pages += (uint64_t)pages;
    if (dirty_pages >= DIRTY_MANY || (dirty_pages >= DIRTY_SOME && k_mailbox.room < ROOM_SHORT))
        k_mailbox.attention |= PF_ATTENTION_MEMORY;
}

/* A free run is free no more, or becomes a part of another. */
static void run_remove(struct page *page) {
    K_ASSERT(page->kind == PAGE_FREE && k_linked(&page->link));
    k_list_remove(&page->link);
    count_free(-(int64_t)page->length, page->dirty);
}

static void run_add(struct page *page, uint32_t length, bool dirty) {
    count_free(length, dirty);
    K_ASSERT(index_of(page) >= HEADER_PAGES && index_of(page) + length <= SEGMENT_PAGES);
    page->kind = PAGE_FREE;
    page->length = (uint16_t)length;
    page->dirty = dirty;
    if (length > 1) {
        page[length - 1].kind = PAGE_FREE_TAIL;
        page[length - 1].length = (uint16_t)length;
    }
    k_list_prepend(&bins[dirty][bin_of(length)], &page->link);
}

static bool segment_add(void) {
    if (segment_count == K_SEGMENTS_MAX) return false;
    char *segment = k_memory_more(SEGMENT, SEGMENT);
    if (!segment) return false;
    K_ASSERT(((uintptr_t)segment & (SEGMENT - 1)) == 0);
    struct page *table = (struct page *)segment;
    for (uint32_t i = 0; i < HEADER_PAGES; i++) table[i].kind = PAGE_HEADER;
    k_alloc_segments[segment_count++] = segment;
    run_add(table + HEADER_PAGES, SEGMENT_PAGES - HEADER_PAGES, false);
    POISON(segment + HEADER_PAGES * K_PAGE, SEGMENT - HEADER_PAGES * K_PAGE);
    return true;
}

static struct page *run_find(uint32_t length) {
    for (uint32_t bin = bin_of(length); bin < BINS; bin++) {
        for (int dirty = 1; dirty >= 0; dirty--) {
            int looked = 0;
            struct k_link *head = &bins[dirty][bin];
            for (struct k_link *at = head->next; at != head; at = at->next) {
                struct page *page = K_OUTER(at, struct page, link);
                if (page->length >= length) return page;
                if (++looked == SEARCH_MAX) break;
            }
        }
    }
    return NULL;
}

static struct page *run_take(uint32_t length) {
    struct page *page = run_find(length);
    if (!page) {
        if (!segment_add()) return NULL;
        page = run_find(length);
    }
    uint32_t rest = page->length - length;
    K_ASSERT(page->kind == PAGE_FREE && page->length >= length);
    bool dirty = page->dirty;
    if (!dirty) {
        if (k_mailbox.room < (uint64_t)length * K_PAGE) return NULL;
        k_mailbox.room -= (uint64_t)length * K_PAGE;
    }
    run_remove(page);
    if (rest) run_add(page + length, rest, dirty);
    page[length - 1].kind = PAGE_INNER;
    page->kind = PAGE_RUN;
    page->length = (uint16_t)length;
    used_pages += length;
    UNPOISON(address_of(page), (size_t)length * K_PAGE);
    return page;
}

static void run_give(struct page *page, uint32_t length) {
    K_ASSERT(length > 0 && used_pages >= length);
    used_pages -= length;
    POISON(address_of(page), (size_t)length * K_PAGE);
    uint32_t index = index_of(page);
    page[length - 1].kind = PAGE_INNER;
    struct page *next = page + length;
    if (index + length < SEGMENT_PAGES && next->kind == PAGE_FREE) {
        run_remove(next);
        length += next->length;
        next->kind = PAGE_INNER;
    }
    if (page[-1].kind == PAGE_FREE || page[-1].kind == PAGE_FREE_TAIL) {
        struct page *before = page - page[-1].length;
        run_remove(before);
        page[-1].kind = PAGE_INNER;
        length += before->length;
        page->kind = PAGE_INNER;
        page = before;
    }
    run_add(page, length, true);
}

static void *object_take(uint32_t size_class) {
    struct k_link *head = &partial[size_class];
    uint32_t size = class_size[size_class];
    struct page *page;
    if (k_list_empty(head)) {
        page = run_take(1);
        if (!page) return NULL;
        page->kind = PAGE_OBJECTS;
        page->size_class = (uint8_t)size_class;
        page->fresh = page->used = 0;
        page->free = NO_OBJECT;
        k_list_append(head, &page->link);
        POISON(address_of(page), K_PAGE);
    } else {
        page = K_OUTER(head->next, struct page, link);
    }
    K_ASSERT(page->kind == PAGE_OBJECTS && page->size_class == size_class);
    char *object;
    if (page->free != NO_OBJECT) {
        object = address_of(page) + page->free * size;
        UNPOISON(object, size);
        memcpy(&page->free, object, sizeof page->free);
    } else {
        object = address_of(page) + page->fresh++ * size;
        K_ASSERT(page->fresh * size <= K_PAGE);
        UNPOISON(object, size);
    }
    page->used++;
    if (page->free == NO_OBJECT && (page->fresh + 1u) * size > K_PAGE) k_list_remove(&page->link);
    return object;
}

static void object_give(struct page *page, char *object) {
    uint32_t size_class = page->size_class, size = class_size[size_class];
    uint32_t index = (uint32_t)(object - address_of(page)) / size;
    K_ASSERT(object == address_of(page) + index * size && page->used > 0);
    memcpy(object, &page->free, sizeof page->free);
    POISON(object, size);
    page->free = (uint16_t)index;
    page->used--;
    if (!k_linked(&page->link)) k_list_prepend(&partial[size_class], &page->link);
    /* The last page of a class stays, so that one object coming and going costs nothing. */
    if (page->used == 0 && partial[size_class].next != partial[size_class].prev) {
        k_list_remove(&page->link);
        page->kind = PAGE_RUN;
        page->length = 1;
        run_give(page, 1);
    }
}

void k_alloc_boot(void) {
    uint32_t size_class = 0;
    for (uint32_t i = 0; i < K_COUNT(class_of); i++) {
        if (i * 16 > class_size[size_class]) size_class++;
        class_of[i] = (uint8_t)size_class;
    }
    for (int dirty = 0; dirty < 2; dirty++)
        for (uint32_t i = 0; i < BINS; i++) k_list_init(&bins[dirty][i]);
    for (uint32_t i = 0; i < CLASSES; i++) k_list_init(&partial[i]);
    segment_count = 0;
    used_pages = dirty_pages = 0;
    k_mailbox.clean = 0;
}

void *k_alloc(size_t size) {
    if (fails() || size > K_ALLOC_MAX) return NULL;
    if (size <= 2048) return object_take(class_of[(size + 15) / 16]);
    struct page *page = run_take((uint32_t)((size + K_PAGE - 1) / K_PAGE));
    return page ? address_of(page) : NULL;
}

void *k_zalloc(size_t size) {
    void *pointer = k_alloc(size);
    if (pointer) memset(pointer, 0, size);
    return pointer;
}

void k_free(void *pointer) {
    if (!pointer) return;
    struct page *page = page_of(pointer);
    if (page->kind == PAGE_OBJECTS) {
        object_give(page, pointer);
    } else {
        K_ASSERT(page->kind == PAGE_RUN && address_of(page) == pointer);
        run_give(page, page->length);
    }
}

uint64_t k_alloc_used(void) {
    return used_pages * K_PAGE;
}

bool k_memory_short(void) {
    return k_mailbox.room < k_limits.file_reserve;
}

bool k_alloc_trim(void **start, size_t *len) {
    for (int bin = BINS - 1; bin >= 2; bin--) { /* runs under 4 pages are not worth a call */
        if (k_list_empty(&bins[1][bin])) continue;
        struct page *page = K_OUTER(bins[1][bin].next, struct page, link);
        run_remove(page);
        page->dirty = 0;
        count_free(page->length, false);
        k_list_append(&bins[0][bin], &page->link);
        *start = address_of(page);
        *len = (size_t)page->length * K_PAGE;
        return true;
    }
    return false;
}

static uint32_t check_objects(struct page *page) {
    uint32_t size = class_size[page->size_class], on_list = 0;
    for (uint32_t at = page->free; at != NO_OBJECT; on_list++) {
        K_ASSERT(at < page->fresh);
        char *object = address_of(page) + at * size;
        uint16_t next;
        UNPOISON(object, sizeof next);
        memcpy(&next, object, sizeof next);
        POISON(object, sizeof next);
        at = next;
    }
    K_ASSERT(on_list + page->used == page->fresh);
    bool full = page->free == NO_OBJECT && (page->fresh + 1u) * size > K_PAGE;
    K_ASSERT(full == !k_linked(&page->link));
    return 1;
}

void k_alloc_check(void) {
    uint64_t used = 0, clean = 0, dirty = 0;
    for (uint32_t s = 0; s < segment_count; s++) {
        struct page *table = (struct page *)k_alloc_segments[s];
        bool free_before = false;
        for (uint32_t i = HEADER_PAGES; i < SEGMENT_PAGES;) {
            struct page *page = table + i;
            if (page->kind == PAGE_OBJECTS) {
                used += check_objects(page);
                i++;
            } else {
                K_ASSERT(page->kind == PAGE_RUN || page->kind == PAGE_FREE);
                K_ASSERT(page->length > 0 && i + page->length <= SEGMENT_PAGES);
                if (page->kind == PAGE_RUN)
                    used += page->length;
                else
                    K_ASSERT(!free_before && k_linked(&page->link));
                if (page->kind == PAGE_FREE) *(page->dirty ? &dirty : &clean) += page->length;
                i += page->length;
            }
            free_before = page->kind == PAGE_FREE;
        }
    }
    K_ASSERT(used == used_pages && dirty == dirty_pages && clean * K_PAGE == k_mailbox.clean);
}
