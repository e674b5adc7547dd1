/* place.c: what one run has of its own, from Python values to pf_run. */
#include "native.h"

void native_place_free(native_place *own) {
    PyMem_Free((void *)own->env);
    pf_options_free(own->limits);
}

static bool take_env(native_place *own, PyObject *list) {
    Py_ssize_t count = PyList_Size(list);
    own->env = PyMem_Calloc((size_t)count + 1, sizeof *own->env);
    if (!own->env) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        own->env[i] = native_text(PyList_GetItem(list, i));
        if (!own->env[i]) return false;
    }
    return true;
}

bool native_place_take(machine *self, PyObject *given, pf_run *run, native_place *own) {
    PyObject *cwd, *env, *limits;
    if (!PyArg_ParseTuple(given, "OO!O", &cwd, &PyList_Type, &env, &limits)) return false;
    if (cwd != Py_None && !(run->cwd = native_text(cwd))) return false;
    if (!take_env(own, env)) return false;
    if (limits != Py_None && !(own->limits = native_limits(self->state, limits))) return false;
    run->env = own->env;
    run->limits = own->limits;
    return true;
}
