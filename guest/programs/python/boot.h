/* boot.h: the interpreter that is booted at build time: boot.c, and what adapt_boot.py adds to CPython. */
#ifndef PYTHON_BOOT_H
#define PYTHON_BOOT_H

#include <Python.h>

/* Where a program file starts python3 without a boot: host/machine/boot.c. */
#define PYTHON_BARE "/usr/libexec/python3"

/* Makes the interpreter, at build time; does not return if it cannot. */
void python_boot(void);
/* In a process that was booted: takes its arguments and environment. False: it cannot take these, and has
 * changed nothing. Ends the process after an error that it told, or when an option says so (-V). */
int python_wake(int argc, char **argv);

/* Was this interpreter booted at build time? Also in adapt_boot.py. */
extern int python_booted;
extern Py_ssize_t python_booted_builtins; /* how many names builtins had then */
/* Is it one of boot.py's modules? They are not taken apart when the process ends. */
int python_is_booted_module(PyObject *name, PyObject *module);
/* What they keep of the process's own goes when it ends. */
void python_part(void);

/* Added to CPython by adapt_boot.py. */
PyStatus python_wake_main(PyThreadState *thread); /* streams, __main__ */
int python_wake_signals(void);                    /* -1: an exception is set */
void python_retire_pools(void); /* what is free in pools that are in use stays unused */

#endif
