/* sys/syscall.h: there are no system calls by number; see pf.h and abi/call.def. */
#error "pinfold has no syscall(): use the functions of POSIX"
