/* exec.c: becoming another program. */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "exec.h"

static size_t put(char *base, size_t at, const char *text) {
    size_t len = strlen(text) + 1;
    if (base) memcpy(base + at, text, len);
    return at + len;
}

/* Lays the block out at `base`, or only measures it when that is NULL. */
static size_t layout(struct pf_exec *base, const char *path, char *const argv[],
                     char *const envp[], const struct __pf_spawn_step *steps, int step_count) {
    char *bytes = (char *)base;
    struct pf_exec head = {.action_count = (uint32_t)step_count};
    size_t at = sizeof head;
    head.strings_offset = (uint32_t)at;
    at = put(bytes, at, path);
    for (; argv && argv[head.argc]; head.argc++) at = put(bytes, at, argv[head.argc]);
    for (; envp && envp[head.envc]; head.envc++) at = put(bytes, at, envp[head.envc]);
    head.strings_len = (uint32_t)(at - head.strings_offset);
    size_t paths = at;
    for (int i = 0; i < step_count; i++)
        if (steps[i].path) at = put(bytes, at, steps[i].path);
    head.actions_offset = step_count ? (uint32_t)((at + 7) & ~(size_t)7) : 0;
    if (!step_count) goto done;
    while (at < head.actions_offset) {
        if (bytes) bytes[at] = 0;
        at++;
    }
    for (int i = 0; i < step_count; i++) {
        struct pf_spawn_action action = steps[i].action;
        if (steps[i].path) {
            action.path_offset = (uint32_t)paths;
            paths += strlen(steps[i].path) + 1;
        }
        if (bytes) memcpy(bytes + at, &action, sizeof action);
        at += sizeof action;
    }
done:
    if (base) *base = head;
    return at;
}

int __pf_exec_make(struct __pf_exec_block *block, const char *path, char *const argv[],
                   char *const envp[], const struct __pf_spawn_step *steps, int step_count) {
    block->len = layout(NULL, path, argv, envp, steps, step_count);
    if (block->len > PF_MESSAGE_IN_MAX) {
        errno = E2BIG;
        return -1;
    }
    block->head = (struct pf_exec *)block->small;
    if (block->len > sizeof block->small && !(block->head = malloc(block->len))) return -1;
    layout(block->head, path, argv, envp, steps, step_count);
    return 0;
}

void __pf_exec_free(struct __pf_exec_block *block) {
    if ((void *)block->head != block->small) free(block->head);
}

int execve(const char *path, char *const argv[], char *const envp[]) {
    struct __pf_exec_block block;
    if (__pf_exec_make(&block, path, argv, envp, NULL, 0) < 0) return -1;
    int64_t result = PF_SEND(EXEC, PF_IN(block.head, block.len));
    __pf_exec_free(&block);
    return __pf_result(result);
}

/* One directory of a PATH; an empty one is the current directory. */
static int in_folder(const char *folder, size_t len, const char *file, size_t file_len,
                     int (*attempt)(const char *, void *), void *context) {
    char path[PF_PATH_MAX];
    if (len + file_len + 2 > sizeof path) return ENAMETOOLONG;
    memcpy(path, folder, len);
    if (len) path[len++] = '/';
    memcpy(path + len, file, file_len + 1);
    return attempt(path, context);
}

int __pf_search(const char *file, int (*attempt)(const char *path, void *context), void *context) {
    if (!*file) return ENOENT;
    if (strchr(file, '/')) return attempt(file, context);
    const char *places = getenv("PATH");
    if (!places) places = "/usr/bin:/bin";
    int denied = 0;
    size_t file_len = strlen(file);
    for (;;) {
        size_t len = strcspn(places, ":");
        int error = in_folder(places, len, file, file_len, attempt, context);
        switch (error) {
        case EACCES: denied = 1; break;
        case ENOENT:
        case ENOTDIR:
        case ELOOP:
        case ENAMETOOLONG: break;
        default: return error;
        }
        if (!places[len]) return denied ? EACCES : ENOENT;
        places += len + 1;
    }
}

struct attempt {
    char *const *argv;
    char *const *envp;
};

/* A file that is no program and has no #! line is a shell script. */
static int run_script(const char *path, const struct attempt *how) {
    size_t count = 0;
    while (how->argv[count]) count++;
    char **argv = malloc((count + 3) * sizeof *argv);
    if (!argv) return ENOMEM;
    size_t at = 0;
    argv[at++] = (char *)"sh";
    argv[at++] = (char *)path;
    for (size_t i = 1; i < count; i++) argv[at++] = how->argv[i];
    argv[at] = NULL;
    execve("/bin/sh", argv, how->envp);
    int error = errno;
    free(argv);
    return error;
}

static int become(const char *path, void *context) {
    const struct attempt *how = context;
    execve(path, how->argv, how->envp);
    return errno == ENOEXEC ? run_script(path, how) : errno;
}

int execvpe(const char *file, char *const argv[], char *const envp[]) {
    struct attempt how = {argv, envp};
    errno = __pf_search(file, become, &how);
    return -1;
}
int execvp(const char *file, char *const argv[]) { return execvpe(file, argv, environ); }
int execv(const char *path, char *const argv[]) { return execve(path, argv, environ); }

/* execl and its kin: the arguments up to NULL, and what comes after it. */
struct list {
    char **argv;
    char **envp;
};

static struct list collect(const char *first, va_list rest, int with_envp) {
    va_list again;
    va_copy(again, rest);
    size_t count = 1;
    while (va_arg(again, char *)) count++;
    va_end(again);
    struct list list = {.argv = malloc((count + 1) * sizeof(char *)), .envp = environ};
    if (!list.argv) return list;
    list.argv[0] = (char *)first;
    for (size_t i = 1; i <= count; i++) list.argv[i] = va_arg(rest, char *);
    if (with_envp) list.envp = va_arg(rest, char **);
    return list;
}

static int fail(struct list *list) {
    int error = errno;
    free(list->argv);
    errno = error;
    return -1;
}

int execl(const char *path, const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    struct list list = collect(first, rest, 0);
    va_end(rest);
    if (list.argv) execve(path, list.argv, list.envp);
    return fail(&list);
}
int execlp(const char *file, const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    struct list list = collect(first, rest, 0);
    va_end(rest);
    if (list.argv) execvpe(file, list.argv, list.envp);
    return fail(&list);
}
int execle(const char *path, const char *first, ...) {
    va_list rest;
    va_start(rest, first);
    struct list list = collect(first, rest, 1);
    va_end(rest);
    if (list.argv) execve(path, list.argv, list.envp);
    return fail(&list);
}
