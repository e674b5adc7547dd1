/*
 * host/machine/exec.c: a program to start, in the form that the kernel takes (abi/types.h).
 */
#include "machine.h"

#include <string.h>

bool machine_exec_block(struct base_buf *out, const char *path, const char *const *argv,
                        const char *env, size_t env_len, size_t env_count, const char *cwd) {
    struct pf_exec head = {.envc = (uint32_t)env_count, .action_count = 1};
    head.strings_offset = sizeof head;
    bool ok = base_buf_add(out, &head, sizeof head) && base_buf_add(out, path, strlen(path) + 1);
    for (; ok && argv[head.argc]; head.argc++)
        ok = base_buf_add(out, argv[head.argc], strlen(argv[head.argc]) + 1);
    ok = ok && base_buf_add(out, env, env_len);
    struct pf_spawn_action chdir = {.kind = PF_SPAWN_CHDIR, .path_offset = (uint32_t)out->len};
    ok = ok && base_buf_add(out, cwd, strlen(cwd) + 1);
    head.strings_len = (uint32_t)out->len - head.strings_offset;
    while (ok && out->len % 8) ok = base_buf_add(out, "", 1);
    head.actions_offset = (uint32_t)out->len;
    ok = ok && base_buf_add(out, &chdir, sizeof chdir);
    if (ok) memcpy(out->data, &head, sizeof head);
    return ok;
}

pf_status machine_start_session(pf_sandbox *sandbox, uint32_t session, pf_error *error) {
    static const char *const programs[PF_SESSIONS] = {"/usr/bin/bash", "/usr/bin/python3"};
    const char *program = programs[session];
    struct base_buf block;
    base_buf_init(&block, SIZE_MAX);
    const char *const argv[] = {strrchr(program, '/') + 1, "--session", NULL};
    int64_t pid = -PF_ENOMEM;
    if (machine_exec_block(&block, program, argv, sandbox->env, sandbox->env_len,
                           sandbox->env_count, "/workspace"))
        pid =
            KERNEL(sandbox, HOST_SESSION, .arg = {session}, .in = block.data, .in_len = block.len);
    base_buf_free(&block);
    if (sandbox->dead) return machine_dead(sandbox, error);
    if (pid < 0) return machine_guest_error(sandbox, pid, program, error);
    return PF_OK;
}
