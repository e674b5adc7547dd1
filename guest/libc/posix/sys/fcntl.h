/* sys/fcntl.h: the old name of fcntl.h. */
#include <fcntl.h>
