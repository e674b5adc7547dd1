/*
 * remote_link.h: another repository, reached by its path or through the tool http/request: what it has,
 * and objects to and fro.
 */
#ifndef REMOTE_LINK_H
#define REMOTE_LINK_H

#include "bundle.h"

typedef struct {
    char *name;
    git_oid id;
    git_oid peeled; /* what a tag stands for; otherwise the same */
    char *target;   /* of a symbolic one, such as HEAD */
} link_ref;

typedef struct {
    char *url;             /* as it was given, settings (insteadOf) applied */
    char *shown;           /* without a password; a path is absolute */
    git_repository *other; /* a path of the sandbox */
    git_remote *remote;    /* http */
    bundle *file;          /* a bundle */
    link_ref *refs;        /* sorted by name, HEAD first */
    size_t count, cap;
} remote_link;

/* What became of one reference that was pushed. */
typedef struct {
    char *name;     /* there */
    git_oid id;     /* zero: it goes */
    git_oid before; /* what was there; zero: nothing */
    char *problem;  /* what the other side says against it; NULL: done */
} link_update;

/* Connects and reads what there is. When it cannot, ends the command in git's words. `cleanup` (may be
 * NULL) runs before that. */
remote_link *link_open(const char *url, bool push, void (*cleanup)(void));
/* A reference of the other side; NULL: it has none of that name. */
const link_ref *link_find(const remote_link *link, const char *name);
/* Brings what these names there stand for, with all that it needs. depth 0: the whole history. */
void link_fetch(remote_link *link, const link_ref *const *wanted, size_t count, int depth);
/* Sends what is missing and asks for the updates; each says what became of it. */
void link_push(remote_link *link, link_update *updates, size_t count);

/* Of a configured remote ("origin"), or an address as it is: the URL. Fresh memory. */
char *link_url(const char *name, bool push);

/* ---- http_transport.c */
bool http_is_there(void); /* whether the sandbox has the tool */
extern char *http_problem; /* what git says about the request that failed */
/* The URL without user and password, which go into a header. */
char *http_take_credentials(const char *url);

#endif
