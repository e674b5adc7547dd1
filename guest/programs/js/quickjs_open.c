/*
 * quickjs_open.c: QuickJS, and the few accessors of quickjs_open.h.
 *
 * The engine is taken nearly as it is (adapt_quickjs.py), in the version that the lock file of third_party names; a newer one
 * that renames what is used below fails to compile here and nowhere else.
 */
/* The engine reads the clock when it makes a context, which happens while booting: engine.c. */
#define gettimeofday engine_gettimeofday
#include "quickjs_adapted.c"
#include "quickjs_messages.h"

#include "quickjs_open.h"

void quickjs_keep_spare_error(JSContext *ctx)
{
    JS_ThrowInternalError(ctx, "out of memory");
    quickjs_spare_error = JS_GetException(ctx);
}

void quickjs_seed(JSContext *ctx, uint64_t seed)
{
    ctx->random_state = seed ? seed : 1;
}

JSValue quickjs_eval(JSContext *ctx, const char *text, size_t len, const char *filename, int line,
                     int flags)
{
    return JS_EvalInternal(ctx, ctx->global_obj, text, len, filename, line, flags, -1);
}

JSValue quickjs_iterator_rest(JSContext *ctx, JSValueConst iterator, int *pairs)
{
    bool is_set = JS_GetClassID(iterator) == JS_CLASS_SET_ITERATOR;
    if (!is_set && JS_GetClassID(iterator) != JS_CLASS_MAP_ITERATOR)
        return JS_UNDEFINED;
    const JSMapIteratorData *it =
        JS_GetOpaque(iterator, is_set ? JS_CLASS_SET_ITERATOR : JS_CLASS_MAP_ITERATOR);
    JSValue array = JS_NewArray(ctx);
    *pairs = it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
    if (JS_IsException(array) || JS_IsUndefined(it->obj))
        return array;
    const JSMapState *s = JS_GetOpaque(it->obj, is_set ? JS_CLASS_SET : JS_CLASS_MAP);
    uint32_t count = 0;
    const struct list_head *el = it->cur_record ? it->cur_record->link.next : s->records.next;
    for (; el != &s->records; el = el->next) {
        const JSMapRecord *record = list_entry(el, JSMapRecord, link);
        JSValueConst value = is_set ? record->key : record->value;
        if (record->empty)
            continue;
        if (it->kind != JS_ITERATOR_KIND_VALUE)
            JS_SetPropertyUint32(ctx, array, count++, js_dup(record->key));
        if (it->kind != JS_ITERATOR_KIND_KEY)
            JS_SetPropertyUint32(ctx, array, count++, js_dup(value));
    }
    return array;
}
