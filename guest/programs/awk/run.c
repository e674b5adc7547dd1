/*
 * run.c: executes code.
 *
 * One function does, with a stack of its own: calls of the program's functions do not recurse here.
 * Only comparison functions of sorts and BEGINFILE rules begin it anew, to a bounded depth. Code
 * that keeps a pointer into the stack must not let anything run meanwhile: it may move.
 */
#include "operations.h"
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
    if (!prog) return;
    const code_line *line = machine.pc ? &prog->lines[machine.pc - prog->code] : NULL;
    if (line && line->line == 0) return;
    if (line)
        g_text_addf(out, "%s:%u: ", line->source ? line->source : "cmd. line",
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

/* The instruction before the first one of a function whose arguments are on the stack. */
static instruction *begin_call(int function, const instruction *pc) {
    int count = declared_only(function, pc->n);
    return prog->code + enter(function, count, (uint32_t)(pc - prog->code) + 1) - 1;
}

/* getline; pushes what it gave. Other rules may run meanwhile, above what it needs of the stack. */
static void get_line(const instruction *pc) {
    size_t parts = place_parts(pc->sub), all = parts + (pc->n != TO_STDOUT);
    value *at = machine.stack + machine.top - parts;
    double got = getline_into((enum redirection)pc->n, pc->sub, pc->a, at);
    if (awk.exiting) return;
    machine.top -= all;
    drop_values(machine.stack + machine.top, all);
    machine.stack[machine.top++] = value_number(got);
}

/* A builtin with the n values on top; pushes what it gave. */
static void call_builtin(const instruction *pc) {
    value result = builtin_call(pc->sub, machine.stack + machine.top - pc->n, pc->n);
    if (awk.exiting) {
        value_drop(&result);
        return;
    }
    machine.top -= pc->n;
    drop_values(machine.stack + machine.top, pc->n);
    machine.stack[machine.top++] = result;
}

/* The array on top becomes a cursor over its subscripts, whose order a function may decide. */
static void begin_loop(void) {
    awk_array *array = machine.stack[machine.top - 1].array;
    awk_cursor *cursor = cursor_new(array);
    array_drop(array);
    machine.stack[machine.top - 1] = (value){.cursor = cursor, .kind = CURSOR};
}

/* next and nextfile, where the rule may say so. */
static enum outcome next_input(bool file) {
    if (group_now == GROUP_MAIN || (file && group_now == GROUP_BEGINFILE))
        return file ? SAID_NEXTFILE : SAID_NEXT;
    awk_fatal("`%s' cannot be called from a `%s' rule", file ? "nextfile" : "next",
              group_name(group_now));
}

static int exit_status(value *v) {
    int status = (int)(int64_t)number_of(v) & 255;
    value_drop(v);
    return status;
}

#define TARGET() (prog->code + pc->a - 1)
#define SAVE()   (machine.top = (size_t)(sp - machine.stack), machine.pc = pc)
#define LOAD()   (sp = machine.stack + machine.top, locals = machine.stack + machine.frame)

/* An indirect call, of a function or a builtin; gives the instruction before the next one. */
static instruction *call_by_name(value *sp, instruction *pc) {
    value *name = sp - pc->n - 1;
    awk_text *text = value_to_text(name, awk.convfmt);
    int function = run_find_function(text->s, text->len);
    int builtin = function < 0 ? builtin_named(text->s, text->len) : -1;
    machine.top = (size_t)(sp - machine.stack);
    if (function < 0 && builtin < 0)
        awk_fatal("`%s' is not a function, so it cannot be called indirectly", text->s);
    text_drop(text);
    value_drop(name);
    if (builtin >= 0) {
        if (builtin_check(builtin, pc->n) || builtin == BUILTIN_SUB || builtin == BUILTIN_GSUB)
            awk_fatal("cannot call built-in function `%s' indirectly", builtin_name(builtin));
        value result = builtin_call(builtin, name + 1, pc->n);
        drop_values(name + 1, pc->n);
        *name = result;
        machine.top = (size_t)(name + 1 - machine.stack);
        return pc;
    }
    memmove(name, name + 1, pc->n * sizeof *name);
    machine.top--;
    take_turns();
    return begin_call(function, pc);
}

static enum outcome execute(uint32_t from) {
    instruction *pc = prog->code + from;
    value *sp, *locals, *globals = awk.globals, next;
    LOAD();
    for (;; pc++) {
        machine.pc = pc;
        switch ((enum opcode)pc->opcode) {
        case I_STOP: SAVE(); return FINISHED;
        case I_CONSTANT: PUSH(value_copy(&prog->constants[pc->a])); break;
        case I_REGEX: PUSH(((value){.regex = prog->regexes[pc->a], .kind = REGEX})); break;
        case I_SPECIAL: run_sync_special(pc->a); /* fall through */
        case I_GLOBAL: sp = push_global(sp, &globals[pc->a], pc->a); break;
        case I_LOCAL: sp = push_local(sp, &locals[pc->a], pc->a); break;
        case I_FIELD: PUSH(value_copy(record_field(pc->a))); break;
        case I_FIELD_NUMBER: PUSH(value_number(record_field_number(pc->a))); break;
        case I_FIELD_AT: sp = field_at(sp); break;
        case I_ELEMENT: sp = element(sp); break;
        case I_ARRAY_GLOBAL: sp = push_array(sp, &globals[pc->a], false, pc->a); break;
        case I_ARRAY_LOCAL: sp = push_array(sp, &locals[pc->a], true, pc->a); break;
        case I_SUBARRAY: sp = operation_subarray(sp); break;
        case I_SUBSCRIPT: sp = operation_subscript(sp, pc); break;
        case I_ARGUMENT_GLOBAL: sp = operation_argument_global(sp, pc); break;
        case I_ARGUMENT_LOCAL: sp = operation_argument_local(sp, pc); break;
        case I_ARGUMENT_ELEMENT: sp = operation_argument_element(sp); break;
        case I_STORE: sp = store(sp, pc); break;
        case I_UPDATE: sp = update(sp, pc); break;
        case I_STEP: sp = step(sp, pc); break;
        case I_APPEND: sp = append(sp, pc); break;
        case I_OPERATE: sp = operate(sp, pc); break;
        case I_NEGATE:
        case I_PLUS: sp = sign(sp, pc); break;
        case I_NOT: sp = negation(sp); break;
        case I_COMPARE:
            sp--;
            sp[-1] = value_number(compared(sp - 1, pc));
            break;
        case I_JUMP_COMPARE:
            sp -= 2;
            if (!compared(sp, pc)) pc = TARGET();
            break;
        case I_MATCH: sp = match(sp, pc); break;
        case I_MATCH_CONSTANT: match_top(sp, prog->regexes[pc->a], pc->n != 0); break;
        case I_MATCH_RECORD:
            PUSH(value_number(operation_record_matches(prog->regexes[pc->a])));
            break;
        case I_IN: sp = is_in(sp); break;
        case I_CONCAT: sp = join(sp, pc); break;
        case I_JUMP:
            if (TARGET() < pc) SAVE(), take_turns();
            pc = TARGET();
            break;
        case I_JUMP_FALSE:
        case I_JUMP_TRUE:
            if (is_true(--sp) == (pc->opcode == I_JUMP_TRUE)) pc = TARGET();
            break;
        case I_RANGE_JUMP:
            if (prog->ranges[pc->n]) pc = TARGET();
            break;
        case I_RANGE_SET: prog->ranges[pc->n] = pc->sub; break;
        case I_CASE: sp = operation_case(sp); break;
        case I_POP: sp = pop(sp); break;
        case I_GETLINE:
            SAVE();
            get_line(pc);
            if (awk.exiting) return SAID_EXIT;
            LOAD();
            take_turns();
            break;
        case I_PRINT_RECORD: operation_print_record(); break;
        case I_PRINT:
        case I_PRINTF:
            SAVE();
            sp = operation_output(sp, pc);
            break;
        case I_CALL:
            SAVE();
            take_turns();
            pc = begin_call(pc->a, pc);
            LOAD();
            break;
        case I_CALL_BY_NAME:
            pc = call_by_name(sp, pc);
            LOAD();
            break;
        case I_RETURN:
            SAVE();
            pc = prog->code + leave() - 1;
            LOAD();
            break;
        case I_BUILTIN:
            SAVE();
            call_builtin(pc);
            if (awk.exiting) return SAID_EXIT;
            LOAD();
            break;
        case I_SUBSTITUTE: sp = operation_substitute(sp, pc); break;
        case I_LENGTH_OF: sp = operation_length_of(sp, pc); break;
        case I_NEXT:
        case I_NEXTFILE: SAVE(); return next_input(pc->opcode == I_NEXTFILE);
        case I_EXIT:
            if (pc->n) awk.exit_status = exit_status(--sp);
            awk.exiting = true;
            SAVE();
            return SAID_EXIT;
        case I_FOR_IN:
            SAVE();
            begin_loop();
            LOAD();
            break;
        case I_FOR_NEXT:
            if (cursor_next(sp[-1].cursor, &next))
                PUSH(next);
            else
                pc = TARGET();
            break;
        case I_DELETE: sp = operation_delete(sp); break;
        case I_CLEAR: sp = operation_clear(sp); break;
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
