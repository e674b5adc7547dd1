/*
 * Any text as a script that is parsed but not run. What parses prints as text that parses again and
 * then prints the same; a quoted text comes back from the parser and the expander as it was;
 * braces, arithmetic and patterns end without a fault; so does the expansion of a word over a few
 * variables, however its operators nest. The first byte chooses which.
 */
#include "fuzz.h"
#include "fuzz_sh.h"

/* The text of `code` as the body of a function, as `declare -f` shows it; NULL: no such thing. */
static char *printed(struct shell *sh, const char *code) {
    struct tree *t = parse_text(sh, code, strlen(code), 1, "eval");
    char *text = NULL;
    if (t && t->root && t->root->kind == N_FUNCTION && !t->root->redirs) {
        sb out = {0};
        print_function(&out, t->root->func.name, t->root->func.body);
        sb_putc(&out, '\n');
        text = sb_str(&out);
    }
    tree_drop(t);
    return text;
}

/* bash shows a here-document of a condition behind the line that `then` or `do` begins: what it shows
 * is no script, and ours is the same. */
static bool has_text_in_condition(const char *text) {
    bool condition = strstr(text, "if") || strstr(text, "while") || strstr(text, "until");
    return condition && strstr(text, "<<");
}

static void prints_stably(struct shell *sh, const char *text) {
    if (strstr(text, "coproc")) return; /* a coprocess gets a name when it is printed, as in bash */
    if (has_text_in_condition(text)) return;
    sb code = {0};
    sb_printf(&code, "f() {\n%s\n}\n", text);
    char *first = printed(sh, sb_str(&code));
    sb_free(&code);
    if (!first) return;
    char *second = printed(sh, first);
    if (!second || strcmp(first, second) != 0) {
        printf("--- first\n%s--- second\n%s", first, second ? second : "does not parse\n");
        fflush(stdout);
    }
    MUST(second && strcmp(first, second) == 0);
    free(first);
    free(second);
}

static void quotes_and_returns(struct shell *sh, const char *text) {
    static void (*const styles[])(sb *, const char *) = {quote_backslash, quote_single,
                                                         quote_dollar};
    for (int i = 0; i < DIM(styles); i++) {
        sb quoted = {0};
        styles[i](&quoted, text);
        struct tree *t = tree_new();
        struct word *w = parse_word_text(sh, t, sb_str(&quoted), quoted.n, WM_ALL);
        char *back = w ? expand_single(sh, w) : NULL;
        MUST(back && strcmp(back, text) == 0);
        tree_drop(t);
        sb_free(&quoted);
    }
}

static void matches_itself(struct shell *sh, char *text) {
    char *split = strchr(text, '\n');
    const char *subject = split ? split + 1 : text;
    if (split) *split = 0;
    if (strlen(text) > 200 || strlen(subject) > 1000) return;
    (void)sh;
    pattern_match(text, subject, strlen(subject), PAT_EXT);
    pattern_match(text, subject, strlen(subject), PAT_PATH | PAT_PERIOD | PAT_ICASE);
    pattern_match("*", subject, strlen(subject), 0);
    MUST(pattern_match("*", subject, strlen(subject), 0));
}

static void computes(struct shell *sh, const char *text) {
    int64_t value;
    if (strpbrk(text, "$`")) return; /* these would run commands */
    arith_eval(sh, text, &value, "((");
}

/* {1..999999} is only long, and so are ten times {a,b,c}. */
static bool has_many_words(const char *text) {
    int commas = 0;
    for (; *text; text++) commas += *text == ',';
    return commas > 14 || strstr(text, "..");
}

static void expands_braces(struct shell *sh, const char *text) {
    struct strings out = {0};
    if (strlen(text) > 200 || has_many_words(text)) return;
    brace_expand(sh, text, &out);
}

/* The variables that words are about, the same each time. */
static void set_variables(struct shell *sh) {
    static const char *const names[] = {"a", "b", "i", "u", "arr", "h", "ref", "IFS", "OPTIND"};
    for (int i = 0; i < DIM(names); i++) var_unset(sh, names[i]);
    var_set(sh, "a", "foo bar:*[x]");
    var_set(sh, "b", "arr[1]");
    var_set(sh, "i", "2");
    struct var *arr = var_make(sh, "arr");
    var_to_array(sh, arr);
    for (int i = 0; i < 5; i += 2) var_assign_index(sh, arr, i, i ? "b c" : "", false);
    struct var *h = var_make(sh, "h");
    var_to_assoc(sh, h);
    var_assign_key(sh, h, "k", "v w", false);
    shell_set_args(sh, (char *[]){(char *)"p q", (char *)"", (char *)"r"}, 3);
}

static void expands_words(struct shell *sh, const char *text) {
    if (strlen(text) > 400 || strchr(text, '`') || strstr(text, "$(") || strstr(text, "<(") ||
        strstr(text, ">(") || has_many_words(text))
        return; /* commands would run */
    set_variables(sh);
    sh->opt[OPT_NOGLOB] = true;
    struct tree *t = tree_new();
    struct word *w = parse_word_text(sh, t, text, strlen(text), WM_ALL);
    struct strings out = {0};
    if (w) expand_word(sh, w, &out);
    if (w && sh->flow == FLOW_NONE) expand_here(sh, w);
    if (w && sh->flow == FLOW_NONE) expand_pattern(sh, w);
    tree_drop(t);
    sh->opt[OPT_NOGLOB] = false;
    set_variables(sh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct shell *sh = the_shell();
    if (size < 1 || size > 8192) return 0;
    char *text = malloc(size);
    size_t n = 0;
    for (size_t i = 1; i < size; i++)
        if (data[i]) text[n++] = (char)data[i];
    text[n] = 0;
    sh->stack_limit = 4u << 20;
    sh->stack_base = (char *)&sh;
    arena_mark mark = arena_here(&sh->tmp);
    switch (data[0]) {
    case 'q': quotes_and_returns(sh, text); break;
    case 'm': matches_itself(sh, text); break;
    case 'a': computes(sh, text); break;
    case 'b': expands_braces(sh, text); break;
    case 'w': expands_words(sh, text); break;
    default: prints_stably(sh, text);
    }
    arena_release(&sh->tmp, mark);
    sh->flow = FLOW_NONE;
    sh->status = 0;
    free(text);
    return 0;
}
