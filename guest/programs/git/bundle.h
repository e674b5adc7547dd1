/*
 * bundle.h: a file that holds references and the objects they need: what `git bundle` writes, and what
 * clone and fetch take in place of a repository.
 */
#ifndef BUNDLE_H
#define BUNDLE_H

#include "git.h"

typedef struct {
    git_oid id;
    char *name; /* of a commit that is needed: a comment */
} bundle_ref;

typedef struct {
    bundle_ref *refs, *needed;
    size_t count, cap, needed_count, needed_cap;
    char *pack; /* within the file's text */
    size_t pack_len;
} bundle;

/* Reads its beginning; NULL after an error message. `shown` is the name in messages. */
bundle *bundle_read(const char *path, const char *shown);
/* Whether all commits are here that the bundle builds on; says which are not. */
bool bundle_fits(const bundle *b);
/* Brings its objects into this repository; false after a message. */
bool bundle_unpack(const bundle *b);

#endif
