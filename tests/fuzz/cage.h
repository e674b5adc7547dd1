/*
 * tests/fuzz/cage.h: where a native program may run a script that nobody has read.
 *
 * A cage is for a process that was made for the purpose. It reads what everybody may read and
 * writes to what it has open already: nothing is created, changed or removed, no program is
 * started, nobody outside gets a signal, and it has few children.
 */
#ifndef FUZZ_CAGE_H
#define FUZZ_CAGE_H

/* Locks the calling process in, with an empty environment and standard error to nowhere; what a
 * sanitizer says goes to what was standard error. Ends the process where there is no cage to be
 * had: seccomp of Linux on x86-64. */
void cage_enter(void);

#endif
