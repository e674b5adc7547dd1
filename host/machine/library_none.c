/* host/machine/library_none.c: the library of a build without python. */
#include "library.h"

const struct machine_library_entry machine_library[] = {{"", 0, 0, 0}};
const unsigned machine_library_count = 0;
const unsigned char machine_library_data[] = {0};
