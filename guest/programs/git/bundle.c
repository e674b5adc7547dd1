/*
 * bundle.c: reading bundles; see bundle.h.
 */
#include "bundle.h"

#include "git2/indexer.h"

#include <errno.h>
#include <sys/stat.h>

#include "g_file.h"

static bool is_form(const char *line) {
    return strcmp(line, "# v2 git bundle") == 0 || strcmp(line, "# v3 git bundle") == 0;
}

static void add(bundle_ref **list, size_t *count, size_t *cap, const git_oid *id, const char *name) {
    if (*count == *cap) *list = g_more(*list, cap, sizeof **list);
    (*list)[(*count)++] = (bundle_ref){*id, g_copy_string(name)};
}

/* One line of the beginning; false when it is none. */
static bool take_line(bundle *b, const char *line) {
    git_oid id;
    bool needs = *line == '-';
    if (*line == '@') {
        if (strcmp(line, "@object-format=sha1") == 0) return true;
        error("unknown capability '%s'", line + 1);
        return false;
    }
    line += needs;
    if (strlen(line) < OID_HEX || git_oid_fromstrn(&id, line, OID_HEX) < 0 || (line[OID_HEX] && line[OID_HEX] != ' ') ||
        (!needs && !line[OID_HEX])) {
        error("unrecognized header: %s%s (%d)", needs ? "-" : "", line, (int)strlen(line) + needs);
        return false;
    }
    const char *name = line[OID_HEX] ? line + OID_HEX + 1 : "";
    if (needs) add(&b->needed, &b->needed_count, &b->needed_cap, &id, name);
    else add(&b->refs, &b->count, &b->cap, &id, name);
    return true;
}

bundle *bundle_read(const char *path, const char *shown) {
    struct stat st;
    size_t len = 0;
    char *text = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? read_file(path, &len) : NULL;
    bundle *b = g_zalloc(sizeof *b);
    if (!text) {
        error("could not open '%s'", shown);
        return NULL;
    }
    bool first = true;
    for (char *line = text, *end; (end = memchr(line, '\n', len - (size_t)(line - text))) != NULL; line = end + 1) {
        *end = '\0';
        if (first && !is_form(line)) break;
        if (!*line && !first) {
            b->pack = end + 1;
            b->pack_len = len - (size_t)(end + 1 - text);
            return b;
        }
        if (!first && !take_line(b, line)) return NULL;
        first = false;
    }
    if (first) error("'%s' does not look like a v2 or v3 bundle file", shown);
    else error("the beginning of '%s' has no end", shown);
    return NULL;
}

bool bundle_fits(const bundle *b) {
    git_odb *odb;
    bool all = true;
    check(git_repository_odb(&odb, repo));
    for (size_t i = 0; i < b->needed_count; i++) {
        if (git_odb_exists(odb, &b->needed[i].id)) continue;
        if (all) error("Repository lacks these prerequisite commits:");
        all = false;
        error("%s %s", full_id(&b->needed[i].id), "");
    }
    git_odb_free(odb);
    return all;
}

bool bundle_unpack(const bundle *b) {
    git_odb *odb;
    git_indexer *indexer;
    git_indexer_progress progress = {0};
    char *folder = g_join(git_repository_commondir(repo), "objects/pack");
    mkdir(folder, 0777);
    check(git_repository_odb(&odb, repo));
    check(git_indexer_new(&indexer, folder, 0444, odb, NULL));
    bool fine = git_indexer_append(indexer, b->pack, b->pack_len, &progress) == 0 &&
                git_indexer_commit(indexer, &progress) == 0;
    if (!fine) error("index-pack died: %s", git_message());
    git_indexer_free(indexer);
    git_odb_refresh(odb);
    git_odb_free(odb);
    free(folder);
    for (size_t i = 0; fine && i < b->count; i++) {
        git_object *object;
        if (git_object_lookup(&object, repo, &b->refs[i].id, GIT_OBJECT_ANY) == 0) continue;
        error("%s: the bundle does not hold %s", b->refs[i].name, full_id(&b->refs[i].id));
        fine = false;
    }
    return fine;
}
