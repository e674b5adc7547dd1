/*
 * function.c: which lines are heads of functions: by the attribute `diff` of the path, else those that
 * begin with a letter, _ or $.
 */
#include "function.h"

/* libgit2's own, of which it tells nobody. */
typedef struct {
    void *driver;
    int (*match)(void *driver, void *line);
    struct {
        char *text;
        size_t room, size;
    } line;
} context_payload;
typedef long (*find_context)(const char *line, long len, char *out, long out_size, void *payload);
extern int git_diff_driver_lookup(void **out, git_repository *repository, void *session, const char *path);
extern void git_diff_find_context_init(find_context *find, context_payload *payload, void *driver);

static find_context find;
static context_payload payload;

void function_rules(const char *path) {
    void *driver = NULL;
    if (repo) check(git_diff_driver_lookup(&driver, repo, NULL, path));
    find = NULL;
    if (driver) git_diff_find_context_init(&find, &payload, driver);
}

size_t function_head(const char *line, size_t len, char *out, size_t room) {
    if (find) {
        long found = find(line, (long)len, out, (long)room, &payload);
        return found < 0 ? 0 : (size_t)found;
    }
    char c = len ? *line : '\0';
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$')) return 0;
    size_t size = len < room ? len : room;
    memcpy(out, line, size);
    return size;
}

bool is_function_head(const char *line, size_t len) {
    char head[80];
    return function_head(line, len, head, sizeof head) > 0;
}
