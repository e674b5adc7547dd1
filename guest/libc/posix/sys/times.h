/* sys/times.h: processor time of this process and its children. */
#ifndef PF_POSIX_SYS_TIMES_H
#define PF_POSIX_SYS_TIMES_H

#include <__struct_tms.h>

#ifdef __cplusplus
extern "C" {
#endif

clock_t times(struct tms *);

#ifdef __cplusplus
}
#endif

#endif
