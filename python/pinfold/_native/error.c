/* error.c: the library's statuses as Python exceptions. */
#include "native.h"

static PyObject *class_of(const native_state *state, pf_status status) {
    switch (status) {
    case PF_BUSY: return state->busy;
    case PF_STATE: return state->state;
    case PF_DEAD: return state->dead;
    case PF_FORMAT: return state->snapshot;
    case PF_DIVERGED: return state->replay;
    case PF_NO_MEMORY: return PyExc_MemoryError;
    case PF_UNSUPPORTED: return PyExc_NotImplementedError;
    case PF_NOT_FOUND: return PyExc_LookupError;
    case PF_INVALID: return PyExc_ValueError;
    default: return PyExc_SystemError; /* a status that only success has, or an unknown one */
    }
}

PyObject *native_raise(const native_state *state, const pf_error *error, PyObject *path) {
    if (error->guest_errno) {
        /* OSError picks FileNotFoundError and its like by the number. */
        PyObject *exception = PyObject_CallFunction(PyExc_OSError, "isO", error->guest_errno,
                                                    error->message, path ? path : Py_None);
        if (exception) {
            PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
            Py_DECREF(exception);
        }
        return NULL;
    }
    PyErr_SetString(class_of(state, error->status), error->message);
    return NULL;
}
