/*
 * host/base/json_out.h: writes JSON piece by piece into a base_buf.
 *
 * Called by what puts a document together itself (a policy, counters, a log entry). A failure is
 * remembered by the buffer, as with its own functions.
 */
#ifndef BASE_JSON_OUT_H
#define BASE_JSON_OUT_H

#include "buf.h"
#include "json.h"

/* Appends a value as compact JSON. False: out->failed is set. */
bool base_json_out(struct base_buf *out, const yyjson_val *value);
/* A string of valid UTF-8. */
bool base_json_out_string(struct base_buf *out, const char *text, size_t len);

#endif
