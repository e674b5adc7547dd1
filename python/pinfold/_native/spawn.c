/*
 * spawn.c: spawn(program, arguments, environment, descriptors) starts the worker of
 * isolation="process" (pinfold/link.py).
 *
 * As subprocess.Popen does, and three things more: the child has namespaces of its own from its
 * first instruction on, where the kernel and this process's privileges offer them; it is killed when
 * the thread that started it ends, however that comes; and it has no descriptor but those given.
 */
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES     (64u << 10)
#define DESCRIPTORS_MAX 8
/* Without close_range(2), of Linux 5.9, descriptors are closed one by one, up to here. */
#define CLOSE_MAX 65536

struct start {
    const char *program;
    char **argv, **envp;
    int fds[DESCRIPTORS_MAX]; /* what become 0, 1, 2 ... */
    int count;
    sigset_t mask; /* of the child */
    int error;     /* errno when it could not become the program */
};

static void close_rest(int first) {
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    for (int fd = first; fd < CLOSE_MAX; fd++) close(fd);
}

/* In the child, which shares this process's memory until it is another program: nothing here may
 * take a lock or change what others look at. */
static int become(void *given) {
    struct start *s = given;
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &plain, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    /* None may lie where another has to go. */
    for (int i = 0; i < s->count; i++)
        if ((s->fds[i] = fcntl(s->fds[i], F_DUPFD, DESCRIPTORS_MAX)) < 0) goto failed;
    for (int i = 0; i < s->count; i++)
        if (dup2(s->fds[i], i) < 0) goto failed;
    close_rest(s->count);
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
    execve(s->program, s->argv, s->envp);
failed:
    s->error = errno;
    _exit(127);
}

/* What to ask for, the most first. Where a user namespace cannot be had, as in many containers, one
 * with privileges can do without. */
#define INNER (CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)
static const int offers[] = {CLONE_NEWUSER | INNER, INNER, CLONE_NEWUSER | CLONE_NEWNET, 0};
static const struct {
    int flag;
    const char *name;
} namespaces[] = {
    {CLONE_NEWUSER, "user"}, {CLONE_NEWPID, "pid"}, {CLONE_NEWNET, "net"},
    {CLONE_NEWIPC, "ipc"},   {CLONE_NEWUTS, "uts"},
};

/* The child's number, -1 with errno. Which namespaces it has is in *given. */
static pid_t start_child(struct start *start, int *given) {
    char *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return -1;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler runs in the child */
    pid_t pid = -1;
    for (size_t i = 0; pid < 0 && i < sizeof offers / sizeof *offers; i++) {
        *given = offers[i];
        int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | offers[i];
        pid = clone(become, stack + STACK_BYTES, flags, start);
        if (pid < 0 && (errno == EAGAIN || errno == ENOMEM)) break; /* nor would less of it help */
        if (pid < 0 || start->error != EACCES || offers[i] == 0) continue;
        waitpid(pid, NULL, 0); /* in a user namespace root reads no more than its owner may */
        start->error = 0;
        pid = -1;
    }
    int saved = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(stack, STACK_BYTES);
    errno = saved;
    return pid;
}

/* A NULL-terminated array of what the list of bytes holds; free with PyMem_Free(). */
static char **strings(PyObject *list) {
    Py_ssize_t count = PyList_Size(list);
    char **all = count < 0 ? NULL : PyMem_Malloc(((size_t)count + 1) * sizeof *all);
    if (count >= 0 && !all) PyErr_NoMemory();
    for (Py_ssize_t i = 0; all && i < count; i++)
        if (!(all[i] = PyBytes_AsString(PyList_GetItem(list, i)))) {
            PyMem_Free(all);
            return NULL;
        }
    if (all) all[count] = NULL;
    return all;
}

static bool descriptors(PyObject *list, struct start *start) {
    start->count = (int)PyList_Size(list);
    if (start->count < 0 || start->count > DESCRIPTORS_MAX) {
        PyErr_SetString(PyExc_ValueError, "as many descriptors cannot be given");
        return false;
    }
    for (int i = 0; i < start->count; i++) {
        start->fds[i] = (int)PyLong_AsLong(PyList_GetItem(list, i));
        if (PyErr_Occurred()) return false;
    }
    return true;
}

static PyObject *started(pid_t pid, int given) {
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names && i < sizeof namespaces / sizeof *namespaces; i++) {
        if (!(given & namespaces[i].flag)) continue;
        PyObject *name = PyUnicode_FromString(namespaces[i].name);
        if (!name || PyList_Append(names, name) != 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names ? Py_BuildValue("(iN)", (int)pid, names) : NULL;
}

/* spawn(program, [argument], [environment], [descriptor]): (pid, [namespace]). All texts are bytes,
 * the descriptors become 0, 1, 2 ... of the child. */
PyObject *native_spawn(PyObject *module, PyObject *args) {
    (void)module;
    struct start start = {0};
    PyObject *arguments, *environment, *given;
    if (!PyArg_ParseTuple(args, "yO!O!O!", &start.program, &PyList_Type, &arguments, &PyList_Type,
                          &environment, &PyList_Type, &given))
        return NULL;
    sigemptyset(&start.mask);
    start.argv = strings(arguments);
    start.envp = start.argv ? strings(environment) : NULL;
    int has = 0;
    pid_t pid = -1;
    bool tried = start.envp && descriptors(given, &start);
    if (tried) {
        Py_BEGIN_ALLOW_THREADS
        pid = start_child(&start, &has);
        Py_END_ALLOW_THREADS
    }
    int error = errno;
    PyMem_Free(start.argv);
    PyMem_Free(start.envp);
    if (!tried) return NULL;
    if (pid > 0 && !start.error) return started(pid, has);
    if (pid > 0) { /* it was there, and could not become the program */
        waitpid(pid, NULL, 0);
        error = start.error;
    }
    errno = error;
    return PyErr_SetFromErrnoWithFilename(PyExc_OSError, pid > 0 ? start.program : NULL);
}
