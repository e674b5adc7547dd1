/*
 * color.h: when git's output has colours, and which: --color, color.ui, color.diff.old and their like.
 */
#ifndef COLOR_H
#define COLOR_H

#include "git.h"

#define COLOR_RESET "\033[m"

enum color_when { COLOR_UNSET = -1, COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO };

/* "always", "never", "auto" or a boolean; NULL: as --color alone. Dies for others, as git does for `option`. */
int color_when(const char *text, const char *option);
/* What a setting says; NULL: auto. */
int color_setting(const char *text);
/* Whether there are colours: what the option said, else color.AREA and color.ui. */
bool color_wanted(int option, const char *area);
/* The escape sequence of color.AREA.SLOT, or of `otherwise` when it is unset; "" where none are wanted. */
const char *color_of(bool wanted, const char *slot, const char *otherwise);
/* "bold red" as an escape sequence in fresh memory; NULL when it names no colour. */
char *color_parse(const char *text);

#endif
