/* names_getpath.c: where CPython finds its library. */
#define PREFIX      "/usr"
#define EXEC_PREFIX "/usr"
#define VERSION     "3.11"
#include "Modules/getpath.c"
