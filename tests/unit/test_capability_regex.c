/*
 * The regular expressions of `matches` and `pattern`: what they mean, and what is refused.
 */
#include "check.h"
#include "host/capability/regex.h"

#include <stdbool.h>

static struct cap_regex *compile(const char *pattern) {
    struct cap_regex *regex = NULL;
    pf_error error = {0};
    if (cap_regex_new(&regex, pattern, strlen(pattern), &error) != PF_OK)
        fprintf(stderr, "%s\n", error.message);
    CHECK(regex != NULL);
    return regex;
}

static void search(const char *pattern, const char *text, bool whole, bool wanted) {
    struct cap_regex *regex = compile(pattern);
    if (!regex) return;
    enum cap_match match = whole ? cap_regex_fullmatch(regex, text, strlen(text))
                                 : cap_regex_search(regex, text, strlen(text));
    if (match != (wanted ? CAP_MATCH : CAP_NO_MATCH))
        fprintf(stderr, "/%s/ %s \"%s\": %d\n", pattern, whole ? "whole" : "in", text, match);
    CHECK(match == (wanted ? CAP_MATCH : CAP_NO_MATCH));
    cap_regex_free(regex);
}

#define IN(pattern, text)        search(pattern, text, false, true)
#define NOT_IN(pattern, text)    search(pattern, text, false, false)
#define WHOLE(pattern, text)     search(pattern, text, true, true)
#define NOT_WHOLE(pattern, text) search(pattern, text, true, false)

static void refuses(const char *pattern, const char *wanted) {
    struct cap_regex *regex = NULL;
    pf_error error = {0};
    pf_status status = cap_regex_new(&regex, pattern, strlen(pattern), &error);
    if (status != PF_INVALID || !strstr(error.message, wanted))
        fprintf(stderr, "/%s/ -> %s\n", pattern, status == PF_OK ? "accepted" : error.message);
    CHECK(status == PF_INVALID && strstr(error.message, wanted));
    cap_regex_free(regex);
}

static void test_basics(void) {
    IN("b", "abc");
    NOT_IN("^b", "abc");
    IN("^acct_\\d+$", "acct_12");
    NOT_IN("^acct_\\d+$", "acct_12\n");
    NOT_IN("^a$", "b\na\nb");
    IN("a.c", "abc");
    NOT_IN("a.c", "a\nc");
    NOT_IN("a.c", "a\rc");
    NOT_IN("a.c", "a\xe2\x80\xa8"
                  "c");
    IN("a[^b]c", "a\nc");
    IN("a[\\s\\S]c", "a\nc");
    IN("^[\\s\\S]{2}$", "\xc3\xa9\n");
    IN("^.$", "\xf0\x9f\x98\x80");
    WHOLE("a|ab|abc", "abc");
    NOT_WHOLE("a|ab", "abc");
    WHOLE("(a|b)*c?", "abba");
    WHOLE("(?:ab)+", "abab");
    WHOLE("(?<name>x)y", "xy");
    WHOLE("(?P<name>x)y", "xy");
    WHOLE("a+?b*?c??", "aab");
    WHOLE("a{2}", "aa");
    NOT_WHOLE("a{2}", "a");
    WHOLE("a{2,}", "aaaa");
    WHOLE("a{1,3}", "aaa");
    NOT_WHOLE("a{1,3}", "aaaa");
    WHOLE("a{0}", "");
    WHOLE("", "");
    IN("", "x");
    WHOLE("(|a)b", "b");
    WHOLE("()", "");
    WHOLE("x|", "");
}

static void test_classes(void) {
    WHOLE("\\d\\w\\s", "1_ ");
    NOT_WHOLE("\\d", "\xd9\xa3"); /* an Arabic digit */
    NOT_WHOLE("\\w", "\xc3\xa9");
    WHOLE("\\s", "\xc2\xa0");
    WHOLE("\\D\\W\\S", "a-x");
    WHOLE("\\D", "\xd9\xa3");
    NOT_WHOLE("\\S", "\t");
    WHOLE("[\\d.-]+", "1.5-3");
    WHOLE("[^\\d]", "x");
    NOT_WHOLE("[^\\d]", "5");
    WHOLE("[\\D]", "x");
    NOT_WHOLE("[^\\D]", "x");
    WHOLE("[^\\D]", "7");
    WHOLE("[a-c\\w]", "z");
    WHOLE("[a-zA-Z0-9._%+-]+@[a-z]+", "a.b+c@host");
    WHOLE("[-a]+", "-a-");
    WHOLE("[a-]+", "-a-");
    WHOLE("[\\]x]+", "]x");
    WHOLE("[\\^x]", "^");
    WHOLE("[x^]", "^");
    WHOLE("[\\^-]+", "^-");
    NOT_WHOLE("[\\^-]", "a");
    WHOLE("[\\[]", "[");
    WHOLE("[[]", "[");
    WHOLE("[[a]+", "[a");
    WHOLE("[\\\\]", "\\");
    WHOLE("[ -~]+", "Az]^-[\\ ~!");
    NOT_WHOLE("[ -~]", "\x7f");
    WHOLE("[!-/]+", "!\"#$%&'()*+,-./");
    WHOLE("[^]-]", "\n-]"); /* [^] is any character */
    WHOLE("[^\\]-]", "a");
    NOT_WHOLE("[^\\]-]", "]");
    NOT_WHOLE("[^\\]-]", "-");
    WHOLE("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9");
    WHOLE("[\\u0400-\\u04ff]+", "\xd0\xb6");
    WHOLE("[\\u{1F600}-\\u{1F64F}]", "\xf0\x9f\x98\x80");
    WHOLE("\\ud83d\\ude00", "\xf0\x9f\x98\x80");
    WHOLE("[\\b]", "\b");
    WHOLE("[^\\u0000-\\ud7ff]", "\xee\x80\x80"); /* beside the surrogates */
    NOT_WHOLE("[^\\ue000-\\u{10ffff}]", "\xee\x80\x80");
    WHOLE("[^\\ue000-\\u{10ffff}]", "\xed\x9f\xbf");
    WHOLE("\\x41\\u0042\\t", "AB\t");
    WHOLE("[.*+?$(){}|/]+", ".*+?$(){}|/");
}

static void test_literals(void) {
    WHOLE("\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\\\/\\-", ".*+?()[]{}|^$\\/-");
    NOT_WHOLE("\\.", "a");
    WHOLE("a-b_c:d,e;f\"g'h<i>j=k!l@m#n%o&p~q`", "a-b_c:d,e;f\"g'h<i>j=k!l@m#n%o&p~q`");
    WHOLE("}]", "}]");
}

static void test_refusals(void) {
    refuses("(a)\\1", "back-reference");
    refuses("\\k<x>", "back-reference");
    refuses("(?=a)", "look-ahead");
    refuses("(?!a)", "look-ahead");
    refuses("(?<=a)", "look-behind");
    refuses("(?<!a)", "look-behind");
    refuses("(?i)a", "kind of group");
    refuses("\\bword\\b", "word boundary");
    refuses("\\p{L}", "Unicode property");
    refuses("\\Aa\\Z", "escape");
    refuses("\\ca", "escape");
    refuses("\\0", "escape");
    refuses("\\", "ends with a backslash");
    refuses("*a", "repeats nothing");
    refuses("a**", "repeats nothing");
    refuses("a++", "possessive");
    refuses("^*", "repeats nothing");
    refuses("(*a)", "repeats nothing");
    refuses("a|*", "repeats nothing");
    refuses("a{", "{ that is not a repetition");
    refuses("a{,3}", "{ that is not a repetition");
    refuses("a{3,2}", "end is below its start");
    refuses("a{1001}", "1000");
    refuses("{2}", "repeats nothing");
    refuses("(a", "( without its )");
    refuses("a)", ") without its (");
    refuses("[a", "[ without its ]");
    refuses("[", "[ without its ]");
    refuses("[]", "nothing is in");
    refuses("[z-a]", "ends before it starts");
    refuses("[\\d-z]", "range that starts or ends");
    refuses("[[:alpha:]]", "[: in brackets");
    refuses("\\u12", "hexadecimal");
    refuses("\\ud800", "not a character");
    refuses("\\u{110000}", "not a character");
    refuses("a\xff", "UTF-8");
    char large[5000];
    memset(large, 'a', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    refuses(large, "4096");
    refuses("((((a{1000}){1000}){1000}){1000})", "");
}

/* Catastrophic for backtracking. */
static void test_linear(void) {
    char text[20001];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    NOT_WHOLE("(a+)+b", text);
    NOT_WHOLE("(a|aa)+$b", text);
    NOT_WHOLE("([a-zA-Z]+)*0", text);
    NOT_IN("^(.*)*x$", text);
    struct cap_regex *regex = compile("a\\x00b");
    if (regex) CHECK(cap_regex_fullmatch(regex, "a\0b", 3) == CAP_MATCH);
    cap_regex_free(regex);
}

int main(void) {
    test_basics();
    test_classes();
    test_literals();
    test_refusals();
    test_linear();
    return check_report();
}
