/*
 * host/snapshot/guests.c: asks the guest's sessions what they hold, and hands it to others
 * (portable.h).
 *
 * Both are runs like any, with other texts: the shell knows its own (guest/programs/sh/state.h), a
 * session of Python runs state.py.
 */
#include "portable.h"

#include <string.h>

#include "host/base/base64.h"

__asm__(".section .rodata\n"
        "state_py_start: .incbin \"" STATE_PY "\"\n"
        "state_py_end: .previous\n");
extern const char state_py_start[], state_py_end[];

/* Does a run of `language` and appends its value. */
static pf_status ask(pf_sandbox *s, const char *language, const char *text, size_t len,
                     struct base_buf *out, const char **why, pf_error *error) {
    pf_run run = {.size = sizeof run, .language = language, .code = text, .code_len = len};
    *why = NULL;
    pf_status status = machine_start(s, &run, error);
    if (status != PF_OK) return status;
    if (s->run.on)
        *why = "it waits for something";
    else if (s->run.limit)
        *why = s->run.limit;
    else if (s->result.exit_code != 0)
        *why = "it refuses";
    else if (s->run.value.failed)
        *why = "it says nothing";
    else if (!base_buf_add(out, s->run.value.data, s->run.value.len))
        return base_no_memory(error);
    return PF_OK;
}

/* A text of Python that runs state.py with `take`, which may be NULL; text->failed: no memory. */
static void python_text(struct base_buf *text, const char *take, size_t len) {
    base_buf_addz(text, "exec(__import__('base64').b64decode('");
    base_base64_write(text, state_py_start, (size_t)(state_py_end - state_py_start), false);
    base_buf_addz(text, "'),{'__name__':'_state','_take':");
    base_buf_addz(text, take ? "'" : "None");
    if (take) base_base64_write(text, take, len, false);
    base_buf_addz(text, take ? "'})" : "})");
}

pf_status guest_python(pf_sandbox *s, const char *take, size_t len, struct base_buf *out,
                       const char **why, pf_error *error) {
    struct base_buf text;
    base_buf_init(&text, SIZE_MAX);
    python_text(&text, take, len);
    pf_status status = text.failed ? base_no_memory(error)
                                   : ask(s, "python", text.data, text.len, out, why, error);
    base_buf_free(&text);
    return status;
}

pf_status guest_shell(pf_sandbox *s, const char *take, size_t len, struct base_buf *out,
                      const char **why, pf_error *error) {
    struct base_buf text;
    base_buf_init(&text, SIZE_MAX);
    bool ok = base_buf_addz(&text, take ? "#!pinfold-state take\n" : "#!pinfold-state give\n") &&
              (!take || base_buf_add(&text, take, len));
    pf_status status =
        ok ? ask(s, "shell", text.data, text.len, out, why, error) : base_no_memory(error);
    base_buf_free(&text);
    return status;
}
