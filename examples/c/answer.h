/* answer.h: the host's side of the example: one tool. */
#ifndef ANSWER_H
#define ANSWER_H

#include <pinfold.h>

/* Answers one call of `greet`; what the library says about it. */
pf_status answer(pf_sandbox *sandbox, const pf_call *call, pf_error *error);

#endif
