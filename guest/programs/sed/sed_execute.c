/*
 * sed_execute.c: the e command and the e flag of s, which run a command by the shell.
 */
#include "sed.h"

#include <errno.h>
#include <stdio.h>

/* Everything that the command prints. */
static void run_shell(const char *command, g_text *out) {
    fflush(NULL);
    g_out_flush();
    FILE *from = popen(command, "r");
    if (!from) g_die_errno(4, errno, "error subprocess");
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, from)) > 0;) g_text_add(out, part, n);
    pclose(from);
}

void sed_execute_space(const sed_program *p, g_text *space, g_text *spare) {
    g_text_addc(space, '\0');
    spare->len = 0;
    g_text_add(spare, "", 0);
    run_shell(space->s, spare);
    if (spare->len && spare->s[spare->len - 1] == p->end) spare->len--;
    g_text swapped = *space;
    *space = *spare;
    *spare = swapped;
}

void sed_execute_text(sed_program *p, const g_text *command, sed_output *out) {
    g_text text = {0};
    g_text_add(&text, "", 0);
    sed_put_missing_newline(p, out);
    sed_flush(out);
    run_shell(command->s, &text);
    sed_put_raw(out, text.s, text.len);
    g_text_free(&text);
}
