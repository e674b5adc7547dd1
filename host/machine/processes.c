/*
 * host/machine/processes.c: lists the kernel's processes for people.
 */
#include "machine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool machine_process_info(pf_sandbox *s, uint32_t index, struct pf_process_info *info,
                          char name[MACHINE_PROCESS_NAME]) {
    char buffer[sizeof *info + MACHINE_PROCESS_NAME] = {0};
    if (KERNEL(s, HOST_PROCESS, .arg = {index}, .out = buffer, .out_cap = sizeof buffer - 1) < 0)
        return false;
    memcpy(info, buffer, sizeof *info);
    memcpy(name, buffer + sizeof *info, MACHINE_PROCESS_NAME);
    return true;
}

pf_status machine_refuse_parked(pf_sandbox *s, pf_error *error) {
    for (uint32_t i = 1; i < s->procs_room; i++) {
        if (!s->procs[i] || s->procs[i]->state != CPU_PARKED) continue;
        assert(s->procs[i]->proc == i && s->procs[i]->stack);
        struct pf_process_info info = {0};
        char name[MACHINE_PROCESS_NAME] = "";
        machine_process_info(s, i, &info, name);
        return base_error(error, PF_STATE,
                          "process %d (%s) is parked in a synchronous wait and cannot be copied or "
                          "saved; answer or cancel what it waits for, or use the asynchronous form",
                          info.pid, name);
    }
    return PF_OK;
}

static int by_pid(const void *a, const void *b) {
    const pf_process *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

size_t pf_sandbox_processes(pf_sandbox *s, pf_process *processes, size_t count) {
    if (machine_enter(s, NULL) != PF_OK) return 0;
    size_t n = 0;
    for (uint32_t i = 1; i < PF_PROCESS_TABLE; i++) {
        struct pf_process_info info;
        char name[MACHINE_PROCESS_NAME];
        if (!machine_process_info(s, i, &info, name)) continue;
        const cpu_instance *instance = machine_instance(s, i);
        if (n < count) {
            processes[n] = (pf_process){
                .pid = info.pid,
                .parent = info.ppid,
                .state = (char)info.state,
                .memory_bytes = instance ? instance->memory->size : 0,
            };
            snprintf(processes[n].name, sizeof processes[n].name, "%.63s", name);
        }
        n++;
    }
    machine_leave(s);
    qsort(processes, n < count ? n : count, sizeof *processes, by_pid);
    return n;
}
