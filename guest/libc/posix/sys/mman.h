/* sys/mman.h: memory cannot be mapped here; malloc() it and read(). */
#error "pinfold has no mmap: use malloc() and read()"
