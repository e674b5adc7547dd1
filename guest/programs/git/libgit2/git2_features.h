/*
 * git2_features.h: what libgit2's own configure step would have found for a program of the sandbox:
 * one thread, no network, no mmap (NO_MMAP in CMakeLists.txt), SHA-1 with collision detection.
 */
#ifndef INCLUDE_features_h__
#define INCLUDE_features_h__

#ifdef __wasm__
#define GIT_ARCH_32 1
#else
#define GIT_ARCH_64 1
#endif

#define GIT_USE_NSEC 1
#define GIT_USE_STAT_MTIM 1
#define GIT_USE_FUTIMENS 1
#define GIT_REGEX_REGCOMP 1
#define GIT_HTTPPARSER_BUILTIN 1
#define GIT_SHA1_COLLISIONDETECT 1
#define GIT_SHA256_BUILTIN 1
#define GIT_COMPRESSION_ZLIB 1
#define GIT_RAND_GETENTROPY 1
#define GIT_IO_POLL 1

#endif
