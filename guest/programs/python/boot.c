/*
 * boot.c: an interpreter that is booted at build time, and what a process makes of its copy.
 *
 * python_boot() initialises CPython without arguments, environment, files, clock and randomness, and
 * runs boot.py, which imports the modules that programs begin with. The memory at that moment is
 * the template of all processes. python_wake() takes what is a process's own: arguments and options,
 * environment, the module search path, signals, streams, __main__. What an interpreter can only take when it
 * starts (-O, -X, PYTHONHASHSEED, another locale) it refuses, and main() starts a bare one.
 *
 * Strings hash alike in all processes, as with PYTHONHASHSEED=0, and sys.flags says so: the dictionaries
 * of the template are built with these hashes.
 */
#include <Python.h>

#include <pycore_initconfig.h>
#include <pycore_interp.h>
#include <pycore_pylifecycle.h>
#include <pycore_pystate.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot.h"
#include "boot_modules.h" /* freeze.py: boot_codes */

extern char **environ;

int python_booted;
Py_ssize_t python_booted_builtins;
static PyObject *space; /* the names of boot.py */

#define BOOT_MASK 0x5A /* freeze.py's */
#define HEAP_SPARE (2u << 20) /* bytes that a process finds free before its memory grows */

static void must(PyStatus status) {
    if (_PyStatus_IS_ERROR(status) || _PyStatus_IS_EXIT(status)) Py_ExitStatusException(status);
}

/* An exception at build time: no one could be told. */
static PyObject *need(PyObject *object) {
    if (object) return object;
    PyErr_Print();
    abort();
}

static void set(PyConfig *config, wchar_t **string, const wchar_t *value) {
    must(PyConfig_SetString(config, string, value));
}

/* As CPython would find them; it adds the library's folder and the search path. */
static void set_paths(PyConfig *config) {
    set(config, &config->program_name, L"python3");
    set(config, &config->executable, L"/usr/bin/python3");
    set(config, &config->base_executable, L"/usr/bin/python3");
    set(config, &config->prefix, L"/usr");
    set(config, &config->base_prefix, L"/usr");
    set(config, &config->exec_prefix, L"/usr");
    set(config, &config->base_exec_prefix, L"/usr");
    set(config, &config->platlibdir, L"lib");
}

/* {name: (is it a package, its code)}, from the table; the names, too, are in the table's bytes. */
static PyObject *codes(void) {
    PyObject *all = need(PyDict_New());
    for (size_t i = 0; i < sizeof boot_codes; i++) boot_codes[i] ^= BOOT_MASK;
    unsigned char *at = boot_codes;
    while (*at) {
        const char *name = (const char *)at;
        at += strlen(name) + 1;
        int package = *at++;
        uint32_t size = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
        at += 4;
        PyObject *code = need(PyMemoryView_FromMemory((char *)at, (Py_ssize_t)size, PyBUF_READ));
        PyObject *entry = need(Py_BuildValue("NN", PyBool_FromLong(package), code));
        if (PyDict_SetItemString(all, name, entry) < 0) need(NULL);
        Py_DECREF(entry);
        at += size;
    }
    return all;
}

static void run_text(void) {
    PyObject *all = codes();
    space = need(PyDict_New());
    if (PyDict_SetItemString(space, "codes", all) < 0 ||
        PyDict_SetItemString(space, "__builtins__", PyEval_GetBuiltins()) < 0)
        need(NULL);
    PyObject *entry = need(PyDict_GetItemString(all, "_boot"));
    PyObject *marshal = need(PyImport_ImportModule("marshal"));
    PyObject *code = need(PyObject_CallMethod(marshal, "loads", "O", PyTuple_GET_ITEM(entry, 1)));
    Py_DECREF(need(PyEval_EvalCode(code, space, space)));
    PyObject *path = need(PySys_GetObject("meta_path"));
    if (PyList_Insert(path, 0, need(PyDict_GetItemString(space, "Finder"))) < 0) need(NULL);
    Py_DECREF(code);
    Py_DECREF(marshal);
    Py_DECREF(all);
}

/* What is there now is nobody's garbage, and blocks between it are not given out: pages that a
 * process does not write stay the template's. */
static void settle(void) {
    PyObject *gc = need(PyDict_GetItemString(need(PyDict_GetItemString(space, "_booted")), "gc"));
    PyGC_Collect();
    Py_DECREF(need(PyObject_CallMethod(gc, "freeze", NULL)));
    PyGC_Collect();
    python_booted_builtins = PyDict_GET_SIZE(PyEval_GetBuiltins());
    python_retire_pools();
    memset(boot_codes, 0, sizeof boot_codes);
    free(malloc(HEAP_SPARE));
}

void python_boot(void) {
    static char *const plain[] = {"LANG=C.UTF-8", NULL};
    environ = (char **)plain;
    PyPreConfig before;
    PyPreConfig_InitPythonConfig(&before);
    must(Py_PreInitialize(&before));
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0;
    config.site_import = 0;
    config.install_signal_handlers = 0;
    config.configure_c_stdio = 0;
    config.pathconfig_warnings = 0;
    config.use_hash_seed = 1;
    config.hash_seed = 0;
    config._init_main = 0;
    set_paths(&config);
    must(Py_InitializeFromConfig(&config));
    PyConfig_Clear(&config);
    run_text();
    must(_Py_InitializeMain());
    Py_DECREF(need(PyObject_CallNoArgs(need(PyDict_GetItemString(space, "boot")))));
    settle();
    python_booted = 1;
}

int python_is_booted_module(PyObject *name, PyObject *module) {
    PyObject *all = python_booted ? PyDict_GetItemString(space, "_booted") : NULL;
    return all && PyDict_GetItem(all, name) == module;
}

/* subprocess keeps the children that nobody waited for, with what is not written to them yet. */
void python_part(void) {
    PyObject *all = PyDict_GetItemString(space, "_booted");
    PyObject *module = all ? PyDict_GetItemString(all, "subprocess") : NULL;
    PyObject *kept = module ? PyDict_GetItemString(PyModule_GetDict(module), "_active") : NULL;
    if (kept && PyList_Check(kept)) PyList_SetSlice(kept, 0, PY_SSIZE_T_MAX, NULL);
    PyErr_Clear();
}

/* ---- in each process */

/* Variables of CPython's that are read when somebody asks for them, or that python_wake() takes. */
static int is_known(const char *variable) {
    static const char *const known[] = {
        "PATH", "UNBUFFERED", "DONTWRITEBYTECODE", "IOENCODING", "WARNINGS", "NOUSERSITE", "INSPECT", "SAFEPATH",
        "STARTUP", "ASYNCIODEBUG", "PYCACHEPREFIX", "BREAKPOINT", "USERBASE", "TZPATH"};
    if (strcmp(variable, "PYTHONHASHSEED=0") == 0) return 1;
    const char *name = variable + strlen("PYTHON");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t len = strlen(known[i]);
        if (strncmp(name, known[i], len) == 0 && name[len] == '=') return 1;
    }
    return 0;
}

static int fits_environment(void) {
    static const char *const locales[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (int i = 0; i < 3 && (!locale || !*locale); i++) locale = getenv(locales[i]);
    if (!locale || strcmp(locale, "C.UTF-8") != 0) return 0;
    for (char **at = environ; *at; at++)
        if (strncmp(*at, "PYTHON", 6) == 0 && !is_known(*at)) return 0;
    return 1;
}

/* May an interpreter that was booted with `live` be told this? */
static int fits(const PyConfig *config, const PyConfig *live) {
#define SAME(field) (config->field == live->field)
    return SAME(dev_mode) && SAME(faulthandler) && SAME(tracemalloc) && SAME(import_time) &&
           SAME(code_debug_ranges) && SAME(show_ref_count) && SAME(dump_refs) && SAME(malloc_stats) &&
           SAME(optimization_level) && SAME(parser_debug) && SAME(verbose) && SAME(bytes_warning) &&
           SAME(warn_default_encoding) && config->site_import && !config->home &&
           config->xoptions.length == 0 && (!config->use_hash_seed || config->hash_seed == 0) &&
           wcscmp(config->check_hash_pycs_mode, live->check_hash_pycs_mode) == 0 &&
           wcscasecmp(config->stdio_encoding, live->stdio_encoding) == 0 &&
           wcscasecmp(config->filesystem_encoding, live->filesystem_encoding) == 0;
#undef SAME
}

/* The program's own file, as CPython would find it; 0: it is not where it should be. */
static int find_program(const char *name, char *path, size_t room) {
    static const char *const folders[] = {"/usr/bin/", "/bin/"};
    static const char *const names[] = {"python3", "python", "python3.11"};
    const char *last = strrchr(name, '/');
    int found = 0;
    for (int i = 0; i < 3; i++) found |= strcmp(last ? last + 1 : name, names[i]) == 0;
    if (!found) return 0;
    const char *entry = last ? name : getenv("PATH");
    while (entry && *entry) {
        size_t len = last ? (size_t)(last - name) : strcspn(entry, ":");
        int n = snprintf(path, room, "%.*s/%s", (int)len, entry, last ? last + 1 : name);
        if (n < 0 || (size_t)n >= room) return 0;
        for (int i = 0; i < 2; i++)
            if (strncmp(path, folders[i], strlen(folders[i])) == 0 && !strchr(path + strlen(folders[i]), '/'))
                return access(path, X_OK) == 0;
        if (last || access(path, X_OK) == 0) return 0;
        entry += len + (entry[len] == ':');
    }
    return 0;
}

/* What is the template's, for a configuration that was read from arguments. */
static void complete(PyConfig *config, const PyConfig *live, const char *program, const char *path) {
    must(PyConfig_SetBytesString(config, &config->program_name, program));
    must(PyConfig_SetBytesString(config, &config->executable, path));
    must(PyConfig_SetBytesString(config, &config->base_executable, path));
    set(config, &config->prefix, live->prefix);
    set(config, &config->base_prefix, live->base_prefix);
    set(config, &config->exec_prefix, live->exec_prefix);
    set(config, &config->base_exec_prefix, live->base_exec_prefix);
    set(config, &config->platlibdir, live->platlibdir);
    set(config, &config->stdlib_dir, live->stdlib_dir);
    must(_PyWideStringList_Copy(&config->module_search_paths, &live->module_search_paths) < 0
             ? PyStatus_NoMemory() : PyStatus_Ok());
    config->module_search_paths_set = 1;
    set(config, &config->filesystem_encoding, live->filesystem_encoding); /* under its codec's name */
    set(config, &config->stdio_encoding, live->stdio_encoding);
    config->use_hash_seed = live->use_hash_seed;
    config->hash_seed = live->hash_seed;
    config->use_frozen_modules = live->use_frozen_modules;
}

/* os.environ, which boot.py's interpreter has without entries. */
static int take_environment(void) {
    PyObject *posix = PyImport_ImportModule("posix");
    PyObject *all = posix ? PyObject_GetAttrString(posix, "environ") : NULL;
    Py_XDECREF(posix);
    if (!all) return -1;
    PyDict_Clear(all);
    int result = 0;
    for (char **at = environ; *at && result == 0; at++) {
        const char *sign = strchr(*at, '=');
        if (!sign) continue;
        PyObject *key = PyBytes_FromStringAndSize(*at, sign - *at);
        PyObject *value = key ? PyBytes_FromString(sign + 1) : NULL;
        if (!value || !PyDict_SetDefault(all, key, value)) result = -1;
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    Py_DECREF(all);
    return result;
}

static int take_time_zone(void) {
    const char *zone = getenv("TZ");
    if (!zone || strcmp(zone, "UTC") == 0) return 0;
    PyObject *time = PyImport_ImportModule("time");
    PyObject *none = time ? PyObject_CallMethod(time, "tzset", NULL) : NULL;
    Py_XDECREF(time);
    Py_XDECREF(none);
    return none ? 0 : -1;
}

/* The rest of what is initialised after the configuration; the order is CPython's. */
static int take_process(PyThreadState *thread) {
    const PyConfig *config = _PyInterpreterState_GetConfig(thread->interp);
    if (_PySys_UpdateConfig(thread) < 0 || take_environment() < 0 || take_time_zone() < 0 ||
        python_wake_signals() < 0)
        return -1;
    must(python_wake_main(thread));
    if (config->warnoptions.length > 0) {
        PyObject *warnings = PyImport_ImportModule("warnings");
        if (!warnings) PyErr_Print();
        Py_XDECREF(warnings);
    }
    PyObject *paths = Py_None;
    if (config->pythonpath_env && *config->pythonpath_env)
        paths = PyUnicode_FromWideChar(config->pythonpath_env, -1);
    if (!paths) return -1;
    PyObject *none = PyObject_CallOneArg(PyDict_GetItemString(space, "woken"), paths);
    if (paths != Py_None) Py_DECREF(paths);
    Py_XDECREF(none);
    return none ? 0 : -1;
}

int python_wake(int argc, char **argv) {
    PyThreadState *thread = _PyThreadState_GET();
    PyConfig *live = (PyConfig *)_PyInterpreterState_GetConfig(thread->interp);
    char path[64];
    if (argc < 1 || !fits_environment() || !find_program(argv[0], path, sizeof path)) return 0;
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    must(PyConfig_SetBytesArgv(&config, argc, argv));
    must(PyConfig_Read(&config));
    if (!fits(&config, live)) {
        PyConfig_Clear(&config);
        return 0;
    }
    complete(&config, live, argv[0], path);
    must(_PyConfig_Copy(live, &config));
    PyConfig_Clear(&config);
    must(_PyConfig_Write(live, &_PyRuntime));
    if (take_process(thread) == 0) return 1;
    PyErr_Print();
    exit(1);
}
