/*
 * guest/programs/jq/jq_execute.c: jq's interpreter, with a turn in every round of its loops.
 *
 * It has no hook for that; its main loop is a `while`, as is everything else in the file that can
 * take long, so the keyword itself is given the turn. Its headers are read before.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "jq_turns.h"
#include "src/exec_stack.h"
#include "src/bytecode.h"
#include "src/jv_alloc.h"
#include "src/jq_parser.h"
#include "src/locfile.h"
#include "src/jv.h"
#include "src/jq.h"
#include "src/parser.h"
#include "src/builtin.h"
#include "src/util.h"
#include "src/linker.h"

int pf_jq_steps_left = PF_JQ_STEPS;

#define while(...) while (pf_jq_turn(), (__VA_ARGS__))
#include "src/execute.c"
