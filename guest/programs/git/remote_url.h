/*
 * remote_url.h: which remotes can be reached from the sandbox.
 */
#ifndef REMOTE_URL_H
#define REMOTE_URL_H

#include "git.h"

bool is_network_url(const char *url); /* http://, ssh:// …, or host:path. */
/* Ends the command with the reason and what to do when the URL needs a network. */
void refuse_network(const char *url);
/* The path that a URL or a path names, canonical; NULL when nothing is there. */
char *local_path(const char *url);

#endif
