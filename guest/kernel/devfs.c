/*
 * devfs.c: /dev: null zero full random urandom tty, and the links to the standard streams.
 */
#include "kernel.h"

static const struct {
    const char *name;
    enum k_device device;
    uint32_t major, minor;
} devices[] = {
    {"null", K_DEV_NULL, 1, 3},     {"zero", K_DEV_ZERO, 1, 5},       {"full", K_DEV_FULL, 1, 7},
    {"random", K_DEV_RANDOM, 1, 8}, {"urandom", K_DEV_URANDOM, 1, 9}, {"tty", K_DEV_TTY, 5, 0},
};
static const char *const links[][2] = {
    {"fd", "/proc/self/fd"},
    {"stdin", "/proc/self/fd/0"},
    {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"},
};

static int add_link(struct k_inode *dev, const char *name, const char *target) {
    uint32_t len = (uint32_t)strlen(target);
    struct k_inode *link;
    int error = k_inode_new(K_SYMLINK, K_IFLNK | 0777, true, &link);
    if (error) return error;
    link->target = k_alloc(len);
    if (!link->target) return -PF_ENOMEM;
    memcpy(link->target, target, len);
    link->target_len = len;
    error = k_make_at(dev, name, link);
    k_inode_put(link);
    return error;
}

int k_devfs_boot(void) {
    struct k_inode *dev;
    int error = k_inode_new(K_DIR, K_IFDIR | 0755, true, &dev);
    if (error) return error;
    dev->parent = k_inode_get(k_root());
    k_root()->nlink++;
    dev->nlink = 1;
    error = k_make_at(k_root(), "dev", dev);
    for (uint32_t i = 0; !error && i < K_COUNT(devices); i++) {
        struct k_inode *node;
        error = k_inode_new(K_DEVICE, K_IFCHR | 0666, true, &node);
        if (error) break;
        node->node = devices[i].device;
        error = k_make_at(dev, devices[i].name, node);
        k_inode_put(node);
    }
    for (uint32_t i = 0; !error && i < K_COUNT(links); i++)
        error = add_link(dev, links[i][0], links[i][1]);
    k_inode_put(dev);
    return error;
}

uint64_t k_device_number(const struct k_inode *inode) {
    for (uint32_t i = 0; i < K_COUNT(devices); i++)
        if (devices[i].device == inode->node) return devices[i].major << 8 | devices[i].minor;
    return 0;
}

int64_t k_device_read(struct k_call *call, const struct k_inode *inode, uint32_t len) {
    switch ((enum k_device)inode->node) {
    case K_DEV_NULL: return 0;
    case K_DEV_ZERO:
    case K_DEV_FULL: memset(k_out_area(), 0, len); break;
    case K_DEV_RANDOM:
    case K_DEV_URANDOM: k_random(k_out_area(), len); break;
    case K_DEV_TTY: return -PF_ENXIO;
    }
    k_out(call, k_out_area(), len);
    return len;
}

int64_t k_device_write(const struct k_inode *inode, uint32_t len) {
    if (inode->node == K_DEV_FULL) return len ? -PF_ENOSPC : 0;
    if (inode->node == K_DEV_TTY) return -PF_ENXIO;
    return len;
}
