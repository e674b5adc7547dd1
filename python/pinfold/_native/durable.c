/*
 * durable.c: recording, replays, keys and looking at snapshots.
 *
 * durable = (key bytes or None, path or descriptor to record to or None, redact, mounts, smallest
 * counter of a snapshot if there is one): what Machine() gets besides its settings.
 */
#include "native.h"

static bool add_key(const native_state *state, pf_options *options, PyObject *key) {
    char *data = NULL;
    Py_ssize_t len = 0;
    pf_error error;
    if (key == Py_None) return true;
    if (PyBytes_AsStringAndSize(key, &data, &len) != 0) return false;
    if (pf_options_key(options, data, (size_t)len, &error) == PF_OK) return true;
    native_raise(state, &error, NULL);
    return false;
}

static bool add_mounts(const native_state *state, pf_options *options, PyObject *mounts) {
    Py_ssize_t count = PySequence_Size(mounts);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(mounts, i);
        const char *host, *guest;
        int copy;
        pf_error error;
        bool ok = item && PyArg_ParseTuple(item, "zsp", &host, &guest, &copy);
        if (ok && pf_options_mount(options, host, guest, copy ? PF_MOUNT_COPY : PF_MOUNT_READ_ONLY,
                                   &error) != PF_OK) {
            native_raise(state, &error, NULL);
            ok = false;
        }
        Py_XDECREF(item);
        if (!ok) return false;
    }
    return count >= 0;
}

/* A path, or a descriptor that is open. */
static bool add_record(const native_state *state, pf_options *options, PyObject *record,
                       bool redact) {
    pf_error error;
    if (record == Py_None) return true;
    if (PyLong_Check(record)) {
        pf_options_record_to(options, (int)PyLong_AsLong(record), redact);
        return !PyErr_Occurred();
    }
    Py_ssize_t len = 0;
    const char *path = PyUnicode_AsUTF8AndSize(record, &len);
    if (!path) return false;
    if (strlen(path) != (size_t)len) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return false;
    }
    if (pf_options_record(options, path, redact, &error) == PF_OK) return true;
    native_raise(state, &error, NULL);
    return false;
}

bool native_durable(const native_state *state, pf_options *options, PyObject *durable) {
    PyObject *key, *record, *mounts;
    int redact;
    unsigned long long min_counter = 0;
    if (!PyArg_ParseTuple(durable, "OOpO|K", &key, &record, &redact, &mounts, &min_counter))
        return false;
    pf_options_min_counter(options, min_counter);
    return add_key(state, options, key) && add_mounts(state, options, mounts) &&
           add_record(state, options, record, redact);
}

/* ------------------------------------------------------------------ replays */

static bool add_answers(const native_state *state, pf_replay *replay, PyObject *answers) {
    Py_ssize_t count = PySequence_Size(answers);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(answers, i);
        unsigned long long id;
        const char *json;
        Py_ssize_t len;
        pf_error error;
        bool ok = item && PyArg_ParseTuple(item, "Ks#", &id, &json, &len);
        if (ok && pf_replay_answer(replay, id, json, (size_t)len, &error) != PF_OK) {
            native_raise(state, &error, NULL);
            ok = false;
        }
        Py_XDECREF(item);
        if (!ok) return false;
    }
    return count >= 0;
}

/* (limits, max_seconds): what a replay may ask for and take. Limits: pairs, or None. */
static bool add_bounds(const native_state *state, PyObject *given, pf_replay_bounds *bounds,
                       pf_options **limits) {
    PyObject *pairs;
    *limits = NULL;
    if (!PyArg_ParseTuple(given, "Od", &pairs, &bounds->max_seconds)) return false;
    if (pairs == Py_None) return true;
    *limits = native_limits(state, pairs);
    bounds->limits = *limits;
    return *limits != NULL;
}

/* replay_open(trace, partial, until or None, [(id, json)], bounds) */
PyObject *native_replay_open(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    native_state *state = PyModule_GetState(module);
    char *data = NULL;
    Py_ssize_t len = 0;
    pf_replay_bounds bounds = {.size = sizeof bounds};
    pf_options *limits;
    if (count != 5) return PyErr_Format(PyExc_TypeError, "expected 5 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    if (!add_bounds(state, args[4], &bounds, &limits)) return NULL;
    bool partial = PyObject_IsTrue(args[1]) == 1;
    pf_replay *replay = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status =
        pf_replay_open_within(data, (size_t)len, partial, &bounds, &replay, &error);
    pf_options_free(limits);
    Py_END_ALLOW_THREADS if (status != PF_OK) return native_raise(state, &error, NULL);
    if (args[2] != Py_None) {
        size_t until = PyLong_AsSize_t(args[2]);
        if (until == (size_t)-1 && PyErr_Occurred()) {
            pf_replay_free(replay);
            return NULL;
        }
        pf_replay_until(replay, until);
    }
    if (!add_answers(state, replay, args[3])) {
        pf_replay_free(replay);
        return NULL;
    }
    return native_wrap_replay((PyTypeObject *)state->native_type, state, replay);
}

/* True: an act was done again; False: there is none left. */
PyObject *native_replay_next(machine *self, PyObject *none) {
    (void)none;
    if (!self->replay) {
        PyErr_SetString(self->state->state, "this is no replay");
        return NULL;
    }
    native_guard guard;
    pf_error error;
    if (!native_enter(self)) return NULL;
    native_guard_begin(&guard, self->state, self->sandbox);
    /* What came before the guard was there: nothing looks again before the act is over. */
    if (guard.installed && PyErr_CheckSignals() != 0) {
        native_guard_end(&guard);
        native_leave(self);
        return NULL;
    }
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status = pf_replay_next(self->replay, &error);
    Py_END_ALLOW_THREADS bool interrupted = native_guard_end(&guard);
    native_leave(self);
    if (interrupted && PyErr_CheckSignals() != 0) return NULL;
    if (status != PF_OK && status != PF_DONE) return native_raise(self->state, &error, NULL);
    return PyBool_FromLong(status == PF_OK);
}

PyObject *native_replay_line(machine *self, PyObject *none) {
    (void)none;
    return PyLong_FromSize_t(self->replay ? pf_replay_line(self->replay) : 0);
}

PyObject *native_replay_results(machine *self, PyObject *none) {
    (void)none;
    return PyLong_FromSize_t(self->replay ? pf_replay_results(self->replay) : 0);
}

static bool enter_replay(machine *self) {
    if (self->replay) return native_enter(self);
    PyErr_SetString(self->state->state, "this is no replay");
    return false;
}

/* A copy, which goes on by itself. */
PyObject *native_replay_fork(machine *self, PyObject *none) {
    (void)none;
    pf_replay *copy = NULL;
    pf_error error;
    pf_status status;
    if (!enter_replay(self)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = pf_replay_fork(self->replay, &copy, &error);
    Py_END_ALLOW_THREADS
    native_leave(self);
    if (status != PF_OK) return native_raise(self->state, &error, NULL);
    return native_wrap_replay((PyTypeObject *)self->state->native_type, self->state, copy);
}

PyObject *native_replay_until(machine *self, PyObject *line) {
    size_t until = PyLong_AsSize_t(line);
    if ((until == (size_t)-1 && PyErr_Occurred()) || !enter_replay(self)) return NULL;
    pf_replay_until(self->replay, until);
    native_leave(self);
    Py_RETURN_NONE;
}

/* Seconds; inf: only between two acts. */
PyObject *native_replay_rest(machine *self, PyObject *given) {
    double seconds = PyFloat_AsDouble(given);
    if (PyErr_Occurred() || !enter_replay(self)) return NULL;
    pf_replay_rest(self->replay, seconds);
    native_leave(self);
    Py_RETURN_NONE;
}

PyObject *native_replay_resting(machine *self, PyObject *none) {
    (void)none;
    return PyBool_FromLong(self->replay && pf_replay_resting(self->replay));
}

/* proof_new(trace, bounds, seed) */
PyObject *native_proof_new(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    native_state *state = PyModule_GetState(module);
    char *data = NULL, *seed = NULL, *proof = NULL;
    Py_ssize_t len = 0, seed_len = 0;
    size_t proof_len = 0;
    pf_replay_bounds bounds = {.size = sizeof bounds};
    pf_options *limits;
    pf_error error;
    pf_status status;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "expected 3 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    if (PyBytes_AsStringAndSize(args[2], &seed, &seed_len) != 0) return NULL;
    if (seed_len != PF_KEY_BYTES)
        return PyErr_Format(PyExc_ValueError, "a seed has %d bytes, not %zd", PF_KEY_BYTES, seed_len);
    if (!add_bounds(state, args[1], &bounds, &limits)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = pf_proof_new(data, (size_t)len, &bounds, (const uint8_t *)seed, &proof, &proof_len, &error);
    pf_options_free(limits);
    Py_END_ALLOW_THREADS
    return status == PF_OK ? native_take_bytes(proof, proof_len) : native_raise(state, &error, NULL);
}

/* proof_check(proof, bounds or None): runs it again unless bounds is None. (status name, message, build,
 * this build, before, inputs, after, public key, length of the trace) */
PyObject *native_proof_check(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    native_state *state = PyModule_GetState(module);
    char *data = NULL;
    Py_ssize_t len = 0;
    pf_replay_bounds bounds = {.size = sizeof bounds};
    pf_options *limits = NULL;
    pf_proof_facts facts;
    pf_error error = {0};
    pf_status status;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    bool again = args[1] != Py_None;
    if (again && !add_bounds(state, args[1], &bounds, &limits)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = again ? pf_proof_verify(data, (size_t)len, &bounds, &facts, &error)
                   : pf_proof_info(data, (size_t)len, &facts, &error);
    pf_options_free(limits);
    Py_END_ALLOW_THREADS
    return Py_BuildValue("(sssNy#y#y#y#n)", pf_status_name(status), error.message, facts.build,
                         PyBool_FromLong(facts.this_build), facts.before, (Py_ssize_t)sizeof facts.before,
                         facts.inputs, (Py_ssize_t)sizeof facts.inputs, facts.after,
                         (Py_ssize_t)sizeof facts.after, facts.public_key,
                         (Py_ssize_t)sizeof facts.public_key, (Py_ssize_t)facts.trace_len);
}

/* trace_check(trace, partial): raises what is wrong with it. */
PyObject *native_trace_check(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    char *data = NULL;
    Py_ssize_t len = 0;
    pf_error error;
    pf_status status;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    bool partial = PyObject_IsTrue(args[1]) == 1;
    Py_BEGIN_ALLOW_THREADS
    status = pf_trace_check(data, (size_t)len, partial, &error);
    Py_END_ALLOW_THREADS
    if (status != PF_OK) return native_raise(PyModule_GetState(module), &error, NULL);
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------ snapshots */

/* snapshot_look(data, key or None): a Machine that cannot be changed. */
PyObject *native_snapshot_look(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    native_state *state = PyModule_GetState(module);
    char *data = NULL, *key = NULL;
    Py_ssize_t len = 0, key_len = 0;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    if (args[1] != Py_None && PyBytes_AsStringAndSize(args[1], &key, &key_len) != 0) return NULL;
    pf_sandbox *sandbox = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status =
        pf_snapshot_look(data, (size_t)len, key, (size_t)key_len, &sandbox, &error);
    Py_END_ALLOW_THREADS if (status != PF_OK) return native_raise(state, &error, NULL);
    return native_wrap((PyTypeObject *)state->native_type, state, sandbox);
}

/* snapshot_shrink(data, key or None): the same, smaller. */
PyObject *native_snapshot_shrink(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    char *data = NULL, *key = NULL, *out = NULL;
    Py_ssize_t len = 0, key_len = 0;
    size_t out_len = 0;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    if (args[1] != Py_None && PyBytes_AsStringAndSize(args[1], &key, &key_len) != 0) return NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = pf_snapshot_shrink(data, (size_t)len, key, (size_t)key_len, &out, &out_len, &error);
    Py_END_ALLOW_THREADS
    if (status != PF_OK) return native_raise(PyModule_GetState(module), &error, NULL);
    return native_take_bytes(out, out_len);
}

/* (format, readable, this build, authenticated, bytes of the contents, build, counter) */
PyObject *native_snapshot_info(PyObject *module, PyObject *bytes) {
    char *data = NULL;
    Py_ssize_t len = 0;
    if (PyBytes_AsStringAndSize(bytes, &data, &len) != 0) return NULL;
    pf_snapshot_facts facts;
    pf_error error;
    if (pf_snapshot_info(data, (size_t)len, &facts, &error) != PF_OK)
        return native_raise(PyModule_GetState(module), &error, NULL);
    return Py_BuildValue("(INNNKsK)", facts.format, PyBool_FromLong(facts.readable),
                         PyBool_FromLong(facts.this_build), PyBool_FromLong(facts.authenticated),
                         (unsigned long long)facts.contents_bytes, facts.build,
                         (unsigned long long)facts.counter);
}

/* [(pid, parent, state, name, bytes of memory)] */
PyObject *native_processes(machine *self, PyObject *none) {
    (void)none;
    pf_process processes[1024];
    native_act act = {0};
    if (!native_act_begin(self, &act, NULL, 0)) return NULL;
    size_t count = pf_sandbox_processes(self->sandbox, processes, 1024);
    if (!native_act_end(self, &act, PF_OK, NULL, NULL)) return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count && i < 1024; i++) {
        const pf_process *p = &processes[i];
        PyObject *item = Py_BuildValue("(iiCsK)", p->pid, p->parent, p->state, p->name,
                                       (unsigned long long)p->memory_bytes);
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}
