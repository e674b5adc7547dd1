/* names_build.c: what CPython tells of its build; the same for everybody who builds it. */
#define PLATFORM "linux"
#include "Python/getplatform.c"

#define DATE     "Jan  1 2026"
#define TIME     "00:00:00"
#define COMPILER "[pinfold]"
#include "Modules/getbuildinfo.c"
#include "Python/getcompiler.c"
