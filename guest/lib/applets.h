/*
 * applets.h: the table of the commands in this image.
 *
 * tools/applets.py writes it from the comments that open the commands' files; sorted by name.
 */
#ifndef APPLETS_H
#define APPLETS_H

struct applet {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *help;
};
extern const struct applet applets[];
extern const unsigned applet_count;

#endif
