/*
 * Random policies and calls, against a second, naive engine in this file.
 *
 * 1. Every decision of the gate, with its capability and budgets, is the naive engine's.
 * 2. Attenuation is sound: when a policy is said to be inside another, no sequence of calls is
 * allowed by it and denied by the other. Children are made from parents by small changes, so that
 * "inside" is said often enough to be tested.
 *
 * A failure prints its seed: run with that number as the argument to see it again.
 */
#include "check.h"
#include "host/capability/gate.h"
#include "host/capability/policy.h"

#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>

static uint64_t state;

static unsigned next(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define PICK(a)  ((a)[next(COUNT(a))])

/* ------------------------------------------------------------------ values */

enum kind { NUL, BOOL, NUM, STR, ARR, OBJ };
struct val {
    enum kind kind;
    int number;       /* BOOL; NUM: in quarters */
    const char *text; /* STR */
    size_t count;
    const char *keys[3];
    struct val *items[3];
};

static struct val pool[20000];
static size_t pooled;

static struct val *new_val(enum kind kind) {
    if (pooled == COUNT(pool)) abort();
    pool[pooled] = (struct val){.kind = kind};
    return &pool[pooled++];
}

static const char *const strings[] = {"", "a", "b", "ab", "ba", "aba", "1", "é"};
static const char *const names[] = {"a", "b", "c"};

static struct val *random_val(int depth) {
    struct val *v = new_val((enum kind)next(depth ? 6 : 4));
    if (next(3) == 0) v->kind = NUM;
    switch (v->kind) {
    case NUL: break;
    case BOOL: v->number = (int)next(2); break;
    case NUM: v->number = (int)next(5) == 0 ? (int)next(30) - 10 : 4 * ((int)next(5) - 1); break;
    case STR: v->text = PICK(strings); break;
    case ARR:
    case OBJ:
        v->count = next(4);
        for (size_t i = 0; i < v->count; i++) {
            v->keys[i] = names[i];
            v->items[i] = random_val(depth - 1);
        }
    }
    return v;
}

static bool same_val(const struct val *a, const struct val *b) {
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == STR) return strcmp(a->text, b->text) == 0;
    if (a->number != b->number) return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_val(a->items[i], b->items[i])) return false;
    return true;
}

static void print_number(char **out, int quarters) {
    int whole = quarters / 4, rest = quarters < 0 ? -quarters % 4 : quarters % 4;
    const char *sign = quarters < 0 && whole == 0 ? "-" : "";
    if (rest)
        *out += sprintf(*out, "%s%d.%02d", sign, whole, rest * 25);
    else if (next(4) == 0)
        *out += sprintf(*out, "%d.0", whole);
    else if (next(4) == 0)
        *out += whole ? sprintf(*out, "%d0e-1", whole) : sprintf(*out, "0E+5");
    else
        *out += sprintf(*out, "%d", whole);
}

static void print_val(char **out, const struct val *v) {
    switch (v->kind) {
    case NUL: *out += sprintf(*out, "null"); break;
    case BOOL: *out += sprintf(*out, v->number ? "true" : "false"); break;
    case NUM: print_number(out, v->number); break;
    case STR: *out += sprintf(*out, "\"%s\"", v->text); break;
    case ARR:
    case OBJ: {
        bool object = v->kind == OBJ, backwards = object && next(2);
        *out += sprintf(*out, object ? "{" : "[");
        for (size_t i = 0; i < v->count; i++) {
            size_t at = backwards ? v->count - 1 - i : i;
            if (i) *out += sprintf(*out, ",");
            if (object) *out += sprintf(*out, "\"%s\":", v->keys[at]);
            print_val(out, v->items[at]);
        }
        *out += sprintf(*out, object ? "}" : "]");
    }
    }
}

/* ------------------------------------------------------------------ constraints */

enum op {
    LT,
    LE,
    GT,
    GE,
    EQ,
    NE,
    IN,
    NOT_IN,
    STARTS,
    ENDS,
    CONTAINS,
    MATCHES,
    IS_TYPE,
    EXISTS,
    NOT_EXISTS,
    OPS
};
static const char *const op_names[OPS] = {
    "<",           "<=",        ">",        ">=",      "==",      "!=",     "in",        "not_in",
    "starts_with", "ends_with", "contains", "matches", "is_type", "exists", "not_exists"};
static const char *const paths[] = {"a",    "b",    "c",      "a",       "b",    "a.b",
                                    "a[0]", "a[*]", "b[*].a", "a[*][*]", "c.a.b"};
static const char *const patterns[] = {"a*", "(ab|ba)a?", "[ab]+", ".", "\\\\d"};
static const char *const posix[] = {"^(a*)$", "^((ab|ba)a?)$", "^([ab]+)$", NULL, "^([0-9])$"};
static const char *const types[] = {"null",   "boolean", "integer", "number",
                                    "string", "array",   "object"};

enum node_kind { LEAF, ALL, ANY, NOT };
struct node {
    enum node_kind kind;
    size_t count;
    struct node *items[3];
    enum op op;
    const char *path;
    bool length, optional;
    struct val *value;
    size_t word; /* of patterns or types */
};

static struct node nodes[4000];
static size_t noded;

static struct node *new_node(void) {
    if (noded == COUNT(nodes)) abort();
    nodes[noded] = (struct node){0};
    return &nodes[noded++];
}

static struct val *list_of(struct val *(*make)(int), int depth) {
    struct val *v = new_val(ARR);
    v->count = next(4);
    for (size_t i = 0; i < v->count; i++) v->items[i] = make(depth);
    return v;
}

static struct val *small_number(int unused) {
    (void)unused;
    struct val *v = new_val(NUM);
    v->number = 4 * ((int)next(5) - 1) + (next(6) == 0);
    return v;
}

static struct node *random_leaf(void) {
    struct node *n = new_node();
    n->path = PICK(paths);
    n->op = (enum op)next(OPS);
    if (next(3) == 0) n->op = (enum op)next(8);
    n->length = n->op <= NOT_IN && next(6) == 0;
    n->optional = n->op < EXISTS && next(4) == 0;
    n->word = next(n->op == IS_TYPE ? COUNT(types) : COUNT(patterns));
    if (n->length)
        n->value = n->op >= IN ? list_of(small_number, 0) : small_number(0);
    else if (n->op <= GE)
        n->value = next(3) ? small_number(0) : new_val(STR);
    else if (n->op <= NE || n->op == CONTAINS)
        n->value = random_val(1);
    else if (n->op <= NOT_IN)
        n->value = list_of(random_val, 1);
    else if (n->op <= ENDS)
        n->value = new_val(STR);
    if (n->value && n->value->kind == STR && !n->value->text) n->value->text = PICK(strings);
    return n;
}

static struct node *random_node(int depth) {
    if (depth == 0 || next(3)) return random_leaf();
    struct node *n = new_node();
    n->kind = (enum node_kind)(1 + next(3));
    n->count = n->kind == NOT ? 1 : 1 + next(3);
    for (size_t i = 0; i < n->count; i++) n->items[i] = random_node(depth - 1);
    return n;
}

static void print_node(char **out, const struct node *n) {
    if (n->kind == LEAF) {
        *out += sprintf(*out, "{\"param\":\"%s\",\"op\":\"%s\"", n->path, op_names[n->op]);
        if (n->length) *out += sprintf(*out, ",\"of\":\"length\"");
        if (n->optional) *out += sprintf(*out, ",\"optional\":true");
        if (n->op == MATCHES) *out += sprintf(*out, ",\"value\":\"%s\"", patterns[n->word]);
        if (n->op == IS_TYPE) *out += sprintf(*out, ",\"value\":\"%s\"", types[n->word]);
        if (n->value) {
            *out += sprintf(*out, ",\"value\":");
            print_val(out, n->value);
        }
        *out += sprintf(*out, "}");
        return;
    }
    static const char *const kinds[] = {"", "all", "any", "not"};
    *out += sprintf(*out, "{\"%s\":%s", kinds[n->kind], n->kind == NOT ? "" : "[");
    for (size_t i = 0; i < n->count; i++) {
        if (i) *out += sprintf(*out, ",");
        print_node(out, n->items[i]);
    }
    *out += sprintf(*out, n->kind == NOT ? "}" : "]}");
}

/* ------------------------------------------------------------------ the naive engine */

enum truth { FALSE, TRUE, UNKNOWN };

static enum truth order_truth(enum op op, int order) {
    return op == LT ? order < 0 : op == LE ? order <= 0 : op == GT ? order > 0 : order >= 0;
}

static enum truth match_truth(size_t word, const char *text) {
    if (!posix[word]) { /* any one character */
        return strlen(text) == 1 || strcmp(text, "é") == 0;
    }
    static regex_t compiled[COUNT(posix)];
    static bool done[COUNT(posix)];
    if (!done[word])
        done[word] = regcomp(&compiled[word], posix[word], REG_EXTENDED | REG_NOSUB) == 0;
    return regexec(&compiled[word], text, 0, NULL, 0) == 0;
}

static bool is_of_type(const struct val *v, const char *type) {
    switch (v->kind) {
    case NUL: return strcmp(type, "null") == 0;
    case BOOL: return strcmp(type, "boolean") == 0;
    case NUM:
        return strcmp(type, "number") == 0 || (strcmp(type, "integer") == 0 && v->number % 4 == 0);
    case STR: return strcmp(type, "string") == 0;
    case ARR: return strcmp(type, "array") == 0;
    case OBJ: return strcmp(type, "object") == 0;
    }
    return false;
}

static bool contains_val(const struct val *list, const struct val *v) {
    for (size_t i = 0; i < list->count; i++)
        if (same_val(list->items[i], v)) return true;
    return false;
}

static enum truth naive_value(const struct node *n, const struct val *v) {
    const struct val *w = n->value;
    struct val length = {.kind = NUM};
    if (n->length) {
        if (v->kind < STR) return UNKNOWN;
        length.number = 4 * (int)v->count;
        if (v->kind == STR) {
            for (const char *s = v->text; *s; s++) length.number += (*s & 0xC0) != 0x80 ? 4 : 0;
        }
        v = &length;
    }
    size_t len = v->kind == STR ? strlen(v->text) : 0,
           part = w && w->kind == STR ? strlen(w->text) : 0;
    switch (n->op) {
    case LT:
    case LE:
    case GT:
    case GE:
        if (v->kind == NUM && w->kind == NUM) return order_truth(n->op, v->number - w->number);
        if (v->kind == STR && w->kind == STR) return order_truth(n->op, strcmp(v->text, w->text));
        return UNKNOWN;
    case EQ: return same_val(v, w);
    case NE: return !same_val(v, w);
    case IN: return contains_val(w, v);
    case NOT_IN: return !contains_val(w, v);
    case STARTS: return v->kind != STR ? UNKNOWN : strncmp(v->text, w->text, part) == 0;
    case ENDS:
        return v->kind != STR ? UNKNOWN : len >= part && strcmp(v->text + len - part, w->text) == 0;
    case CONTAINS:
        if (v->kind == ARR) return contains_val(v, w);
        return v->kind == STR && w->kind == STR ? strstr(v->text, w->text) != NULL : UNKNOWN;
    case MATCHES: return v->kind == STR ? match_truth(n->word, v->text) : UNKNOWN;
    case IS_TYPE: return is_of_type(v, types[n->word]);
    case EXISTS: return TRUE;
    default: return FALSE;
    }
}

static enum truth both(enum truth a, enum truth b) {
    return a == FALSE || b == FALSE ? FALSE : a == UNKNOWN || b == UNKNOWN ? UNKNOWN : TRUE;
}

static enum truth opposite(enum truth a) {
    return a == UNKNOWN ? UNKNOWN : a == TRUE ? FALSE : TRUE;
}

static enum truth naive_path(const struct node *n, const char *path, const struct val *v) {
    if (!*path) return naive_value(n, v);
    if (*path == '.') path++;
    const struct val *found = NULL;
    if (*path == '[') {
        if (v->kind != ARR) return UNKNOWN;
        if (path[1] == '*') {
            enum truth all = TRUE;
            for (size_t i = 0; i < v->count; i++)
                all = both(all, naive_path(n, path + 3, v->items[i]));
            return all;
        }
        if (v->count > 0) found = v->items[0];
        path += 3;
    } else {
        if (v->kind != OBJ) return UNKNOWN;
        for (size_t i = 0; i < v->count; i++)
            if (v->keys[i][0] == *path) found = v->items[i];
        path++;
    }
    if (found) return naive_path(n, path, found);
    if (n->op == EXISTS) return FALSE;
    return n->op == NOT_EXISTS || n->optional ? TRUE : UNKNOWN;
}

static enum truth naive_node(const struct node *n, const struct val *params) {
    if (n->kind == LEAF) return naive_path(n, n->path, params);
    if (n->kind == NOT) return opposite(naive_node(n->items[0], params));
    enum truth all = TRUE;
    for (size_t i = 0; i < n->count; i++) {
        enum truth t = naive_node(n->items[i], params);
        all = both(all, n->kind == ALL ? t : opposite(t));
    }
    return n->kind == ALL ? all : opposite(all);
}

/* ------------------------------------------------------------------ policies */

struct capability {
    const char *pattern;
    size_t count;
    struct node *constraints[3];
    int max_calls; /* -1 none */
    bool ask;
    int used;
};
struct policy {
    size_t count;
    struct capability capabilities[4];
};

static const char *const method_patterns[] = {"m",  "m/a", "m/*", "m/**", "*",
                                              "**", "m/b", "n",   "**/a"};
static const char *const methods[] = {"m", "m/a", "m/b", "n", "m/a/a"};

static bool naive_match(const char *p, const char *m) {
    if (strncmp(p, "**", 2) == 0) {
        const char *rest = p[2] ? p + 3 : p + 2;
        for (;; m = strchr(m, '/') + 1) {
            if (naive_match(rest, m)) return true;
            if (!*m) return false;
            if (!strchr(m, '/')) return naive_match(rest, "");
        }
    }
    if (!*p || !*m) return !*p && !*m;
    size_t a = strcspn(p, "/"), b = strcspn(m, "/");
    if (!(a == 1 && *p == '*') && (a != b || strncmp(p, m, a) != 0)) return false;
    return naive_match(p[a] ? p + a + 1 : p + a, m[b] ? m + b + 1 : m + b);
}

static void random_policy(struct policy *p) {
    *p = (struct policy){.count = 1 + next(3)};
    for (size_t i = 0; i < p->count; i++) {
        struct capability *c = &p->capabilities[i];
        c->pattern = PICK(method_patterns);
        c->max_calls = next(2) ? -1 : (int)next(6);
        c->ask = next(5) == 0;
        c->count = next(3);
        for (size_t j = 0; j < c->count; j++) c->constraints[j] = random_node(2);
    }
}

static size_t print_policy(char *text, const struct policy *p) {
    char *out = text;
    out += sprintf(out, "{\"capabilities\":[");
    for (size_t i = 0; i < p->count; i++) {
        const struct capability *c = &p->capabilities[i];
        out += sprintf(out, "%s{\"method\":\"%s\"", i ? "," : "", c->pattern);
        if (c->max_calls >= 0) out += sprintf(out, ",\"max_calls\":%d", c->max_calls);
        if (c->ask) out += sprintf(out, ",\"ask\":true");
        out += sprintf(out, ",\"constraints\":[");
        for (size_t j = 0; j < c->count; j++) {
            if (j) out += sprintf(out, ",");
            print_node(&out, c->constraints[j]);
        }
        out += sprintf(out, "]}");
    }
    return (size_t)(sprintf(out, "]}") + (out - text));
}

/* The outcome, and in *index the capability that allows or is spent. */
static int naive_call(struct policy *p, const char *method, const struct val *params, int *index) {
    int spent = -1;
    for (size_t i = 0; i < p->count; i++) {
        struct capability *c = &p->capabilities[i];
        if (!naive_match(c->pattern, method)) continue;
        enum truth all = TRUE;
        for (size_t j = 0; j < c->count; j++)
            all = both(all, naive_node(c->constraints[j], params));
        if (all != TRUE) continue;
        if (c->max_calls < 0 || c->used < c->max_calls) {
            c->used++;
            *index = (int)i;
            return PF_OP_OK;
        }
        if (spent < 0) spent = (int)i;
    }
    *index = spent;
    return spent >= 0 ? PF_OP_LIMIT : PF_OP_DENIED;
}

static struct val *random_params(void) {
    struct val *v = new_val(OBJ);
    for (size_t i = 0; i < 3; i++)
        if (next(4)) {
            v->keys[v->count] = names[i];
            v->items[v->count++] = random_val(2);
        }
    return v;
}

static cap_gate *gate_of(const char *json, size_t len) {
    cap_gate *gate;
    pf_error error = {0};
    if (cap_gate_new(&gate, &error) != PF_OK ||
        cap_gate_set_policy(gate, json, len, &error) != PF_OK) {
        fprintf(stderr, "%s\n%s\n", json, error.message);
        abort();
    }
    cap_gate_set_catch_all(gate, true);
    return gate;
}

static char text[1 << 20], other[1 << 20], payload[1 << 16];

static const char *print_payload(const char *method, const struct val *params) {
    char *out = payload;
    out += sprintf(out, "{\"tool\":\"%s\",\"params\":", method);
    print_val(&out, params);
    sprintf(out, "}");
    return payload;
}

static int gate_call(cap_gate *gate, const char *json, int *index) {
    struct cap_decision d;
    if (cap_gate_check(gate, json, strlen(json), &d, NULL) != PF_OK) abort();
    int outcome = d.outcome;
    *index = outcome == PF_OP_DENIED ? -1 : d.capability;
    CHECK((d.message != NULL) == (outcome != PF_OP_OK));
    cap_decision_free(&d);
    return outcome;
}

static int allowed_calls, inside_count, inside_allowed;

static bool decisions_agree(void) {
    struct policy p;
    random_policy(&p);
    cap_gate *gate = gate_of(text, print_policy(text, &p));
    bool good = true;
    for (int i = 0; good && i < 12; i++) {
        const char *method = PICK(methods);
        size_t mark = pooled;
        struct val *params = random_params();
        int index, wanted_index;
        int wanted = naive_call(&p, method, params, &wanted_index);
        int outcome = gate_call(gate, print_payload(method, params), &index);
        good = outcome == wanted && index == wanted_index;
        if (!good)
            fprintf(stderr, "%s\n%s\n-> %d by %d, not %d by %d\n", text, payload, outcome, index,
                    wanted, wanted_index);
        allowed_calls += outcome == PF_OP_OK;
        pooled = mark;
    }
    cap_gate_free(gate);
    return good;
}

/* ------------------------------------------------------------------ attenuation */

static struct node *copy_node(const struct node *n) {
    struct node *copy = new_node();
    *copy = *n;
    for (size_t i = 0; i < n->count; i++) copy->items[i] = copy_node(n->items[i]);
    return copy;
}

/* A small change, in whichever direction. */
static void disturb(struct node *n) {
    if (n->kind != LEAF && next(3)) {
        disturb(n->items[next((unsigned)n->count)]);
        return;
    }
    if (n->kind == ALL || n->kind == ANY) {
        if (n->count > 1 && next(2))
            n->count--;
        else if (n->count < 3)
            n->items[n->count++] = random_leaf();
        return;
    }
    if (n->kind == NOT) return;
    if (n->op <= GE && next(2)) {
        n->op = (enum op)(n->op ^ 1); /* < and <=, > and >= */
    } else if (n->value && n->value->kind == NUM) {
        struct val *v = new_val(NUM);
        v->number = n->value->number + 4 * ((int)next(3) - 1);
        n->value = v;
    } else if (n->op == EQ && next(2)) {
        struct val *v = new_val(ARR);
        v->items[v->count++] = n->value;
        n->op = IN;
        n->value = v;
    } else if (n->op >= IN && n->op <= NOT_IN && n->value->count && next(2)) {
        struct val *v = new_val(ARR);
        *v = *n->value;
        v->count--;
        n->value = v;
    } else if (n->op == STARTS && next(2)) {
        n->op = CONTAINS;
    } else if (n->op < EXISTS && next(2)) {
        n->optional = !n->optional;
    } else {
        struct node *leaf = random_leaf();
        leaf->path = n->path;
        *n = *leaf;
    }
}

static const char *narrower(const char *pattern) {
    if (next(2)) return pattern;
    if (strcmp(pattern, "**") == 0) return PICK(method_patterns);
    if (strcmp(pattern, "m/**") == 0) return next(2) ? "m/*" : "m";
    if (strcmp(pattern, "m/*") == 0) return next(2) ? "m/a" : "m/b";
    return pattern;
}

static void make_child(struct policy *child, const struct policy *parent) {
    *child = (struct policy){.count = 1 + next(3)};
    for (size_t i = 0; i < child->count; i++) {
        struct capability *c = &child->capabilities[i];
        const struct capability *from = &parent->capabilities[next((unsigned)parent->count)];
        *c = *from;
        c->pattern = narrower(c->pattern);
        for (size_t j = 0; j < c->count; j++) {
            c->constraints[j] = copy_node(c->constraints[j]);
            for (unsigned k = next(3); k > 0; k--) disturb(c->constraints[j]);
        }
        if (c->count < 3 && next(3) == 0) c->constraints[c->count++] = random_node(1);
        if (c->max_calls > 0 && next(2)) c->max_calls -= (int)next(3);
        if (next(4) == 0) c->max_calls = (int)next(3);
        if (c->max_calls < -1) c->max_calls = 0;
        if (next(8) == 0) c->ask = !c->ask;
    }
}

static bool is_sound(void) {
    struct policy parent, child;
    random_policy(&parent);
    if (next(8) == 0)
        random_policy(&child);
    else
        make_child(&child, &parent);
    size_t len = print_policy(text, &parent), other_len = print_policy(other, &child);
    bool inside;
    pf_error error;
    if (cap_policy_is_subset(other, other_len, text, len, &inside, NULL, &error) != PF_OK) abort();
    if (!inside) return true;
    inside_count++;
    cap_gate *p = gate_of(text, len), *c = gate_of(other, other_len);
    bool good = true;
    for (int i = 0; good && i < 40; i++) {
        size_t mark = pooled;
        int by, index;
        const char *json = print_payload(PICK(methods), random_params());
        if (gate_call(c, json, &by) == PF_OP_OK) {
            inside_allowed++;
            good = gate_call(p, json, &index) == PF_OP_OK &&
                   (cap_gate_asks(c, by) || !cap_gate_asks(p, index));
            if (!good)
                fprintf(stderr, "parent %s\nchild %s\ncall %d: %s\n", text, other, i, payload);
        }
        pooled = mark;
    }
    cap_gate_free(p);
    cap_gate_free(c);
    return good;
}

/* The normal form decides as the policy it was made from. */
static bool normal_form_agrees(void) {
    struct policy p;
    random_policy(&p);
    size_t len = print_policy(text, &p), normal_len;
    char *normal;
    pf_error error;
    if (cap_policy_normalize(text, len, &normal, &normal_len, &error) != PF_OK) abort();
    cap_gate *a = gate_of(text, len), *b = gate_of(normal, normal_len);
    bool good = true;
    for (int i = 0; good && i < 5; i++) {
        const char *json = print_payload(PICK(methods), random_params());
        int x, y;
        good = gate_call(a, json, &x) == gate_call(b, json, &y) && x == y;
    }
    bool inside = false;
    cap_policy_is_subset(normal, normal_len, text, len, &inside, NULL, &error);
    good = good && inside;
    if (!good) fprintf(stderr, "%s\n%s\n%s\n", text, normal, payload);
    free(normal);
    cap_gate_free(a);
    cap_gate_free(b);
    return good;
}

static void repeat(bool test(void), const char *name, uint64_t seed, int rounds) {
    for (int i = 0; i < rounds; i++) {
        uint64_t this_seed = seed + (uint64_t)i;
        state = this_seed * 0x9e3779b97f4a7c15u;
        pooled = noded = 0;
        bool good = test();
        if (!good) fprintf(stderr, "%s: seed %ju\n", name, (uintmax_t)this_seed);
        CHECK(good);
        if (!good) return;
    }
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int rounds = argc > 1 ? 1 : 6000;
    if (argc > 2) rounds = atoi(argv[2]);
    repeat(decisions_agree, "decisions", seed, rounds);
    repeat(is_sound, "attenuation", seed, rounds * 4);
    repeat(normal_form_agrees, "normal form", seed, rounds / 4 + 1);
    printf("%d calls allowed; %d policies inside others, which allowed %d calls\n", allowed_calls,
           inside_count, inside_allowed);
    if (argc < 2) CHECK(allowed_calls > 2000 && inside_count > 1000 && inside_allowed > 2000);
    return check_report();
}
