/*
 * run.c: executes code.
 *
 * One function does, with a stack of its own: calls of the program's functions do not recurse here.
 * Only comparison functions of sorts and BEGINFILE rules begin it anew, to a bounded depth. Whoever
 * keeps a pointer into the stack must not let anything run meanwhile: it may move.
 */
#include "code.h"
#include "machine.h"
#include "pf.h"

#include <stdlib.h>

typedef struct {
    uint32_t back; /* where to go on */
    int32_t function;
    size_t frame; /* of the caller */
} call_frame;

enum outcome { FINISHED, SAID_NEXT, SAID_NEXTFILE, SAID_EXIT };
enum { STOP_NESTING = 40, PATIENCE = 2000 };

struct machine machine;

static struct program *prog;
static call_frame *frames;
static size_t frame_count, frame_cap;
static int nesting;
static int patience = PATIENCE;
static int group_now;

static inline void take_turns(void) {
    if (--patience > 0) return;
    patience = PATIENCE;
    pf_yield();
}

/* The stack */

static void ensure_stack(size_t need) {
    if (machine.top + need < machine.cap) return;
    if (machine.top + need > AWK_STACK_MAX) awk_fatal("function calls are nested too deeply");
    size_t cap = machine.cap * 2 + need;
    machine.stack = g_resize(machine.stack, cap, sizeof *machine.stack);
    machine.cap = cap;
}

static void drop_to(size_t top) {
    while (machine.top > top) {
        value *v = &machine.stack[--machine.top];
        if (v->kind == CURSOR)
            cursor_free(v->cursor);
        else
            value_drop(v);
    }
}

void run_where(g_text *out) {
    if (!prog || !machine.pc) return;
    const code_line *line = &prog->lines[machine.pc - prog->code];
    if (line->line == 0) return;
    g_text_addf(out, "%s%s%u: ", line->source ? line->source : "cmd. line", ":",
                (unsigned)line->line);
    if (awk.fnr > 0) {
        char room[NUMBER_TEXT_MAX];
        size_t len;
        const char *name = value_bytes(&awk.globals[V_FILENAME], awk.convfmt, room, &len);
        g_text_addf(out, "(FILENAME=%.*s FNR=%lld) ", (int)len, name, (long long)awk.fnr);
    }
}

const char *run_variable_name(bool local, int slot) {
    if (!local) return prog->global_names[slot]->s;
    return prog->functions[frames[frame_count - 1].function].param_names[slot]->s;
}

int run_find_function(const char *name, size_t len) {
    for (size_t i = 0; i < prog->function_count; i++) {
        const awk_text *n = prog->functions[i].name;
        if (n->len == len && memcmp(n->s, name, len) == 0) return (int)i;
    }
    return -1;
}

/* Begins a call whose arguments are on the stack. */
static uint32_t enter(int function, int count, uint32_t back) {
    const function_code *f = &prog->functions[function];
    if (frame_count == frame_cap) frames = g_more(frames, &frame_cap, sizeof *frames);
    if (frame_count >= AWK_CALLS_MAX) awk_fatal("function calls are nested too deeply");
    ensure_stack(f->size + (size_t)f->params + 8);
    frames[frame_count++] = (call_frame){back, function, machine.frame};
    machine.frame = machine.top - (size_t)count;
    for (int i = count; i < f->params; i++) machine.stack[machine.top++] = value_unset();
    return f->entry;
}

/* The way back; the result is on top. */
static uint32_t leave(void) {
    value result = machine.stack[--machine.top];
    drop_to(machine.frame);
    machine.stack[machine.top++] = result;
    call_frame f = frames[--frame_count];
    machine.frame = f.frame;
    return f.back;
}

double operation_apply(enum operation op, double a, double b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUBTRACT: return a - b;
    case OP_MULTIPLY: return a * b;
    case OP_DIVIDE:
        if (b == 0) awk_fatal("division by zero attempted");
        return a / b;
    case OP_MODULO:
        if (b == 0) awk_fatal("division by zero attempted in `%%'");
        return fmod(a, b);
    case OP_POWER: break;
    }
    if (b == trunc(b) && fabs(b) < INT32_MAX) {
        int n = (int)fabs(b);
        double result = 1;
        for (; n; n >>= 1) {
            if (n & 1) result *= a;
            a *= a;
        }
        return b < 0 ? 1 / result : result;
    }
    return pow(a, b);
}

static inline double number_of(value *v) {
    return v->kind == NUMBER ? v->num : value_to_number(v);
}

static inline bool compare_numbers(enum comparison op, double a, double b) {
    switch (op) {
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case EQUAL: return a == b;
    case NOT_EQUAL: return a != b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    }
    return false;
}

static inline bool holds(enum comparison op, value *a, value *b) {
    if (a->kind == NUMBER && b->kind == NUMBER) return compare_numbers(op, a->num, b->num);
    value_settle(a);
    value_settle(b);
    bool numeric_a = a->kind == NUMBER || a->kind == STRNUM,
         numeric_b = b->kind == NUMBER || b->kind == STRNUM;
    if (numeric_a && numeric_b) return compare_numbers(op, a->num, b->num);
    if ((op == EQUAL || op == NOT_EQUAL) && a->kind == STRING && b->kind == STRING)
        return text_equal(a->text, b->text) == (op == EQUAL);
    int order = value_compare(a, b);
    switch (op) {
    case LESS: return order < 0;
    case LESS_EQUAL: return order <= 0;
    case EQUAL: return order == 0;
    case NOT_EQUAL: return order != 0;
    case GREATER: return order > 0;
    case GREATER_EQUAL: return order >= 0;
    }
    return false;
}

static bool matches(value *text, awk_regex *re) {
    char room[NUMBER_TEXT_MAX];
    size_t len;
    const char *s = value_bytes(text, awk.convfmt, room, &len);
    return regex_test(re, s, len);
}

/* n values become one text. */
static value concat(value *values, size_t count) {
    char room[NUMBER_TEXT_MAX];
    size_t len, total = 0;
    if (count == 2 && values[0].kind == STRING && values[1].kind == STRING) {
        awk_text *a = values[0].text, *b = values[1].text;
        awk_text *out = text_new((size_t)a->len + b->len);
        memcpy(out->s, a->s, a->len);
        memcpy(out->s + a->len, b->s, b->len);
        text_drop(a);
        text_drop(b);
        return value_text(out);
    }
    for (size_t i = 0; i < count; i++) {
        value *v = &values[i];
        if (v->kind == NUMBER) *v = value_text(number_text(v->num, awk.convfmt));
        value_bytes(v, awk.convfmt, room, &len);
        total += len;
    }
    awk_text *out = text_new(total);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const char *s = value_bytes(&values[i], awk.convfmt, room, &len);
        memcpy(out->s + at, s, len);
        at += len;
        value_drop(&values[i]);
    }
    return value_text(out);
}

static value subscript(value *values, size_t count) {
    g_text out = {0};
    char room[NUMBER_TEXT_MAX];
    size_t len;
    for (size_t i = 0; i < count; i++) {
        if (i) g_text_add(&out, awk.subsep->s, awk.subsep->len);
        const char *s = value_bytes(&values[i], awk.convfmt, room, &len);
        g_text_add(&out, s, len);
        value_drop(&values[i]);
    }
    value result = value_text(text_of(out.s ? out.s : "", out.len));
    g_text_free(&out);
    return result;
}

static int64_t field_number(value *v) {
    double n = number_of(v);
    if (!(n >= 0)) awk_fatal("attempt to access field %.0f", trunc(n));
    if (n > AWK_FIELD_MAX) awk_fatal("attempt to access field %.0f", trunc(n));
    return (int64_t)n;
}

static void print_values(stream *to, value *values, size_t count) {
    char room[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < count; i++) {
        size_t len;
        if (i) {
            if (to)
                stream_put(to, awk.ofs->s, awk.ofs->len);
            else
                g_out(awk.ofs->s, awk.ofs->len);
        }
        const char *s = value_bytes(&values[i], awk.ofmt, room, &len);
        if (to)
            stream_put(to, s, len);
        else
            g_out(s, len);
        value_drop(&values[i]);
    }
    if (to)
        stream_put(to, awk.ors->s, awk.ors->len);
    else
        g_out(awk.ors->s, awk.ors->len);
    if (to) stream_done(to);
}

static void print_formatted(stream *to, value *values, size_t count) {
    static g_text out;
    out.len = 0;
    format_values(&out, &values[0], values + 1, count - 1);
    if (to) {
        stream_put(to, out.s ? out.s : "", out.len);
        stream_done(to);
    } else {
        g_out(out.s ? out.s : "", out.len);
    }
    for (size_t i = 0; i < count; i++) value_drop(&values[i]);
}

static double getline_into(enum redirection how, enum place place, int slot, value *parts) {
    const char *s;
    size_t len;
    int got;
    if (how == TO_STDOUT) {
        if (place != AT_NOWHERE) record_own();
        if (group_now == GROUP_BEGINFILE || group_now == GROUP_ENDFILE)
            awk_fatal("non-redirected `getline' invalid inside `%s' rule",
                      group_now == GROUP_BEGINFILE ? "BEGINFILE" : "ENDFILE");
        got = input_next(&s, &len);
        parts = &machine.stack[machine.top - place_parts(place)]; /* the stack may have moved */
    } else {
        stream *from = stream_get(how, parts - 1);
        if (!from) return -1;
        got = stream_read(from, &s, &len);
    }
    if (got <= 0) return got;
    awk_text *text = text_of(s, len);
    if (place == AT_NOWHERE)
        record_set(text);
    else
        place_store(place, slot, parts, value_input(text));
    return 1;
}

static enum outcome execute(uint32_t from);

static enum outcome nested(uint32_t from) {
    if (++nesting > STOP_NESTING) awk_fatal("comparison functions are nested too deeply");
    instruction *pc = machine.pc;
    enum outcome outcome = execute(from);
    machine.pc = pc;
    nesting--;
    return outcome;
}

/* Where a nested execution comes to its end: the last instruction of BEGIN. */
static uint32_t stop_at(void) {
    return prog->entries[GROUP_BEGIN] + prog->sizes[GROUP_BEGIN] - 1;
}

/* Drops the arguments beyond those that the function declares; how many there are then. */
static int declared_only(int function, int count) {
    int declared = prog->functions[function].params;
    if (count <= declared) return count;
    awk_warn("function `%s' called with more arguments than declared",
             prog->functions[function].name->s);
    machine.top -= (size_t)(count - declared);
    drop_values(machine.stack + machine.top, count - declared);
    return declared;
}

double run_call(int function, value *args, int count) {
    ensure_stack((size_t)count + 2);
    if (count > prog->functions[function].params)
        awk_fatal("function `%s' called with more arguments than declared",
                  prog->functions[function].name->s);
    size_t top = machine.top, frame = machine.frame, calls = frame_count;
    for (int i = 0; i < count; i++) machine.stack[machine.top++] = args[i];
    double result = 0;
    if (nested(enter(function, count, stop_at())) == FINISHED)
        result = value_to_number(&machine.stack[machine.top - 1]);
    drop_to(top);
    machine.frame = frame;
    frame_count = calls;
    return result;
}

bool run_has_rules(int group) {
    return prog->has[group];
}

static enum outcome run_group(int group) {
    size_t top = machine.top, frame = machine.frame, calls = frame_count;
    int before = group_now;
    group_now = group;
    ensure_stack(prog->sizes[group] + 8);
    enum outcome outcome = nested(prog->entries[group]);
    drop_to(top);
    machine.frame = frame;
    frame_count = calls;
    group_now = before;
    return outcome;
}

bool run_rules(int group) {
    if (!prog->has[group]) return false;
    return run_group(group) == SAID_NEXTFILE;
}

#define PUSH(v) (*sp++ = (v))
#define SAVE()  (machine.top = (size_t)(sp - machine.stack), machine.pc = pc)
#define LOAD()  (sp = machine.stack + machine.top, locals = machine.stack + machine.frame)

static enum outcome execute(uint32_t from) {
    instruction *pc = prog->code + from;
    value *sp, *locals, *globals = awk.globals;
    LOAD();
    for (;; pc++) {
        machine.pc = pc;
        switch ((enum opcode)pc->opcode) {
        case I_STOP: SAVE(); return FINISHED;
        case I_CONSTANT: PUSH(value_copy(&prog->constants[pc->a])); break;
        case I_REGEX: PUSH(((value){.regex = prog->regexes[pc->a], .kind = REGEX})); break;
        case I_SPECIAL: run_sync_special(pc->a); /* fall through */
        case I_GLOBAL: {
            value *v = &globals[pc->a];
            if (v->kind >= REGEX) scalar_needed(v, false, pc->a);
            PUSH(value_copy(v));
            break;
        }
        case I_LOCAL: {
            value *v = &locals[pc->a];
            if (v->kind > REGEX) {
                scalar_needed(v, true, pc->a);
                PUSH(value_unset());
            } else {
                PUSH(value_copy(v));
            }
            break;
        }
        case I_FIELD: PUSH(value_copy(record_field(pc->a))); break;
        case I_FIELD_NUMBER: PUSH(value_number(record_field_number(pc->a))); break;
        case I_FIELD_AT: {
            int64_t n = field_number(&sp[-1]);
            value_drop(&sp[-1]);
            sp[-1] = value_copy(record_field(n));
            break;
        }
        case I_ELEMENT: {
            value *v = array_at(sp[-2].array, &sp[-1]);
            if (v->kind == ARRAY) awk_fatal("attempt to use array in a scalar context");
            value copy = value_copy(v);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp--;
            sp[-1] = copy;
            break;
        }
        case I_ARRAY_GLOBAL: {
            value *v = &globals[pc->a];
            if (v->kind != ARRAY) make_array(v, false, pc->a);
            array_keep(v->array);
            PUSH(*v);
            break;
        }
        case I_ARRAY_LOCAL: {
            value *v = &locals[pc->a];
            if (v->kind != ARRAY) make_array(v, true, pc->a);
            array_keep(v->array);
            PUSH(*v);
            break;
        }
        case I_SUBARRAY: {
            value *v = array_at(sp[-2].array, &sp[-1]);
            if (v->kind == UNSET) *v = (value){.array = array_new(), .kind = ARRAY};
            if (v->kind != ARRAY) awk_fatal("attempt to use a scalar value as array");
            value copy = *v;
            array_keep(copy.array);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp--;
            sp[-1] = copy;
            break;
        }
        case I_SUBSCRIPT: {
            sp -= pc->n;
            value v = subscript(sp, pc->n);
            PUSH(v);
            break;
        }
        case I_ARGUMENT_GLOBAL: {
            value *v = &globals[pc->a];
            if (v->kind == UNSET && v->num == 0)
                PUSH(outer_variable(AT_GLOBAL, (size_t)pc->a));
            else if (v->kind == ARRAY) {
                array_keep(v->array);
                PUSH(*v);
            } else
                PUSH(value_copy(v));
            break;
        }
        case I_ARGUMENT_LOCAL: {
            value *v = &locals[pc->a];
            if (v->kind == OUTER) settle_outer(v);
            if (v->kind == OUTER) {
                v->outer->refs++;
                PUSH(*v);
            } else if (v->kind == UNSET && v->num == 0)
                PUSH(outer_variable(AT_LOCAL, (size_t)(v - machine.stack)));
            else if (v->kind == ARRAY) {
                array_keep(v->array);
                PUSH(*v);
            } else
                PUSH(value_copy(v));
            break;
        }
        case I_ARGUMENT_ELEMENT: {
            value *v = array_at(sp[-2].array, &sp[-1]);
            if (v->kind == UNSET && v->num == 0) {
                value outer = outer_element(sp[-2].array, sp[-1]);
                sp--;
                sp[-1] = outer;
                break;
            }
            if (v->kind == ARRAY) array_keep(v->array);
            value copy = value_copy(v);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp--;
            sp[-1] = copy;
            break;
        }
        case I_STORE: {
            if (pc->sub == AT_GLOBAL) {
                value *to = &globals[pc->a];
                if (to->kind == ARRAY) scalar_needed(to, false, pc->a);
                if (sp[-1].kind == UNSET) sp[-1].num = 1; /* for typeof */
                if (pc->n)
                    value_assign(to, value_copy(&sp[-1]));
                else
                    value_assign(to, *--sp);
                break;
            }
            size_t parts = place_parts(pc->sub);
            value *at = sp - parts, *v = at - 1;
            if (pc->n) {
                value copy = value_copy(v);
                place_store(pc->sub, pc->a, at, copy);
                drop_values(at, parts);
                sp = at;
            } else {
                place_store(pc->sub, pc->a, at, *v);
                drop_values(at, parts);
                sp = v;
            }
            break;
        }
        case I_UPDATE: {
            size_t parts = place_parts(pc->sub);
            value *at = sp - parts, *v = at - 1;
            double right = number_of(v), result;
            value *direct = place_direct(pc->sub, pc->a, at);
            enum operation op = (enum operation)(pc->n >> 1);
            value_drop(v);
            if (right == 0 && (op == OP_DIVIDE || op == OP_MODULO))
                awk_fatal("division by zero attempted in `%c='", op == OP_DIVIDE ? '/' : '%');
            if (direct) {
                double left = number_of(direct);
                result = op == OP_ADD ? left + right : operation_apply(op, left, right);
                value_drop(direct);
                *direct = value_number(result);
            } else {
                result = operation_apply(op, place_number(pc->sub, pc->a, at), right);
                place_store(pc->sub, pc->a, at, value_number(result));
            }
            drop_values(at, parts);
            sp = v;
            if (pc->n & 1) PUSH(value_number(result));
            break;
        }
        case I_STEP: {
            size_t parts = place_parts(pc->sub);
            value *at = sp - parts, *direct = place_direct(pc->sub, pc->a, at);
            int kind = pc->n >> 1; /* enum step */
            double old = direct ? number_of(direct) : place_number(pc->sub, pc->a, at);
            double now = old + (kind == 0 || kind == 2 ? 1 : -1);
            if (direct) {
                value_drop(direct);
                *direct = value_number(now);
            } else {
                place_store(pc->sub, pc->a, at, value_number(now));
            }
            drop_values(at, parts);
            sp = at;
            if (pc->n & 1) PUSH(value_number(kind >= 2 ? old : now));
            break;
        }
        case I_APPEND: {
            value *to = pc->sub == AT_LOCAL ? &locals[pc->a] : &globals[pc->a];
            if (to->kind > REGEX) scalar_needed(to, pc->sub == AT_LOCAL, pc->a);
            char room[NUMBER_TEXT_MAX];
            size_t len;
            awk_text *text = value_to_text(to, awk.convfmt);
            value_drop(to);
            to->kind = UNSET;
            const char *s = value_bytes(&sp[-1], awk.convfmt, room, &len);
            *to = value_text(text_append(text, s, len));
            value_drop(--sp);
            break;
        }
        case I_OPERATE: {
            double b = number_of(&sp[-1]), a = number_of(&sp[-2]);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp--;
            switch (pc->sub) {
            case OP_ADD: a += b; break;
            case OP_SUBTRACT: a -= b; break;
            case OP_MULTIPLY: a *= b; break;
            default: a = operation_apply(pc->sub, a, b);
            }
            sp[-1] = value_number(a);
            break;
        }
        case I_NEGATE:
        case I_PLUS: {
            double n = number_of(&sp[-1]);
            value_drop(&sp[-1]);
            sp[-1] = value_number(pc->opcode == I_NEGATE ? -n : n);
            break;
        }
        case I_NOT: {
            bool is = value_is_true(&sp[-1]);
            value_drop(&sp[-1]);
            sp[-1] = value_number(!is);
            break;
        }
        case I_COMPARE:
        case I_JUMP_COMPARE: {
            bool is = holds(pc->sub, &sp[-2], &sp[-1]);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp -= 2;
            if (pc->opcode == I_COMPARE)
                PUSH(value_number(is));
            else if (!is)
                pc = prog->code + pc->a - 1;
            break;
        }
        case I_MATCH: {
            bool is = matches(&sp[-2], regex_of(&sp[-1])) != (pc->n != 0);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp--;
            sp[-1] = value_number(is);
            break;
        }
        case I_MATCH_CONSTANT: {
            bool is = matches(&sp[-1], prog->regexes[pc->a]) != (pc->n != 0);
            value_drop(&sp[-1]);
            sp[-1] = value_number(is);
            break;
        }
        case I_MATCH_RECORD: {
            size_t len;
            const char *s = record_bytes(&len);
            PUSH(value_number(regex_test(prog->regexes[pc->a], s, len)));
            break;
        }
        case I_IN: {
            bool is = array_find(sp[-1].array, &sp[-2]) != NULL;
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp--;
            sp[-1] = value_number(is);
            break;
        }
        case I_CONCAT: {
            value v = concat(sp - pc->n, pc->n);
            sp -= pc->n;
            PUSH(v);
            break;
        }
        case I_JUMP: {
            instruction *to = prog->code + pc->a;
            if (to <= pc) {
                SAVE();
                take_turns();
            }
            pc = to - 1;
            break;
        }
        case I_JUMP_FALSE:
        case I_JUMP_TRUE: {
            value *v = --sp;
            bool is = v->kind == NUMBER ? v->num != 0 : value_is_true(v);
            value_drop(v);
            if (is == (pc->opcode == I_JUMP_TRUE)) pc = prog->code + pc->a - 1;
            break;
        }
        case I_RANGE_JUMP:
            if (prog->ranges[pc->n]) pc = prog->code + pc->a - 1;
            break;
        case I_RANGE_SET: prog->ranges[pc->n] = pc->sub; break;
        case I_CASE: {
            bool is;
            if (sp[-1].kind == REGEX) {
                is = matches(&sp[-2], sp[-1].regex);
            } else {
                value copy = value_copy(&sp[-2]);
                value_settle(&copy);
                bool numeric = copy.kind == NUMBER || copy.kind == STRNUM || copy.kind == UNSET;
                if (sp[-1].kind == NUMBER)
                    is = numeric && number_of(&copy) == sp[-1].num;
                else
                    is = copy.kind != NUMBER && copy.kind != STRNUM &&
                         value_compare(&copy, &sp[-1]) == 0;
                value_drop(&copy);
            }
            value_drop(&sp[-1]);
            sp[-1] = value_number(is);
            break;
        }
        case I_POP: {
            value *v = --sp;
            if (v->kind == CURSOR)
                cursor_free(v->cursor);
            else
                value_drop(v);
            break;
        }
        case I_GETLINE: {
            size_t parts = place_parts(pc->sub), all = parts + (pc->n != TO_STDOUT);
            SAVE();
            /* With what it needs above the top, so that rules that run meanwhile stay above it. */
            double got = getline_into((enum redirection)pc->n, pc->sub, pc->a, sp - parts);
            if (awk.exiting) return SAID_EXIT;
            LOAD();
            drop_values(sp - all, all);
            sp -= all;
            PUSH(value_number(got));
            take_turns();
            break;
        }
        case I_PRINT_RECORD: {
            size_t len;
            const char *s = record_bytes(&len);
            g_out(s, len);
            g_out(awk.ors->s, awk.ors->len);
            break;
        }
        case I_PRINT:
        case I_PRINTF: {
            value *values = sp - pc->n;
            stream *to = NULL;
            SAVE();
            if (pc->sub != TO_STDOUT) to = stream_get(pc->sub, values - 1);
            if (pc->opcode == I_PRINT)
                print_values(to, values, pc->n);
            else
                print_formatted(to, values, pc->n);
            sp = values;
            if (pc->sub != TO_STDOUT) value_drop(--sp);
            break;
        }
        case I_CALL:
            SAVE();
            take_turns();
            pc = prog->code + enter(pc->a, declared_only(pc->a, pc->n), (uint32_t)(pc - prog->code) + 1) - 1;
            LOAD();
            break;
        case I_CALL_BY_NAME: {
            value *name = sp - pc->n - 1;
            awk_text *text = value_to_text(name, awk.convfmt);
            int function = run_find_function(text->s, text->len);
            int builtin = function < 0 ? builtin_named(text->s, text->len) : -1;
            SAVE();
            if (function < 0 && builtin < 0)
                awk_fatal("`%s' is not a function, so it cannot be called indirectly", text->s);
            text_drop(text);
            value_drop(name);
            if (builtin >= 0) {
                if (builtin_check(builtin, pc->n) || builtin == BUILTIN_SUB ||
                    builtin == BUILTIN_GSUB)
                    awk_fatal("cannot call built-in function `%s' indirectly",
                              builtin_name(builtin));
                value result = builtin_call(builtin, name + 1, pc->n);
                drop_values(name + 1, pc->n);
                *name = result;
                sp = name + 1;
                break;
            }
            memmove(name, name + 1, pc->n * sizeof *name);
            machine.top--;
            take_turns();
            pc = prog->code + enter(function, declared_only(function, pc->n), (uint32_t)(pc - prog->code) + 1) - 1;
            LOAD();
            break;
        }
        case I_RETURN: {
            SAVE();
            pc = prog->code + leave() - 1;
            LOAD();
            break;
        }
        case I_BUILTIN: {
            SAVE();
            value result = builtin_call(pc->sub, sp - pc->n, pc->n);
            LOAD();
            if (awk.exiting) {
                value_drop(&result);
                return SAID_EXIT;
            }
            sp -= pc->n;
            drop_values(sp, pc->n);
            PUSH(result);
            break;
        }
        case I_SUBSTITUTE: {
            size_t parts = place_parts(pc->sub);
            value *at = sp - parts - (pc->sub == AT_NOWHERE), *regex = at - 2, target;
            if (pc->sub == AT_NOWHERE)
                target = value_copy(at);
            else
                target = place_load(pc->sub, pc->a, at);
            awk_text *out = NULL;
            int64_t count = substitute(pc->n == BUILTIN_GSUB, regex, regex + 1, &target, &out);
            value_drop(&target);
            if (count > 0) {
                if (pc->sub == AT_NOWHERE)
                    text_drop(out);
                else
                    place_store(pc->sub, pc->a, at, value_text(out));
            }
            drop_values(regex, (size_t)(sp - regex));
            sp = regex;
            PUSH(value_number((double)count));
            break;
        }
        case I_LENGTH_OF: {
            value *v = pc->sub == AT_LOCAL ? &locals[pc->a] : &globals[pc->a];
            if (v->kind == OUTER) settle_outer(v);
            if (v->kind == ARRAY) {
                PUSH(value_number((double)array_count(v->array)));
            } else if (v->kind == OUTER) {
                PUSH(value_number(0));
            } else {
                awk_text *text = value_to_text(v, awk.convfmt);
                PUSH(value_number((double)text_chars(text)));
                text_drop(text);
            }
            break;
        }
        case I_NEXT:
            if (group_now != GROUP_MAIN)
                awk_fatal("`next' cannot be called from a `%s' rule", group_name(group_now));
            SAVE();
            return SAID_NEXT;
        case I_NEXTFILE:
            if (group_now != GROUP_MAIN && group_now != GROUP_BEGINFILE)
                awk_fatal("`nextfile' cannot be called from a `%s' rule", group_name(group_now));
            SAVE();
            return SAID_NEXTFILE;
        case I_EXIT:
            if (pc->n) {
                awk.exit_status = (int)(int64_t)number_of(&sp[-1]) & 255;
                value_drop(--sp);
            }
            awk.exiting = true;
            SAVE();
            return SAID_EXIT;
        case I_FOR_IN: {
            SAVE();
            awk_array *array = sp[-1].array;
            awk_cursor *cursor = cursor_new(array);
            LOAD();
            array_drop(array);
            sp[-1] = (value){.cursor = cursor, .kind = CURSOR};
            break;
        }
        case I_FOR_NEXT: {
            value next;
            if (cursor_next(sp[-1].cursor, &next))
                PUSH(next);
            else
                pc = prog->code + pc->a - 1;
            break;
        }
        case I_DELETE:
            array_delete(sp[-2].array, &sp[-1]);
            value_drop(&sp[-1]);
            value_drop(&sp[-2]);
            sp -= 2;
            break;
        case I_CLEAR:
            array_clear(sp[-1].array);
            value_drop(--sp);
            break;
        }
    }
}

/* Rules for each record, until the input or the program ends. */
static void run_main(void) {
    while (!awk.exiting && input_next_record()) {
        take_turns();
        if (!prog->has[GROUP_MAIN]) continue;
        if (run_group(GROUP_MAIN) == SAID_NEXTFILE) input_skip_file();
    }
}

void run_begin(struct program *p) {
    prog = p;
}

void run_program(void) {
    const struct program *p = prog;
    if (p->has[GROUP_BEGIN]) run_group(GROUP_BEGIN);
    bool reads =
        p->has[GROUP_MAIN] || p->has[GROUP_END] || p->has[GROUP_BEGINFILE] || p->has[GROUP_ENDFILE];
    if (!awk.exiting && reads) run_main();
    inplace_end();
    if (p->has[GROUP_END]) {
        awk.exiting = false;
        run_group(GROUP_END);
    }
    machine.pc = NULL;
}
