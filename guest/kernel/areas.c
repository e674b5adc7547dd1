/*
 * areas.c: the large arrays of the kernel, behind the data of all other files: the linker keeps
 * their order in CMakeLists.txt.
 *
 * Every call writes some of what is small, and a sandbox has its own copy of each page that it
 * wrote. So what is small lies together, in a few pages.
 */
#include "kernel.h"

#define PAGE_ALIGNED __attribute__((aligned(K_PAGE)))

struct k_proc *k_process_table[PF_PROCESS_TABLE];
int32_t k_group_losers[PF_PROCESS_TABLE];
int32_t k_signal_chosen[PF_PROCESS_TABLE];
char *k_alloc_segments[K_SEGMENTS_MAX];
uint8_t k_data_zeros[64 << 10];
uint8_t k_dispatch_out[K_OUT_AREA] PAGE_ALIGNED;
#ifdef __wasm__
uint8_t k_platform_in[PF_MESSAGE_IN_MAX] PAGE_ALIGNED;
#endif
