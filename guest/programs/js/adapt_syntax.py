# ruff: noqa: E501 (lines of C are as long as they are)
"""The changes of QuickJS (adapt_quickjs.py) for the words of syntax errors: V8's, where the place is the same."""

# (count, what QuickJS says, what V8 does)
WORDS = [
    (1, '"invalid number literal"', '"Invalid or unexpected token"'),
    (1, '"invalid assignment left-hand side"', '"Invalid left-hand side in assignment"'),
    (
        1,
        '"invalid increment/decrement operand"',
        '"Invalid left-hand side expression in prefix operation"',
    ),
    (1, '"break must be inside loop or switch"', '"Illegal break statement"'),
    (
        1,
        '"continue must be inside loop"',
        '"Illegal continue statement: no surrounding iteration statement"',
    ),
    (1, '"expecting catch or finally"', '"Missing catch or finally after try"'),
    (1, '"missing initializer for variable"', '"Missing initializer in const declaration"'),
    (
        1,
        '"property constructor appears more than once"',
        '"A class may only have one constructor"',
    ),
    (1, '"line terminator not allowed after throw"', '"Illegal newline after throw"'),
    (
        1,
        '"super() is only valid in a derived class constructor"',
        "\"'super' keyword unexpected here\"",
    ),
    (1, '"invalid keyword: with"', '"Strict mode code may not include a with statement"'),
    (
        1,
        '"cannot delete a direct reference in strict mode"',
        '"Delete of an unqualified identifier in strict mode."',
    ),
    (
        2,
        "\"'let' is not a valid lexical identifier\"",
        '"let is disallowed as a lexically bound name"',
    ),
    (1, '"unsupported keyword: %s"', "\"Unexpected token '%s'\""),
    (
        1,
        "\"undefined private field '%s'\"",
        "\"Private field '%s' must be declared in an enclosing class\"",
    ),
]

# What V8 calls an unexpected token, whatever it had expected.
TOKENS = [
    (1, 'js_parse_error(s, "function name expected")'),
    (1, 'js_parse_error(s, "class statement requires a name")'),
    (1, 'js_parse_error(s, "expecting field name")'),
    (1, 'js_parse_error(s, "missing formal parameter")'),
    (1, 'js_parse_error(s, "invalid switch statement")'),
    (1, 'js_parse_error(s, "expecting target")'),
    (1, "js_parse_error(s, \"expecting '%c'\", ';')"),
    (1, "js_parse_error(s, \"expecting '%c'\", '}')"),
]

CHANGES = [
    (
        "an unexpected token has one wording",
        1,
        "        return js_parse_error(s, AWAIT_MISPLACED);\n\n    switch(s->token.val) {\n    case TOK_EOF:\n",
        "        return js_parse_error(s, AWAIT_MISPLACED);\n    return js_parse_unexpected(s);\n}\n\n"
        "/* The error of a token that may not stand where it does. */\n"
        "static int js_parse_unexpected(JSParseState *s)\n{\n    char buf[ATOM_GET_STR_BUF_SIZE];\n\n"
        "    switch(s->token.val) {\n    case TOK_LET:\n    case TOK_STATIC:\n    case TOK_AWAIT:\n    case TOK_YIELD:\n"
        "        return js_parse_error(s, \"Unexpected identifier '%.*s'\", (int)(s->buf_ptr - s->token.ptr),\n"
        "                              (const char *)s->token.ptr);\n    case TOK_EOF:\n",
    ),
    (
        "as above",
        1,
        "static int js_parse_expect(JSParseState *s, int tok)\n{\n    char buf[ATOM_GET_STR_BUF_SIZE];\n\n",
        "static int js_parse_unexpected(JSParseState *s);\n\n"
        "static int js_parse_expect(JSParseState *s, int tok)\n{\n",
    ),
    *(("as above", count, old, "js_parse_unexpected(s)") for count, old in TOKENS),
    (
        "a pattern is declared without a value",
        2,
        'js_parse_error(s, "variable name expected")',
        "s->token.val == '[' || s->token.val == '{'\n"
        '            ? js_parse_error(s, "Missing initializer in destructuring declaration")\n'
        "            : js_parse_unexpected(s)",
    ),
    *(("V8's words", count, old, new) for count, old, new in WORDS),
]
