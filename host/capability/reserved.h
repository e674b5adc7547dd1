/*
 * host/capability/reserved.h: names that a tool must not take away from the guest.
 */
#ifndef CAP_RESERVED_H
#define CAP_RESERVED_H

#include <stdbool.h>
#include <stddef.h>

/* A word of JavaScript or one of its globals here: a tool cannot be a global of that name. */
bool cap_reserved_js(const char *name, size_t len);
/* A word or builtin of the shell, or a command that scripts take for granted: a tool cannot be a
   command of that name. */
bool cap_reserved_shell(const char *name, size_t len);

#endif
