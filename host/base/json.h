/*
 * host/base/json.h: the one place where the host reads JSON, and how strictly.
 *
 * Called for policies, schemas, tool arguments and tool results. On top of RFC 8259 it refuses what
 * two readers could understand differently: duplicate keys, invalid UTF-8, unpaired surrogates, NaN
 * and Infinity, nesting over a bound, numbers that no double can hold and numbers of more than
 * BASE_JSON_DIGITS digits.
 *
 * Every number stays the text it was written as (yyjson calls that a raw value), so integers keep
 * all their digits. A number with a fraction or exponent that has more digits than a double keeps
 * is replaced by the shortest text of that double: what is checked here is then exactly the value
 * that a reader of the text gets.
 *
 * Values are yyjson's, in memory of the caller's arena; they are never freed one by one.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "arena.h"
#include "error.h"
#include "number.h"
#include "text.h"

#include "yyjson.h"

#define BASE_JSON_DEPTH  200u
#define BASE_JSON_DIGITS 4000u

/* Reads a whole document. PF_INVALID says what is wrong and where; PF_NO_MEMORY. A document that
 * needs more than the arena's budget is PF_INVALID. */
pf_status base_json_read(struct base_arena *arena, const char *text, size_t len, unsigned depth,
                         yyjson_val **out, pf_error *error);
/* The value as compact JSON in the arena, NUL-terminated; NULL: no memory. */
char *base_json_write(struct base_arena *arena, const yyjson_val *value, size_t *len);

static inline bool base_json_is_number(const yyjson_val *v) {
    return yyjson_is_raw((yyjson_val *)v);
}
/* The number that a value is; v is a number that base_json_read() made. */
void base_json_number(const yyjson_val *v, struct base_number *out);
/* "object", "array", "string", "number", "boolean", "null" */
const char *base_json_type(const yyjson_val *v);
/* Is v the string `text`? */
bool base_json_is(const yyjson_val *v, const char *text);

/*
 * Equality of JSON values: numbers by value, objects in any order, types kept apart. Each
 * comparison of two values takes one of *steps; when none is left, base_json_equal() says false and
 * *steps is -1, which the caller must look at if false would let something through.
 */
bool base_json_equal(const yyjson_val *a, const yyjson_val *b, int64_t *steps);
/* The same for values that are equal. */
uint64_t base_json_hash(const yyjson_val *v);

/* The start of a value as JSON, for a message: at most about `max` bytes, then "…". */
void base_json_show(struct base_text *text, const yyjson_val *v, size_t max);
/* The same for a string that is not a JSON value. */
void base_json_show_string(struct base_text *text, const char *string, size_t len, size_t max);

#endif
