/*
 * check_on_leave.c: linked into tests with -Wl,--wrap=machine_leave, so that each act of the embedder
 * ends with a look at everything that must be true of its sandbox (host/machine/check.c).
 */
#include "host/machine/machine.h"

void __real_machine_leave(pf_sandbox *sandbox);
void __wrap_machine_leave(pf_sandbox *sandbox);

void __wrap_machine_leave(pf_sandbox *sandbox) {
    machine_check(sandbox);
    __real_machine_leave(sandbox);
}
