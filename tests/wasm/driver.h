/*
 * tests/wasm/driver.h: what a module that went through the build's chain looks like to driver.c.
 * chain.py writes the tables, from the header that wasm2c writes.
 */
#ifndef PF_TESTS_WASM_DRIVER_H
#define PF_TESTS_WASM_DRIVER_H

#include "host/cpu/cpu.h"

#include <string.h>

#define DRIVER_ARGS_MAX 32 /* the suite's widest function has fewer */

/* Calls an exported function, or reads an exported global: `v` has the arguments' bits, then the
 * result's. */
typedef void (*driver_thunk)(void *instance, uint64_t *v);

struct driver_export {
    const char *name; /* as hexadecimal digits of its UTF-8: names may have any character */
    char result;      /* i, I, f, F: 32 and 64 bits of integer and floating point; v: none */
    bool invoked;     /* a function without parameters */
    driver_thunk thunk;
};

struct driver_module {
    const struct pf_image *image;
    const struct driver_export *exports; /* to one without a name */
};

extern const struct driver_module driver_modules[];

/* For modules that have no memory: every instance of the host's has one. */
void driver_no_memory(void);
/* Around a module's own instantiation. A start function runs before the host knows the instance, so
 * nobody watches it. A memory may be empty, which a program's never is. */
void driver_begin(void *module);
void driver_end(cpu_instance *instance);
/* image->start of all modules. */
void driver_start(void *module);

static inline float driver_f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline double driver_f64(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t driver_bits_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t driver_bits_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
