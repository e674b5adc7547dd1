/*
 * dir.c: the names in a directory.
 *
 * Entries are on a list in the order of their creation, each with a number that only rises. Reading
 * a directory goes by that number, so entries may come and go between two reads. Directories with
 * more than a few entries also have a hash table over the names.
 */
#include "kernel.h"

#define SMALL       8 /* entries that are searched without a table */
#define BUCKETS_MAX (1u << 16)
#define FIRST_SEQ   2 /* 0 and 1 are . and .. */

static uint32_t hash_of(const char *name, uint32_t len) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < len; i++) hash = (hash ^ (uint8_t)name[i]) * 16777619u;
    return hash ^ hash >> 15;
}

void k_dir_init(struct k_inode *dir, struct k_inode *parent) {
    K_ASSERT(dir->kind == K_DIR && !dir->count);
    k_list_init(&dir->entries);
    dir->parent = parent;
    dir->next_seq = FIRST_SEQ;
}

void k_dir_release(struct k_inode *dir) {
    K_ASSERT(dir->count == 0);
    k_free(dir->buckets);
}

static bool same(const struct k_dirent *entry, uint32_t hash, const char *name, uint32_t len) {
    return entry->hash == hash && entry->len == len && memcmp(entry->name, name, len) == 0;
}

struct k_dirent *k_dir_find(const struct k_inode *dir, const char *name, uint32_t len) {
    K_ASSERT(dir->kind == K_DIR && len > 0);
    uint32_t hash = hash_of(name, len);
    if (dir->buckets) {
        struct k_dirent *entry = dir->buckets[hash & (dir->bucket_count - 1)];
        while (entry && !same(entry, hash, name, len)) entry = entry->chain;
        return entry;
    }
    for (struct k_link *at = dir->entries.next; at != &dir->entries; at = at->next) {
        struct k_dirent *entry = K_OUTER(at, struct k_dirent, order);
        if (same(entry, hash, name, len)) return entry;
    }
    return NULL;
}

/* A larger table, if there is memory for one; without it, searching takes longer. */
static void grow(struct k_inode *dir) {
    uint32_t want = dir->bucket_count ? dir->bucket_count * 4 : 4 * SMALL;
    if (want > BUCKETS_MAX) return;
    struct k_dirent **buckets = k_zalloc(want * sizeof *buckets);
    if (!buckets) return;
    for (struct k_link *at = dir->entries.next; at != &dir->entries; at = at->next) {
        struct k_dirent *entry = K_OUTER(at, struct k_dirent, order);
        struct k_dirent **bucket = &buckets[entry->hash & (want - 1)];
        entry->chain = *bucket;
        *bucket = entry;
    }
    k_free(dir->buckets);
    dir->buckets = buckets;
    dir->bucket_count = want;
}

struct k_dirent *k_dirent_new(const char *name, uint32_t len) {
    K_ASSERT(len > 0 && len <= PF_NAME_MAX);
    struct k_dirent *entry = k_zalloc(sizeof *entry + len);
    if (!entry) return NULL;
    memcpy(entry->name, name, len);
    entry->len = (uint8_t)len;
    entry->hash = hash_of(name, len);
    return entry;
}

void k_dir_insert(struct k_inode *dir, struct k_dirent *entry, struct k_inode *inode) {
    K_ASSERT(dir->kind == K_DIR && !entry->dir && !k_linked(&entry->order));
    entry->dir = dir;
    entry->inode = inode;
    entry->seq = dir->next_seq++;
    inode->link = entry;
    k_list_append(&dir->entries, &entry->order);
    if (dir->buckets) {
        struct k_dirent **bucket = &dir->buckets[entry->hash & (dir->bucket_count - 1)];
        entry->chain = *bucket;
        *bucket = entry;
    }
    dir->count++;
    if (dir->count > (dir->buckets ? dir->bucket_count * 2 : SMALL)) grow(dir);
    dir->mtime = dir->ctime = k_now();
}

void k_dir_remove(struct k_dirent *entry) {
    struct k_inode *dir = entry->dir;
    K_ASSERT(dir && dir->count > 0 && k_linked(&entry->order));
    if (dir->buckets) {
        struct k_dirent **at = &dir->buckets[entry->hash & (dir->bucket_count - 1)];
        for (; *at != entry; at = &(*at)->chain) K_ASSERT(*at);
        *at = entry->chain;
    }
    k_list_remove(&entry->order);
    dir->count--;
    dir->removals++;
    dir->mtime = dir->ctime = k_now();
    if (entry->inode->link == entry) entry->inode->link = NULL;
    k_tree_forget(entry);
    k_free(entry);
}

uint32_t k_dirent_pack(uint8_t *to, uint32_t cap, uint64_t ino, uint32_t mode, const char *name,
                       uint32_t len) {
    K_ASSERT(len > 0 && len <= PF_NAME_MAX);
    uint32_t size = PF_DIRENT_SIZE(len);
    if (size > cap) return 0;
    struct pf_dirent head = {.ino = ino, .type = (mode & K_IFMT) >> 12, .name_len = len};
    memset(to + size - 8, 0, 8);
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head, name, len);
    return size;
}

/* Where reading goes on: the entry remembered if nothing was removed since, else a search. */
static struct k_link *resume(const struct k_file *file, const struct k_inode *dir) {
    if (file->next_entry && file->removals == dir->removals &&
        file->next_entry->seq == (uint64_t)file->offset)
        return &file->next_entry->order;
    struct k_link *at = dir->entries.next;
    while (at != &dir->entries && K_OUTER(at, struct k_dirent, order)->seq < (uint64_t)file->offset)
        at = at->next;
    return at;
}

int64_t k_dir_list(struct k_file *file, uint8_t *to, uint32_t cap) {
    struct k_inode *dir = file->inode;
    uint32_t used = 0, size;
    k_inode_accessed(dir);
    if (file->offset == 0) {
        size = k_dirent_pack(to, cap, dir->ino, dir->mode, ".", 1);
        if (!size) return -PF_EINVAL;
        used += size;
        file->offset = 1;
    }
    if (file->offset == 1) {
        const struct k_inode *parent = dir->parent ? dir->parent : dir;
        size = k_dirent_pack(to + used, cap - used, parent->ino, parent->mode, "..", 2);
        if (!size) return used ? (int64_t)used : -PF_EINVAL;
        used += size;
        file->offset = FIRST_SEQ;
    }
    struct k_link *at = resume(file, dir);
    for (; at != &dir->entries; at = at->next) {
        struct k_dirent *entry = K_OUTER(at, struct k_dirent, order);
        size = k_dirent_pack(to + used, cap - used, entry->inode->ino, entry->inode->mode,
                             entry->name, entry->len);
        if (!size) break;
        used += size;
    }
    if (at == &dir->entries) {
        file->next_entry = NULL;
        file->offset = (int64_t)dir->next_seq;
    } else {
        file->next_entry = K_OUTER(at, struct k_dirent, order);
        file->offset = (int64_t)file->next_entry->seq;
        file->removals = dir->removals;
        if (!used) return -PF_EINVAL;
    }
    return used;
}
