/*
 * The bytes choose an expression of shell arithmetic, which is written out with as few parentheses
 * as the manual's table of precedences asks for, and computed here from its tree: arith_eval() must
 * say the same.
 */
#include "fuzz.h"
#include "fuzz_sh.h"

#include <string.h>

struct input {
    const uint8_t *at, *end;
    int nodes;
};

static unsigned byte(struct input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

/* Binary operators from loose to tight; 0 is the comma. */
enum {
    COMMA,
    TERNARY = 2,
    OR,
    AND,
    BITOR,
    XOR,
    BITAND,
    EQUAL,
    LESS,
    SHIFT,
    SUM,
    PRODUCT,
    POWER,
    UNARY,
    PRIMARY
};
static const struct {
    const char *text;
    int level;
} operators[] = {
    {"||", OR},     {"&&", AND},    {"|", BITOR},   {"^", XOR},    {"&", BITAND},
    {"==", EQUAL},  {"!=", EQUAL},  {"<", LESS},    {">", LESS},   {"<=", LESS},
    {">=", LESS},   {"<<", SHIFT},  {">>", SHIFT},  {"+", SUM},    {"-", SUM},
    {"*", PRODUCT}, {"/", PRODUCT}, {"%", PRODUCT}, {"**", POWER}, {",", COMMA},
};
enum { OPERATORS = sizeof operators / sizeof *operators };

struct value {
    int64_t number;
    bool bad; /* a division by zero: an error, if it is computed at all */
};

static struct value compute(unsigned op, struct value a, struct value b) {
    uint64_t x = (uint64_t)a.number, y = (uint64_t)b.number;
    struct value v = {0, a.bad || b.bad};
    switch (op) {
    case 0:
        return a.bad || a.number ? (struct value){1, a.bad} : (struct value){b.number != 0, b.bad};
    case 1:
        return a.bad || !a.number ? (struct value){0, a.bad} : (struct value){b.number != 0, b.bad};
    case 2: v.number = (int64_t)(x | y); break;
    case 3: v.number = (int64_t)(x ^ y); break;
    case 4: v.number = (int64_t)(x & y); break;
    case 5: v.number = a.number == b.number; break;
    case 6: v.number = a.number != b.number; break;
    case 7: v.number = a.number < b.number; break;
    case 8: v.number = a.number > b.number; break;
    case 9: v.number = a.number <= b.number; break;
    case 10: v.number = a.number >= b.number; break;
    case 11: v.number = (int64_t)(x << (y & 63)); break;
    case 12: v.number = a.number >> (y & 63); break;
    case 13: v.number = (int64_t)(x + y); break;
    case 14: v.number = (int64_t)(x - y); break;
    case 15: v.number = (int64_t)(x * y); break;
    case 16:
    case 17:
        if (b.number == 0)
            v.bad = true;
        else if (b.number == -1)
            v.number = op == 16 ? (int64_t)(0 - x) : 0;
        else
            v.number = op == 16 ? a.number / b.number : a.number % b.number;
        break;
    case 18: {
        uint64_t power = 1;
        for (uint64_t e = y, base = x; e; e >>= 1, base *= base)
            if (e & 1) power *= base;
        v.number = (int64_t)power;
        break;
    }
    default: v.number = b.number;
    }
    return v;
}

static struct value expression(struct input *in, sb *out, int level, int depth);

static struct value leaf(struct input *in, sb *out) {
    static const int64_t some[] = {0, 1, 2, 3, 7, 8, 63, 64, 255, INT32_MAX, INT64_MAX};
    unsigned n = byte(in);
    int64_t value = n < 128 ? some[n % 11] : (int64_t)byte(in) << 8 | byte(in);
    if (n % 3 == 0)
        sb_printf(out, "0x%llx", (unsigned long long)value);
    else if (n % 3 == 1 && n < 64)
        sb_printf(out, "0%llo", (unsigned long long)value);
    else
        sb_printf(out, "%lld", (long long)value);
    return (struct value){value, false};
}

static struct value unary(struct input *in, sb *out, int depth) {
    unsigned which = byte(in) % 4;
    sb_putc(out, "-+!~"[which]);
    sb_putc(out, ' '); /* - -1 is not --1 */
    struct value v = expression(in, out, UNARY, depth + 1);
    uint64_t x = (uint64_t)v.number;
    v.number = which == 0   ? (int64_t)(0 - x)
               : which == 1 ? v.number
               : which == 2 ? v.number == 0
                            : (int64_t)~x;
    return v;
}

static struct value choice(struct input *in, sb *out, int depth) {
    struct value c = expression(in, out, TERNARY + 1, depth + 1);
    sb_puts(out, " ? ");
    struct value a = expression(in, out, COMMA, depth + 1);
    sb_puts(out, " : ");
    struct value b = expression(in, out, TERNARY, depth + 1);
    return c.bad ? c : c.number ? a : b;
}

/* An expression that may stand where `level` is asked for. */
static struct value expression(struct input *in, sb *out, int level, int depth) {
    unsigned n = byte(in);
    if (++in->nodes > 60 || depth > 12 || n < 70) return leaf(in, out);
    int mine = n < 100 ? UNARY : n < 120 ? TERNARY : operators[n % OPERATORS].level;
    bool closed = mine < level || n % 16 == 0;
    struct value v;
    if (closed) sb_putc(out, '(');
    if (mine == UNARY) {
        v = unary(in, out, depth);
    } else if (mine == TERNARY) {
        v = choice(in, out, depth);
    } else {
        bool right = mine == POWER; /* which groups to the right */
        struct value a = expression(in, out, mine + right, depth + 1);
        sb_printf(out, " %s ", operators[n % OPERATORS].text);
        /* bash refuses a negative exponent even where it computes nothing. */
        struct value b = right ? leaf(in, out) : expression(in, out, mine + 1, depth + 1);
        v = compute(n % OPERATORS, a, b);
    }
    if (closed) sb_putc(out, ')');
    return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct shell *sh = the_shell();
    struct input in = {.at = data, .end = data + size};
    sh->stack_limit = 4u << 20;
    sh->stack_base = (char *)&sh;
    arena_mark mark = arena_here(&sh->tmp);
    sb text = {0};
    struct value want = expression(&in, &text, COMMA, 0);
    int64_t got = 0;
    bool good = arith_eval(sh, sb_str(&text), &got, "((");
    if (good != !want.bad || (good && got != want.number)) {
        printf("%s\ngot %d %lld, wanted %d %lld\n", sb_str(&text), good, (long long)got, !want.bad,
               (long long)want.number);
        fflush(stdout);
    }
    MUST(good == !want.bad && (!good || got == want.number));
    sb_free(&text);
    arena_release(&sh->tmp, mark);
    sh->flow = FLOW_NONE;
    sh->status = 0;
    return 0;
}
