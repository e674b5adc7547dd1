/* start.h: the values that a process starts with. */
#ifndef PF_LIBC_START_H
#define PF_LIBC_START_H

/* Asks for arguments and environment; the first call of every process. Ends it on failure. */
void __pf_load_args(int *argc, char ***argv);

#endif
