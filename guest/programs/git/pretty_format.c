/*
 * pretty_format.c: the placeholders of --format.
 */
#include "color.h"
#include "diff_color.h"
#include "notes.h"
#include "revs.h"

#include <ctype.h>

const char *reflog_selector, *reflog_subject;
const git_reflog_entry *reflog_entry;

static void add_who(g_text *out, const git_signature *who, char what, bool *known) {
    static const struct { char letter; enum date_mode mode; } dates[] = {
        {'D', DATE_RFC}, {'r', DATE_RELATIVE}, {'t', DATE_UNIX}, {'i', DATE_ISO},
        {'I', DATE_ISO_STRICT}, {'s', DATE_SHORT}, {'h', DATE_HUMAN},
    };
    git_signature *real;
    switch (what) {
    case 'n': g_text_adds(out, who->name); return;
    case 'e': g_text_adds(out, who->email); return;
    case 'l': g_text_add(out, who->email, strcspn(who->email, "@")); return;
    case 'N': case 'E': case 'L':
        real = mapped(who);
        if (what == 'N') g_text_adds(out, real->name);
        else g_text_add(out, real->email, what == 'E' ? strlen(real->email) : strcspn(real->email, "@"));
        git_signature_free(real);
        return;
    case 'd': add_date(out, &who->when, &pretty.date); return;
    }
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if (dates[i].letter == what) {
            date_style style = {dates[i].mode, false, NULL};
            add_date(out, &who->when, &style);
            return;
        }
    *known = false;
}

static void add_file_name(g_text *out, const char *subject) {
    size_t start = out->len;
    bool gap = false;
    for (const char *p = subject; *p; p++) {
        bool plain = isalnum((unsigned char)*p) || *p == '.' || *p == '_';
        if (!plain) {
            gap = true;
            continue;
        }
        if (gap && out->len > start) g_text_addc(out, '-');
        gap = false;
        if (*p == '.' && out->len > start && out->s[out->len - 1] == '.') continue;
        g_text_addc(out, *p);
    }
    while (out->len > start && strchr(".-", out->s[out->len - 1])) out->len--;
    if (out->s) out->s[out->len] = '\0';
}

/* %xNN and %n stand for bytes; fresh memory. */
static char *separator_named(const char *text) {
    g_text out = {0};
    g_text_adds(&out, "");
    for (const char *p = text; *p; p++) {
        unsigned byte;
        if (p[0] == '%' && p[1] == 'x' && sscanf(p + 2, "%2x", &byte) == 1 && p[2] && p[3]) g_text_addc(&out, (char)byte), p += 3;
        else if (p[0] == '%' && p[1] == 'n') g_text_addc(&out, '\n'), p++;
        else g_text_addc(&out, *p);
    }
    return out.s;
}

static void add_trailers(g_text *out, const char *message, const char *options_, size_t len) {
    git_message_trailer_array list = {0};
    char key[100] = "";
    bool value_only = false, key_only = false, given = false;
    const char *between = ": ";
    const char *separator = "\n";
    char *copy = g_copy_bytes(options_, len), *at = copy;
    for (char *word; (word = strsep(&at, ",")) != NULL;) {
        if (strncmp(word, "key=", 4) == 0) snprintf(key, sizeof key, "%s", word + 4);
        else if (strncmp(word, "valueonly", 9) == 0) value_only = true;
        else if (strcmp(word, "keyonly") == 0 || strcmp(word, "keyonly=true") == 0) key_only = true;
        else if (strncmp(word, "key_value_separator=", 20) == 0) between = separator_named(word + 20);
        else if (strncmp(word, "separator=", 10) == 0) separator = separator_named(word + 10), given = true;
    }
    bool first = true;
    key[strcspn(key, ":")] = '\0';
    if (git_message_trailers(&list, message) < 0) return;
    for (size_t i = 0; i < list.count; i++) {
        if (*key && strcasecmp(key, list.trailers[i].key) != 0) continue;
        if (!first && given) g_text_adds(out, separator);
        if (!value_only) g_text_addf(out, "%s%s", list.trailers[i].key, key_only ? "" : between);
        if (!key_only) g_text_adds(out, list.trailers[i].value);
        if (!given) g_text_adds(out, "\n");
        first = false;
    }
    git_message_trailer_array_free(&list);
    free(copy);
}

static void add_parents(g_text *out, git_commit *commit, bool abbreviate) {
    for (unsigned i = 0; i < git_commit_parentcount(commit); i++) {
        const git_oid *id = git_commit_parent_id(commit, i);
        g_text_addf(out, "%s%s", i ? " " : "", abbreviate ? short_id(id) : full_id(id));
    }
}

typedef struct {
    int width, kind; /* '<' left, '>' right, '^' centre; 0 none */
    char cut;
} padding;

/* %<(20,trunc) and its like: how the next placeholder is padded. */
static size_t read_padding(const char *at, padding *pad) {
    const char *p = at;
    if (p[0] == '>' && p[1] == '<') pad->kind = '^', p += 2;
    else pad->kind = *p++;
    while (*p == '|' || *p == '>') p++;
    if (*p != '(') return 0;
    pad->width = atoi(++p);
    pad->cut = 0;
    const char *close = strchr(p, ')'), *comma = strchr(p, ',');
    if (!close) return 0;
    if (comma && comma < close) pad->cut = strncmp(comma + 1, "ltrunc", 6) == 0   ? 'l'
                                           : strncmp(comma + 1, "mtrunc", 6) == 0 ? 'm'
                                                                                  : 't';
    return (size_t)(close + 1 - at);
}

static void add_padded(g_text *out, const char *s, const padding *pad) {
    int len = (int)g_text_width(s, strlen(s)), missing = pad->width - len;
    if (missing < 0 && pad->cut) {
        int keep = pad->width > 2 ? pad->width - 2 : 0, total = (int)strlen(s);
        if (pad->cut == 'l') g_text_addf(out, "..%s", s + total - keep);
        else if (pad->cut == 'm') g_text_addf(out, "%.*s..%s", keep / 2, s, s + total - (keep - keep / 2));
        else g_text_addf(out, "%.*s..", keep, s);
        return;
    }
    int before = pad->kind == '>' ? missing : pad->kind == '^' ? missing / 2 : 0;
    int after = missing - before;
    while (before-- > 0) g_text_addc(out, ' ');
    g_text_adds(out, s);
    while (pad->kind != '>' && after-- > 0) g_text_addc(out, ' ');
}

/* %(describe:tags,match=v*,abbrev=10) */
static size_t add_description(g_text *out, git_commit *commit, const char *at) {
    const char *close = strchr(at, ')');
    git_describe_options o = GIT_DESCRIBE_OPTIONS_INIT;
    git_describe_format_options f = GIT_DESCRIBE_FORMAT_OPTIONS_INIT;
    git_describe_result *result;
    git_buf text = {0};
    if (!close) return 0;
    char *how = at[9] == ':' ? g_copy_bytes(at + 10, (size_t)(close - at - 10)) : g_copy_string(""), *rest = how;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (strncmp(word, "tags", 4) == 0 && strcmp(word, "tags=false") != 0) o.describe_strategy = GIT_DESCRIBE_TAGS;
        else if (strncmp(word, "match=", 6) == 0) o.pattern = word + 6;
        else if (strncmp(word, "abbrev=", 7) == 0) f.abbreviated_size = (unsigned)atoi(word + 7);
    }
    if (git_describe_commit(&result, (git_object *)commit, &o) == 0) {
        if (git_describe_format(&text, result, &f) == 0) g_text_adds(out, text.ptr);
        git_describe_result_free(result);
        git_buf_dispose(&text);
    }
    free(how);
    return (size_t)(close + 1 - at);
}

static size_t out_before; /* bytes of the whole text before the placeholder at work */

static void add_id(g_text *out, const char *id) {
    if (pretty.auto_color) g_text_addf(out, "%s%s%s", diff_code(PART_COMMIT), id, COLOR_RESET);
    else g_text_adds(out, id);
}

/* Cred, C(red), C(auto), C(auto,red), C(always,red): how many bytes, 0 for what is none. */
static size_t add_color(g_text *out, const char *at) {
    static const char *const plain[] = {"red", "green", "blue", "reset"};
    if (at[1] != '(') {
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
            if (strncmp(at + 1, plain[i], strlen(plain[i])) != 0) continue;
            char *code = color_parse(plain[i]);
            pretty.auto_color = false;
            if (diff_colored()) g_text_adds(out, code);
            free(code);
            return 1 + strlen(plain[i]);
        }
        return 0;
    }
    const char *close = strchr(at, ')');
    if (!close) return 0;
    char *name = g_copy_bytes(at + 2, (size_t)(close - at - 2)), *text = name;
    bool wanted = diff_colored();
    if (strcmp(text, "auto") == 0) {
        pretty.auto_color = wanted;
        if (wanted && out_before) g_text_adds(out, COLOR_RESET);
        free(name);
        return (size_t)(close + 1 - at);
    }
    if (strncmp(text, "auto,", 5) == 0) text += 5;
    else if (strncmp(text, "always,", 7) == 0) text += 7, wanted = true;
    char *code = color_parse(text);
    if (!code) {
        error("invalid color value: %s", text);
        die("unable to parse --pretty format");
    }
    pretty.auto_color = false;
    if (wanted) g_text_adds(out, code);
    free(code);
    free(name);
    return (size_t)(close + 1 - at);
}

/* One placeholder behind its %; how many bytes it has, 0 for an unknown one. */
static size_t expand_one(g_text *out, git_commit *commit, const char *at) {
    const git_oid *id = git_commit_id(commit);
    const char *message = git_commit_message(commit);
    bool known = true;
    char *text;
    switch (*at) {
    case 'H': add_id(out, full_id(id)); return 1;
    case 'h': add_id(out, pretty.abbrev ? abbreviated(id, pretty.abbrev) : short_id(id)); return 1;
    case 'T': g_text_adds(out, full_id(git_commit_tree_id(commit))); return 1;
    case 't': g_text_adds(out, short_id(git_commit_tree_id(commit))); return 1;
    case 'P': add_parents(out, commit, false); return 1;
    case 'p': add_parents(out, commit, true); return 1;
    case 'd': add_decoration(out, id, true); return 1;
    case 'D': add_decoration(out, id, false); return 1;
    case 'n': g_text_addc(out, '\n'); return 1;
    case '%': g_text_addc(out, '%'); return 1;
    case 'm': g_text_addc(out, rev_of(id)->boundary ? '-' : rev_of(id)->left ? '<' : '>'); return 1;
    case 's': g_text_adds(out, text = subject_of(message)); free(text); return 1;
    case 'f': add_file_name(out, text = subject_of(message)); free(text); return 1;
    case 'b': g_text_adds(out, body_of(message)); return 1;
    case 'B': g_text_adds(out, message); return 1;
    case 'e': return 1;
    case 'N': notes_add(out, id, true); return 1;
    case 'S': g_text_adds(out, rev_of(id)->source ? rev_of(id)->source : "HEAD"); return 1;
    case 'a': add_who(out, git_commit_author(commit), at[1], &known); return known ? 2 : 0;
    case 'c': add_who(out, git_commit_committer(commit), at[1], &known); return known ? 2 : 0;
    case 'x': {
        unsigned byte;
        char hex[3] = {at[1], at[1] ? at[2] : 0, 0};
        if (!isxdigit((unsigned char)hex[0]) || !isxdigit((unsigned char)hex[1])) return 0;
        sscanf(hex, "%x", &byte);
        g_text_addc(out, (char)byte);
        return 3;
    }
    case 'C': return add_color(out, at);
    case 'w': {
        const char *close = at[1] == '(' ? strchr(at, ')') : NULL;
        return close ? (size_t)(close + 1 - at) : 0;
    }
    case 'g':
        if (at[1] == 'd' || at[1] == 'D') g_text_adds(out, reflog_selector ? reflog_selector : "");
        else if (at[1] == 's') g_text_adds(out, reflog_subject ? reflog_subject : "");
        else if (reflog_entry) add_who(out, git_reflog_entry_committer(reflog_entry), at[1], &known);
        return known && at[1] ? 2 : 0;
    case 'G': g_text_adds(out, at[1] == '?' ? "N" : ""); return at[1] ? 2 : 0;
    case '(':
        if (strncmp(at, "(describe", 9) == 0) return add_description(out, commit, at);
        if (strncmp(at, "(trailers", 9) == 0) {
            const char *close = strchr(at, ')');
            if (!close) return 0;
            const char *o = at[9] == ':' ? at + 10 : close;
            add_trailers(out, message, o, (size_t)(close - o));
            return (size_t)(close + 1 - at);
        }
        return 0;
    default: return 0;
    }
}

void pretty_expand(g_text *out, git_commit *commit, const char *format) {
    padding pad = {0};
    size_t begin = out->len;
    pretty.auto_color = false;
    g_text_adds(out, "");
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            g_text_addc(out, *p);
            continue;
        }
        const char *at = p + 1;
        char sign = *at == '+' || *at == '-' || *at == ' ' ? *at++ : 0;
        if (*at == '<' || *at == '>') {
            size_t used = read_padding(at, &pad);
            if (used) {
                p = at + used - 1;
                continue;
            }
        }
        g_text one = {0};
        g_text_adds(&one, "");
        out_before = out->len - begin;
        size_t used = expand_one(&one, commit, at);
        if (!used) {
            g_text_addc(out, '%');
            continue;
        }
        if (sign == '+' && one.len) g_text_addc(out, '\n');
        if (sign == ' ' && one.len) g_text_addc(out, ' ');
        if (sign == '-' && !one.len)
            while (out->len && out->s[out->len - 1] == '\n') out->s[--out->len] = '\0';
        if (pad.kind) {
            add_padded(out, one.s, &pad);
            pad.kind = 0;
        } else {
            g_text_add(out, one.s, one.len);
        }
        g_text_free(&one);
        p = at + used - 1;
    }
}
