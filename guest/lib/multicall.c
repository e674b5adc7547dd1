/*
 * multicall.c: the main() of an image with several commands: picks the command and ends it.
 *
 * The command is the name under which the image was executed (pf_applet); executed under its own
 * name, the first argument is the command, and without one the commands are listed.
 */
#include "applets.h"
#include "g_out.h"
#include "pf.h"

#include <string.h>

static const struct applet *find(const char *name) {
    unsigned low = 0, high = applet_count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = strcmp(name, applets[middle].name);
        if (order == 0) return &applets[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

static int list(void) {
    for (unsigned i = 0; i < applet_count; i++) {
        g_outs(applets[i].name);
        g_outc('\n');
    }
    return 0;
}

int main(int argc, char **argv) {
    const struct applet *applet = find(pf_applet());
    if (!applet && argc > 1) {
        argc--;
        argv++;
        applet = find(argv[0]);
        if (!applet) {
            g_begin(pf_applet(), NULL);
            g_die(127, "%s: no such command in this image", argv[0]);
        }
    }
    if (!applet) g_exit(list());
    g_begin(argc > 0 ? argv[0] : applet->name, applet->help);
    g_exit(applet->main(argc, argv));
}
