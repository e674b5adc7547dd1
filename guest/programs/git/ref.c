/*
 * ref.c: references and their logs, with the messages that git leaves in the logs.
 */
#include "git.h"

#include <sys/stat.h>

static bool wants_log(const char *name) {
    char *setting = config_string("core.logallrefupdates");
    if (setting) return strcmp(setting, "always") == 0 || git_config_parse_bool(&(int){0}, setting) == 0;
    if (git_repository_is_bare(repo)) return false;
    return strcmp(name, "HEAD") == 0 || strncmp(name, "refs/heads/", 11) == 0 ||
           strncmp(name, "refs/remotes/", 13) == 0 || strncmp(name, "refs/notes/", 11) == 0;
}

void add_reflog(const char *name, const git_oid *from, const git_oid *to, const char *log) {
    char path[1000];
    g_text line = {0};
    char *file;
    snprintf(path, sizeof path, "logs/%s", name);
    if (!wants_log(name) && !git_file_exists(path)) return;
    git_signature *who = committer_for_log();
    g_text_addf(&line, "%s %s %s <%s> ", full_id(from), full_id(to), who->name, who->email);
    add_date(&line, &who->when, &(date_style){DATE_RAW, false, NULL});
    if (log && *log) g_text_addf(&line, "\t%s", log);
    g_text_addc(&line, '\n');
    file = git_file(path);
    for (char *slash = strchr(file + strlen(git_repository_path(repo)), '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(file, 0777);
        *slash = '/';
    }
    FILE *f = fopen(file, "ab");
    if (f) {
        fwrite(line.s, 1, line.len, f);
        fclose(f);
    }
    g_text_free(&line);
    git_signature_free(who);
}

/* The ref itself: libgit2 writes its log, and that of HEAD when HEAD names it. */
void update_ref(const char *name, const git_oid *id, const char *log) {
    git_reference *ref;
    git_oid was;
    bool same = git_reference_name_to_id(&was, repo, name) == 0 && git_oid_equal(&was, id);
    check(git_reference_create(&ref, repo, name, id, true, log));
    git_reference_free(ref);
    if (!same || !log || !*log) return;
    /* git writes logs also where nothing moved */
    char *head = head_target();
    add_reflog(name, id, id, log);
    if (head && strcmp(head, name) == 0) add_reflog("HEAD", id, id, log);
}

void set_head_detached(const git_oid *id, const char *log) {
    git_oid from = {0};
    git_reference_name_to_id(&from, repo, "HEAD");
    g_text text = {0};
    g_text_addf(&text, "%s\n", full_id(id));
    write_git_file("HEAD", text.s);
    add_reflog("HEAD", &from, id, log);
    g_text_free(&text);
}

char *short_ref(const char *name) {
    static const char *const begins[] = {"refs/heads/", "refs/tags/", "refs/remotes/", "refs/"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t len = strlen(begins[i]);
        if (strncmp(name, begins[i], len) != 0) continue;
        char other[1000];
        git_reference *ref;
        /* a tag of the branch's name comes first in the rules */
        if (i == 0) {
            snprintf(other, sizeof other, "refs/tags/%s", name + len);
            if (git_reference_lookup(&ref, repo, other) == 0) {
                git_reference_free(ref);
                return g_copy_string(name + 5);
            }
        }
        return g_copy_string(name + len);
    }
    return g_copy_string(name);
}

bool valid_branch_name(const char *name) {
    int valid = 0;
    if (name[0] == '-' || strcmp(name, "HEAD") == 0) return false;
    return git_branch_name_is_valid(&valid, name) == 0 && valid;
}
