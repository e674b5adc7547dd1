/*
 * host/cpu/baked.h: templates that the build made.
 *
 * The build boots once what is the same in every process (host/bake.c), and it lies in the program
 * as read-only pages: no kernel boots and no engine starts at run time, and all processes of a
 * machine share the pages that none of them wrote. A program without them (or with other images
 * than they were made with) boots by itself, and gets exactly the same.
 *
 * The format belongs to one build: header, templates, then what their offsets name. Offsets are in
 * bytes from the header; data is aligned to CPU_PAGE.
 */
#ifndef PF_CPU_BAKED_H
#define PF_CPU_BAKED_H

#include "cpu.h"

#define CPU_BAKED_DIGEST 32

struct cpu_baked_template {
    uint32_t image; /* in pf_images */
    uint32_t use;   /* the machine's: what it is for */
    uint32_t size, from, to; /* as in struct cpu_template */
    uint32_t rewinding, asyncify;
    struct cpu_range asyncify_stack, dead[2];
    uint32_t run_count;
    uint32_t runs_at, globals_at, data_at;
};

struct cpu_baked {
    uint8_t images[32];               /* pf_images_digest of those it was made with */
    uint8_t digest[CPU_BAKED_DIGEST]; /* BLAKE2b of all that follows this field */
    uint32_t bytes;                   /* of everything, this header included */
    uint32_t mailbox, session_proc;   /* the machine's: struct machine_boot */
    uint32_t count;
    struct cpu_baked_template templates[];
};

/* What is baked into this program; NULL: nothing, or for other images. Constant. */
const struct cpu_baked *cpu_baked(void);
/* A file that has those bytes from *offset on, open as long as the process; -1: errno. */
int cpu_baked_file(size_t *offset);
/* A template of it. NULL: no memory, or no file (errno). */
struct cpu_template *cpu_template_baked(const struct cpu_baked *baked,
                                        const struct cpu_baked_template *b);

#endif
