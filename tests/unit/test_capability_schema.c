/*
 * Every keyword of the schema language, the words in which it refuses, and what is refused when a
 * schema is read.
 */
#include "check.h"
#include "host/base/buf.h"
#include "host/capability/schema.h"

#include <stdlib.h>

static struct cap_schema *compile(const char *text) {
    struct cap_schema *schema = NULL;
    pf_error error = {0};
    if (cap_schema_new(&schema, text, strlen(text), &error) != PF_OK)
        fprintf(stderr, "%s\n  %s\n", text, error.message);
    CHECK(schema != NULL);
    return schema;
}

/* wanted NULL: valid; otherwise the message must contain it. */
static void check(const char *text, const char *json, const char *wanted) {
    struct cap_schema *schema = compile(text);
    if (!schema) return;
    struct base_arena arena;
    base_arena_init(&arena, 64 << 20);
    yyjson_val *value;
    pf_error error;
    CHECK_EQ(base_json_read(&arena, json, strlen(json), 200, &value, &error), PF_OK);
    char buffer[600];
    struct base_text why;
    base_text_init(&why, buffer, sizeof buffer);
    enum cap_verdict verdict = cap_schema_check(schema, value, &why);
    bool good = wanted ? verdict == CAP_NOT_VALID && strstr(buffer, wanted) : verdict == CAP_VALID;
    if (!good) fprintf(stderr, "%s\n  %.200s -> %d %s\n", text, json, verdict, buffer);
    CHECK(good);
    base_arena_free(&arena);
    cap_schema_free(schema);
}

/* For one parameter x with this schema. */
static void x_is(const char *schema, const char *value, const char *wanted) {
    char text[2000], json[2000];
    snprintf(text, sizeof text, "{\"properties\":{\"x\":%s}}", schema);
    snprintf(json, sizeof json, "{\"x\":%s}", value);
    check(text, json, wanted);
}

#define VALID(schema, value)         x_is(schema, value, NULL)
#define WRONG(schema, value, wanted) x_is(schema, value, wanted)

static void refuses(const char *text, const char *wanted) {
    struct cap_schema *schema = NULL;
    pf_error error = {0};
    pf_status status = cap_schema_new(&schema, text, strlen(text), &error);
    bool good = status == PF_INVALID && !schema && strstr(error.message, wanted);
    if (!good) fprintf(stderr, "%s -> %s\n", text, status == PF_OK ? "accepted" : error.message);
    CHECK(good);
    cap_schema_free(schema);
}

static void test_types(void) {
    VALID("{\"type\":\"integer\"}", "5");
    VALID("{\"type\":\"integer\"}", "5.0");
    VALID("{\"type\":\"integer\"}", "123456789012345678901234567890");
    WRONG("{\"type\":\"integer\"}", "5.5", "x must be of type integer; it is 5.5");
    WRONG("{\"type\":\"integer\"}", "\"5\"", "x must be of type integer; it is \"5\"");
    WRONG("{\"type\":\"integer\"}", "true", "it is true");
    VALID("{\"type\":\"number\"}", "5");
    VALID("{\"type\":[\"string\",\"null\"]}", "null");
    WRONG("{\"type\":[\"string\",\"null\"]}", "1", "x must be of type null or string; it is 1");
    VALID("{\"type\":\"string\",\"nullable\":true}", "null");
    WRONG("{\"type\":\"string\",\"nullable\":false}", "null", "type string");
    WRONG("{\"type\":\"object\"}", "[]", "type object");
    WRONG("{\"type\":\"array\"}", "{}", "type array");
    WRONG("{\"type\":\"boolean\"}", "0", "type boolean");
    WRONG("{\"type\":\"null\"}", "\"\"", "type null");
    VALID("true", "1");
    WRONG("false", "1", "x is not allowed");
    VALID("{}", "1");
    VALID("{\"enum\":[1,\"a\",null,[1]]}", "[1.0]");
    WRONG("{\"enum\":[\"c\",\"f\"]}", "\"k\"", "x must be one of \"c\", \"f\"; it is \"k\"");
    WRONG("{\"enum\":[1]}", "true", "must be one of 1");
    VALID("{\"const\":{\"a\":1}}", "{\"a\":1}");
    WRONG("{\"const\":null}", "0", "x must be null; it is 0");
}

static void test_numbers(void) {
    VALID("{\"minimum\":1,\"maximum\":10}", "10");
    WRONG("{\"minimum\":1}", "0.999", "x must be >= 1; it is 0.999");
    WRONG("{\"maximum\":9007199254740992}", "9007199254740993", "x must be <= 9007199254740992");
    WRONG("{\"exclusiveMinimum\":0}", "0", "x must be > 0");
    WRONG("{\"exclusiveMaximum\":1}", "1.0", "x must be < 1");
    VALID("{\"multipleOf\":0.01}", "19.99");
    WRONG("{\"multipleOf\":0.01}", "19.999", "x must be a multiple of 0.01");
    VALID("{\"minimum\":5}", "\"not a number\"");
}

static void test_strings(void) {
    VALID("{\"minLength\":2,\"maxLength\":3}", "\"äöü\"");
    WRONG("{\"minLength\":2}", "\"\\ud83d\\ude00\"", "x must have at least 2 characters; it has 1");
    WRONG("{\"maxLength\":1}", "\"ab\"", "x must have at most 1 character; it has 2");
    VALID("{\"maxLength\":1}", "12345");
    VALID("{\"pattern\":\"^\\\\d+$\"}", "\"42\"");
    VALID("{\"pattern\":\"b\"}", "\"abc\"");
    WRONG("{\"pattern\":\"^\\\\d+$\"}", "\"4x\"", "x must match \"^\\\\d+$\"; it is \"4x\"");
    VALID("{\"format\":\"date\"}", "\"no date\"");
}

static void test_arrays(void) {
    VALID("{\"items\":{\"type\":\"integer\"}}", "[1,2]");
    WRONG("{\"items\":{\"type\":\"integer\"}}", "[1,\"2\"]",
          "x[1] must be of type integer; it is \"2\"");
    VALID("{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[\"a\"]");
    WRONG("{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[\"a\",1]",
          "x[1] is not allowed");
    WRONG("{\"prefixItems\":[{\"type\":\"string\"}]}", "[1]", "x[0] must be of type string");
    WRONG("{\"items\":[{\"type\":\"string\"}]}", "[1]", "x[0] must be of type string");
    WRONG("{\"minItems\":1}", "[]", "x must have at least 1 element; it has 0");
    WRONG("{\"maxItems\":2}", "[1,2,3]", "x must have at most 2 elements; it has 3");
    VALID("{\"uniqueItems\":true}", "[1,\"1\",true,[1],{\"a\":1},[2]]");
    WRONG("{\"uniqueItems\":true}", "[1,2,1.0]", "[0] and [2] are equal");
    WRONG("{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", "are equal");
    VALID("{\"contains\":{\"type\":\"string\"}}", "[1,\"a\"]");
    WRONG("{\"contains\":{\"type\":\"string\"}}", "[1]", "at least 1 matching element");
    VALID("{\"contains\":{\"type\":\"string\"},\"minContains\":0}", "[1]");
    WRONG("{\"contains\":{\"type\":\"string\"},\"maxContains\":1}", "[\"a\",\"b\"]",
          "at most 1 matching element; it has 2");
}

static void test_objects(void) {
    const char *s = "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"days\":{"
                    "\"type\":\"integer\"}},"
                    "\"required\":[\"city\"],\"additionalProperties\":false}";
    check(s, "{\"city\":\"x\"}", NULL);
    check(s, "{}", "city is required");
    check(s, "{\"city\":\"x\",\"cty\":1}", "cty is not a known parameter; did you mean city?");
    check(s, "{\"city\":\"x\",\"zzzzzz\":1}",
          "zzzzzz is not a known parameter; known are city, days");
    check(s, "{\"city\":\"x\",\"__proto__\":1}", "__proto__ is not a known parameter");
    check(s, "[]", "the argument must be of type object");
    check("{\"properties\":{\"a\":{\"properties\":{\"b\":{\"required\":[\"c\"]}}}}}",
          "{\"a\":{\"b\":{}}}", "a.b.c is required");
    VALID("{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"a\":1}");
    WRONG("{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"a b\":\"1\"}",
          "x[\"a b\"] must be of type integer");
    WRONG("{\"minProperties\":1}", "{}", "x must have at least 1 member; it has 0");
    WRONG("{\"maxProperties\":1}", "{\"a\":1,\"b\":1}", "x must have at most 1 member");
    VALID("{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"ab\":1}");
    WRONG("{\"propertyNames\":{\"pattern\":\"^[a-z]+$\"}}", "{\"A1\":1}",
          "x.A1 is not a name that is allowed");
    VALID("{\"patternProperties\":{\"^n_\":{\"type\":\"number\"}},\"additionalProperties\":false}",
          "{\"n_a\":1}");
    WRONG("{\"patternProperties\":{\"^n_\":{\"type\":\"number\"}}}", "{\"n_a\":\"1\"}",
          "x.n_a must be of type number");
    WRONG("{\"patternProperties\":{\"^n_\":{}},\"additionalProperties\":false}", "{\"m\":1}",
          "x.m is not a known parameter");
    WRONG("{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
          "x.b is required when a is given");
    VALID("{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"c\":1}");
    WRONG("{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}", "x.b is required");
}

static void test_logic(void) {
    const char *optional = "{\"anyOf\":[{\"type\":\"integer\",\"minimum\":1},{\"type\":\"null\"}]}";
    VALID(optional, "null");
    VALID(optional, "3");
    WRONG(optional, "0", "x must be >= 1; it is 0");
    WRONG(optional, "\"a\"", "x is none of the things that are allowed; it is \"a\"");
    VALID("{\"oneOf\":[{\"minimum\":5},{\"maximum\":1}]}", "6");
    WRONG("{\"oneOf\":[{\"minimum\":5},{\"minimum\":6}]}", "7", "exactly one");
    WRONG("{\"oneOf\":[{\"minimum\":5},{\"maximum\":1}]}", "3", "none of the things");
    VALID("{\"allOf\":[{\"minimum\":5},{\"maximum\":7}]}", "6");
    WRONG("{\"allOf\":[{\"minimum\":5},{\"maximum\":7}]}", "8", "x must be <= 7");
    VALID("{\"not\":{\"type\":\"string\"}}", "1");
    WRONG("{\"not\":{\"type\":\"string\"}}", "\"a\"", "x is something that is not allowed");
    const char *conditional =
        "{\"if\":{\"minimum\":10},\"then\":{\"multipleOf\":10},\"else\":{\"multipleOf\":2}}";
    VALID(conditional, "20");
    WRONG(conditional, "15", "multiple of 10");
    VALID(conditional, "4");
    WRONG(conditional, "3", "multiple of 2");
}

static void test_references(void) {
    const char *tree = "{\"$ref\":\"#/$defs/"
                       "node\",\"$defs\":{\"node\":{\"type\":\"object\",\"properties\":{\"value\":{"
                       "\"type\":\"integer\"},"
                       "\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
                       "node\"}}},\"required\":[\"value\"]}}}";
    check(tree, "{\"value\":1,\"children\":[{\"value\":2,\"children\":[{\"value\":3}]}]}", NULL);
    check(tree, "{\"value\":1,\"children\":[{\"value\":2,\"children\":[{\"valu\":3}]}]}",
          "children[0].children[0].value is required");
    check("{\"properties\":{\"a\":{\"$ref\":\"#/definitions/x~1y%25\"}},\"definitions\":{\"x/"
          "y%\":{\"type\":\"string\"}}}",
          "{\"a\":1}", "a must be of type string");
    check("{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
          "{\"a\":{\"a\":{\"b\":1}}}", "a.a.b is not a known");
    check("{\"properties\":{\"a\":{\"$ref\":\"#/$defs/"
          "d\",\"maximum\":5}},\"$defs\":{\"d\":{\"minimum\":1}}}",
          "{\"a\":6}", "a must be <= 5");
    check("{\"properties\":{\"a\":{\"minimum\":3},\"b\":{\"$ref\":\"#/properties/a\"}}}",
          "{\"b\":2}", "b must be >= 3");
    refuses("{\"$ref\":\"#/$defs/none\"}", "there is nothing there");
    refuses("{\"$ref\":\"other.json\"}", "only references into the same schema");
    refuses("{\"$ref\":\"#anchor\"}", "only references into the same schema");
    refuses("{\"$ref\":\"https://example.com/s\"}", "only references into the same schema");
    refuses("{\"$ref\":\"#\"}", "refers to itself");
    refuses("{\"allOf\":[{\"$ref\":\"#/$defs/a\"}],\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/"
            "$defs/b\"}]},\"b\":{\"not\":{\"$ref\":\"#/$defs/a\"}}}}",
            "refers to itself");
    refuses("{\"$ref\":\"#/$defs/a/maximum\",\"$defs\":{\"a\":{\"maximum\":1}}}",
            "a schema is an object");
}

static void test_refusals(void) {
    static const char *const known[] = {
        "$comment", "$id",        "$schema",     "contentEncoding", "contentMediaType",
        "default",  "deprecated", "description", "discriminator",   "example",
        "examples", "format",     "readOnly",    "title",           "writeOnly"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"%s\":\"x\"}", known[i]);
        cap_schema_free(compile(text));
    }
    refuses("", "text is empty");
    refuses("5", "a schema is an object");
    refuses("{\"type\":\"object\",\"foo\":1}", "the keyword \"foo\" is not known");
    refuses("{\"properties\":{\"a\":{\"items\":{\"maxLenght\":5}}}}",
            "properties.a.items: the keyword \"maxLenght\"");
    refuses("{\"$defs\":{\"unused\":{\"Type\":\"string\"}}}", "$defs.unused: the keyword \"Type\"");
    refuses("{\"unevaluatedProperties\":false}", "is not known");
    refuses("{\"$anchor\":\"x\"}", "is not known");
    refuses("{\"x-note\":1}", "is not known");
    refuses("{\"required\\u0000\":[]}", "is not known");
    refuses("{\"type\":\"int\"}", "type: is not a type");
    refuses("{\"type\":[]}", "is not a type");
    refuses("{\"type\":\"string\"}", "is an object: type must be");
    refuses("{\"type\":[\"array\",\"null\"]}", "is an object: type must be");
    refuses("false", "is an object");
    refuses("{\"required\":true}", "list of strings");
    refuses("{\"required\":[1]}", "list of strings");
    refuses("{\"enum\":[]}", "not empty");
    refuses("{\"enum\":\"a\"}", "not empty");
    refuses("{\"properties\":[]}", "needs an object");
    refuses("{\"properties\":{\"a\":\"string\"}}",
            "properties.a: a schema is an object, true or false, not string");
    refuses("{\"properties\":{\"a\":{\"exclusiveMinimum\":true}}}", "needs a number");
    refuses("{\"properties\":{\"a\":{\"minLength\":-1}}}", "not negative");
    refuses("{\"properties\":{\"a\":{\"minLength\":1.5}}}", "whole number");
    refuses("{\"properties\":{\"a\":{\"multipleOf\":0}}}", "over 0");
    refuses("{\"properties\":{\"a\":{\"multipleOf\":-1}}}", "over 0");
    refuses("{\"properties\":{\"a\":{\"pattern\":\"(?=x)\"}}}",
            "properties.a.pattern: the regular expression");
    refuses("{\"properties\":{\"a\":{\"anyOf\":[]}}}", "not empty");
    refuses("{\"properties\":{\"a\":{\"nullable\":true}}}", "nullable goes with type");
    refuses("{\"properties\":{\"a\":{\"$id\":\"x\"}}}", "only the whole schema");
    refuses("{\"properties\":{\"a\":{},\"a\":{}}}", "appears twice");
    refuses("{\"properties\":{\"a\":{\"items\":[{}],\"prefixItems\":[{}]}}}", "the same thing");
    refuses("{\"properties\":{\"a\":{\"additionalItems\":false}}}", "is not known");
}

/* Neither depth nor combinations may hang or crash it. */
static void test_hostile(void) {
    const char *tree =
        "{\"$defs\":{\"a\":{\"anyOf\":[{\"items\":{\"$ref\":\"#/$defs/"
        "a\"},\"maxItems\":0},{\"items\":{\"$ref\":\"#/$defs/a\"},\"minItems\":9}]}},"
        "\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}}}";
    struct base_buf buf;
    base_buf_init(&buf, 1 << 20);
    base_buf_addz(&buf, "{\"x\":");
    for (int i = 0; i < 190; i++) base_buf_addz(&buf, "[");
    for (int i = 0; i < 190; i++) base_buf_addz(&buf, "]");
    base_buf_addz(&buf, "}");
    check(tree, buf.data, "x");
    const char *twice = "{\"$defs\":{\"a\":{\"allOf\":[{\"items\":{\"$ref\":\"#/$defs/"
                        "a\"}},{\"items\":{\"$ref\":\"#/$defs/a\"}}]}},"
                        "\"properties\":{\"x\":{\"$ref\":\"#/$defs/a\"}}}";
    check(twice, buf.data, "too large or too deeply nested");
    check("{\"not\":{\"properties\":{\"x\":{\"$ref\":\"#/$defs/"
          "a\"}}},\"$defs\":{\"a\":{\"allOf\":[{\"items\":{\"$ref\":\"#/$defs/"
          "a\"}},{\"items\":{\"$ref\":\"#/$defs/a\"}}]}}}",
          buf.data, "too large or too deeply nested"); /* what could not be checked is not "not" */
    base_buf_free(&buf);
    /* many equal hashes do not matter, many elements are fast */
    base_buf_init(&buf, 4 << 20);
    base_buf_addz(&buf, "{\"x\":[0");
    for (int i = 1; i < 100000; i++) base_buf_addf(&buf, ",%d", i);
    size_t len = buf.len;
    base_buf_addz(&buf, "]}");
    check("{\"properties\":{\"x\":{\"uniqueItems\":true}}}", buf.data, NULL);
    buf.len = len;
    base_buf_addz(&buf, ",77]}");
    check("{\"properties\":{\"x\":{\"uniqueItems\":true}}}", buf.data,
          "[77] and [100000] are equal");
    base_buf_free(&buf);
    /* a long chain of references */
    base_buf_init(&buf, 4 << 20);
    base_buf_addz(&buf, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 20000; i++)
        base_buf_addf(&buf, "\"d%d\":{\"$ref\":\"#/$defs/d%d\"},", i, i + 1);
    base_buf_addz(&buf, "\"d20000\":{}}}");
    struct cap_schema *schema;
    pf_error error;
    pf_status status = cap_schema_new(&schema, buf.data, buf.len, &error);
    CHECK(status == PF_INVALID || status == PF_OK);
    cap_schema_free(schema);
    base_buf_free(&buf);
}

static bool may_have(const char *text, const char *path) {
    struct cap_schema *schema = compile(text);
    struct base_arena arena;
    base_arena_init(&arena, 1 << 20);
    struct cap_path p;
    pf_error error;
    CHECK_EQ(cap_path_read(&p, &arena, path, strlen(path), &error), PF_OK);
    bool yes = schema && cap_schema_may_have(schema, &p);
    base_arena_free(&arena);
    cap_schema_free(schema);
    return yes;
}

static void test_may_have(void) {
    const char *closed = "{\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"b\":{}},"
                         "\"additionalProperties\":false},\"n\":{\"type\":\"number\"},"
                         "\"l\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/properties/"
                         "a\"}},\"u\":{\"anyOf\":[{}]}},\"additionalProperties\":false}";
    CHECK(may_have(closed, "a"));
    CHECK(may_have(closed, "a.b"));
    CHECK(!may_have(closed, "a.c"));
    CHECK(!may_have(closed, "z"));
    CHECK(!may_have(closed, "n.x"));
    CHECK(!may_have(closed, "a[0]"));
    CHECK(may_have(closed, "l[*].b"));
    CHECK(!may_have(closed, "l[*].c"));
    CHECK(!may_have(closed, "l.b"));
    CHECK(may_have(closed, "u.anything[3]"));
    CHECK(may_have("{}", "z"));
    CHECK(may_have("{\"properties\":{\"a\":{}}}", "z"));
    CHECK(may_have("{\"additionalProperties\":{\"type\":\"integer\"}}", "z"));
    CHECK(!may_have("{\"additionalProperties\":{\"type\":\"integer\"}}", "z.y"));
}

/* Deeper than the place of a keyword can be told. */
static void test_long_places(void) {
    char text[2000] = "", value[2000] = "";
    char name[61] = {0};
    memset(name, 'n', sizeof name - 1);
    for (int i = 0; i < 8; i++) {
        size_t at = strlen(text), to = strlen(value);
        snprintf(text + at, sizeof text - at, "{\"properties\":{\"%s\":", name);
        snprintf(value + to, sizeof value - to, "{\"%s\":", name);
    }
    strcat(text, "{\"type\":\"integer\"}");
    for (int i = 0; i < 8; i++) strcat(text, "}}");
    char *last = value + strlen(value);
    strcpy(last, "1}}}}}}}}");
    check(text, value, NULL);
    strcpy(last, "{}}}}}}}}}");
    check(text, value, "of type integer");
}

int main(void) {
    test_types();
    test_numbers();
    test_strings();
    test_arrays();
    test_objects();
    test_logic();
    test_references();
    test_refusals();
    test_hostile();
    test_may_have();
    test_long_places();
    return check_report();
}
