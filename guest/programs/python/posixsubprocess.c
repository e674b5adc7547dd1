/*
 * posixsubprocess.c: the module _posixsubprocess, on posix_spawn instead of fork and exec.
 *
 * An engine cannot fork, and need not: the kernel starts a process in one message, with what is to
 * be done to its descriptors before. What CPython does between fork and exec in the child
 * (Modules/_posixsubprocess.c) is said in advance. What cannot be said: preexec_fn, for which subprocess
 * forks (lib/_preexec.py), and to become another user, which is refused.
 */
#include <Python.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_FD 1024 /* abi/limits.h: no process has more */

/* A child that does not exist: nobody has this number, and waiting for it finds nothing. */
#define NO_CHILD INT_MAX

/* What fork_exec() was asked for, and what it needs to do it. */
struct plan {
    char **argv, **envp;   /* envp NULL: ours */
    PyObject *programs;    /* a tuple of bytes: tried one after the other */
    PyObject *keep;        /* a sorted tuple of descriptors */
    PyObject *cwd;         /* bytes or None */
    int close_fds, restore_signals, new_session;
    int group, umask;      /* -1: not asked for */
    int child[3];          /* what becomes 0, 1, 2; -1: what it is */
    int parent[3];         /* our ends of the pipes */
    int error_read, error_write;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
};

static void free_strings(char **strings) {
    for (size_t i = 0; strings && strings[i]; i++) PyMem_Free(strings[i]);
    PyMem_Free(strings);
}

/* A NULL-terminated copy of a sequence of bytes or paths. NULL: an exception is set. */
static char **copy_strings(PyObject *sequence, const char *what) {
    PyObject *fast = PySequence_Fast(sequence, what);
    if (!fast) return NULL;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(fast);
    char **strings = PyMem_Calloc((size_t)count + 1, sizeof *strings);
    for (Py_ssize_t i = 0; strings && i < count; i++) {
        PyObject *bytes;
        if (!PyUnicode_FSConverter(PySequence_Fast_GET_ITEM(fast, i), &bytes)) {
            free_strings(strings);
            Py_DECREF(fast);
            return NULL;
        }
        size_t len = (size_t)PyBytes_GET_SIZE(bytes) + 1;
        strings[i] = PyMem_Malloc(len);
        if (strings[i]) memcpy(strings[i], PyBytes_AS_STRING(bytes), len);
        Py_DECREF(bytes);
        if (!strings[i]) {
            free_strings(strings);
            strings = NULL;
        }
    }
    Py_DECREF(fast);
    if (!strings) PyErr_NoMemory();
    return strings;
}

/* ---- what is done to the child's descriptors */

static int kept(const struct plan *plan, int fd) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plan->keep); i++)
        if (PyLong_AsLong(PyTuple_GET_ITEM(plan->keep, i)) == fd) return 1;
    return 0;
}

/* As CPython's child: an end that lies where another one is to be is moved out of the way first. */
static int add_standard(struct plan *plan, int spare[3]) {
    int from[3], error = 0;
    for (int i = 0; i < 3; i++) {
        from[i] = plan->child[i];
        spare[i] = -1;
        if (from[i] < 0 || from[i] >= i) continue;
        spare[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 3);
        if (spare[i] < 0) return errno;
        from[i] = spare[i];
    }
    for (int i = 0; !error && i < 3; i++)
        if (from[i] >= 0) error = posix_spawn_file_actions_adddup2(&plan->actions, from[i], i);
    return error;
}

static int add_closes(struct plan *plan) {
    int error = 0;
    for (int fd = 3; plan->close_fds && !error && fd < LAST_FD; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && !kept(plan, fd))
            error = posix_spawn_file_actions_addclose(&plan->actions, fd);
    /* Who is kept is inherited, whatever its flag says. */
    for (Py_ssize_t i = 0; !error && i < PyTuple_GET_SIZE(plan->keep); i++) {
        int fd = (int)PyLong_AsLong(PyTuple_GET_ITEM(plan->keep, i));
        if (fd > 2 && fd != plan->error_write && fcntl(fd, F_GETFD) >= 0)
            error = posix_spawn_file_actions_adddup2(&plan->actions, fd, fd);
    }
    return error;
}

static int add_attributes(struct plan *plan) {
    short flags = 0;
    if (plan->restore_signals) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        sigaddset(&set, SIGXFSZ);
        posix_spawnattr_setsigdefault(&plan->how, &set);
        flags |= POSIX_SPAWN_SETSIGDEF;
    }
    if (plan->new_session) flags |= POSIX_SPAWN_SETSID;
    if (plan->group >= 0) {
        posix_spawnattr_setpgroup(&plan->how, plan->group > 0 ? plan->group : 0);
        flags |= POSIX_SPAWN_SETPGROUP;
    }
    return posix_spawnattr_setflags(&plan->how, flags);
}

/* ---- the start */

/* Tries the programs in their order, as execve() after execve(). */
static int try_programs(struct plan *plan, pid_t *pid) {
    extern char **environ;
    int error = ENOENT, worst = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plan->programs); i++) {
        const char *path = PyBytes_AsString(PyTuple_GET_ITEM(plan->programs, i));
        error = posix_spawn(pid, path, &plan->actions, &plan->how, plan->argv,
                            plan->envp ? plan->envp : environ);
        if (!error) return 0;
        if (error != ENOENT && error != ENOTDIR && !worst) worst = error;
    }
    return worst ? worst : error;
}

/* A child has our mask, which the kernel gives it from us. */
static int start(struct plan *plan, pid_t *pid) {
    mode_t before = 0;
    if (plan->umask >= 0) before = umask((mode_t)plan->umask);
    int error = try_programs(plan, pid);
    if (plan->umask >= 0) umask(before);
    return error;
}

/* What CPython's child writes when it cannot go on: subprocess reads it and raises. */
static void tell(const struct plan *plan, int error, const char *where) {
    char text[64];
    int len = snprintf(text, sizeof text, "OSError:%X:%s", (unsigned)error, where);
    ssize_t ignored = write(plan->error_write, text, (size_t)len);
    (void)ignored;
}

static int is_directory(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return errno;
    return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

static pid_t carry_out(struct plan *plan) {
    int spare[3] = {-1, -1, -1};
    pid_t pid = NO_CHILD;
    const char *where = "noexec";
    posix_spawn_file_actions_init(&plan->actions);
    posix_spawnattr_init(&plan->how);
    int error = add_standard(plan, spare);
    if (!error) error = add_closes(plan);
    if (!error && plan->cwd != Py_None) {
        error = is_directory(PyBytes_AS_STRING(plan->cwd));
        if (!error) {
            where = "";
            error = posix_spawn_file_actions_addchdir_np(&plan->actions,
                                                         PyBytes_AS_STRING(plan->cwd));
        }
    } else {
        where = "";
    }
    if (!error) error = add_attributes(plan);
    if (!error) error = start(plan, &pid);
    for (int i = 0; i < 3; i++)
        if (spare[i] >= 0) close(spare[i]);
    posix_spawn_file_actions_destroy(&plan->actions);
    posix_spawnattr_destroy(&plan->how);
    if (error) {
        tell(plan, error, where);
        return NO_CHILD;
    }
    return pid;
}

/* ---- from Python */

static int is_own(PyObject *asked, unsigned own) {
    if (asked == Py_None) return 1;
    unsigned long number = PyLong_AsUnsignedLongMask(asked);
    return !PyErr_Occurred() && number == own;
}

static int refuse(PyObject *preexec, PyObject *groups, PyObject *gid, PyObject *uid) {
    if (preexec != Py_None) {
        PyErr_SetString(PyExc_RuntimeError, "preexec_fn is for subprocess.Popen, which forks for it");
        return 1;
    }
    if (groups == Py_None && is_own(gid, getgid()) && is_own(uid, getuid())) return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_PermissionError, "[Errno 1] a process cannot become another user or group here");
    return 1;
}

static PyObject *fork_exec(PyObject *module, PyObject *args) {
    struct plan plan = {0};
    PyObject *argv, *programs, *env, *gid, *groups, *uid, *preexec;
    int vfork_too;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOpO!OOiiiiiiiippiOOOiOp:fork_exec", &argv, &programs, &plan.close_fds,
                          &PyTuple_Type, &plan.keep, &plan.cwd, &env,
                          &plan.child[0], &plan.parent[0], &plan.parent[1], &plan.child[1],
                          &plan.parent[2], &plan.child[2], &plan.error_read, &plan.error_write,
                          &plan.restore_signals, &plan.new_session, &plan.group, &gid, &groups, &uid,
                          &plan.umask, &preexec, &vfork_too))
        return NULL;
    if (refuse(preexec, groups, gid, uid)) return NULL;
    PyObject *cwd = NULL;
    if (plan.cwd != Py_None) {
        if (!PyUnicode_FSConverter(plan.cwd, &cwd)) return NULL;
        plan.cwd = cwd;
    }
    plan.programs = PySequence_Tuple(programs);
    if (plan.programs) plan.argv = copy_strings(argv, "argv must be a tuple");
    if (plan.argv && env != Py_None) plan.envp = copy_strings(env, "env must be a list");
    pid_t pid = -1;
    if (plan.argv && (env == Py_None || plan.envp)) pid = carry_out(&plan);
    free_strings(plan.argv);
    free_strings(plan.envp);
    Py_XDECREF(plan.programs);
    Py_XDECREF(cwd);
    return pid < 0 ? NULL : PyLong_FromLong(pid);
}

PyDoc_STRVAR(fork_exec_doc, "fork_exec(args, executable_list, close_fds, ...)\n\nStarts a process.");

static PyMethodDef methods[] = {{"fork_exec", fork_exec, METH_VARARGS, fork_exec_doc}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_posixsubprocess", .m_doc = "How subprocess starts a process.",
    .m_methods = methods};

PyMODINIT_FUNC PyInit__posixsubprocess(void) { return PyModuleDef_Init(&module); }
