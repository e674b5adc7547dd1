/*
 * url.h: snapshots as the command line names them: a file, or the text that Sandbox.to_url() gives,
 * `pinfold:` and base64url (RFC 4648, section 5, without padding), in the argument or in the file.
 */
#ifndef CLI_URL_H
#define CLI_URL_H

#include "text.h"

/* Reads a snapshot; ends the program when it cannot be read. True: it was a text. */
bool snapshot_read(struct text *out, const char *name);
/* What it is called in messages: a text is not shown. */
const char *snapshot_name(const char *name);

#endif
