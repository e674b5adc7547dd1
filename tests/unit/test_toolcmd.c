/*
 * tests/unit/test_toolcmd.c: command lines of `tool` to the JSON objects of calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/lib/tool_args.h"

static const char schema_text[] =
    "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"city\"],"
    " \"$defs\": {\"Level\": {\"enum\": [\"low\", \"high\", 3]},"
    "             \"Address\": {\"type\": \"object\", \"properties\": {\"zip\": {\"type\": "
    "\"string\"},"
    "                                                               \"no\": {\"type\": "
    "\"integer\"}}}},"
    " \"properties\": {"
    "  \"city\": {\"type\": \"string\", \"description\": \"Where\"},"
    "  \"days\": {\"type\": \"integer\", \"default\": 1},"
    "  \"factor\": {\"type\": \"number\"},"
    "  \"verbose\": {\"type\": \"boolean\"},"
    "  \"unit\": {\"type\": \"string\", \"enum\": [\"celsius\", \"fahrenheit\"]},"
    "  \"level\": {\"$ref\": \"#/$defs/Level\"},"
    "  \"tags\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},"
    "  \"counts\": {\"anyOf\": [{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}, "
    "{\"type\": \"null\"}]},"
    "  \"address\": {\"$ref\": \"#/$defs/Address\"},"
    "  \"limit\": {\"anyOf\": [{\"type\": \"integer\"}, {\"type\": \"null\"}]},"
    "  \"note\": {\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"null\"}]},"
    "  \"mixed\": {\"type\": [\"integer\", \"string\"]},"
    "  \"customer_id\": {\"type\": \"string\"},"
    "  \"nothing\": {\"type\": \"null\"},"
    "  \"any\": {}}}";

static int failures;

static const char *const outcomes[] = {"ok", "help", "empty", "bad", "no memory"};

#define WORDS_MAX 12

/* Words are separated by one space; `want` is the JSON, or the outcome or error in other cases. */
static void check(yyjson_val *schema, const char *line, enum tool_args_outcome outcome,
                  const char *want) {
    char copy[400], *words[WORDS_MAX];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL && count < WORDS_MAX;
         word = strtok(NULL, " "))
        words[count++] = word;
    struct tool_args args;
    enum tool_args_outcome got =
        tool_args_parse(&args, (struct tool_schema){schema, schema}, count, words);
    const char *text = got == TOOL_ARGS_OK ? args.json : got == TOOL_ARGS_BAD ? args.error : "";
    bool same = got == outcome && (want == NULL || strcmp(text, want) == 0);
    if (!same) {
        failures++;
        printf("%s\n  want %s %s\n  got  %s %s\n", line, outcomes[outcome], want ? want : "",
               outcomes[got], text);
    }
    free(args.json);
}

static void check_text(yyjson_val *schema, const char *text, enum tool_args_outcome outcome,
                       const char *want) {
    struct tool_args args;
    enum tool_args_outcome got =
        tool_args_from_text(&args, (struct tool_schema){schema, schema}, text, strlen(text));
    const char *have = got == TOOL_ARGS_OK ? args.json : args.error;
    if (got != outcome || (want != NULL && strcmp(have, want) != 0)) {
        failures++;
        printf("stdin %s\n  want %s %s\n  got  %s %s\n", text, outcomes[outcome], want ? want : "",
               outcomes[got], have);
    }
    free(args.json);
}

static void values(yyjson_val *schema) {
    check(schema, "--city Oslo", TOOL_ARGS_OK, "{\"city\":\"Oslo\"}");
    check(schema, "--city=Oslo", TOOL_ARGS_OK, "{\"city\":\"Oslo\"}");
    check(schema, "--city 5", TOOL_ARGS_OK, "{\"city\":\"5\"}");
    check(schema, "--city= --days 3", TOOL_ARGS_OK, "{\"city\":\"\",\"days\":3}");
    check(schema, "--city x --days -3", TOOL_ARGS_OK, "{\"city\":\"x\",\"days\":-3}");
    check(schema, "--city x --days 123456789012345678901234567890", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"days\":123456789012345678901234567890}");
    check(schema, "--city x --days many", TOOL_ARGS_BAD, "--days takes INTEGER, not 'many'");
    check(schema, "--city x --days 1.5", TOOL_ARGS_BAD, "--days takes INTEGER, not '1.5'");
    check(schema, "--city x --factor 1e-3", TOOL_ARGS_OK, "{\"city\":\"x\",\"factor\":1e-3}");
    check(schema, "--city x --factor 0.10", TOOL_ARGS_OK, "{\"city\":\"x\",\"factor\":0.10}");
    check(schema, "--city x --factor 01", TOOL_ARGS_BAD, "--factor takes NUMBER, not '01'");
    check(schema, "--city x --factor nan", TOOL_ARGS_BAD, "--factor takes NUMBER, not 'nan'");
    check(schema, "--city x --verbose", TOOL_ARGS_OK, "{\"city\":\"x\",\"verbose\":true}");
    check(schema, "--verbose --city x", TOOL_ARGS_OK, "{\"verbose\":true,\"city\":\"x\"}");
    check(schema, "--verbose false --city x", TOOL_ARGS_OK, "{\"verbose\":false,\"city\":\"x\"}");
    check(schema, "--no-verbose --city x", TOOL_ARGS_OK, "{\"verbose\":false,\"city\":\"x\"}");
    check(schema, "--city x --unit celsius", TOOL_ARGS_OK, "{\"city\":\"x\",\"unit\":\"celsius\"}");
    check(schema, "--city x --unit kelvin", TOOL_ARGS_BAD,
          "--unit takes celsius|fahrenheit, not 'kelvin'");
    check(schema, "--city x --level 3", TOOL_ARGS_OK, "{\"city\":\"x\",\"level\":3}");
    check(schema, "--city x --nothing null", TOOL_ARGS_OK, "{\"city\":\"x\",\"nothing\":null}");
    check(schema, "--city x --limit 5", TOOL_ARGS_OK, "{\"city\":\"x\",\"limit\":5}");
    check(schema, "--city x --limit null", TOOL_ARGS_OK, "{\"city\":\"x\",\"limit\":null}");
    check(schema, "--city x --note null", TOOL_ARGS_OK, "{\"city\":\"x\",\"note\":\"null\"}");
    check(schema, "--city x --mixed 7", TOOL_ARGS_OK, "{\"city\":\"x\",\"mixed\":7}");
    check(schema, "--city x --mixed 7a", TOOL_ARGS_OK, "{\"city\":\"x\",\"mixed\":\"7a\"}");
    check(schema, "--city x --any {\"a\":[1.10]}", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"any\":{\"a\":[1.10]}}");
    check(schema, "--city x --any word", TOOL_ARGS_OK, "{\"city\":\"x\",\"any\":\"word\"}");
    check(schema, "--city --days 1", TOOL_ARGS_BAD, "--city takes a value");
    check(schema, "--city --daze", TOOL_ARGS_OK, "{\"city\":\"--daze\"}");
    check(schema, "--city", TOOL_ARGS_BAD, "--city takes a value");
    check(schema, "--city a\xff", TOOL_ARGS_BAD, "--city: the value is not UTF-8");
}

static void structure(yyjson_val *schema) {
    check(schema, "--city x --tags a --tags b", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"tags\":[\"a\",\"b\"]}");
    check(schema, "--city x --tags a", TOOL_ARGS_OK, "{\"city\":\"x\",\"tags\":[\"a\"]}");
    check(schema, "--city x --tags [\"a\",\"b\"] --tags c", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"tags\":[\"a\",\"b\",\"c\"]}");
    check(schema, "--city x --counts 1 --counts 2", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"counts\":[1,2]}");
    check(schema, "--city x --counts null", TOOL_ARGS_OK, "{\"city\":\"x\",\"counts\":null}");
    check(schema, "--city x --counts a", TOOL_ARGS_BAD, "--counts takes INTEGER, not 'a'");
    check(schema, "--city x --address.zip 0150 --address.no 7", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"address\":{\"zip\":\"0150\",\"no\":7}}");
    check(schema, "--city x --address {\"zip\":\"1\"} --address.no 7", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"address\":{\"zip\":\"1\",\"no\":7}}");
    check(schema, "--city x --address home", TOOL_ARGS_BAD, "--address takes JSON, not 'home'");
    check(schema, "--city x --customer-id c1", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"customer_id\":\"c1\"}");
    check(schema, "--json {\"city\":\"x\",\"days\":2}", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"days\":2}");
    check(schema, "{\"city\":\"x\"}", TOOL_ARGS_OK, "{\"city\":\"x\"}");
    check(schema, "--json {\"city\":\"x\",\"days\":2} --days 3", TOOL_ARGS_OK,
          "{\"city\":\"x\",\"days\":3}");
    check(schema, "--json [1]", TOOL_ARGS_BAD, "'[1]' is not a JSON object");
    check(schema, "--city x --city y", TOOL_ARGS_BAD, "--city was given twice; it takes one value");
    check(schema, "--days 2", TOOL_ARGS_BAD, "the option --city is missing");
    check(schema, "--json {}", TOOL_ARGS_BAD, "the option --city is missing");
    check(schema, "--town x", TOOL_ARGS_BAD, "unknown option '--town'");
    check(schema, "--city.name x", TOOL_ARGS_BAD, "unknown option '--city.name'");
    check(schema, "--address.street x", TOOL_ARGS_BAD, "unknown option '--address.street'");
    check(schema, "Oslo", TOOL_ARGS_BAD,
          "unexpected argument 'Oslo'; parameters are given as --NAME VALUE");
    check(schema, "", TOOL_ARGS_EMPTY, NULL);
    check(schema, "--raw", TOOL_ARGS_EMPTY, NULL);
    check(schema, "--city x --help", TOOL_ARGS_HELP, NULL);
}

static void without_schema(void) {
    check(NULL, "--a 1 --b two --c --d [1] --e.f true", TOOL_ARGS_OK,
          "{\"a\":1,\"b\":\"two\",\"c\":true,\"d\":[1],\"e\":{\"f\":true}}");
    check(NULL, "--a 1 --a x", TOOL_ARGS_OK, "{\"a\":[1,\"x\"]}");
    check_text(NULL, " \n", TOOL_ARGS_OK, "{}");
    check_text(NULL, "{\"n\": 12345678901234567890123}", TOOL_ARGS_OK,
               "{\"n\":12345678901234567890123}");
}

static void standard_input(yyjson_val *schema) {
    check_text(schema, "{\"city\":\"x\"}\n", TOOL_ARGS_OK, "{\"city\":\"x\"}");
    check_text(schema, "", TOOL_ARGS_BAD, "the option --city is missing");
    check_text(schema, "[]", TOOL_ARGS_BAD, "standard input is not a JSON object");
    check_text(schema, "{\"city\":", TOOL_ARGS_BAD, "standard input is not a JSON object");
}

static void usage(yyjson_val *schema) {
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    tool_schema_usage(out, "tool get", (struct tool_schema){schema, schema});
    fclose(out);
    const char want[] =
        "usage: tool get --city STRING [--days INTEGER] [--factor NUMBER] [--verbose]"
        " [--unit celsius|fahrenheit] [--level low|high|3] [--tags STRING]...";
    if (strncmp(text, want, strlen(want)) != 0) {
        failures++;
        printf("usage line: %s\n", text);
    }
    free(text);
}

int main(void) {
    yyjson_doc *doc = yyjson_read(schema_text, strlen(schema_text), 0);
    yyjson_val *schema = yyjson_doc_get_root(doc);
    if (schema == NULL) return 1;
    values(schema);
    structure(schema);
    without_schema();
    standard_input(schema);
    usage(schema);
    yyjson_doc_free(doc);
    if (failures > 0) printf("test_toolcmd: %d failures\n", failures);
    return failures != 0;
}
