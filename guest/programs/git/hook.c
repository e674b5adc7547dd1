/*
 * hook.c: the programs below .git/hooks, as processes of the sandbox. They run at the top of the
 * working tree and say their words on stderr.
 */
#include "git.h"
#include "g_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "g_spawn.h"

extern char **environ;

static char *hook_path(const char *name) {
    char *folder = config_string("core.hookspath");
    char *path = folder ? g_join(*folder == '/' ? folder : in_workdir(folder), name)
                        : g_join(git_file("hooks/"), name);
    free(folder);
    return path;
}

static void write_all(int fd, const char *text) {
    size_t len = strlen(text);
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n <= 0) break;
        text += n;
        len -= (size_t)n;
    }
}

int run_hook(const char *name, char *const arguments[], const char *input) {
    char *path = hook_path(name);
    char *argv[16] = {path};
    int in[2] = {-1, -1}, status;
    pid_t pid;
    if (access(path, X_OK) != 0) {
        if (file_exists(path))
            hint("The '%s' hook was ignored because it's not set as executable.\n"
                 "You can disable this warning with `git config advice.ignoredHook false`.", path);
        return 0;
    }
    for (int i = 0; arguments && arguments[i] && i < 14; i++) argv[i + 1] = arguments[i];
    g_out_flush();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input && pipe(in) == 0) {
        posix_spawn_file_actions_adddup2(&actions, in[0], 0);
        posix_spawn_file_actions_addclose(&actions, in[0]);
        posix_spawn_file_actions_addclose(&actions, in[1]);
    } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    }
    if (strcmp(name, "pre-push") != 0) posix_spawn_file_actions_adddup2(&actions, 2, 1); /* so does git */
    char *here = g_working_directory();
    bool tree = git_repository_workdir(repo) != NULL, index = getenv("GIT_INDEX_FILE") == NULL && strstr(name, "commit");
    (void)!chdir(tree ? git_repository_workdir(repo) : git_repository_path(repo));
    if (!tree) setenv("GIT_DIR", ".", 1);
    if (tree && index) setenv("GIT_INDEX_FILE", ".git/index", 1);
    setenv("GIT_PREFIX", prefix, 1);
    int failed = posix_spawn(&pid, path, &actions, NULL, argv, environ);
    if (!tree) unsetenv("GIT_DIR");
    if (tree && index) unsetenv("GIT_INDEX_FILE");
    if (here) (void)!chdir(here);
    posix_spawn_file_actions_destroy(&actions);
    if (in[0] >= 0) {
        close(in[0]);
        void (*pipes)(int) = signal(SIGPIPE, SIG_IGN); /* a hook may read nothing */
        if (!failed) write_all(in[1], input);
        signal(SIGPIPE, pipes);
        close(in[1]);
    }
    if (failed) {
        error("cannot run %s: %s", path, strerror(failed));
        return 1;
    }
    status = g_exit_status(wait_child(pid));
    free(path);
    return status;
}

static void copy_entries(git_index *from, git_index *to) {
    check(git_index_clear(to));
    for (size_t i = 0; i < git_index_entrycount(from); i++)
        check(git_index_add(to, git_index_get_byindex(from, i)));
}

/* The hook gets the index in a file of its own, and what it makes of that is read back. */
int run_hook_on(git_index *index, const char *name, char *const arguments[]) {
    char *hook = hook_path(name), *path;
    bool runs = index && access(hook, X_OK) == 0 && !getenv("GIT_INDEX_FILE");
    free(hook);
    if (!runs) return run_hook(name, arguments, NULL);
    git_index *file;
    g_text own = {0};
    g_text_addf(&own, "next-index-%d", (int)getpid());
    path = git_file(own.s);
    unlink(path);
    check(git_index_open(&file, path));
    copy_entries(index, file);
    check(git_index_write(file));
    setenv("GIT_INDEX_FILE", path, 1);
    int status = run_hook(name, arguments, NULL);
    unsetenv("GIT_INDEX_FILE");
    if (status == 0) {
        check(git_index_read(file, true));
        copy_entries(file, index);
    }
    git_index_free(file);
    unlink(path);
    free(path);
    g_text_free(&own);
    return status;
}
