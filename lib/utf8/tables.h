/*
 * lib/utf8/tables.h: the layout of the generated tables; only lib/utf8 includes it.
 */
#ifndef PF_UTF8_TABLES_H
#define PF_UTF8_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* Every stride-th code point of first .. last has its other case at code + delta. */
struct pf_uni_case {
    uint32_t first, last;
    int32_t stride, delta;
};

#define PF_UNI_TABLE(name)                                                                         \
    extern const uint32_t pf_uni_runs_##name[];                                                    \
    extern const size_t pf_uni_runs_##name##_count;
PF_UNI_TABLE(alpha)
PF_UNI_TABLE(upper)
PF_UNI_TABLE(lower)
PF_UNI_TABLE(digit)
PF_UNI_TABLE(xdigit)
PF_UNI_TABLE(space)
PF_UNI_TABLE(blank)
PF_UNI_TABLE(cntrl)
PF_UNI_TABLE(print)
PF_UNI_TABLE(wide)
PF_UNI_TABLE(zero)
#undef PF_UNI_TABLE

extern const struct pf_uni_case pf_uni_to_lower[], pf_uni_to_upper[];
extern const size_t pf_uni_to_lower_count, pf_uni_to_upper_count;

#endif
