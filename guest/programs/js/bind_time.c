/*
 * bind_time.c: time zones for Intl. The zone of the process is the C library's.
 */
#include "engine.h"
#include "time_zone.h"

/* zone(name, seconds) -> [seconds east of UTC, abbreviation, long name] */
static JSValue zone(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)this_val, (void)argc;
    int64_t seconds;
    char room[TIME_ZONE_NAME_BYTES];
    const char *name = JS_ToCString(ctx, argv[0]);
    if (!name || JS_ToInt64(ctx, &seconds, argv[1]) < 0) {
        JS_FreeCString(ctx, name);
        return JS_EXCEPTION;
    }
    const struct pf_zone *found = time_zone(name);
    JSValue result = found ? JS_NewArray(ctx) : JS_ThrowOutOfMemory(ctx);
    if (found) {
        const struct pf_zone_kind *kind = pf_zone_at(found, seconds);
        JS_SetPropertyUint32(ctx, result, 0, JS_NewInt32(ctx, kind->offset));
        JS_SetPropertyUint32(ctx, result, 1, JS_NewString(ctx, kind->name));
        JS_SetPropertyUint32(ctx, result, 2,
                             JS_NewString(ctx, time_zone_long_name(name, kind, room)));
    }
    JS_FreeCString(ctx, name);
    return result;
}

void bind_time(JSContext *ctx, JSValueConst native) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("zone", 2, zone),
    };
    engine_bind(ctx, native, "time", functions, sizeof functions / sizeof *functions);
}
