/*
 * host/cpu/baked.c: this program's baked templates: where they lie, in memory and as a file, and
 * how they become templates like any other. See baked.h.
 *
 * To map pages copy-on-write a file is needed. That is the program or library itself, if what lies
 * under its name still is what was loaded; else a copy in memory.
 */
#include "baked.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* cmake/baked.c.in, where it is linked in. */
extern const struct cpu_baked pf_baked __attribute__((weak, visibility("hidden")));

const struct cpu_baked *cpu_baked(void) {
    const struct cpu_baked *baked = &pf_baked;
    /* The compiler must not conclude that an address is never NULL. */
    __asm__("" : "+r"(baked));
    if (!baked || memcmp(baked->images, pf_images_digest, sizeof baked->images) != 0) return NULL;
    return baked;
}

/* Which file an address was loaded from, and where in it the address lies. */
struct place {
    uintptr_t address;
    const char *name;
    size_t offset;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    struct place *place = user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || place->address < from || place->address - from >= p->p_filesz)
            continue;
        place->name = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
        place->offset = p->p_offset + (place->address - from);
        return 1;
    }
    return 0;
}

/* The file under the name may be another one by now: its header has a digest of the rest. */
static int open_own_file(const struct cpu_baked *baked, size_t *offset) {
    struct place place = {.address = (uintptr_t)baked};
    struct cpu_baked there;
    if (!dl_iterate_phdr(find_place, &place) || place.offset % CPU_PAGE) return -1;
    int fd = open(place.name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    if (pread(fd, &there, sizeof there, (off_t)place.offset) != sizeof there ||
        memcmp(&there, baked, sizeof there) != 0) {
        close(fd);
        return -1;
    }
    *offset = place.offset;
    return fd;
}

static int copy_to_file(const struct cpu_baked *baked, size_t *offset) {
    if (!cpu_file_allowed(baked->bytes)) return -1;
    int fd = memfd_create("pinfold-templates", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -1;
    if (!cpu_write_at(fd, (const uint8_t *)baked, 0, baked->bytes)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    *offset = 0;
    return fd;
}

int cpu_baked_file(size_t *offset) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int fd = -1;
    static size_t at;
    const struct cpu_baked *baked = cpu_baked();
    if (!baked) {
        errno = ENOENT;
        return -1;
    }
    pthread_mutex_lock(&lock);
    if (fd < 0) fd = open_own_file(baked, &at);
    if (fd < 0) fd = copy_to_file(baked, &at);
    *offset = at;
    int result = fd;
    pthread_mutex_unlock(&lock);
    return result;
}

struct cpu_template *cpu_template_baked(const struct cpu_baked *baked,
                                        const struct cpu_baked_template *b) {
    const struct pf_image *image = pf_images[b->image];
    struct cpu_template *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->baked = true;
    t->image = image;
    t->size = b->size;
    t->from = b->from;
    t->to = b->to;
    t->data = (const uint8_t *)baked + b->data_at;
    t->runs = (const struct cpu_range *)((const uint8_t *)baked + b->runs_at);
    t->run_count = b->run_count;
    cpu_template_measure(t);
    t->steady = calloc(1, sizeof *t->steady);
    size_t offset;
    t->fd = cpu_baked_file(&offset);
    t->offset = offset + b->data_at;
    t->model = cpu_instance_wake(image, (const uint8_t *)baked + b->globals_at, b->size);
    if (!t->steady || t->fd < 0 || !t->model) {
        cpu_template_free(t);
        return NULL;
    }
    t->model->rewinding = b->rewinding;
    t->model->asyncify = b->asyncify;
    t->model->asyncify_stack = b->asyncify_stack;
    memcpy(t->model->dead, b->dead, sizeof b->dead);
    return t;
}
