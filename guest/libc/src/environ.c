/*
 * environ.c: the environment.
 *
 * Entries that came with the process lie in its start block; those set here are malloc'ed and are
 * remembered in `owned`, so that replacing one frees it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char **environ;
extern char **__wasilibc_environ __attribute__((alias("environ")));
extern char **__environ __attribute__((alias("environ")));
void __wasilibc_ensure_environ(void) {}

static char **table; /* the array that was allocated here, if environ is that one */
static size_t room;
static char **owned;
static size_t owned_count, owned_room;

static size_t name_len(const char *name) { return strcspn(name, "="); }

static char **find(const char *name, size_t len) {
    if (!environ) return NULL;
    for (char **at = environ; *at; at++)
        if (!strncmp(*at, name, len) && (*at)[len] == '=') return at;
    return NULL;
}

static void release(char *entry) {
    for (size_t i = 0; i < owned_count; i++) {
        if (owned[i] != entry) continue;
        owned[i] = owned[--owned_count];
        free(entry);
        return;
    }
}

static int own(char *entry) {
    if (owned_count == owned_room) {
        size_t more = owned_room ? owned_room * 2 : 16;
        char **bigger = realloc(owned, more * sizeof *bigger);
        if (!bigger) return -1;
        owned = bigger;
        owned_room = more;
    }
    owned[owned_count++] = entry;
    return 0;
}

/* Puts an entry into environ, in place of the one of the same name. */
static int put(char *entry, size_t len) {
    char **at = find(entry, len);
    if (at) {
        char *old = *at;
        *at = entry;
        if (old != entry) release(old);
        return 0;
    }
    size_t count = 0;
    while (environ && environ[count]) count++;
    if (environ != table || count + 2 > room) {
        size_t want = count + 2 > 16 ? (count + 2) * 2 : 32;
        char **bigger = realloc(environ == table ? table : NULL, want * sizeof *bigger);
        if (!bigger) return -1;
        if (environ != table && count) memcpy(bigger, environ, count * sizeof *bigger);
        environ = table = bigger;
        room = want;
    }
    environ[count] = entry;
    environ[count + 1] = NULL;
    return 0;
}

char *getenv(const char *name) {
    size_t len = name_len(name);
    if (!len || name[len]) return NULL;
    char **at = find(name, len);
    return at ? *at + len + 1 : NULL;
}
char *secure_getenv(const char *name) { return getenv(name); }

int setenv(const char *name, const char *value, int overwrite) {
    size_t len = name ? name_len(name) : 0;
    if (!len || name[len]) {
        errno = EINVAL;
        return -1;
    }
    if (!overwrite && find(name, len)) return 0;
    size_t value_len = strlen(value);
    char *entry = malloc(len + value_len + 2);
    if (!entry) return -1;
    memcpy(entry, name, len);
    entry[len] = '=';
    memcpy(entry + len + 1, value, value_len + 1);
    if (own(entry) == 0) {
        if (put(entry, len) == 0) return 0;
        owned_count--;
    }
    free(entry);
    return -1;
}

int unsetenv(const char *name) {
    size_t len = name ? name_len(name) : 0;
    if (!len || name[len]) {
        errno = EINVAL;
        return -1;
    }
    char **at;
    while ((at = find(name, len))) {
        char *old = *at;
        do at[0] = at[1];
        while (*at++);
        release(old);
    }
    return 0;
}

int putenv(char *entry) {
    size_t len = name_len(entry);
    if (!entry[len]) return unsetenv(entry);
    return put(entry, len);
}

int clearenv(void) {
    while (owned_count) free(owned[--owned_count]);
    if (environ) environ[0] = NULL;
    return 0;
}
