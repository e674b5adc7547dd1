/* host/machine/library.c: looking things up in the build's library. */
#include "library.h"

#include <string.h>

#include "machine.h"

static const struct machine_library_entry *find(const char *path) {
    unsigned low = 0, high = machine_library_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = strcmp(path, machine_library[middle].path);
        if (order == 0) return &machine_library[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

static bool add_names(const char *folder, struct base_buf *out) {
    size_t len = strlen(folder);
    for (unsigned i = 0; i < machine_library_count; i++) {
        const struct machine_library_entry *entry = &machine_library[i];
        const char *name = entry->path;
        if (len) {
            if (strncmp(name, folder, len) != 0 || name[len] != '/') continue;
            name += len + 1;
        }
        if (strchr(name, '/')) continue;
        struct machine_fill_name head = {.size = entry->len,
                                         .mtime_ns = MACHINE_ROOT_TIME_NS,
                                         .mode = entry->directory ? 0040755 : 0100644};
        if (!machine_fill_add(out, &head, name, "")) return false;
    }
    return true;
}

int machine_library_fill(const char *path, bool directory, struct base_buf *out) {
    const struct machine_library_entry *entry = *path ? find(path) : NULL;
    if (*path ? !entry || directory != (entry->directory != 0) : !directory) return PF_EIO;
    bool ok = directory ? add_names(path, out)
                        : base_buf_add(out, machine_library_data + entry->from, entry->len);
    return ok ? 0 : PF_ENOMEM;
}
