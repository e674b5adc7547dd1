/* sys/signal.h: the old name of signal.h. */
#include <signal.h>
