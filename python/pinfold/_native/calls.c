/* calls.c: looking at the tool calls of a sandbox. None of these lets the guest run. */
#include "native.h"

PyObject *native_has_work(machine *self, PyObject *none) {
    (void)none;
    if (!native_enter(self)) return NULL;
    bool work = pf_sandbox_has_work(self->sandbox);
    native_leave(self);
    return PyBool_FromLong(work);
}

PyObject *native_running(machine *self, PyObject *none) {
    (void)none;
    if (!native_enter(self)) return NULL;
    bool running = pf_sandbox_running(self->sandbox);
    native_leave(self);
    return PyBool_FromLong(running);
}

/* Nanoseconds until a sleeper is due, or None. */
PyObject *native_wait_ns(machine *self, PyObject *none) {
    (void)none;
    if (!native_enter(self)) return NULL;
    int64_t wait = pf_sandbox_wait_ns(self->sandbox);
    native_leave(self);
    if (wait < 0) Py_RETURN_NONE;
    return PyLong_FromLongLong(wait);
}

/* (id, method, name, params as JSON text, index of the capability) */
static PyObject *call_tuple(const pf_call *call) {
    PyObject *items[] = {
        PyLong_FromUnsignedLongLong(call->id),
        PyUnicode_FromString(call->method),
        PyUnicode_FromString(call->name),
        PyUnicode_FromStringAndSize(call->params, (Py_ssize_t)call->params_len),
        PyLong_FromLong(call->capability),
        PyBool_FromLong(call->ask),
    };
    return native_tuple(items, sizeof items / sizeof *items);
}

/* The oldest call not handed out yet, or None. */
PyObject *native_step(machine *self, PyObject *none) {
    (void)none;
    if (!native_enter(self)) return NULL;
    pf_call call;
    pf_error error;
    pf_status status = pf_sandbox_step(self->sandbox, &call, &error);
    PyObject *out = NULL;
    if (status == PF_OK) out = call_tuple(&call);
    else if (status == PF_DONE) out = Py_NewRef(Py_None);
    else native_raise(self->state, &error, NULL);
    native_leave(self);
    return out;
}

static PyObject *call_list(const pf_call *calls, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *tuple = call_tuple(&calls[i]);
        if (tuple) PyList_SetItem(list, (Py_ssize_t)i, tuple);
        else Py_CLEAR(list);
    }
    return list;
}

static PyObject *id_tuple(const pf_call *calls, size_t count) {
    PyObject *ids = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; ids && i < count; i++) {
        PyObject *id = PyLong_FromUnsignedLongLong(calls[i].id);
        if (id) PyTuple_SetItem(ids, (Py_ssize_t)i, id);
        else Py_CLEAR(ids);
    }
    return ids;
}

static PyObject *all_pending(machine *self, PyObject *(*make)(const pf_call *, size_t)) {
    if (!native_enter(self)) return NULL;
    size_t count = pf_sandbox_pending(self->sandbox, NULL, 0);
    pf_call *calls = count ? PyMem_Malloc(count * sizeof *calls) : NULL;
    PyObject *all = NULL;
    if (count && !calls) PyErr_NoMemory();
    else {
        if (count) pf_sandbox_pending(self->sandbox, calls, count);
        all = make(calls, count);
    }
    PyMem_Free(calls);
    native_leave(self);
    return all;
}

/* All unanswered calls, oldest first. */
PyObject *native_pending(machine *self, PyObject *none) {
    (void)none;
    return all_pending(self, call_list);
}

/* A tuple of their ids. */
PyObject *native_pending_ids(machine *self, PyObject *none) {
    (void)none;
    return all_pending(self, id_tuple);
}
