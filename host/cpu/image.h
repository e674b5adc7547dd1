/*
 * host/cpu/image.h: a wasm module as the build hands it to the host.
 *
 * cmake/ generates one struct pf_image per module from wasm2c's output, and the table of all of
 * them. Nothing else in the host knows wasm2c's names.
 */
#ifndef PF_CPU_IMAGE_H
#define PF_CPU_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <wasm-rt.h>

/* The import instance that generated code passes to pf.call: it is the cpu_instance itself. */
struct Z_pf_instance_t;

struct pf_image {
    const char *name;
    const char *applets;  /* the commands it serves, newline-separated; "" for the kernel */
    size_t instance_size; /* bytes of wasm2c's instance structure */
    void (*init_module)(void);
    void (*instantiate)(void *instance, void *pf);
    void (*wake)(void *instance, void *pf); /* the same without its memory */
    size_t globals_at, globals_len; /* where its globals lie in the structure, in bytes */
    wasm_rt_memory_t *(*memory)(void *instance);
    uint32_t *(*stack_pointer)(void *instance);
    uint32_t (*heap_base)(void *instance);
    void (*rebind)(void *instance, void *pf); /* after a byte copy of an instance */
    /* Programs: */
    void (*start)(void *instance);
    uint32_t (*asyncify)(void *instance);
    void (*start_unwind)(void *instance, uint32_t data);
    void (*stop_unwind)(void *instance);
    void (*start_rewind)(void *instance, uint32_t data);
    void (*stop_rewind)(void *instance);
    /* The kernel: */
    uint32_t (*k_mailbox)(void *instance);
    int32_t (*k_boot)(void *instance);
    uint32_t (*k_call)(void *instance, uint32_t proc);
    void (*k_next)(void *instance);
    int bare; /* it is another image's, but is told not to boot: that one's program starts it */
    uint32_t stack_size; /* bytes; the C stack is linear memory [0, stack_size) */
};

/* The kernel first, then the programs, then NULL. An image's index here is its number for the
 * kernel plus one. Constant. */
extern const struct pf_image *const pf_images[];
/* SHA-256 of their modules: which programs these are. */
extern const uint8_t pf_images_digest[32];

#endif
