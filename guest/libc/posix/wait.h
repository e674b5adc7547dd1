/* wait.h: the old name of sys/wait.h. */
#include <sys/wait.h>
