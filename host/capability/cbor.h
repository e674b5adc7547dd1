/*
 * host/capability/cbor.h: the little CBOR (RFC 8949) that tokens are made of.
 *
 * Called by token.c. Definite lengths and shortest heads only, so that every value has exactly one
 * spelling; whatever else is there is refused. A reader that has failed stays failed.
 */
#ifndef CAP_CBOR_H
#define CAP_CBOR_H

#include "host/base/buf.h"

#include <stdint.h>

enum cbor_kind { CBOR_UINT = 0, CBOR_BYTES = 2, CBOR_TEXT = 3, CBOR_ARRAY = 4 };

/* The head of a value: its kind, and its number, length or count. */
bool cbor_put(struct base_buf *out, enum cbor_kind kind, uint64_t number);
/* A head with the length, then the bytes. */
bool cbor_put_data(struct base_buf *out, enum cbor_kind kind, const void *data, size_t len);

struct cbor_reader {
    const uint8_t *at, *end;
    bool bad;
};

/* The number in a head of this kind; 0 when there is none, which is then bad. */
uint64_t cbor_get(struct cbor_reader *reader, enum cbor_kind kind);
/* The bytes of a string of this kind, inside the data that is read. */
const uint8_t *cbor_get_data(struct cbor_reader *reader, enum cbor_kind kind, size_t *len);

#endif
