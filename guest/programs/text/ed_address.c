/*
 * ed_address.c: the addresses in front of a command of ed.
 */
#include "ed.h"

#include <ctype.h>
#include <stdlib.h>

void ed_blanks(struct ed *ed) {
    while (*ed->at == ' ' || *ed->at == '\t') ed->at++;
}

static bool search(struct ed *ed, bool forward, size_t *found) {
    size_t n = ed->now.count, i = *found;
    for (size_t step = 0; step <= n; step++) {
        i = forward ? (i >= n ? 0 : i + 1) : (i == 0 ? n : i - 1);
        if (i > 0 && ed_matches(ed, ed->now.line[i])) {
            *found = i;
            return true;
        }
    }
    ed->error = "No match";
    return false;
}

static bool marked(struct ed *ed, char mark, size_t *found) {
    if (!islower((unsigned char)mark)) {
        ed->error = "Invalid mark character";
        return false;
    }
    for (size_t i = 1; i <= ed->now.count; i++)
        if (ed->now.line[i] == ed->marks[mark - 'a'] && (*found = i)) return true;
    ed->error = "Invalid address";
    return false;
}

/* One address with its + and -; *any tells whether there was one. */
static bool take_address(struct ed *ed, size_t *out, bool *any) {
    long long at = (long long)ed->now.dot;
    *any = true;
    ed_blanks(ed);
    char c = *ed->at;
    if (c == '.') ed->at++;
    else if (c == '$') {
        ed->at++;
        at = (long long)ed->now.count;
    } else if (isdigit((unsigned char)c)) {
        at = strtoll(ed->at, (char **)&ed->at, 10);
    } else if (c == '/' || c == '?') {
        size_t found = ed->now.dot;
        ed->at++;
        if (!ed_pattern(ed, c)) return false;
        if (*ed->at == c) ed->at++;
        if (!search(ed, c == '/', &found)) return false;
        at = (long long)found;
    } else if (c == '\'') {
        size_t found = 0;
        ed->at++;
        if (!marked(ed, *ed->at, &found)) return false;
        ed->at++;
        at = (long long)found;
    } else if (c != '+' && c != '-' && c != '^') {
        *any = false;
        return true;
    }
    for (;;) {
        ed_blanks(ed);
        c = *ed->at;
        if (c == '+' || c == '-' || c == '^') {
            ed->at++;
            ed_blanks(ed);
            bool number = isdigit((unsigned char)*ed->at);
            long long n = number ? strtoll(ed->at, (char **)&ed->at, 10) : 1;
            at += c == '+' ? n : -n;
        } else if (isdigit((unsigned char)c)) {
            at += strtoll(ed->at, (char **)&ed->at, 10);
        } else break;
    }
    if (at < 0 || at > (long long)ed->now.count) {
        ed->error = "Invalid address";
        return false;
    }
    *out = (size_t)at;
    return true;
}

bool ed_addresses(struct ed *ed, struct ed_addresses *a) {
    size_t dot = ed->now.dot;
    *a = (struct ed_addresses){.first = dot, .last = dot};
    for (;;) {
        size_t here = ed->now.dot;
        bool any;
        if (!take_address(ed, &here, &any)) return false;
        if (any) {
            a->first = a->count ? a->last : here;
            a->last = here;
            a->count = a->count ? 2 : 1;
        }
        char c = *ed->at;
        if (c != ',' && c != ';' && c != '%') break;
        ed->at++;
        ed_blanks(ed);
        if (!any && a->count == 0) { /* , is 1,$ and ; is .,$ unless an address follows */
            bool follows = *ed->at && strchr("0123456789.$'/?+-^", *ed->at);
            a->first = c == ';' ? ed->now.dot : 1;
            a->last = follows ? a->first : ed->now.count;
            a->count = follows ? 1 : 2;
        } else if (!any) {
            a->first = a->last;
        } else {
            a->first = a->last;
            a->count = 2;
        }
        if (c == ';') ed->now.dot = a->last;
    }
    return true;
}

/* The lines of a command that had no addresses, and what it may not have. */
bool ed_check(struct ed *ed, struct ed_addresses *a, size_t first, size_t last) {
    if (a->count == 0) {
        a->first = first;
        a->last = last;
    } else if (a->count == 1) {
        a->first = a->last;
    }
    if (a->first <= a->last && a->first >= 1 && a->last <= ed->now.count) return true;
    ed->error = "Invalid address";
    return false;
}
