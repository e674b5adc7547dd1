/*
 * act.c: what is done with a sandbox that is no run: files, mounts, snapshots.
 *
 * Each such act has bounds, lets other threads of Python run meanwhile, and ends at an interrupt, also
 * at Ctrl-C on the main thread.
 */
#include "native.h"

/* max_bytes and max_seconds behind the other arguments; 0 is the default, and so is what is absent. */
static bool read_bounds(PyObject *const *args, Py_ssize_t count, pf_bounds *bounds) {
    *bounds = (pf_bounds){.size = sizeof *bounds};
    if (count > 0) bounds->max_bytes = PyLong_AsUnsignedLongLong(args[0]);
    if (count > 1) bounds->max_seconds = PyFloat_AsDouble(args[1]);
    return !PyErr_Occurred();
}

bool native_act_begin(machine *self, native_act *act, PyObject *const *args, Py_ssize_t count) {
    pf_bounds bounds;
    if (!read_bounds(args, count, &bounds) || !native_enter(self)) return false;
    pf_sandbox_bound(self->sandbox, &bounds, NULL);
    /* Ctrl-C counts before the library is entered. With an owner a run is on or expected already. */
    act->expected = !self->owner && !pf_sandbox_running(self->sandbox);
    if (act->expected) pf_sandbox_expect_run(self->sandbox, true);
    native_guard_begin(&act->guard, self->state, self->sandbox);
    if (act->guard.installed && PyErr_CheckSignals() != 0) {
        native_act_end(self, act, PF_OK, NULL, NULL);
        return false;
    }
    act->thread = PyEval_SaveThread();
    return true;
}

bool native_act_end(machine *self, native_act *act, pf_status status, const pf_error *error,
                    PyObject *path) {
    if (act->thread) PyEval_RestoreThread(act->thread);
    bool signalled = native_guard_end(&act->guard);
    if (act->expected) pf_sandbox_expect_run(self->sandbox, false);
    pf_sandbox_bound(self->sandbox, NULL, NULL);
    native_leave(self);
    if (PyErr_Occurred() || (signalled && PyErr_CheckSignals() != 0)) return false;
    if (status != PF_OK) native_raise(self->state, error, path);
    return status == PF_OK;
}

/* Without the GIL: nobody else knows the object yet. */
PyObject *native_take_bytes(char *data, size_t len) {
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)len);
    char *to = bytes ? PyBytes_AsString(bytes) : NULL;
    Py_BEGIN_ALLOW_THREADS
    if (to && len) memcpy(to, data, len);
    pf_free(data);
    Py_END_ALLOW_THREADS
    return bytes;
}
