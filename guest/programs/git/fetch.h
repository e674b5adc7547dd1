/*
 * fetch.h: bringing references and objects from another repository, for fetch, pull, clone and remote.
 */
#ifndef FETCH_H
#define FETCH_H

#include "remote_link.h"

typedef struct {
    int append, depth, dry_run, force, prune, prune_tags, tags, no_tags, update_head, quiet, verbose, unshallow;
    const char *log; /* what begins the entries of reflogs: "fetch", "pull" */
} fetch_opts;

/* Fetches from a remote or an address, what `specs` name (none: what is configured). Writes FETCH_HEAD. 1 when
 * something was rejected. */
int fetch_from(const char *name, char **specs, int count, const fetch_opts *how);
/* The remote of the current branch, or origin. Fresh memory. */
char *default_remote(void);
/* "abc1234..def5678" and its relatives, as lines of fetch and push have it. */
const char *span(const git_oid *from, const git_oid *to, const char *dots);
const char *pretty_ref(const char *name); /* without refs/heads/ and its like */
/* Takes away what lies below `space` and is not at the other side; says so. `name`: of the remote. */
void prune_refs(const remote_link *link, git_remote *remote, const fetch_opts *how, bool fetching);
char *plain_url(const char *url); /* without .git and slashes at its end */

#endif
