/*
 * js/engine/engine.h: what the files of the engine for the JavaScript host share: how a call gives
 * its answer.
 */
#ifndef PF_JS_ENGINE_H
#define PF_JS_ENGINE_H

#include "host/base/buf.h"
#include "pinfold.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* Why the last call failed. */
extern pf_error engine_last;
/* What it answered. */
extern struct base_buf engine_answer;
/* Empties both, at the beginning of each call. */
void engine_begin(void);
/* The text is the answer if all went well; it is freed. Gives the status of the call. */
int engine_answer_with(pf_status status, char *text, size_t len);

#endif
