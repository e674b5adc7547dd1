/*
 * zip_format.h: zip archives: their directory and their members, in memory.
 *
 * Without encryption, several disks and archives over 4 GiB, which are refused.
 */
#ifndef ZIP_FORMAT_H
#define ZIP_FORMAT_H

#include "g_text.h"

#include <sys/stat.h>

enum { ZIP_STORED = 0, ZIP_DEFLATED = 8 };

typedef struct {
    char *name;
    unsigned method, flags;
    uint32_t crc, dos_time; /* date in the upper half */
    uint32_t packed, size;
    uint32_t offset;  /* of the local header */
    mode_t mode;      /* with the type; 0: not made on Unix */
    int64_t mtime;    /* -1: only dos_time tells */
    const char *data; /* packed bytes */
    bool owned;       /* data is ours to free */
} zip_entry;

typedef struct {
    char *s;
    size_t len;
    zip_entry *entries;
    size_t count, cap;
} zip_archive;

enum zip_result { ZIP_OK, ZIP_NO_DIRECTORY, ZIP_DAMAGED };

/* Reads the directory of s, which the archive takes over. */
enum zip_result zip_read(zip_archive *z, char *s, size_t len);
void zip_free(zip_archive *z); /* Frees the bytes and all entries. */
zip_entry *zip_find(zip_archive *z, const char *name); /* The first entry of this name, or NULL. */
zip_entry *zip_add(zip_archive *z); /* A new entry, for the caller to fill; moves the others. */
/* Fills data, packed, method and crc from plain bytes. level 0 stores. */
void zip_pack(zip_entry *e, const char *bytes, size_t len, int level);
/* The plain bytes in fresh memory; NULL with a text in *why. */
char *zip_unpack(const zip_entry *e, const char **why);
/* The whole archive as bytes. */
void zip_write(const zip_archive *z, g_text *out);

/* The date and time of MS-DOS, in the local zone; before 1980 is 1980. */
uint32_t zip_dos_time(int64_t t);
int64_t zip_unix_time(uint32_t dos); /* The other way, in seconds since 1970. */
/* A pattern of -x, -i or unzip's operands: * goes over slashes. */
bool zip_matches(const char *pattern, const char *name);

#endif
