/*
 * builtin.c: the table of built-in functions, and those on numbers, types and streams.
 */
#include "code.h"
#include "random.h"

#include <stdlib.h>

static const struct {
    const char *name;
    uint8_t least, most;
} builtins[BUILTINS] = {
    {"and", 2, 255},          {"asort", 1, 3},      {"asorti", 1, 3},  {"atan2", 2, 2},
    {"bindtextdomain", 1, 2}, {"close", 1, 2},      {"compl", 1, 1},   {"cos", 1, 1},
    {"dcgettext", 1, 3},      {"dcngettext", 3, 5}, {"exp", 1, 1},     {"fflush", 0, 1},
    {"gensub", 3, 4},         {"gsub", 2, 3},       {"index", 2, 2},   {"int", 1, 1},
    {"isarray", 1, 1},        {"length", 0, 1},     {"log", 1, 1},     {"lshift", 2, 2},
    {"match", 2, 3},          {"mkbool", 1, 1},     {"mktime", 1, 2},  {"or", 2, 255},
    {"patsplit", 2, 4},       {"rand", 0, 0},       {"rshift", 2, 2},  {"sin", 1, 1},
    {"split", 2, 4},          {"sprintf", 1, 255},  {"sqrt", 1, 1},    {"srand", 0, 1},
    {"strftime", 0, 3},       {"strtonum", 1, 1},   {"sub", 2, 3},     {"substr", 2, 3},
    {"system", 1, 1},         {"systime", 0, 0},    {"tolower", 1, 1}, {"toupper", 1, 1},
    {"typeof", 1, 2},         {"xor", 2, 255}};

int builtin_named(const char *name, size_t len) {
    for (int i = 0; i < BUILTINS; i++)
        if (strlen(builtins[i].name) == len && memcmp(builtins[i].name, name, len) == 0) return i;
    return -1;
}

const char *builtin_name(int builtin) {
    return builtins[builtin].name;
}

const char *builtin_check(int builtin, int count) {
    bool right = count >= builtins[builtin].least &&
                 (builtins[builtin].most == 255 || count <= builtins[builtin].most);
    return right ? NULL : builtins[builtin].name;
}

bool builtin_takes_regex(int builtin, int argument) {
    switch (builtin) {
    case BUILTIN_SPLIT:
    case BUILTIN_PATSPLIT: return argument == 2;
    case BUILTIN_MATCH: return argument == 1;
    case BUILTIN_SUB:
    case BUILTIN_GSUB:
    case BUILTIN_GENSUB: return argument == 0;
    }
    return false;
}

bool builtin_takes_array(int builtin, int argument) {
    switch (builtin) {
    case BUILTIN_SPLIT:
    case BUILTIN_PATSPLIT: return argument == 1 || argument == 3;
    case BUILTIN_MATCH: return argument == 2;
    case BUILTIN_ASORT:
    case BUILTIN_ASORTI: return argument < 2;
    }
    return false;
}

static double not_a_number(void) {
    return copysign(NAN, -1);
}

static double arithmetic(enum builtin which, value *args) {
    double n = value_to_number(&args[0]);
    switch (which) {
    case BUILTIN_INT: return trunc(n);
    case BUILTIN_SIN: return sin(n);
    case BUILTIN_COS: return cos(n);
    case BUILTIN_EXP: {
        double result = exp(n);
        if (isinf(result) && isfinite(n)) awk_warn("exp: argument %g is out of range", n);
        return result;
    }
    case BUILTIN_LOG:
        if (n < 0) {
            awk_warn("log: received negative argument %g", n);
            return not_a_number();
        }
        return log(n);
    case BUILTIN_SQRT:
        if (n < 0) {
            awk_warn("sqrt: received negative argument %g", n);
            return not_a_number();
        }
        return sqrt(n);
    default: return atan2(n, value_to_number(&args[1]));
    }
}

/* Results of bit operations lose the high bits that a double cannot hold beside the low ones. */
static double bits_number(uint64_t bits) {
    if (bits == 0) return 0;
    int kept = 53 + __builtin_ctzll(bits);
    return (double)(kept >= 64 ? bits : bits & ((1ull << kept) - 1));
}

static uint64_t bits_of(value *v, const char *name, int argument) {
    double n = value_to_number(v);
    if (!(n >= 0)) awk_fatal("%s: argument %d negative value %g is not allowed", name, argument, n);
    return n < 0x1p64 ? (uint64_t)n : UINT64_MAX;
}

static double bit_operation(enum builtin which, value *args, int count) {
    const char *name = builtin_name(which);
    if (which == BUILTIN_COMPL) {
        double n = value_to_number(&args[0]);
        if (!(n >= 0)) awk_fatal("compl(%f): negative value is not allowed", n);
        return bits_number(~bits_of(&args[0], name, 1));
    }
    if (which == BUILTIN_LSHIFT || which == BUILTIN_RSHIFT) {
        double n = value_to_number(&args[0]), by = value_to_number(&args[1]);
        if (!(n >= 0) || !(by >= 0))
            awk_fatal("%s(%f, %f): negative values are not allowed", name, n, by);
        uint64_t bits = bits_of(&args[0], name, 1);
        if (by >= 64) return 0;
        return bits_number(which == BUILTIN_LSHIFT ? bits << (int)by : bits >> (int)by);
    }
    uint64_t bits = bits_of(&args[0], name, 1);
    for (int i = 1; i < count; i++) {
        uint64_t other = bits_of(&args[i], name, i + 1);
        if (which == BUILTIN_AND)
            bits &= other;
        else if (which == BUILTIN_OR)
            bits |= other;
        else
            bits ^= other;
    }
    return bits_number(bits);
}

static const char *type_name(value *v) {
    value_settle(v);
    switch (v->kind) {
    case NUMBER: return "number";
    case STRING: return v->num == 1 && v->text->len == 0 ? "unassigned" : "string";
    case STRNUM: return "strnum";
    case REGEX: return "regexp";
    case ARRAY: return "array";
    case UNSET: return v->num != 0 ? "unassigned" : "untyped";
    }
    return "untyped";
}

static value close_stream(value *args, int count) {
    char room[NUMBER_TEXT_MAX];
    size_t len;
    awk_text *how = count > 1 ? value_to_text(&args[1], awk.convfmt) : NULL;
    if (how && strcmp(how->s, "to") != 0 && strcmp(how->s, "from") != 0)
        awk_fatal("close: second argument must be `to' or `from'");
    const char *name = value_bytes(&args[0], awk.convfmt, room, &len);
    double result = stream_close(name, len, how ? how->s : NULL);
    if (how) text_drop(how);
    return value_number(result);
}

value builtin_call(enum builtin which, value *args, int count) {
    char room[NUMBER_TEXT_MAX];
    size_t len;
    switch (which) {
    case BUILTIN_INT:
    case BUILTIN_SIN:
    case BUILTIN_COS:
    case BUILTIN_EXP:
    case BUILTIN_LOG:
    case BUILTIN_SQRT:
    case BUILTIN_ATAN2: return value_number(arithmetic(which, args));
    case BUILTIN_AND:
    case BUILTIN_OR:
    case BUILTIN_XOR:
    case BUILTIN_COMPL:
    case BUILTIN_LSHIFT:
    case BUILTIN_RSHIFT: return value_number(bit_operation(which, args, count));
    case BUILTIN_RAND: return value_number(random_next());
    case BUILTIN_SRAND:
        return value_number(random_seed(count > 0, count > 0 ? value_to_number(&args[0]) : 0));
    case BUILTIN_STRTONUM: {
        value_settle(&args[0]);
        if (args[0].kind == NUMBER) return args[0];
        const char *s = value_bytes(&args[0], awk.convfmt, room, &len);
        return value_number(number_strtonum(s, len));
    }
    case BUILTIN_MKBOOL: return value_number(value_is_true(&args[0]));
    case BUILTIN_ISARRAY: return value_number(args[0].kind == ARRAY);
    case BUILTIN_TYPEOF: return value_text(text_ofs(type_name(&args[0])));
    case BUILTIN_ASORT:
    case BUILTIN_ASORTI:
        return value_number(sort_array(args[0].array, count > 1 ? args[1].array : NULL,
                                       count > 2 ? &args[2] : NULL, which == BUILTIN_ASORTI));
    case BUILTIN_CLOSE: return close_stream(args, count);
    case BUILTIN_FFLUSH: {
        bool all = count == 0;
        if (!all) {
            value_bytes(&args[0], awk.convfmt, room, &len);
            all = len == 0;
        }
        return value_number(stream_flush(all ? NULL : &args[0], all));
    }
    case BUILTIN_SYSTEM: {
        const char *s = value_bytes(&args[0], awk.convfmt, room, &len);
        return value_number(stream_system(s, len));
    }
    case BUILTIN_DCGETTEXT: return value_text(value_to_text(&args[0], awk.convfmt));
    case BUILTIN_DCNGETTEXT:
        return value_text(
            value_to_text(&args[value_to_number(&args[2]) == 1 ? 0 : 1], awk.convfmt));
    case BUILTIN_BINDTEXTDOMAIN: return value_text(text_empty());
    case BUILTIN_LENGTH:
    case BUILTIN_SUBSTR:
    case BUILTIN_INDEX:
    case BUILTIN_TOLOWER:
    case BUILTIN_TOUPPER:
    case BUILTIN_SPRINTF: return call_text(which, args, count);
    case BUILTIN_MATCH:
    case BUILTIN_SPLIT:
    case BUILTIN_PATSPLIT:
    case BUILTIN_GENSUB: return call_regex(which, args, count);
    case BUILTIN_STRFTIME:
    case BUILTIN_MKTIME:
    case BUILTIN_SYSTIME: return call_time(which, args, count);
    default: awk_fatal("%s cannot be called here", builtin_name(which));
    }
}
