/*
 * js/engine/include/wasm-rt.h: host/machine's headers name a memory of wasm2c's; the engine has
 * none.
 */
#ifndef PF_ENGINE_WASM_RT_H
#define PF_ENGINE_WASM_RT_H

typedef struct wasm_rt_memory_t wasm_rt_memory_t;

#endif
