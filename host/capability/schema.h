/*
 * host/capability/schema.h: the JSON Schema of a tool's argument object.
 *
 * Read once when a tool is declared (schema_read.c, schema_keywords.c, schema_refs.c), used for
 * every call (schema_check.c). The language is JSON Schema draft 2020-12 without unevaluated*,
 * $anchor, $dynamicRef and references to other documents; docs/policy.md lists the keywords. A
 * keyword that is not known is refused when the schema is read, for a check that is not made must
 * not look like one.
 */
#ifndef CAP_SCHEMA_H
#define CAP_SCHEMA_H

#include "path.h"
#include "regex.h"

struct cap_schema;

/* PF_INVALID: the message begins with the place in the schema. The text is not kept. */
pf_status cap_schema_new(struct cap_schema **out, const char *json, size_t len, pf_error *error);
void cap_schema_free(struct cap_schema *schema); /* NULL is allowed. */

enum cap_verdict { CAP_VALID, CAP_NOT_VALID, CAP_NO_VERDICT /* no memory */ };
/* With CAP_NOT_VALID, *why says which parameter and what is wrong with it. From any thread. */
enum cap_verdict cap_schema_check(const struct cap_schema *schema, yyjson_val *value,
                                  struct base_text *why);
/* Writes members of `params` with the format http-url as they are sent, in the arena's memory.
 * CAP_NOT_VALID: one of them is no address, and *why says which. urls.c */
enum cap_verdict cap_schema_urls(const struct cap_schema *schema, yyjson_val *params,
                                 struct base_arena *arena, struct base_text *why);
/* Could a value that the schema accepts have something at this path? When in doubt, yes. */
bool cap_schema_may_have(const struct cap_schema *schema, const struct cap_path *path);

#endif
