/*
 * host/snapshot/memory.h: an instance as the pages in which it differs from its template.
 */
#ifndef PF_SNAPSHOT_MEMORY_H
#define PF_SNAPSHOT_MEMORY_H

#include "codec.h"

#define SNAPSHOT_DIGEST 32

/* Names this build: its programs and the booted kernel. Computed once, then remembered. */
void snapshot_build(const struct machine_boot *boot, uint8_t digest[SNAPSHOT_DIGEST]);

/* Writes an UNWOUND program or a kernel. Bytes without meaning count as zero, so that equal states
 * give equal snapshots. */
void put_instance(struct writer *w, const cpu_instance *instance, const struct cpu_template *base);
/* Makes it again, in a slot of its own. NULL with r->bad: the data; NULL without: memory is out. */
cpu_instance *get_instance(struct reader *r, const struct cpu_template *base,
                           struct cpu_budget *budget);

#endif
