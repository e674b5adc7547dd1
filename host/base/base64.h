/*
 * host/base/base64.h: Base64 (RFC 4648), for requests and for bytes in traces.
 */
#ifndef PF_BASE_BASE64_H
#define PF_BASE_BASE64_H

#include "host/base/buf.h"

/* With padding. `url`: - and _ for + and /. */
void base_base64_write(struct base_buf *out, const char *data, size_t len, bool url);
/* False: it is not Base64. Padding may be missing. */
bool base_base64_read(struct base_buf *out, const char *text, size_t len);

#endif
