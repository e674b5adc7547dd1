/*
 * drive.c: everything that lets the guest run.
 *
 * Each of these gives the result tuple when the run is complete, None when it waits for an answer.
 * The GIL is free meanwhile; on_output gets it back for the time of its call.
 */
#include "native.h"

/* ------------------------------------------------------------------ results */

PyObject *native_tuple(PyObject *const *items, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    bool complete = tuple != NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        complete = complete && items[i];
        if (tuple) PyTuple_SetItem(tuple, i, items[i]); /* takes the item, also a NULL */
        else Py_XDECREF(items[i]);
    }
    if (complete) return tuple;
    Py_XDECREF(tuple);
    return NULL;
}

static PyObject *text_or_none(const char *data, size_t len) {
    if (!data) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(data, (Py_ssize_t)len, "replace");
}

/* (stdout, stderr, exit_code, value, limit, stdout_truncated, stderr_truncated, session_lost,
 * cpu_ns, wall_ns, memory_bytes, tool_calls, session_ended): what pinfold.result.Result reads. */
static PyObject *result_tuple(const pf_result *result) {
    PyObject *items[] = {
        PyBytes_FromStringAndSize(result->stdout_data, (Py_ssize_t)result->stdout_len),
        PyBytes_FromStringAndSize(result->stderr_data, (Py_ssize_t)result->stderr_len),
        PyLong_FromLong(result->exit_code),
        text_or_none(result->value, result->value_len),
        text_or_none(result->limit, result->limit ? strlen(result->limit) : 0),
        PyBool_FromLong(result->stdout_truncated),
        PyBool_FromLong(result->stderr_truncated),
        PyBool_FromLong(result->session_lost),
        PyLong_FromUnsignedLongLong(result->cpu_ns),
        PyLong_FromUnsignedLongLong(result->wall_ns),
        PyLong_FromUnsignedLongLong(result->memory_bytes),
        PyLong_FromUnsignedLongLong(result->tool_calls),
        PyBool_FromLong(result->session_ended),
    };
    return native_tuple(items, sizeof items / sizeof *items);
}

PyObject *native_result(machine *self, PyObject *none) {
    (void)none;
    if (!native_enter(self)) return NULL;
    const pf_result *result = pf_sandbox_result(self->sandbox);
    native_leave(self);
    if (!result) Py_RETURN_NONE;
    return result_tuple(result);
}

/* ------------------------------------------------------------------ output as it appears */

/* With an exception set: it ends the run, and is raised when the drive is over. The second one does
 * not wait for the guest. */
static void keep_failure(machine *self) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback) PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    if (self->failure)
        pf_sandbox_kill(self->sandbox);
    else
        pf_sandbox_stop(self->sandbox);
    PyObject *earlier = self->failure;
    self->failure = value;
    Py_XDECREF(earlier);
}

static void on_output(void *user, int stream, const char *data, size_t len) {
    machine *self = user;
    PyEval_RestoreThread(self->thread);
    if (!self->failure && self->on_output) {
        PyObject *given = PyObject_CallFunction(self->on_output, "iy#", stream, data, (Py_ssize_t)len);
        if (given) Py_DECREF(given);
        else
            keep_failure(self);
    }
    self->thread = PyEval_SaveThread();
}

/* on_output(callback or None): of the run that is on, from here on. */
PyObject *native_on_output(machine *self, PyObject *callback) {
    if (!native_enter(self)) return NULL;
    PyObject *before = self->on_output;
    self->on_output = callback == Py_None ? NULL : Py_NewRef(callback);
    pf_sandbox_on_output(self->sandbox, self->on_output ? on_output : NULL, self);
    native_leave(self);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

/* tell_output([(stream, bytes), ...]): to whom the run's output goes: what was written elsewhere. */
PyObject *native_tell_output(machine *self, PyObject *pieces) {
    PyObject *callback = self->on_output;
    if (!callback) Py_RETURN_NONE;
    Py_INCREF(callback);
    Py_ssize_t count = PyList_Size(pieces);
    bool ok = count >= 0;
    for (Py_ssize_t i = 0; ok && i < count; i++) {
        PyObject *piece = PyList_GetItem(pieces, i);
        PyObject *given = piece ? PyObject_CallObject(callback, piece) : NULL;
        ok = given != NULL;
        Py_XDECREF(given);
    }
    Py_DECREF(callback);
    if (!ok) return NULL;
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------ driving */

/* On the main thread, where Python's signal handlers run and may raise. */
static void on_pause(void *user) {
    machine *self = user;
    PyEval_RestoreThread(self->thread);
    if (PyErr_CheckSignals() != 0) keep_failure(self);
    self->thread = PyEval_SaveThread();
}

static bool drive_begin(machine *self, native_guard *guard) {
    if (!native_enter(self)) return false;
    bool main_thread = PyThread_get_thread_ident() == self->state->main_thread;
    pf_sandbox_on_pause(self->sandbox, main_thread ? on_pause : NULL, self);
    native_guard_begin(guard, self->state, self->sandbox);
    self->thread = PyEval_SaveThread();
    return true;
}

static PyObject *drive_end(machine *self, native_guard *guard, pf_status status,
                           const pf_error *error) {
    PyEval_RestoreThread(self->thread);
    bool interrupted = native_guard_end(guard);
    native_leave(self);
    PyObject *failure = self->failure;
    self->failure = NULL;
    if (failure) {
        PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
        Py_DECREF(failure);
        return NULL;
    }
    if (interrupted && PyErr_CheckSignals() != 0) return NULL;
    if (status != PF_OK) return native_raise(self->state, error, NULL);
    const pf_result *result = pf_sandbox_result(self->sandbox);
    if (!result) Py_RETURN_NONE;
    Py_CLEAR(self->on_output);
    return result_tuple(result);
}

static bool check_count(Py_ssize_t count, Py_ssize_t expected) {
    if (count == expected) return true;
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", expected, count);
    return false;
}

/* start(code, language, stdin, how, on_output), or with a place: how is 0, 1 for a fresh shell, 2 for the session's
 * with options that end with the run */
static PyObject *start(machine *self, pf_run *run, PyObject *listener) {
    native_guard guard;
    pf_error error;
    if (!native_enter(self)) return NULL; /* on_output belongs to the run that is on, if one is */
    bool idle = !pf_sandbox_running(self->sandbox);
    if (idle) pf_sandbox_expect_run(self->sandbox, true); /* Ctrl-C is caught before it starts */
    native_leave(self);
    if (idle) {
        Py_CLEAR(self->on_output);
        if (run->on_output) self->on_output = Py_NewRef(listener);
    }
    if (!drive_begin(self, &guard)) return NULL;
    pf_status status = pf_sandbox_start(self->sandbox, run, &error);
    return drive_end(self, &guard, status, &error);
}

PyObject *native_start(machine *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 6 && !check_count(count, 5)) return NULL;
    if (!PyUnicode_Check(args[0]))
        return PyErr_Format(PyExc_TypeError, "code must be text (str), not %R", Py_TYPE(args[0]));
    if (!PyUnicode_Check(args[1]))
        return PyErr_Format(PyExc_TypeError, "language must be str, not %R", Py_TYPE(args[1]));

    Py_ssize_t code_len = 0, language_len = 0, stdin_len = 0;
    long how = PyLong_AsLong(args[3]);
    if (how == -1 && PyErr_Occurred()) return NULL;
    pf_run run = {.size = sizeof run, .isolated = how & 1, .end_options = how & 2, .user = self};
    run.code = PyUnicode_AsUTF8AndSize(args[0], &code_len);
    run.language = run.code ? PyUnicode_AsUTF8AndSize(args[1], &language_len) : NULL;
    if (!run.language) return NULL;
    if (strlen(run.language) != (size_t)language_len)
        return PyErr_Format(PyExc_ValueError, "unknown language %R", args[1]);
    char *stdin_data = NULL;
    if (args[2] != Py_None && PyBytes_AsStringAndSize(args[2], &stdin_data, &stdin_len) != 0)
        return NULL;
    run.code_len = (size_t)code_len;
    run.stdin_data = stdin_data;
    run.stdin_len = (size_t)stdin_len;
    if (args[4] != Py_None) run.on_output = on_output;
    native_place own = {0};
    bool placed = count == 5 || args[5] == Py_None || native_place_take(self, args[5], &run, &own);
    PyObject *outcome = placed ? start(self, &run, args[4]) : NULL;
    native_place_free(&own);
    return outcome;
}

static bool call_id(PyObject *number, uint64_t *id) {
    *id = PyLong_AsUnsignedLongLong(number);
    return *id != (uint64_t)-1 || !PyErr_Occurred();
}

/* resume(id, json text) */
PyObject *native_resume(machine *self, PyObject *const *args, Py_ssize_t count) {
    uint64_t id = 0;
    if (!check_count(count, 2) || !call_id(args[0], &id)) return NULL;
    Py_ssize_t len = 0;
    const char *json = PyUnicode_AsUTF8AndSize(args[1], &len);
    native_guard guard;
    pf_error error;
    if (!json || !drive_begin(self, &guard)) return NULL;
    pf_status status = pf_sandbox_resume(self->sandbox, id, json, (size_t)len, &error);
    return drive_end(self, &guard, status, &error);
}

/* resume_step(id, json text) -> (what resume() gives, what step() gives then or None) */
PyObject *native_resume_step(machine *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *outcome = native_resume(self, args, count);
    if (!outcome) return NULL;
    PyObject *call = outcome == Py_None ? native_step(self, NULL) : Py_NewRef(Py_None);
    PyObject *both[] = {outcome, call};
    return native_tuple(both, 2);
}

/* fail(id, kind, message) */
PyObject *native_fail(machine *self, PyObject *const *args, Py_ssize_t count) {
    uint64_t id = 0;
    if (!check_count(count, 3) || !call_id(args[0], &id)) return NULL;
    long kind = PyLong_AsLong(args[1]);
    if (kind == -1 && PyErr_Occurred()) return NULL;
    PyObject *message = PyUnicode_AsEncodedString(args[2], "utf-8", "replace");
    native_guard guard;
    pf_error error;
    if (!message || !drive_begin(self, &guard)) {
        Py_XDECREF(message);
        return NULL;
    }
    pf_status status = pf_sandbox_fail(self->sandbox, id, (pf_failure)kind,
                                       PyBytes_AsString(message), &error);
    PyObject *outcome = drive_end(self, &guard, status, &error);
    Py_DECREF(message);
    return outcome;
}

PyObject *native_advance(machine *self, PyObject *none) {
    (void)none;
    native_guard guard;
    pf_error error;
    if (!drive_begin(self, &guard)) return NULL;
    pf_status status = pf_sandbox_advance(self->sandbox, &error);
    return drive_end(self, &guard, status, &error);
}
