/*
 * host/base/json_out.c: see json_out.h.
 */
#include "json_out.h"

#include <stdlib.h>

bool base_json_out(struct base_buf *out, const yyjson_val *value) {
    size_t len;
    yyjson_write_err err = {0};
    char *text = yyjson_val_write_opts(value, YYJSON_WRITE_NOFLAG, NULL, &len, &err);
    if (!text) {
        out->failed = true;
        return false;
    }
    bool ok = base_buf_add(out, text, len);
    free(text);
    return ok;
}

bool base_json_out_string(struct base_buf *out, const char *text, size_t len) {
    yyjson_val value = {0};
    unsafe_yyjson_set_strn(&value, text, len);
    return base_json_out(out, &value);
}
