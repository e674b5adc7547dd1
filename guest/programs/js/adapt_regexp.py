#!/usr/bin/env python3
# ruff: noqa: E501 (lines of C are as long as they are)
"""adapt_regexp: the changes of QuickJS's regular expressions, made as adapt_quickjs makes its own.

    adapt_regexp.py LIBREGEXP.c OUTPUT.c
"""

import sys

import adapt_quickjs

CHANGES = [
    (
        "nothing is tried twice (regexp_memo.h)",
        1,
        "typedef struct {\n    const uint8_t *cbuf;\n",
        "extern bool quickjs_memory_failed;\n"
        '#include "guest/programs/js/regexp_memo.h"\n\n'
        "typedef struct {\n    struct lre_memo memo;\n    const uint8_t *cbuf;\n",
    ),
    (
        "as above",
        1,
        "        s->interrupt_counter = INTERRUPT_COUNTER_INIT;\n        if (lre_check_timeout",
        "        s->interrupt_counter = INTERRUPT_COUNTER_INIT;\n"
        "        memo_count(&s->memo, INTERRUPT_COUNTER_INIT);\n        if (lre_check_timeout",
    ),
    (
        "as above",
        1,
        "                if (type != RE_EXEC_STATE_LOOKAHEAD)\n                    break;\n            }\n",
        "                if (type != RE_EXEC_STATE_SPLIT) {\n"
        "                    s->memo.depth--;\n"
        "                    if (type != RE_EXEC_STATE_LOOKAHEAD)\n                        break;\n"
        "                } else if (likely(!s->memo.active) || s->memo.depth > 0 ||\n"
        "                           !memo_seen(&s->memo, s->opaque, pc, cptr, s->cbuf,\n"
        "                                      capture + 2 * s->capture_count)) {\n"
        "                    break;\n"
        "                } else if (lre_poll_timeout(s)) {\n"
        "                    return LRE_RET_TIMEOUT;\n                }\n            }\n",
    ),
    (
        "as above",
        1,
        "            sp[2].bp.type = RE_EXEC_STATE_LOOKAHEAD + opcode - REOP_lookahead;\n",
        "            sp[2].bp.type = RE_EXEC_STATE_LOOKAHEAD + opcode - REOP_lookahead;\n"
        "            s->memo.depth++;\n",
    ),
    (
        "as above",
        1,
        "                sp_top = sp;\n                for(;;) {",
        "                s->memo.depth--;\n                sp_top = sp;\n                for(;;) {",
    ),
    (
        "as above",
        1,
        "            /* pop all the saved states until reaching start of the negative lookahead */\n",
        "            s->memo.depth--;\n"
        "            /* pop all the saved states until reaching start of the negative lookahead */\n",
    ),
    (
        "as above",
        1,
        "    ret = lre_exec_backtrack(s, capture, bc_buf + RE_HEADER_LEN, cptr);\n",
        "    s->memo = (struct lre_memo){\n"
        "        .pattern = bc_buf + RE_HEADER_LEN,\n"
        "        .pattern_end = bc_buf + RE_HEADER_LEN + get_u32(bc_buf + RE_HEADER_BYTECODE_LEN),\n"
        "        .patience = (size_t)MEMO_PATIENCE * (size_t)clen,\n    };\n"
        "    ret = lre_exec_backtrack(s, capture, bc_buf + RE_HEADER_LEN, cptr);\n"
        "    lre_realloc(s->opaque, s->memo.entries, 0);\n",
    ),
]

if __name__ == "__main__":
    adapt_quickjs.adapt(*sys.argv[1:], CHANGES)
