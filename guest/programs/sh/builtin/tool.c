/*
 * builtin/tool.c: tool, which calls the host's tools; all of it is in guest/lib/toolcmd.c.
 *
 * As a simple foreground command, and alone in a $( ), it runs here, in the shell's own process.
 */
#include "builtin.h"

#include "guest/lib/toolcmd.h"

static bool interrupted(void) { return signal_pending(); }

BUILTIN(tool) {
    (void)sh;
    toolcmd_interrupted = interrupted;
    return toolcmd_main(argc, argv);
}
