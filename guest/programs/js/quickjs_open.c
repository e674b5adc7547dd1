/*
 * quickjs_open.c: QuickJS, and the few accessors of quickjs_open.h.
 *
 * The engine is taken nearly as it is (adapt_quickjs.py), in the version that the lock file of
 * third_party names; a newer one that renames what is used below fails to compile here and nowhere
 * else.
 */
#include "quickjs_open.h"

/* Thrown when memory does not even suffice for an error. */
static JSValue quickjs_spare_error;
bool quickjs_memory_failed;
void (*quickjs_wait)(int64_t ms);

/* The engine reads the clock when it makes a context, which happens while booting: engine.c. */
#define gettimeofday engine_gettimeofday
#include "quickjs_adapted.c"
#include "quickjs_messages.h"
#include "quickjs_private.h"
#include "quickjs_json.h"
#include "quickjs_json_write.h"
#include "quickjs_stack.h"

/* The next JSON that is read or written is exact: taken at once, so that a toJSON() or getter of
 * the program meets the ordinary JSON. */
static bool next_is_exact;

static bool quickjs_take_exact(void) {
    bool exact = next_is_exact;
    next_is_exact = false;
    return exact;
}

JSValue quickjs_parse_exact(JSContext *ctx, const char *text, size_t len) {
    next_is_exact = true;
    return JS_ParseJSON(ctx, text, len, "<result>");
}

JSValue quickjs_stringify_exact(JSContext *ctx, JSValueConst value) {
    next_is_exact = true;
    return JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
}

/* A number of JSON as a BigInt; JS_UNDEFINED: it is no integer, or a Number holds it safely. */
static JSValue quickjs_json_integer(JSContext *ctx, const char *text, const char *end) {
    static const char first[] = "9007199254740992"; /* 2^53 */
    const char *digits = text + (*text == '-');
    size_t len = (size_t)(end - digits);
    if (len < sizeof first - 1 || (len == sizeof first - 1 && memcmp(digits, first, len) < 0))
        return JS_UNDEFINED;
    for (const char *p = digits; p < end; p++)
        if (*p < '0' || *p > '9') return JS_UNDEFINED;
    char *number = js_strndup(ctx, text, (size_t)(end - text));
    JSBigInt *made = number ? js_bigint_from_string(ctx, number, 10) : NULL;
    js_free(ctx, number);
    return made ? JS_CompactBigInt(ctx, made) : JS_EXCEPTION;
}

/* Does a function begin here? Then a parenthesis before it opens no parameters of an arrow
 * function. */
static bool quickjs_function_follows(const uint8_t *at, const uint8_t *end) {
    static const char before[] = "async ", word[] = "function";
    if ((size_t)(end - at) >= sizeof before && memcmp(at, before, sizeof before - 1) == 0)
        at += sizeof before - 1;
    return (size_t)(end - at) >= sizeof word && memcmp(at, word, sizeof word - 1) == 0 &&
           (at[sizeof word - 1] == ' ' || at[sizeof word - 1] == '(');
}

JSValue quickjs_promise(JSContext *ctx) {
    return js_promise_new(ctx, JS_UNDEFINED, NULL);
}

/* As the function that resolves a promise does it (js_promise_resolve_function_call). */
void quickjs_resolve(JSContext *ctx, JSValueConst promise, JSValueConst value) {
    JSValue then = JS_IsObject(value) ? JS_GetProperty(ctx, value, JS_ATOM_then) : JS_UNDEFINED;
    if (JS_IsException(then)) {
        JSValue error = JS_GetException(ctx);
        fulfill_or_reject_promise(ctx, promise, error, true);
        JS_FreeValue(ctx, error);
    } else if (JS_IsFunction(ctx, then)) {
        JSValue bound = quickjs_keep_context(ctx, then);
        JSValueConst args[] = {promise, value, bound};
        JS_EnqueueJob(ctx, js_promise_resolve_thenable_job, 3, args);
        JS_FreeValue(ctx, bound);
    } else {
        fulfill_or_reject_promise(ctx, promise, value, false);
    }
    JS_FreeValue(ctx, then);
}

JSValue quickjs_rejecter(JSContext *ctx, JSValueConst promise) {
    JSValue settle[2];
    if (js_create_resolving_functions(ctx, settle, promise)) return JS_EXCEPTION;
    JS_FreeValue(ctx, settle[0]);
    return settle[1];
}

/* What AsyncLocalStorage goes by: set by the program, captured with each callback. */
static JSValue context_value;
static bool has_context; /* else the context is undefined */

JSValue quickjs_context(JSContext *ctx) {
    return has_context ? JS_DupValue(ctx, context_value) : JS_UNDEFINED;
}

void quickjs_set_context(JSContext *ctx, JSValueConst context) {
    JSValue before = has_context ? context_value : JS_UNDEFINED;
    context_value = JS_DupValue(ctx, context);
    has_context = !JS_IsUndefined(context);
    JS_FreeValue(ctx, before);
}

/* The context that was in place where what a callback threw left it: for who reports the error. */
static JSValue thrown_value;
static bool has_thrown;

JSValue quickjs_thrown_context(JSContext *ctx) {
    return has_thrown ? JS_DupValue(ctx, thrown_value) : JS_UNDEFINED;
}

static void set_thrown(JSContext *ctx, JSValue context) {
    JSValue before = has_thrown ? thrown_value : JS_UNDEFINED;
    thrown_value = context;
    has_thrown = !JS_IsUndefined(context);
    JS_FreeValue(ctx, before);
}

void quickjs_forget_thrown_context(JSContext *ctx) {
    set_thrown(ctx, JS_UNDEFINED);
}

static JSValue call_in_context(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv,
                               int magic, JSValueConst *data) {
    (void)magic;
    JSValue before = quickjs_context(ctx);
    quickjs_set_context(ctx, data[1]);
    JSValue result = JS_Call(ctx, data[0], this_val, argc, argv);
    if (JS_IsException(result)) set_thrown(ctx, quickjs_context(ctx));
    quickjs_set_context(ctx, before);
    JS_FreeValue(ctx, before);
    return result;
}

JSValue quickjs_keep_context(JSContext *ctx, JSValueConst function) {
    if (!has_context || !JS_IsFunction(ctx, function)) return JS_DupValue(ctx, function);
    JSValueConst data[] = {function, context_value};
    JSValue bound = JS_NewCFunctionData(ctx, call_in_context, 1, 0, 2, data);
    if (!JS_IsException(bound)) return bound;
    JS_FreeValue(ctx, JS_GetException(ctx)); /* without memory it goes on without its context */
    return JS_DupValue(ctx, function);
}

void quickjs_keep_spare_error(JSContext *ctx) {
    JS_ThrowInternalError(ctx, "out of memory");
    quickjs_spare_error = JS_GetException(ctx);
}

void quickjs_seed(JSContext *ctx, uint64_t seed) {
    ctx->random_state = seed ? seed : 1;
}

void quickjs_set_global(JSContext *ctx, JSValueConst object)
{
    JSValue before = ctx->global_obj;
    ctx->global_obj = JS_DupValue(ctx, object);
    JS_FreeValue(ctx, before);
}

JSValue quickjs_eval(JSContext *ctx, const char *text, size_t len, const char *filename, int line,
                     int flags) {
    return JS_EvalInternal(ctx, ctx->global_obj, text, len, filename, line, flags, -1);
}

void quickjs_keep_callers(JSContext *ctx, struct quickjs_callers *callers) {
    int count = 0, looked_at = 0;
    for (const JSStackFrame *frame = ctx->rt->current_stack_frame;
         frame && count < QUICKJS_CALLERS && looked_at < 64;
         frame = frame->prev_frame, looked_at++) {
        const JSObject *p = JS_VALUE_GET_OBJ(frame->cur_func);
        if (!js_class_has_bytecode(p->class_id) || !frame->cur_pc) continue;
        const JSFunctionBytecode *b = p->u.func.function_bytecode;
        if (!b->filename) /* the library's */
            continue;
        callers->functions[count] = js_dup(frame->cur_func);
        callers->pcs[count++] = (uint32_t)(frame->cur_pc - b->byte_code_buf - 1);
    }
    while (count < QUICKJS_CALLERS) callers->functions[count++] = JS_UNDEFINED;
}

void quickjs_free_callers(JSContext *ctx, const struct quickjs_callers *callers) {
    for (int i = 0; i < QUICKJS_CALLERS; i++) JS_FreeValue(ctx, callers->functions[i]);
}

JSValue quickjs_callers_text(JSContext *ctx, const struct quickjs_callers *callers) {
    DynBuf text;
    js_dbuf_init(ctx, &text);
    for (int i = 0; i < QUICKJS_CALLERS && JS_IsObject(callers->functions[i]); i++) {
        JSFunctionBytecode *b = JS_VALUE_GET_OBJ(callers->functions[i])->u.func.function_bytecode;
        int column, line = find_line_num(ctx, b, callers->pcs[i], &column);
        const char *name = get_func_name(ctx, callers->functions[i]),
                   *file = JS_AtomToCString(ctx, b->filename);
        dbuf_printf(&text, "    at %s (%s:%d:%d)\n", name && *name ? name : "<anonymous>",
                    file ? file : "", line, column);
        JS_FreeCString(ctx, name);
        JS_FreeCString(ctx, file);
    }
    JSValue result = dbuf_error(&text) ? JS_ThrowOutOfMemory(ctx)
                                       : JS_NewStringLen(ctx, (const char *)text.buf, text.size);
    dbuf_free(&text);
    return result;
}

JSValue quickjs_iterator_rest(JSContext *ctx, JSValueConst iterator, int *pairs) {
    bool is_set = JS_GetClassID(iterator) == JS_CLASS_SET_ITERATOR;
    if (!is_set && JS_GetClassID(iterator) != JS_CLASS_MAP_ITERATOR) return JS_UNDEFINED;
    const JSMapIteratorData *it =
        JS_GetOpaque(iterator, is_set ? JS_CLASS_SET_ITERATOR : JS_CLASS_MAP_ITERATOR);
    JSValue array = JS_NewArray(ctx);
    *pairs = it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
    if (JS_IsException(array) || JS_IsUndefined(it->obj)) return array;
    const JSMapState *s = JS_GetOpaque(it->obj, is_set ? JS_CLASS_SET : JS_CLASS_MAP);
    uint32_t count = 0;
    const struct list_head *el = it->cur_record ? it->cur_record->link.next : s->records.next;
    for (; el != &s->records; el = el->next) {
        const JSMapRecord *record = list_entry(el, JSMapRecord, link);
        JSValueConst value = is_set ? record->key : record->value;
        if (record->empty) continue;
        if (it->kind != JS_ITERATOR_KIND_VALUE)
            JS_SetPropertyUint32(ctx, array, count++, js_dup(record->key));
        if (it->kind != JS_ITERATOR_KIND_KEY)
            JS_SetPropertyUint32(ctx, array, count++, js_dup(value));
    }
    return array;
}
