/*
 * tar.h: what the parts of tar share.
 *
 * tar.c reads the options, tar_archive.c moves blocks, tar_header.c understands and makes headers,
 * tar_name.c decides about names, tar_create.c, tar_extract.c and tar_list.c do the work.
 */
#ifndef TAR_H
#define TAR_H

#include "codec.h"
#include "g_text.h"
#include "g_time.h"
#include "lib/regex/regex.h"

#include <sys/stat.h>
#include <time.h>

enum { TAR_BLOCK = 512, TAR_RECORD = 20 * TAR_BLOCK };
enum tar_format { TAR_GNU, TAR_USTAR, TAR_PAX, TAR_V7 };

/* s/regex/replacement/flags of --transform. */
typedef struct {
    pf_regex *re;
    char *replacement;
    bool global;
    size_t number;                   /* which match; 0: the first */
    bool names, symlinks, hardlinks; /* what it is for */
} tar_transform;

/* A member to be named on the command line, and the -C in front of it. */
typedef struct {
    const char *name;
    const char *directory; /* -C; NULL: where the last one was */
    bool found;
} tar_operand;

typedef struct {
    char action; /* c x t r u */
    const char *archive;
    enum codec codec;
    bool codec_given, auto_codec;
    int level;
    enum tar_format format;
    unsigned verbose;
    bool to_stdout, keep_old, skip_old, keep_newer, overwrite, unlink_first;
    bool absolute_names, dereference, no_recursion, sort, remove_files, numeric_owner, full_time;
    bool same_permissions, no_mtime, wildcards, null_names, ignore_failed, no_same_owner,
        one_file_system;
    bool show_transformed, ignore_case, anchored;
    uint64_t strip;
    const char *top_level; /* --one-top-level */
    g_text exclude;        /* NUL-terminated patterns */
    tar_transform *transforms;
    size_t transform_count, transform_cap;
    tar_operand *operands;
    size_t operand_count, operand_cap;
    const char *owner, *group;
    int64_t owner_id, group_id; /* -1: as the file */
    bool mtime_given, clamp;
    int64_t mtime;
    void *mode; /* g_mode_change, --mode */
    bool totals; /* said when the archive is closed */
    bool failed;
} tar_options;

/* One member as its headers describe it. Texts are owned. */
typedef struct {
    char *name, *link;
    char type; /* '0' file, '1' hard link, '2' symlink, '3' and '4' devices, '5' directory, '6' FIFO
                */
    mode_t mode;
    int64_t uid, gid, size, mtime;
    int mtime_ns;
    char user[64], group[64];
    unsigned major, minor;
} tar_member;

/* tar_archive.c: the archive as a sequence of blocks. */
typedef struct {
    const tar_options *o;
    int fd;
    bool writing, eof;
    unpacker in;
    packer out;
    uint64_t blocks; /* read or written so far */
    uint64_t before; /* bytes of whole records that were there and stay */
    struct timespec opened;
} tar_archive;
/* Opens the archive of the options, its compression told by what it begins with. */
void tar_open_read(tar_archive *a, const tar_options *o);
/* Creates the archive of the options. All that open end the command when they cannot. */
void tar_open_write(tar_archive *a, const tar_options *o);
/* For r and u: reads to the end of what is there and goes on behind it; calls `seen` for each. */
void tar_open_append(tar_archive *a, tar_options *o, void (*seen)(const tar_member *m));
/* One block; false at the end of the file. A part of one ends the command. */
bool tar_read_block(tar_archive *a, unsigned char block[TAR_BLOCK]);
void tar_skip(tar_archive *a, int64_t bytes); /* and the padding */
/* Writes bytes; ends the command when that fails. */
void tar_write(tar_archive *a, const void *bytes, size_t len);
void tar_pad(tar_archive *a); /* up to a whole block */
/* The two empty blocks at the end of a written one; closes it, and says what went wrong. */
void tar_close(tar_archive *a);

/* tar_header.c */
/* The next member; false at the end. What is damaged is passed over with messages. */
bool tar_next(tar_archive *a, tar_options *o, tar_member *m);
void tar_member_free(tar_member *m); /* Frees its texts. */
/* Whether the format can hold the name. */
bool tar_fits(const tar_options *o, const tar_member *m);
/* Writes the header, with what does not fit into it in front of it. */
void tar_put_header(tar_archive *a, const tar_member *m);

/* tar_name.c */
/* An expression of --transform; a wrong one ends the command. */
void tar_add_transform(tar_options *o, const char *expression);
/* The name after --transform, in fresh memory. kind: 'n' member, 's' symlink, 'h' hard link. */
char *tar_transformed(const tar_options *o, const char *name, char kind);
/* Without what leads out of the directory ("/", "../"), which is said once. */
const char *tar_safe_name(const tar_options *o, const char *name, bool link);
/* The same for the target of a hard link. */
void tar_safe_link(const tar_options *o, tar_member *m);
/* Whether a pattern of --exclude covers the name. */
bool tar_excluded(const tar_options *o, const char *name);
/* Whether the operands ask for this member; all do when there are none. */
bool tar_wanted(tar_options *o, const char *name);
/* After --strip-components; NULL when nothing is left. */
const char *tar_stripped(const tar_options *o, const char *name);

/* tar_list.c: a line for -t and -v. */
void tar_list_member(const tar_options *o, const tar_member *m, const char *name);
/* A name with control characters and what is no text as escapes. */
void tar_put_name(const char *name, size_t len);

void tar_create(tar_options *o); /* tar_create.c: c, r and u. */
void tar_extract(tar_options *o); /* tar_extract.c: x. */
void tar_list(tar_options *o); /* tar_list.c: t. */

/* A failure that does not end the command: status 2 in the end. */
void tar_error(tar_options *o, int error, const char *format, ...) G_PRINTF(3, 4);
/* The message, with the text of `error` unless that is 0; ends with status 2. */
_Noreturn void tar_fatal(int error, const char *format, ...) G_PRINTF(2, 3);

#endif
