/*
 * guest/programs/jq/jq_boot.h: the builtins that are written in jq, parsed before jq is asked to do
 * anything.
 *
 * Included by jq's own sources as adapt_jq.py changes them.
 */
#ifndef PF_JQ_BOOT_H
#define PF_JQ_BOOT_H

#include <stdbool.h>

/* Parses them; the first program that is compiled takes them. Every process begins as a copy of one
 * that has done so. */
void pf_jq_boot(void);
/* The definitions that are being bound are those of pf_jq_boot(): what nobody uses of them stays,
 * since to free it would be to write to most of what a process has in common with others. */
extern bool pf_jq_booted;

#endif
