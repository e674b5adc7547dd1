/*
 * memory.h: where QuickJS gets its memory from.
 *
 * When memory runs out, QuickJS throws, and the program's handler wants memory, too. So a program
 * that has grown keeps a reserve, which is given up at the first allocation that fails.
 */
#ifndef JS_MEMORY_H
#define JS_MEMORY_H

#include "quickjs.h"

extern const JSMallocFunctions memory_functions;

/* Takes a reserve if there is none and the program is large enough to want one. Called now and
 * then. */
void memory_restock(void);

#endif
