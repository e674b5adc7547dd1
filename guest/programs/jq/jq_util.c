/*
 * guest/programs/jq/jq_util.c: jq's input, reading through jq_input.c.
 */
#include <stdio.h>

#include "jq_input.h"

#define fgets pf_jq_fgets
#include "src/util.c"
