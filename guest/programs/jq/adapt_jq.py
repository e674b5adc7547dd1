#!/usr/bin/env python3
# ruff: noqa: E501 (lines of C are as long as they are)
"""adapt_jq: what in jq recurses or calculates without bounds, its dates and when it parses its builtins,
changed at build time.

    adapt_jq.py SOURCE_DIRECTORY OUTPUT_DIRECTORY

Each change says why, and must find exactly what it expects: another version of jq stops the build
instead of being changed by accident.
"""

import pathlib
import sys

BOUNDED = """
static {kind} {name}_inside({declared});
{kind} {name}({declared}) {{
  pf_jq_enter();
  {kind} result = {name}_inside({passed});
  pf_jq_leave();
  return result;
}}
static {kind} {name}_inside({declared}) {{
"""


def bounded(kind, name):
    """The change of a function of two values that calls itself: it counts how deep it is."""
    return (
        "deeply nested values end in a message, not on a guard page",
        f"\n{kind} {name}(jv a, jv b) {{\n",
        BOUNDED.format(kind=kind, name=name, declared="jv a, jv b", passed="a, b"),
    )


def formatted(name, local):
    """The change of a function that writes a date: flags, and the zone that belongs to it."""
    blank = "\n" if name == "strftime" else ""
    return (
        "dates are the same with every C library; a format that is no string is an error",
        f'    return ret_error(b, jv_string("{name}/1 requires parsed datetime inputs"));\n{blank}'
        "  const char *fmt = jv_string_value(b);\n"
        "  size_t alloced = strlen(fmt) + 100;\n"
        "  char *buf = alloca(alloced);\n"
        "  size_t n = strftime(buf, alloced, fmt, &tm);\n"
        "  jv_free(b);\n"
        "  /* POSIX doesn't provide errno values for strftime() failures; weird */\n"
        "  if (n == 0 || n > alloced)\n"
        f'    return jv_invalid_with_msg(jv_string("{name}/1: unknown system failure"));\n'
        "  return jv_string(buf);\n",
        f'    return ret_error(b, jv_string("{name}/1 requires parsed datetime inputs"));\n'
        "  if (jv_get_kind(b) != JV_KIND_STRING)\n"
        f'    return ret_error(b, jv_string("{name}/1 requires a string format"));\n'
        f"  char *text = pf_jq_strftime(jv_string_value(b), &tm, {local});\n"
        "  jv_free(b);\n"
        "  jv result = jv_string(text);\n"
        "  free(text);\n"
        "  return result;\n",
    )


# file: (why, old, new), each to be found once
CHANGES = {
    "jv.c": [
        (
            "the depth is counted, and values are freed without recursion beyond it (jq_depth.h)",
            '#include "jv_unicode.h"\n',
            '#include "jv_unicode.h"\n#include "jq_depth.h"\n',
        ),
        (
            "as above",
            "\nvoid jv_free(jv j) {\n  switch",
            "\nstatic void free_value(jv j);\n"
            "void jv_free(jv j) {\n"
            "  if (JVP_IS_ALLOCATED(j)) pf_jq_free(j, free_value);\n"
            "}\n\n"
            "static void free_value(jv j) {\n  switch",
        ),
        bounded("int", "jv_equal"),
        bounded("int", "jv_contains"),
        bounded("jv", "jv_object_merge_recursive"),
        (
            "sizes that do not fit are an error, in jq 1.8's words",
            "  // copy/free of val,j coalesced\n  jv* slot = jvp_array_write(&j, idx);",
            "  if (idx > PF_JQ_INDEX_MAX - jvp_array_offset(j)) {\n"
            "    jv_free(j);\n"
            "    jv_free(val);\n"
            '    return jv_invalid_with_msg(jv_string("Array index too large"));\n'
            "  }\n"
            "  jv* slot = jvp_array_write(&j, idx);",
        ),
        (
            "as above; the size is doubled below",
            "    // allocate a bigger buffer and copy\n",
            '    if (len > PF_JQ_STRING_MAX - currlen) pf_jq_fail("string too long");\n',
        ),
    ],
    "jv_aux.c": [
        (
            "paths are followed without recursion",
            '#include "jv_private.h"\n',
            '#include "jv_private.h"\n#include "jq_depth.h"\n#include "jq_sort.h"\n',
        ),
        bounded("int", "jv_cmp"),
        (
            "values are sorted with fewer comparisons",
            "  qsort(entries, n, sizeof(struct sort_entry), sort_cmp);",
            "  pf_jq_sort(entries, n, sizeof(struct sort_entry), sort_cmp);",
        ),
        (
            "as above; on an error each level frees what it has and hands the error on",
            "  jv pathcurr = jv_array_get(jv_copy(path), 0);\n"
            "  jv pathrest = jv_array_slice(path, 1, jv_array_length(jv_copy(path)));\n"
            "\n"
            "  /*\n",
            "  return pf_setpath(root, path, value);\n"
            "}\n"
            "\n"
            "static jv pf_setpath(jv root, jv path, jv value) {\n"
            "  int count = jv_array_length(jv_copy(path)), at = 0;\n"
            "  jv* roots = jv_mem_calloc(count, sizeof(jv));\n"
            "  jv inner = root;\n"
            "  for (; at < count && jv_is_valid(inner); at++) {\n"
            "    jv key = jv_array_get(jv_copy(path), at);\n"
            "    roots[at] = inner;\n"
            "    inner = jv_get(jv_copy(roots[at]), jv_copy(key));\n"
            "    // Drops the reference from the root, so that nothing is copied; not of slices.\n"
            "    if (jv_is_valid(inner) && jv_get_kind(key) != JV_KIND_OBJECT) {\n"
            "      roots[at] = jv_set(roots[at], jv_copy(key), jv_null());\n"
            "      if (!jv_is_valid(roots[at])) {\n"
            "        jv_free(inner);\n"
            "        inner = roots[at];\n"
            "        roots[at] = jv_null();\n"
            "      }\n"
            "    }\n"
            "    jv_free(key);\n"
            "  }\n"
            "  if (jv_is_valid(inner)) {\n"
            "    jv_free(inner);\n"
            "    inner = value;\n"
            "  } else {\n"
            "    jv_free(value);\n"
            "  }\n"
            "  while (at-- > 0) inner = jv_set(roots[at], jv_array_get(jv_copy(path), at), inner);\n"
            "  jv_mem_free(roots);\n"
            "  jv_free(path);\n"
            "  return inner;\n"
            "}\n"
            "\n"
            "#if 0\n"
            "  /*\n",
        ),
        (
            "as above",
            "jv jv_setpath(jv root, jv path, jv value) {\n",
            "static jv pf_setpath(jv root, jv path, jv value);\n"
            "jv jv_setpath(jv root, jv path, jv value) {\n",
        ),
        (
            "as above",
            "  return jv_set(root, pathcurr, jv_setpath(subroot, pathrest, value));\n}\n",
            "#endif\n",
        ),
        (
            "as above",
            "  if (jv_array_length(jv_copy(path)) == 0) {\n"
            "    jv_free(path);\n"
            "    return root;\n"
            "  }\n"
            "  jv pathcurr = jv_array_get(jv_copy(path), 0);\n"
            "  jv pathrest = jv_array_slice(path, 1, jv_array_length(jv_copy(path)));\n"
            "  return jv_getpath(jv_get(root, pathcurr), pathrest);\n",
            "  for (int i = 0; i < jv_array_length(jv_copy(path)) && jv_is_valid(root); i++)\n"
            "    root = jv_get(root, jv_array_get(jv_copy(path), i));\n"
            "  jv_free(path);\n"
            "  return root;\n",
        ),
        (
            "deleting recurses once for each key of the longest path",
            "    jv_free(elem);\n  }\n  if (jv_array_length(jv_copy(paths)) == 0) {\n    // nothing",
            "    if (jv_array_length(elem) > PF_JQ_PATH) {\n"
            "      jv_free(object);\n"
            "      jv_free(paths);\n"
            '      return jv_invalid_with_msg(jv_string("Path too deep"));\n'
            "    }\n"
            "  }\n  if (jv_array_length(jv_copy(paths)) == 0) {\n    // nothing",
        ),
    ],
    "linker.c": [
        (
            "a module that imports itself is an error; so is a chain of too many",
            '    // import "foo" as bar;\n',
            '    // import "foo" as bar;\n'
            "    static int depth;\n"
            "    if (depth >= PF_JQ_MODULES) {\n"
            '      jq_report_error(jq, jv_string_fmt("jq: error: modules import each other too deeply or in a circle: %s\\n", jv_string_value(lib_path)));\n'
            "      program = gen_noop();\n"
            "      nerrors++;\n"
            "      goto out;\n"
            "    }\n"
            "    depth++;\n",
        ),
        (
            "as above",
            "      program = block_bind_self(program, OP_IS_CALL_PSEUDO);\n    }\n",
            "      program = block_bind_self(program, OP_IS_CALL_PSEUDO);\n    }\n    depth--;\n",
        ),
        ("as above", '#include "jv_alloc.h"\n', '#include "jv_alloc.h"\n#include "jq_depth.h"\n'),
    ],
    "builtin.c": [
        (
            "repeating a string for ever or beyond what fits is an error, in jq 1.8's words",
            "      int n = d;\n      size_t alen = jv_string_length_bytes(jv_copy(str));\n      res = jv_string_empty(alen * n);\n",
            "      size_t alen = jv_string_length_bytes(jv_copy(str));\n"
            "      if (d * alen > PF_JQ_STRING_MAX) {\n"
            "        jv_free(str);\n"
            "        jv_free(num);\n"
            '        return jv_invalid_with_msg(jv_string("Repeat string result too long"));\n'
            "      }\n"
            "      int n = alen ? d : 0;\n"
            "      res = jv_string_empty(alen * n);\n",
        ),
        (
            "as above; dates are the same with every C library (jq_time.h)",
            '#include "jv_alloc.h"\n',
            '#include "jv_alloc.h"\n#include "jq_boot.h"\n#include "jq_depth.h"\n#include "jq_time.h"\n',
        ),
        ("as above", "end = strptime(input, fmt, &tm);", "end = pf_jq_strptime(input, fmt, &tm);"),
        formatted("strftime", 0),
        formatted("strflocaltime", 1),
        (
            "what is written in jq is parsed once, while the program boots (jq_boot.h)",
            "int builtins_bind(jq_state *jq, block* bb) {\n"
            "  block builtins;\n"
            "  struct locfile* src = locfile_init(jq, ",
            "bool pf_jq_booted;\n"
            "static bool prepared;\n"
            "static block builtins;\n"
            "static struct locfile* src;\n\n"
            "static int prepare(jq_state *jq) {\n"
            "  src = locfile_init(jq, ",
        ),
        (
            "as above",
            "  assert(!nerrors);\n  locfile_free(src);\n\n  builtins = bind",
            "  assert(!nerrors);\n\n  builtins = bind",
        ),
        (
            "as above",
            "  builtins = gen_builtin_list(builtins);\n\n"
            "  *bb = block_bind_referenced(builtins, *bb, OP_IS_CALL_PSEUDO);\n"
            "  return nerrors;\n",
            "  builtins = gen_builtin_list(builtins);\n"
            "  return nerrors;\n"
            "}\n\n"
            "void pf_jq_boot(void) {\n"
            "  prepared = prepare(NULL) == 0;\n"
            "}\n\n"
            "int builtins_bind(jq_state *jq, block* bb) {\n"
            "  pf_jq_booted = prepared;\n"
            "  int nerrors = prepared ? 0 : prepare(jq);\n"
            "  prepared = false;\n"
            "  src->jq = jq; // who is told of errors\n"
            "  locfile_free(src);\n"
            "  *bb = block_bind_referenced(builtins, *bb, OP_IS_CALL_PSEUDO);\n"
            "  pf_jq_booted = false;\n"
            "  return nerrors;\n",
        ),
    ],
    "compile.c": [
        (
            "definitions of the boot that nobody uses stay (jq_boot.h)",
            "OP_HAS_BINDING;\n\n  inst* curr;\n  while ((curr = block_take_last(&binder))) {\n"
            "    block b = inst_block(curr);\n"
            "    if (block_bind_subblock(b, body, bindflags, 0) == 0) {\n"
            "      block_free(b);\n",
            "OP_HAS_BINDING;\n\n  inst* curr;\n  while ((curr = block_take_last(&binder))) {\n"
            "    block b = inst_block(curr);\n"
            "    if (block_bind_subblock(b, body, bindflags, 0) == 0) {\n"
            "      if (!pf_jq_booted) block_free(b);\n",
        ),
        ("as above", '#include "jv_alloc.h"\n', '#include "jv_alloc.h"\n#include "jq_boot.h"\n'),
    ],
}


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    wrong = []
    for name, changes in CHANGES.items():
        text = (source / name).read_text()
        for why, old, new in changes:
            found = text.count(old)
            if found != 1:
                wrong.append(
                    f"{source / name}: expected once, found {found} times: {old!r} ({why})"
                )
            text = text.replace(old, new)
        target = output / name
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
