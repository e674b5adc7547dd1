/*
 * guest/programs/tool/main.c: the command `tool`, and the command of every single tool, which is
 * the same image under the tool's name. All of it is in guest/lib/toolcmd.c.
 */
#include "guest/lib/toolcmd.h"

int main(int argc, char **argv) { return toolcmd_main(argc, argv); }
