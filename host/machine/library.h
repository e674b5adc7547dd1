/*
 * host/machine/library.h: files of the build that lie in every sandbox's root and come when they
 * are looked at.
 *
 * The standard library of python3 is thousands of times what a sandbox looks at. So its folder is
 * absent as a mounted one is (guest/kernel/mount.c), with a source without a number:
 * "/json/decoder.py". What comes in follows from the build, so it is no input: nothing of it is
 * recorded.
 */
#ifndef PF_MACHINE_LIBRARY_H
#define PF_MACHINE_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_LIBRARY_ROOT "/usr/lib/python3.11"

struct machine_library_entry {
    const char *path;   /* below the root, "json/decoder.py" */
    uint32_t from, len; /* its contents in machine_library_data */
    uint32_t directory;
};

/* By path (guest/programs/python/library.py); a build without python has none. */
extern const struct machine_library_entry machine_library[];
extern const unsigned machine_library_count;
extern const unsigned char machine_library_data[];

struct base_buf;
/* What is at a guest's word: a file's contents or, for "" and directories, the names in it as
 * machine_fill_name records. 0 or PF_E*. */
int machine_library_fill(const char *path, bool directory, struct base_buf *out);

#endif
