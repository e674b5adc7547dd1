/*
 * lib/regex/bracket.c: bracket expressions, `[...]`, as in the C locale: ranges follow code
 * points, a collating element is one character, an equivalence class is the character itself.
 */
#include <string.h>

#include "internal.h"
#include "lib/utf8/utf8.h"

static const char unmatched[] = "Unmatched [, [^, [:, [., or [=";

enum element_kind { ELEMENT_SYMBOL, ELEMENT_CLASS, ELEMENT_EQUIVALENCE };

struct element {
    enum element_kind kind;
    uint32_t symbol;
    int class;
};

/* `[:name:]`, `[=x=]` or `[.x.]`, its opening bracket read and `mark` the character after it. */
static bool parse_named(struct re_parser *p, char mark, struct element *element) {
    const char *name = p->at;
    for (;; p->at++) {
        if (p->end - p->at < 2) return re_parser_fail(p, PF_RE_BAD, unmatched);
        if (p->at[0] == mark && p->at[1] == ']') break;
    }
    const char *close = p->at;
    if (mark == ':') {
        element->kind = ELEMENT_CLASS;
        element->class = pf_uni_class_named(name, (size_t)(close - name));
        if (element->class < 0) return re_parser_fail(p, PF_RE_BAD, "Invalid character class name");
    } else {
        p->at = name;
        element->kind = mark == '=' ? ELEMENT_EQUIVALENCE : ELEMENT_SYMBOL;
        if (name < close) element->symbol = re_parser_symbol(p);
        if (name == close || p->at != close)
            return re_parser_fail(p, PF_RE_BAD, "Invalid collation character");
    }
    p->at = close + 2;
    return true;
}

static bool parse_element(struct re_parser *p, struct element *element) {
    if (p->at == p->end) return re_parser_fail(p, PF_RE_BAD, unmatched);
    if (*p->at == '[' && p->at + 1 < p->end && p->at[1] != '\0' && strchr(":=.", p->at[1])) {
        char mark = p->at[1];
        p->at += 2;
        return parse_named(p, mark, element);
    }
    element->kind = ELEMENT_SYMBOL;
    if (*p->at == '\\' && (p->re->flags & PF_RE_AWK) && p->at + 1 < p->end) {
        p->at++;
        if (!re_parse_awk_escape(p, &element->symbol)) element->symbol = re_parser_symbol(p);
        return true;
    }
    element->symbol = re_parser_symbol(p);
    return true;
}

/* Is this `-` the sign of a range, with something after it that is not the end? */
static bool at_range(const struct re_parser *p) {
    return p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']';
}

static bool add_element(struct re_parser *p, struct re_set *set, const struct element *element) {
    pf_regex *re = p->re;
    if (element->kind == ELEMENT_CLASS) {
        int class = element->class;
        /* With case ignored, upper and lower are any letter that has the other case. */
        if ((re->flags & PF_RE_ICASE) && (class == PF_UNI_UPPER || class == PF_UNI_LOWER))
            class = PF_UNI_ALPHA;
        return re_set_add_class(re, set, class, false);
    }
    return re_set_add(re, set, element->symbol, element->symbol);
}

static bool parse_item(struct re_parser *p, struct re_set *set) {
    struct element low, high;
    if (!parse_element(p, &low)) return false;
    if (!at_range(p)) return add_element(p, set, &low) || re_parser_fail(p, PF_RE_NOMEM, NULL);
    p->at++;
    if (!parse_element(p, &high)) return false;
    bool symbols = low.kind == ELEMENT_SYMBOL && high.kind == ELEMENT_SYMBOL;
    bool backwards = symbols && low.symbol > high.symbol;
    if (backwards && (p->re->flags & PF_RE_LENIENT) && !at_range(p)) return true;
    if (!symbols || backwards)
        return re_parser_fail(p, PF_RE_BAD, "Invalid range end");
    /* `[a-m-z]` has no meaning. */
    if (at_range(p)) return re_parser_fail(p, PF_RE_BAD, "Invalid range end");
    return re_set_add(p->re, set, low.symbol, high.symbol) || re_parser_fail(p, PF_RE_NOMEM, NULL);
}

bool re_parse_bracket(struct re_parser *p, struct re_set *set) {
    pf_regex *re = p->re;
    bool negated = p->at < p->end && *p->at == '^';
    if (negated) p->at++;
    const char *first = p->at;
    if (first == p->end) return re_parser_fail(p, PF_RE_BAD, "Invalid regular expression");
    while (p->at == first || p->at == p->end || *p->at != ']')
        if (!parse_item(p, set)) return false;
    p->at++;
    re_set_finish(set);
    bool ok = !(re->flags & PF_RE_ICASE) || re_set_fold_case(re, set);
    if (ok && negated) {
        ok = re_set_negate(re, set);
        if (ok && (re->flags & PF_RE_NEWLINE)) ok = re_set_remove(re, set, '\n');
    }
    return ok || re_parser_fail(p, PF_RE_NOMEM, NULL);
}
