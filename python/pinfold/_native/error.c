/* error.c: the library's statuses as Python exceptions. */
#include "native.h"

static PyObject *class_of(const native_state *state, pf_status status) {
    switch (status) {
    case PF_BUSY: return state->busy;
    case PF_STATE: return state->state;
    case PF_DEAD: return state->dead;
    case PF_FORMAT: return state->snapshot;
    case PF_DIVERGED: return state->replay;
    case PF_NO_TIMER: return state->no_timer;
    case PF_BOUND: return state->bound;
    case PF_INTERRUPTED: return state->interrupted;
    case PF_NO_MEMORY: return PyExc_MemoryError;
    case PF_UNSUPPORTED: return PyExc_NotImplementedError;
    case PF_NOT_FOUND: return PyExc_LookupError;
    case PF_INVALID: return PyExc_ValueError;
    default: return PyExc_SystemError; /* a status that only success has, or an unknown one */
    }
}

/* The message may hold names of files, which are bytes, and may be cut within a character. */
static PyObject *message_of(const pf_error *error) {
    return PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
}

/* What follows the path, which an OSError has by itself. No text of an errno has a colon and a blank
 * (abi/errno.def). */
static PyObject *errno_text(const pf_error *error) {
    const char *why = error->message;
    for (const char *at; (at = strstr(why, ": "));) why = at + 2;
    return PyUnicode_FromString(why);
}

PyObject *native_raise(const native_state *state, const pf_error *error, PyObject *path) {
    PyObject *message = message_of(error);
    if (!message) return NULL;
    if (error->guest_errno) {
        /* OSError picks FileNotFoundError and its like by the number. */
        PyObject *why = path ? errno_text(error) : Py_NewRef(message);
        PyObject *exception =
            why ? PyObject_CallFunction(PyExc_OSError, "iOO", error->guest_errno, why,
                                        path ? path : Py_None)
                : NULL;
        Py_XDECREF(why);
        if (exception) {
            PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
            Py_DECREF(exception);
        }
    } else {
        PyErr_SetObject(class_of(state, error->status), message);
    }
    Py_DECREF(message);
    return NULL;
}

/* printable(text): as it may stand on a terminal or in a log, see pf_printable() */
PyObject *native_printable(PyObject *module, PyObject *text) {
    (void)module;
    if (!PyUnicode_Check(text)) return PyErr_Format(PyExc_TypeError, "expected str, got %R", text);
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"); /* which are no UTF-8 */
    if (!bytes) return NULL;
    const char *data = PyBytes_AsString(bytes);
    size_t len = (size_t)PyBytes_Size(bytes), needed = pf_printable(NULL, 0, data, len);
    PyObject *result = NULL;
    char *out = PyMem_Malloc(needed + 1);
    if (out) {
        pf_printable(out, needed + 1, data, len);
        result = PyUnicode_FromStringAndSize(out, (Py_ssize_t)needed);
        PyMem_Free(out);
    } else {
        PyErr_NoMemory();
    }
    Py_DECREF(bytes);
    return result;
}
