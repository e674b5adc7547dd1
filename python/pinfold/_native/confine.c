/*
 * confine.c: what takes from this process all that a machine does not need. For the worker of
 * isolation="process" (pinfold/worker.py), before it looks at anything that nobody trusts.
 *
 * prepare() makes what can only be made before. shut() comes next, while there is one thread: nobody
 * but root may look into the process, and Landlock, where the kernel has it, takes away all files,
 * ports and other processes. Last is confine(): seccomp(2) leaves the system calls of confine.def,
 * with the arguments that it names. Nothing of this can be taken back.
 */
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef OUR_ARCH

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* CLOCK_THREAD_CPUTIME_ID as the GNU C library gives it to timer_create(2). */
#define OWN_THREAD_CLOCK 0xfffffffeu

/* ------------------------------------------------------------------ the table */

#define VALUES_MAX 6
#define CHECKS_MAX 2
struct check {
    enum { CHECK_NONE, CHECK_WITHIN, CHECK_ONE_OF, CHECK_OWN } kind;
    int arg;
    uint32_t count, values[VALUES_MAX];
    const char *text;
};
struct rule {
    int number;
    const char *name, *why;
    bool refused; /* with EPERM */
    struct check checks[CHECKS_MAX];
};

#define COUNT(...)      (sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define WITHIN(i, bits) {CHECK_WITHIN, i, 1, {bits}, "argument " #i " within " #bits}
#define ONE_OF(i, ...)                                                                             \
    {CHECK_ONE_OF, i, COUNT(__VA_ARGS__), {__VA_ARGS__}, "argument " #i " one of " #__VA_ARGS__}
#define OWN(i)     {CHECK_OWN, i, 0, {0}, "argument " #i " this process"}
#define ALLOW(name, why, ...)  {SYS_##name, #name, why, false, {__VA_ARGS__}},
#define REFUSE(name, why)      {SYS_##name, #name, why, true, {{0}}},
static const struct rule table[] = {
#include "confine.def"
};
enum { RULES = sizeof table / sizeof *table };

/* ------------------------------------------------------------------ the filter */

#define OP(...)      ((struct sock_filter)__VA_ARGS__)
#define LOAD(at)     OP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(at)))
#define ARG(i)       (offsetof(struct seccomp_data, args) + 8 * (size_t)(i))
#define EQUAL(k, t, f) OP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(k), t, f))
#define RETURN(k)    OP(BPF_STMT(BPF_RET | BPF_K, (uint32_t)(k)))

/* A rule's part of the filter, which ends with two answers: yes, and the death of the process. */
enum { CHECK_OPS = VALUES_MAX + 4, RULE_OPS = 1 + CHECKS_MAX * CHECK_OPS + 2 };

/* Adds what goes on behind itself when the argument is good, and else jumps to the place that `end`
 * instructions from the part's end will have: the jumps are made good by link_part(). */
#define FAIL 255
static size_t put_check(struct sock_filter *at, const struct check *c) {
    size_t n = 0;
    at[n++] = LOAD(ARG(c->arg));
    if (c->kind == CHECK_WITHIN) {
        at[n++] = OP(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~c->values[0], FAIL, 0));
        at[n++] = LOAD(ARG(c->arg) + 4);
        at[n++] = EQUAL(0, 0, FAIL);
    } else if (c->kind == CHECK_OWN) {
        at[n++] = EQUAL(getpid(), 0, FAIL);
    } else { /* these are 32 bits for the kernel, too */
        for (uint32_t i = 0; i < c->count; i++) {
            bool last = i + 1 == c->count;
            at[n++] = EQUAL(c->values[i], c->count - 1 - i, last ? FAIL : 0);
        }
    }
    return n;
}

static size_t put_rule(struct sock_filter *at, const struct rule *rule) {
    size_t n = 1; /* the first one asks whether it is this call */
    for (int i = 0; i < CHECKS_MAX && rule->checks[i].kind != CHECK_NONE; i++)
        n += put_check(at + n, &rule->checks[i]);
    at[n++] = RETURN(rule->refused ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW);
    at[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
    at[0] = EQUAL(rule->number, 0, n - 1);
    for (size_t i = 1; i < n; i++) {
        if (BPF_CLASS(at[i].code) != BPF_JMP) continue;
        if (at[i].jt == FAIL) at[i].jt = (uint8_t)(n - 2 - i);
        if (at[i].jf == FAIL) at[i].jf = (uint8_t)(n - 2 - i);
    }
    return n;
}

/* `without`: a rule to leave out, for tests that show what it is needed for; or NULL. */
static int install(const char *without) {
    struct sock_filter ops[4 + RULES * RULE_OPS + 1];
    size_t n = 0;
    ops[n++] = LOAD(offsetof(struct seccomp_data, arch));
    ops[n++] = EQUAL(OUR_ARCH, 1, 0);
    ops[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
    ops[n++] = LOAD(offsetof(struct seccomp_data, nr));
    for (int i = 0; i < RULES; i++)
        if (!without || strcmp(table[i].name, without) != 0) n += put_rule(ops + n, &table[i]);
    ops[n++] = RETURN(SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = ops};
    /* TSYNC: also the threads that are there already. */
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

/* ------------------------------------------------------------------ Landlock */

/* Rights that each version of Landlock can take away; this header may be older than the kernel. */
struct ruleset {
    uint64_t files, ports, scopes;
};
static const struct ruleset rulesets[] = {
    {0x1fff, 0, 0}, {0x3fff, 0, 0}, {0x7fff, 0, 0}, {0x7fff, 3, 0}, {0xffff, 3, 0}, {0xffff, 3, 3},
};

/* Takes all of it; the version of Landlock that did, 0 where there is none, -1 with errno. */
static int lock_everything(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version <= 0) return 0;
    size_t known = sizeof rulesets / sizeof *rulesets;
    struct ruleset all = rulesets[(size_t)version < known ? (size_t)version - 1 : known - 1];
    size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
    if (rules < 0) return -1;
    long failed = syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return failed ? -1 : (int)version;
}

/* ------------------------------------------------------------------ for Python */

#ifdef PF_NO_SIGNALS
/* The library's thread that counts CPU time starts with the first sandbox, and no thread starts
 * once the process is confined. */
static bool start_threads(void) {
    pf_error error;
    pf_sandbox *sandbox = NULL;
    pf_options *options = pf_options_new();
    if (options) pf_sandbox_new(options, &sandbox, &error);
    pf_options_free(options);
    pf_sandbox_free(sandbox);
    return sandbox != NULL;
}
#else
static bool start_threads(void) {
    return true;
}
#endif

/* prepare(): makes what sandboxes start from. */
PyObject *native_prepare(PyObject *module, PyObject *none) {
    (void)none;
    pf_error error;
    if (pf_prepare(&error) != PF_OK) return native_raise(PyModule_GetState(module), &error, NULL);
    Py_RETURN_NONE;
}

/* shut(): the version of Landlock that helps, or 0. For this thread, and those that it starts. */
PyObject *native_shut(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    int landlock = -1;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        landlock = lock_everything();
    if (landlock < 0) return PyErr_SetFromErrno(PyExc_OSError);
    return start_threads() ? PyLong_FromLong(landlock) : PyErr_NoMemory();
}

/* confine(without or None) */
PyObject *native_confine(PyObject *module, PyObject *without) {
    (void)module;
    const char *name = NULL;
    if (without != Py_None && !(name = PyUnicode_AsUTF8AndSize(without, NULL))) return NULL;
    int failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? install(name) : -1;
    if (failed < 0) return PyErr_SetFromErrno(PyExc_OSError);
    if (failed > 0) {
        PyErr_Format(PyExc_OSError, "thread %d cannot be confined", failed);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *rule_tuple(const struct rule *rule) {
    PyObject *checks = PyList_New(0);
    for (int i = 0; checks && i < CHECKS_MAX && rule->checks[i].kind != CHECK_NONE; i++) {
        PyObject *text = PyUnicode_FromString(rule->checks[i].text);
        if (!text || PyList_Append(checks, text) != 0) Py_CLEAR(checks);
        Py_XDECREF(text);
    }
    if (!checks) return NULL;
    return Py_BuildValue("(sisNN)", rule->name, rule->number, rule->why,
                         PyBool_FromLong(rule->refused), checks);
}

/* confinement(): [(name, number, why, refused with EPERM, [what is checked])], all of confine.def. */
PyObject *native_confinement(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    PyObject *all = PyList_New(RULES);
    for (int i = 0; all && i < RULES; i++) {
        PyObject *rule = rule_tuple(&table[i]);
        if (rule) PyList_SetItem(all, i, rule);
        else Py_CLEAR(all);
    }
    return all;
}

#else

static PyObject *not_here(void) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "isolation=\"process\" needs Linux on x86-64 or arm64");
    return NULL;
}
PyObject *native_prepare(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    return not_here();
}
PyObject *native_shut(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    return not_here();
}
PyObject *native_confine(PyObject *module, PyObject *without) {
    (void)module, (void)without;
    return not_here();
}
PyObject *native_confinement(PyObject *module, PyObject *none) {
    (void)module, (void)none;
    return not_here();
}

#endif
