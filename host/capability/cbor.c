/*
 * host/capability/cbor.c: see cbor.h.
 */
#include "cbor.h"

bool cbor_put(struct base_buf *out, enum cbor_kind kind, uint64_t number) {
    uint8_t head[9] = {(uint8_t)(kind << 5)};
    unsigned size = number < 24            ? 0
                    : number <= UINT8_MAX  ? 1
                    : number <= UINT16_MAX ? 2
                    : number <= UINT32_MAX ? 4
                                           : 8;
    if (size == 0)
        head[0] |= (uint8_t)number;
    else
        head[0] |= size == 1 ? 24 : size == 2 ? 25 : size == 4 ? 26 : 27;
    for (unsigned i = 0; i < size; i++) head[1 + i] = (uint8_t)(number >> 8 * (size - 1 - i));
    return base_buf_add(out, head, 1 + size);
}

bool cbor_put_data(struct base_buf *out, enum cbor_kind kind, const void *data, size_t len) {
    return cbor_put(out, kind, len) && base_buf_add(out, data, len);
}

static uint64_t fail(struct cbor_reader *reader) {
    reader->bad = true;
    return 0;
}

uint64_t cbor_get(struct cbor_reader *reader, enum cbor_kind kind) {
    if (reader->bad || reader->at == reader->end || *reader->at >> 5 != kind) return fail(reader);
    unsigned low = *reader->at++ & 31;
    if (low < 24) return low;
    if (low > 27) return fail(reader);
    unsigned size = 1u << (low - 24);
    if ((size_t)(reader->end - reader->at) < size) return fail(reader);
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++) number = number << 8 | *reader->at++;
    /* A number that a shorter head could hold has another spelling. */
    if (number < 24 || number >> 4 * size == 0) return fail(reader);
    return number;
}

const uint8_t *cbor_get_data(struct cbor_reader *reader, enum cbor_kind kind, size_t *len) {
    uint64_t size = cbor_get(reader, kind);
    *len = 0;
    if (size > (uint64_t)(reader->end - reader->at)) reader->bad = true;
    if (reader->bad) return NULL;
    const uint8_t *data = reader->at;
    reader->at += size;
    *len = (size_t)size;
    return data;
}
