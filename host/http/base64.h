/*
 * host/http/base64.h: Base64 as HTTP has it, for bodies and Basic credentials.
 */
#ifndef HTTP_BASE64_H
#define HTTP_BASE64_H

#include "host/base/buf.h"

/* With padding. `url`: - and _ for + and /. */
void http_base64_write(struct base_buf *out, const char *data, size_t len, bool url);
/* False: it is not Base64. Padding may be missing. */
bool http_base64_read(struct base_buf *out, const char *text, size_t len);

#endif
