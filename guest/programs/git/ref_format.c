/*
 * ref_format.c: %(refname) and its relatives, for branch, tag and for-each-ref.
 */
#include "revs.h"
#include "status.h"

void expand_ref_format(const char *format, const char *full, const char *name);

static git_object *peeled(const char *full) {
    git_object *object, *commit;
    if (git_revparse_single(&object, repo, full) < 0) return NULL;
    return git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0 ? commit : object;
}

static void add_person_field(g_text *out, const git_signature *who, const char *field, const char *how) {
    if (strcmp(field, "name") == 0) g_text_adds(out, who->name);
    else if (strcmp(field, "email") == 0) g_text_addf(out, "<%s>", who->email);
    else if (strcmp(field, "date") == 0) {
        date_style style = how ? date_style_named(how) : (date_style){0};
        add_date(out, &who->when, &style);
    } else add_person(out, who);
}

static void add_upstream(g_text *out, const char *full, const char *how) {
    char *up;
    size_t ahead, behind;
    bool gone;
    if (strncmp(full, "refs/heads/", 11) != 0 || !tracking(full + 11, &up, &ahead, &behind, &gone)) return;
    if (how && strncmp(how, "track", 5) == 0) {
        if (gone) g_text_adds(out, "[gone]");
        else if (ahead && behind) g_text_addf(out, "[ahead %zu, behind %zu]", ahead, behind);
        else if (ahead) g_text_addf(out, "[ahead %zu]", ahead);
        else if (behind) g_text_addf(out, "[behind %zu]", behind);
    } else {
        g_text_addf(out, "%s%s", how ? "" : "refs/remotes/", up);
    }
}

static void add_atom(g_text *out, const char *atom, const char *full, const char *name) {
    char *copy = g_copy_string(atom), *how = strchr(copy, ':');
    if (how) *how++ = '\0';
    git_object *object = object_named(full), *commit = peeled(full);
    bool is_commit = commit && git_object_type(commit) == GIT_OBJECT_COMMIT;
    const char *kind = git_object_type2string(git_object_type(object));
    char *head = head_target();
    if (strcmp(copy, "refname") == 0)
        g_text_adds(out, !how ? full : strcmp(how, "short") == 0 ? name : strncmp(how, "lstrip=", 7) == 0 || strncmp(how, "strip=", 6) == 0 ? name : full);
    else if (strcmp(copy, "objectname") == 0) g_text_adds(out, how ? short_id(git_object_id(object)) : full_id(git_object_id(object)));
    else if (strcmp(copy, "objecttype") == 0) g_text_adds(out, kind);
    else if (strcmp(copy, "HEAD") == 0) g_text_addc(out, head && strcmp(head, full) == 0 ? '*' : ' ');
    else if (strcmp(copy, "upstream") == 0) add_upstream(out, full, how);
    else if (is_commit && strncmp(copy, "author", 6) == 0) add_person_field(out, git_commit_author((git_commit *)commit), copy + 6, how);
    else if (is_commit && strncmp(copy, "committer", 9) == 0) add_person_field(out, git_commit_committer((git_commit *)commit), copy + 9, how);
    else if (is_commit && strncmp(copy, "creator", 7) == 0) {
        const git_signature *who = git_object_type(object) == GIT_OBJECT_TAG ? git_tag_tagger((git_tag *)object) : git_commit_committer((git_commit *)commit);
        add_person_field(out, who, copy + 7, how);
    } else if (strncmp(copy, "tagger", 6) == 0 && git_object_type(object) == GIT_OBJECT_TAG) add_person_field(out, git_tag_tagger((git_tag *)object), copy + 6, how);
    else if (strcmp(copy, "subject") == 0 || (strcmp(copy, "contents") == 0 && how && strcmp(how, "subject") == 0)) {
        const char *message = git_object_type(object) == GIT_OBJECT_TAG ? git_tag_message((git_tag *)object) : is_commit ? git_commit_message((git_commit *)commit) : "";
        g_text_adds(out, subject_of(message ? message : ""));
    } else if (strcmp(copy, "contents") == 0) g_text_adds(out, git_object_type(object) == GIT_OBJECT_TAG ? git_tag_message((git_tag *)object) : is_commit ? git_commit_message((git_commit *)commit) : "");
    else if (*copy == '*' || strncmp(copy, "tagger", 6) == 0 || strcmp(copy, "symref") == 0) {
        if (strcmp(copy, "*objectname") == 0 && git_object_type(object) == GIT_OBJECT_TAG && commit) g_text_adds(out, full_id(git_object_id(commit)));
    } else die("unknown field name: %s", copy);
    free(copy);
}

void expand_ref_format(const char *format, const char *full, const char *name) {
    g_text out = {0};
    for (const char *p = format; *p; p++) {
        const char *close;
        if (p[0] == '%' && p[1] == '(' && (close = strchr(p, ')')) != NULL) {
            char *atom = g_copy_bytes(p + 2, (size_t)(close - p - 2));
            add_atom(&out, atom, full, name);
            free(atom);
            p = close;
        } else if (p[0] == '%' && p[1] == '%') {
            g_text_addc(&out, *p++);
        } else if (p[0] == '%' && p[1] && p[2]) {
            unsigned byte;
            if (sscanf(p + 1, "%2x", &byte) == 1) g_text_addc(&out, (char)byte), p += 2;
            else g_text_addc(&out, *p);
        } else {
            g_text_addc(&out, *p);
        }
    }
    g_out(out.s ? out.s : "", out.len);
    g_text_free(&out);
}
