/*
 * ref_format.c: the language of --format for references; see ref_format.h.
 */
#include "ref_format.h"
#include "color.h"
#include "revs.h"
#include "status.h"
#include "worktree.h"

#include <ctype.h>
#include <strings.h>

int ref_quoting;
bool ref_color;

/* What the fields of one reference are made of. */
typedef struct {
    const char *full, *name;
    git_object *object, *target; /* target: of a tag, what it stands for */
} subject;

static subject load(const char *full, const char *name) {
    subject s = {full, name, object_named(full), NULL};
    if (s.object && git_object_type(s.object) == GIT_OBJECT_TAG) git_object_peel(&s.target, s.object, GIT_OBJECT_ANY);
    return s;
}

static void unload(subject *s) {
    git_object_free(s->object);
    git_object_free(s->target);
}

/* ---- names */

/* "lstrip=2", "rstrip=-1", "short": how a name is cut. False for another word. */
static bool add_name(g_text *out, const char *full, const char *how) {
    char *copy = g_copy_string(full);
    int parts = 1, n;
    for (const char *p = full; *p; p++) parts += *p == '/';
    if (!how || !*how) {
        g_text_adds(out, full);
    } else if (strcmp(how, "short") == 0) {
        char *name = short_ref(full);
        g_text_adds(out, name);
        free(name);
    } else if (strncmp(how, "lstrip=", 7) == 0 || strncmp(how, "strip=", 6) == 0) {
        n = atoi(strchr(how, '=') + 1);
        if (n < 0) n = parts + n > 0 ? parts + n : 0;
        const char *at = full;
        while (n-- > 0 && at) at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL;
        g_text_adds(out, at ? at : "");
    } else if (strncmp(how, "rstrip=", 7) == 0) {
        n = atoi(how + 7);
        if (n < 0) n = parts + n > 0 ? parts + n : 0;
        for (char *slash; n > 0; n--) {
            if ((slash = strrchr(copy, '/')) != NULL) *slash = '\0';
            else *copy = '\0';
        }
        g_text_adds(out, copy);
    } else {
        free(copy);
        return false;
    }
    free(copy);
    return true;
}

static void add_remote_part(g_text *out, const char *branch, bool name) {
    char key[1000];
    snprintf(key, sizeof key, "branch.%s.%s", branch, name ? "remote" : "merge");
    char *value = config_string(key);
    if (value) g_text_adds(out, value);
    free(value);
}

static void add_upstream(g_text *out, const char *full, const char *how, const char *atom) {
    char *up, named[1000];
    size_t ahead, behind;
    bool gone, plain = false;
    if (strncmp(full, "refs/heads/", 11) != 0) return;
    if (how && strcmp(how, "remotename") == 0) return add_remote_part(out, full + 11, true);
    if (how && strcmp(how, "remoteref") == 0) return add_remote_part(out, full + 11, false);
    if (!tracking(full + 11, &up, &ahead, &behind, &gone)) return;
    if (how && strstr(how, "nobracket")) plain = true;
    if (how && (strcmp(how, "trackshort") == 0)) {
        if (!gone) g_text_adds(out, ahead && behind ? "<>" : ahead ? ">" : behind ? "<" : "=");
    } else if (how && strncmp(how, "track", 5) == 0) {
        const char *open = plain ? "" : "[", *close = plain ? "" : "]";
        if (gone) g_text_addf(out, "%sgone%s", open, close);
        else if (ahead && behind) g_text_addf(out, "%sahead %zu, behind %zu%s", open, ahead, behind, close);
        else if (ahead) g_text_addf(out, "%sahead %zu%s", open, ahead, close);
        else if (behind) g_text_addf(out, "%sbehind %zu%s", open, behind, close);
    } else {
        git_reference *ref;
        snprintf(named, sizeof named, "refs/remotes/%s", up);
        if (git_reference_lookup(&ref, repo, named) < 0) snprintf(named, sizeof named, "refs/heads/%s", up);
        if (gone) snprintf(named, sizeof named, "refs/remotes/%s", up);
        if (!add_name(out, named, how)) die("unrecognized %%(%s) argument: %s", atom, how);
    }
}

/* ---- messages */

static const char *message_of(const git_object *object) {
    const char *text = NULL;
    if (!object) return "";
    if (git_object_type(object) == GIT_OBJECT_TAG) text = git_tag_message((const git_tag *)object);
    if (git_object_type(object) == GIT_OBJECT_COMMIT) text = git_commit_message((const git_commit *)object);
    return text ? text : "";
}

static void add_contents(g_text *out, const git_object *object, const char *how) {
    const char *message = message_of(object);
    char *first;
    while (*message == '\n') message++;
    if (!how) {
        g_text_adds(out, message);
    } else if (strcmp(how, "subject") == 0) {
        g_text_adds(out, first = subject_of(message));
        free(first);
    } else if (strcmp(how, "body") == 0) {
        g_text_adds(out, body_of(message));
    } else if (strcmp(how, "size") == 0) {
        g_text_addf(out, "%zu", strlen(message));
    } else if (strncmp(how, "lines=", 6) == 0) {
        const char *at = message;
        for (int n = atoi(how + 6), i = 0; i < n && *at; i++) {
            size_t len = strcspn(at, "\n");
            g_text_addf(out, "%s%.*s", i ? "\n    " : "", (int)len, at);
            at += len + (at[len] != 0);
        }
    } else if (strncmp(how, "trailers", 8) == 0) {
        git_message_trailer_array list = {0};
        if (git_message_trailers(&list, message) < 0) return;
        for (size_t i = 0; i < list.count; i++) {
            const char *key = strstr(how, "key=");
            if (key && strncasecmp(key + 4, list.trailers[i].key, strcspn(key + 4, ",:")) != 0) continue;
            if (strstr(how, "valueonly")) g_text_addf(out, "%s\n", list.trailers[i].value);
            else g_text_addf(out, "%s: %s\n", list.trailers[i].key, list.trailers[i].value);
        }
        git_message_trailer_array_free(&list);
    } else if (strcmp(how, "signature") != 0) {
        die("unrecognized %%(contents) argument: %s", how);
    }
}

/* ---- people and times */

static void add_person_field(g_text *out, const git_signature *who, const char *field, const char *how) {
    if (!who) return;
    if (strcmp(field, "name") == 0) g_text_adds(out, who->name);
    else if (strcmp(field, "email") == 0 && how && strcmp(how, "trim") == 0) g_text_adds(out, who->email);
    else if (strcmp(field, "email") == 0 && how && strcmp(how, "localpart") == 0) g_text_add(out, who->email, strcspn(who->email, "@"));
    else if (strcmp(field, "email") == 0) g_text_addf(out, "<%s>", who->email);
    else if (strcmp(field, "date") == 0) {
        date_style style = how ? date_style_named(how) : (date_style){0};
        add_date(out, &who->when, &style);
    } else {
        g_text_addf(out, "%s <%s> ", who->name, who->email);
        add_date(out, &who->when, &(date_style){DATE_RAW, false, NULL});
    }
}

/* authorname, committerdate, tagger, creatordate …: whose, and which part; false for another field. */
static bool person(const git_object *object, const char *field, const git_signature **who, const char **part) {
    static const char *const roles[] = {"author", "committer", "tagger", "creator"};
    static const char *const parts[] = {"", "name", "email", "date"};
    git_object_t type = object ? git_object_type(object) : GIT_OBJECT_INVALID;
    for (int r = 0; r < 4; r++) {
        size_t len = strlen(roles[r]);
        if (strncmp(field, roles[r], len) != 0) continue;
        for (int p = 0; p < 4; p++) {
            if (strcmp(field + len, parts[p]) != 0 || (r == 3 && (p == 1 || p == 2))) continue;
            bool tag = type == GIT_OBJECT_TAG, commit = type == GIT_OBJECT_COMMIT;
            *part = parts[p];
            *who = tag && r >= 2      ? git_tag_tagger((const git_tag *)object)
                   : commit && r == 0 ? git_commit_author((const git_commit *)object)
                   : commit && r != 2 ? git_commit_committer((const git_commit *)object)
                                      : NULL;
            return true;
        }
    }
    return false;
}

/* ---- one field */

static void add_id(g_text *out, const git_oid *id, const char *how, const char *field) {
    if (!how) g_text_adds(out, full_id(id));
    else if (strcmp(how, "short") == 0) g_text_adds(out, short_id(id));
    else if (strncmp(how, "short=", 6) == 0) g_text_adds(out, abbreviated(id, atoi(how + 6)));
    else die("unrecognized %%(%s) argument: %s", field, how);
}

static size_t size_of(const git_object *object) {
    git_odb *odb;
    size_t size = 0;
    git_object_t type;
    check(git_repository_odb(&odb, repo));
    git_odb_read_header(&size, &type, odb, git_object_id(object));
    git_odb_free(odb);
    return size;
}

static bool add_commit_field(g_text *out, const git_object *object, const char *field, const char *how) {
    const git_commit *commit = object && git_object_type(object) == GIT_OBJECT_COMMIT ? (const git_commit *)object : NULL;
    if (strcmp(field, "tree") == 0) {
        if (commit) add_id(out, git_commit_tree_id(commit), how, field);
    } else if (strcmp(field, "parent") == 0) {
        for (unsigned i = 0; commit && i < git_commit_parentcount(commit); i++) {
            if (i) g_text_addc(out, ' ');
            add_id(out, git_commit_parent_id(commit, i), how, field);
        }
    } else if (strcmp(field, "numparent") == 0) {
        if (commit) g_text_addf(out, "%u", git_commit_parentcount(commit));
    } else {
        return false;
    }
    return true;
}

static bool add_object_field(g_text *out, const git_object *object, const char *field, const char *how) {
    const git_signature *who;
    const char *part;
    const git_tag *tag = object && git_object_type(object) == GIT_OBJECT_TAG ? (const git_tag *)object : NULL;
    if (strcmp(field, "objectname") == 0) {
        if (object) add_id(out, git_object_id(object), how, field);
    } else if (strcmp(field, "objecttype") == 0) {
        if (object) g_text_adds(out, git_object_type2string(git_object_type(object)));
    } else if (strcmp(field, "objectsize") == 0) {
        if (how) die("%%(objectsize:%s) is not there", how);
        if (object) g_text_addf(out, "%zu", size_of(object));
    } else if (strcmp(field, "object") == 0) {
        if (tag) g_text_adds(out, full_id(git_tag_target_id(tag)));
    } else if (strcmp(field, "type") == 0) {
        if (tag) g_text_adds(out, git_object_type2string(git_tag_target_type(tag)));
    } else if (strcmp(field, "tag") == 0) {
        if (tag) g_text_adds(out, git_tag_name(tag));
    } else if (strcmp(field, "subject") == 0) {
        g_text text = {0};
        add_contents(&text, object, "subject");
        for (size_t i = 0; how && strcmp(how, "sanitize") == 0 && i < text.len; i++)
            if (!isalnum((unsigned char)text.s[i]) && !strchr("._", text.s[i])) text.s[i] = '-';
        g_text_add(out, text.s ? text.s : "", text.len);
    } else if (strcmp(field, "body") == 0) {
        add_contents(out, object, "body");
    } else if (strcmp(field, "contents") == 0) {
        add_contents(out, object, how);
    } else if (strcmp(field, "trailers") == 0) {
        g_text text = {0};
        g_text_addf(&text, "trailers:%s", how ? how : "");
        add_contents(out, object, text.s);
    } else if (person(object, field, &who, &part)) {
        add_person_field(out, who, part, how);
    } else {
        return add_commit_field(out, object, field, how);
    }
    return true;
}

static void add_field(g_text *out, const char *atom, const subject *s) {
    char *copy = g_copy_string(atom), *how = strchr(copy, ':'), *head;
    git_reference *ref;
    if (how) *how++ = '\0';
    if (strcmp(copy, "refname") == 0) {
        if (how && strcmp(how, "short") == 0) g_text_adds(out, s->name);
        else if (!add_name(out, s->full, how)) die("unrecognized %%(%s) argument: %s", copy, how);
    } else if (strcmp(copy, "symref") == 0) {
        if (git_reference_lookup(&ref, repo, s->full) == 0) {
            if (git_reference_type(ref) == GIT_REFERENCE_SYMBOLIC) add_name(out, git_reference_symbolic_target(ref), how);
            git_reference_free(ref);
        }
    } else if (strcmp(copy, "upstream") == 0 || strcmp(copy, "push") == 0) {
        add_upstream(out, s->full, how, copy);
    } else if (strcmp(copy, "HEAD") == 0) {
        head = head_target();
        g_text_addc(out, head && strcmp(head, s->full) == 0 ? '*' : ' ');
        free(head);
    } else if (strcmp(copy, "color") == 0) {
        char *code = how ? color_parse(how) : NULL;
        if (!how) die("expected format: %%(color:<color>)");
        if (!code) {
            error("invalid color value: %s", how);
            die("unrecognized color: %%(color:%s)", how);
        }
        if (ref_color) g_text_adds(out, code);
        free(code);
    } else if (strcmp(copy, "worktreepath") == 0) {
        const worktree *tree = worktree_of_branch(s->full);
        head = head_target();
        if (tree) g_text_adds(out, tree->path);
        else if (head && strcmp(head, s->full) == 0 && git_repository_workdir(repo))
            g_text_add(out, workdir(), strlen(workdir()) - 1);
        free(head);
    } else if (!add_object_field(out, *copy == '*' ? s->target : s->object, copy + (*copy == '*'), how)) {
        die("unknown field name: %s", atom);
    }
    free(copy);
}

/* ---- quotes */

static void add_quoted(g_text *out, const char *text, size_t len) {
    static const char *const special[] = {"", "'!", "'\\", "'\\\n", "[]{}$\\\""};
    if (ref_quoting == QUOTE_NONE) {
        g_text_add(out, text, len);
        return;
    }
    char quote = ref_quoting == QUOTE_TCL ? '"' : '\'';
    g_text_addc(out, quote);
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (ref_quoting == QUOTE_SHELL && strchr(special[1], c) && c) g_text_addf(out, "'\\%c'", c);
        else if (ref_quoting == QUOTE_PYTHON && c == '\n') g_text_adds(out, "\\n");
        else if (ref_quoting == QUOTE_TCL && strchr("\f\r\n\t\v", c) && c)
            g_text_addf(out, "\\%c", "frntv"[strchr("\f\r\n\t\v", c) - "\f\r\n\t\v"]);
        else if (ref_quoting > QUOTE_SHELL && c && strchr(special[ref_quoting], c)) g_text_addf(out, "\\%c", c);
        else g_text_addc(out, c);
    }
    g_text_addc(out, quote);
}

/* ---- %(if), %(align) and the text around them */

typedef struct {
    enum { PLAIN, IF, ALIGN } kind;
    g_text out;
    /* IF */
    const char *equals, *differs;
    enum { CONDITION, THEN, ELSE } part;
    bool taken, has_then;
    /* ALIGN */
    int width;
    char side;
} level;

static void read_align(level *l, const char *how) {
    char *copy = g_copy_string(how ? how : ""), *at = copy;
    l->side = 'l';
    l->width = -1;
    for (char *word; (word = strsep(&at, ",")) != NULL;) {
        if (strncmp(word, "position=", 9) == 0) word += 9;
        if (strncmp(word, "width=", 6) == 0) word += 6;
        if (isdigit((unsigned char)*word)) l->width = atoi(word);
        else if (strcmp(word, "left") == 0 || strcmp(word, "right") == 0 || strcmp(word, "middle") == 0) l->side = *word;
        else die("unrecognized %%(align) argument: %s", word);
    }
    if (l->width < 0) die("positive width expected with the %%(align) atom");
    if (l->width > 100000) die("the width of %%(align) is too large");
    free(copy);
}

static void close_align(g_text *out, const level *l) {
    const char *text = l->out.s ? l->out.s : "";
    int missing = l->width - (int)g_text_width(text, l->out.len);
    int before = missing <= 0 ? 0 : l->side == 'r' ? missing : l->side == 'm' ? missing / 2 : 0;
    for (int i = 0; i < before; i++) g_text_addc(out, ' ');
    g_text_add(out, text, l->out.len);
    for (int i = 0; i < missing - before; i++) g_text_addc(out, ' ');
}

static bool only_space(const g_text *text) {
    for (size_t i = 0; i < text->len; i++)
        if (!isspace((unsigned char)text->s[i])) return false;
    return true;
}

static void take_then(level *l) {
    if (l->kind != IF) die("format: %%(then) atom used without an %%(if) atom");
    if (l->has_then) die("format: %%(then) atom used more than once");
    const char *text = l->out.s ? l->out.s : "";
    l->has_then = true;
    l->part = THEN;
    l->taken = l->equals ? strcmp(text, l->equals) == 0 : l->differs ? strcmp(text, l->differs) != 0 : !only_space(&l->out);
    l->out.len = 0;
}

/* Writes what a branch that is not taken has into nothing. */
static void end_part(level *l, g_text *kept) {
    if ((l->part == THEN) == l->taken) g_text_add(kept, l->out.s ? l->out.s : "", l->out.len);
    l->out.len = 0;
}

enum { DEEPEST = 16 };

void ref_format(g_text *out, const char *format, const char *full, const char *name) {
    subject s = load(full, name);
    level levels[DEEPEST + 1] = {{0}};
    g_text kept[DEEPEST + 1] = {{0}};
    int depth = 0;
    bool coloured = false;
    for (const char *p = format; *p; p++) {
        level *l = &levels[depth];
        const char *close;
        unsigned byte;
        if (p[0] != '%' || (p[1] != '(' && p[1] != '%' && !(isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])))) {
            g_text_addc(&l->out, *p);
            continue;
        }
        if (p[1] == '%') {
            g_text_addc(&l->out, *p++);
            continue;
        }
        if (p[1] != '(') {
            sscanf(p + 1, "%2x", &byte);
            g_text_addc(&l->out, (char)byte);
            p += 2;
            continue;
        }
        if ((close = strchr(p, ')')) == NULL) {
            error("malformed format string %s", p);
            if (strcmp(command, "for-each-ref") == 0) usage_error(NULL);
            die("unable to parse format string");
        }
        char *atom = g_copy_bytes(p + 2, (size_t)(close - p - 2)), *how = strchr(atom, ':');
        size_t word = how ? (size_t)(how - atom) : strlen(atom);
        p = close;
        if ((word == 2 && strncmp(atom, "if", 2) == 0) || (word == 5 && strncmp(atom, "align", 5) == 0)) {
            if (depth == DEEPEST) die("the format nests too deeply");
            level *inner = &levels[++depth];
            *inner = (level){.kind = word == 2 ? IF : ALIGN};
            kept[depth] = (g_text){0};
            if (word == 5) read_align(inner, how ? how + 1 : NULL);
            else if (how && strncmp(how, ":equals=", 8) == 0) inner->equals = how + 8;
            else if (how && strncmp(how, ":notequals=", 11) == 0) inner->differs = how + 11;
            else if (how) die("unrecognized %%(if) argument: %s", how + 1);
            continue; /* the atom's text is still in use */
        } else if (strcmp(atom, "then") == 0) {
            take_then(l);
        } else if (strcmp(atom, "else") == 0) {
            if (l->kind != IF) die("format: %%(else) atom used without an %%(if) atom");
            if (!l->has_then) die("format: %%(else) atom used without a %%(then) atom");
            if (l->part == ELSE) die("format: %%(else) atom used more than once");
            end_part(l, &kept[depth]);
            l->part = ELSE;
        } else if (strcmp(atom, "end") == 0) {
            g_text result = {0};
            if (!depth) die("format: %%(end) atom used without corresponding atom");
            if (l->kind == IF && !l->has_then) die("format: %%(if) atom used without a %%(then) atom");
            if (l->kind == IF) end_part(l, &kept[depth]), result = kept[depth];
            else close_align(&result, l);
            depth--;
            if (depth) g_text_add(&levels[depth].out, result.s ? result.s : "", result.len);
            else add_quoted(&levels[0].out, result.s ? result.s : "", result.len);
        } else {
            g_text value = {0};
            add_field(&value, atom, &s);
            if (strncmp(atom, "color:", 6) == 0) coloured = strcmp(atom, "color:reset") != 0;
            if (depth) g_text_add(&l->out, value.s ? value.s : "", value.len);
            else add_quoted(&l->out, value.s ? value.s : "", value.len);
            g_text_free(&value);
        }
        free(atom);
    }
    if (depth) die("format: %%(end) atom missing");
    g_text_add(out, levels[0].out.s ? levels[0].out.s : "", levels[0].out.len);
    if (coloured && ref_color) g_text_adds(out, COLOR_RESET);
    for (int i = 0; i <= DEEPEST; i++) g_text_free(&levels[i].out);
    unload(&s);
}

void ref_field(g_text *out, const char *atom, const char *full, const char *name) {
    subject s = *full ? load(full, name) : (subject){"", "", NULL, NULL};
    add_field(out, atom, &s);
    unload(&s);
}
