/* machine.c: the type pinfold._native.Machine, one sandbox: its life, and who may enter it. */
#include "native.h"

bool native_enter(machine *self) {
    if (!self->sandbox) {
        PyErr_SetString(self->state->closed, "the sandbox is closed");
        return false;
    }
    if (self->entered) {
        PyErr_SetString(self->state->busy, "the sandbox is in use by another thread");
        return false;
    }
    self->entered = true;
    return true;
}

void native_leave(machine *self) { self->entered = false; }

/* A Machine that owns `sandbox`, which is freed when that fails. */
PyObject *native_wrap(PyTypeObject *type, native_state *state, pf_sandbox *sandbox) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    machine *self = (machine *)alloc(type, 0);
    if (!self) {
        pf_sandbox_free(sandbox);
        return NULL;
    }
    self->state = state;
    self->sandbox = sandbox;
    return (PyObject *)self;
}

static void release(pf_sandbox *sandbox, pf_replay *replay) {
    if (replay) pf_replay_free(replay); /* the sandbox is its */
    else pf_sandbox_free(sandbox);
}

PyObject *native_wrap_replay(PyTypeObject *type, native_state *state, pf_replay *replay) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    machine *self = (machine *)alloc(type, 0);
    if (!self) {
        pf_replay_free(replay);
        return NULL;
    }
    self->state = state;
    self->replay = replay;
    self->sandbox = pf_replay_sandbox(replay);
    return (PyObject *)self;
}

/* What goes on from a replay, which is entered for that; NULL: an exception. */
static PyObject *new_from_replay(PyTypeObject *type, native_state *state, machine *from,
                                 pf_options *options) {
    pf_sandbox *sandbox = NULL;
    pf_error error;
    pf_status status;
    if (!from->replay || !native_enter(from)) {
        pf_options_free(options);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "this machine is no replay");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = pf_replay_branch(from->replay, options, &sandbox, &error);
    pf_options_free(options);
    Py_END_ALLOW_THREADS
    native_leave(from);
    return status == PF_OK ? native_wrap(type, state, sandbox) : native_raise(state, &error, NULL);
}

/* Machine(settings, snapshot or replay or None, durable or absent) */
static PyObject *native_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *settings = NULL, *snapshot = NULL, *durable = NULL;
    static char *names[] = {"settings", "snapshot", "durable", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|O", names, &settings, &snapshot, &durable))
        return NULL;
    native_state *state = PyType_GetModuleState(type);
    char *data = NULL;
    Py_ssize_t len = 0;
    if (!state) return NULL;
    bool replay = PyObject_TypeCheck(snapshot, (PyTypeObject *)state->native_type);
    if (!replay && snapshot != Py_None && PyBytes_AsStringAndSize(snapshot, &data, &len) != 0)
        return NULL;
    pf_options *options = native_options(state, settings);
    if (!options) return NULL;
    if (durable && !native_durable(state, options, durable)) {
        pf_options_free(options);
        return NULL;
    }
    if (replay) return new_from_replay(type, state, (machine *)snapshot, options);

    pf_sandbox *sandbox = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = data ? pf_sandbox_restore(options, data, (size_t)len, &sandbox, &error)
                  : pf_sandbox_new(options, &sandbox, &error);
    pf_options_free(options);
    Py_END_ALLOW_THREADS
    if (status != PF_OK) return native_raise(state, &error, NULL);
    return native_wrap(type, state, sandbox);
}

static int native_traverse(machine *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->on_output);
    Py_VISIT(self->on_decision);
    Py_VISIT(self->failure);
    Py_VISIT(self->owner);
    return 0;
}

static int native_clear(machine *self) {
    Py_CLEAR(self->on_output);
    Py_CLEAR(self->on_decision);
    Py_CLEAR(self->failure);
    Py_CLEAR(self->owner);
    return 0;
}

static void native_dealloc(machine *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack(self);
    native_clear(self);
    release(self->sandbox, self->replay);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *native_close(machine *self, PyObject *none) {
    (void)none;
    if (!self->sandbox) Py_RETURN_NONE;
    if (!native_enter(self)) return NULL;
    pf_sandbox *sandbox = self->sandbox;
    pf_replay *replay = self->replay;
    self->sandbox = NULL;
    self->replay = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = replay ? PF_OK : pf_sandbox_end_record(sandbox, &error);
    release(sandbox, replay);
    Py_END_ALLOW_THREADS
    native_leave(self);
    native_clear(self);
    if (status != PF_OK) return native_raise(self->state, &error, NULL);
    Py_RETURN_NONE;
}

/* claim(for a run, owner) -> bool: False when the sandbox is in use. A claim for a run is the moment
 * from which interrupts count. The owner can give it back also when a signal's handler raised before
 * it was told. */
static PyObject *native_claim(machine *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    if (self->owner) Py_RETURN_FALSE;
    self->owner = Py_NewRef(args[1]);
    if (args[0] == Py_True && self->sandbox) pf_sandbox_expect_run(self->sandbox, true);
    Py_RETURN_TRUE;
}

/* unclaim(owner): nothing when it is somebody else's. */
static PyObject *native_unclaim(machine *self, PyObject *owner) {
    if (self->owner != owner) Py_RETURN_NONE;
    Py_CLEAR(self->owner);
    /* While somebody drives it without a claim, the run is theirs. */
    if (self->sandbox && !self->entered) pf_sandbox_expect_run(self->sandbox, false);
    Py_RETURN_NONE;
}

/* hold() -> bool, let_go(): a loop of many drives begins and ends; see interrupt.c. */
static PyObject *native_hold(machine *self, PyObject *none) {
    (void)none;
    return PyBool_FromLong(native_guard_hold(self->state));
}

static PyObject *native_let_go(machine *self, PyObject *none) {
    (void)self, (void)none;
    native_guard_let_go();
    Py_RETURN_NONE;
}

/* From any thread: the only methods that do not enter. The GIL keeps close() away meanwhile. */
static PyObject *native_interrupt(machine *self, PyObject *none) {
    (void)none;
    if (self->sandbox) pf_sandbox_interrupt(self->sandbox);
    Py_RETURN_NONE;
}

static PyObject *native_stop(machine *self, PyObject *none) {
    (void)none;
    if (self->sandbox) pf_sandbox_stop(self->sandbox);
    Py_RETURN_NONE;
}

static PyObject *native_kill(machine *self, PyObject *none) {
    (void)none;
    if (self->sandbox) pf_sandbox_kill(self->sandbox);
    Py_RETURN_NONE;
}

/* snapshot(), or snapshot(counter, …bounds) */
static PyObject *native_snapshot(machine *self, PyObject *const *args, Py_ssize_t count) {
    unsigned long long counter = count ? PyLong_AsUnsignedLongLong(args[0]) : 0;
    Py_ssize_t known = count > 0;
    native_act act = {0};
    char *data = NULL;
    size_t len = 0;
    pf_error error;
    if (PyErr_Occurred() || !native_act_begin(self, &act, args + known, count - known)) return NULL;
    pf_status status = pf_sandbox_snapshot_counted(self->sandbox, counter, &data, &len, &error);
    if (native_act_end(self, &act, status, &error, NULL)) return native_take_bytes(data, len);
    pf_free(data);
    return NULL;
}

/* fork(), or fork(settings, durable) */
static PyObject *native_fork(machine *self, PyObject *const *args, Py_ssize_t count) {
    pf_options *options = NULL;
    if (count == 2) {
        options = native_options(self->state, args[0]);
        if (!options) return NULL;
        if (!native_durable(self->state, options, args[1])) {
            pf_options_free(options);
            return NULL;
        }
    }
    if (!native_enter(self)) {
        pf_options_free(options);
        return NULL;
    }
    pf_sandbox *sandbox = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = options ? pf_sandbox_fork_with(self->sandbox, options, &sandbox, &error)
                     : pf_sandbox_fork(self->sandbox, &sandbox, &error);
    pf_options_free(options);
    Py_END_ALLOW_THREADS
    native_leave(self);
    if (status != PF_OK) return native_raise(self->state, &error, NULL);
    return native_wrap(Py_TYPE((PyObject *)self), self->state, sandbox);
}

/* Another machine that a function of the library makes of this one. */
static PyObject *made_of(machine *self, pf_status (*make)(pf_sandbox *, pf_sandbox **, pf_error *)) {
    if (!native_enter(self)) return NULL;
    pf_sandbox *sandbox = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS
    status = make(self->sandbox, &sandbox, &error);
    Py_END_ALLOW_THREADS
    native_leave(self);
    if (status != PF_OK) return native_raise(self->state, &error, NULL);
    return native_wrap(Py_TYPE((PyObject *)self), self->state, sandbox);
}

/* A branch that spends from the same budgets. */
static PyObject *native_fork_shared(machine *self, PyObject *none) {
    (void)none;
    return made_of(self, pf_sandbox_fork_shared);
}

/* preview(): a copy that accept() can put in this one's place. */
static PyObject *native_preview(machine *self, PyObject *none) {
    (void)none;
    return made_of(self, pf_sandbox_preview);
}

/* accepts(preview) -> bool */
static PyObject *native_accepts(machine *self, PyObject *given) {
    if (!PyObject_TypeCheck(given, Py_TYPE((PyObject *)self)))
        return PyErr_Format(PyExc_TypeError, "a preview is a Machine, not %R", Py_TYPE(given));
    machine *preview = (machine *)given;
    return PyBool_FromLong(self->sandbox && preview->sandbox && !self->entered &&
                           pf_sandbox_accepts(self->sandbox, preview->sandbox));
}

/* accept(preview): its Machine is closed then. The GIL is held: nobody sees the half of it. */
static PyObject *native_accept(machine *self, PyObject *given) {
    if (!PyObject_TypeCheck(given, Py_TYPE((PyObject *)self)))
        return PyErr_Format(PyExc_TypeError, "a preview is a Machine, not %R", Py_TYPE(given));
    machine *preview = (machine *)given;
    if (!native_enter(self)) return NULL;
    if (!native_enter(preview)) {
        native_leave(self);
        return NULL;
    }
    pf_error error;
    pf_status status = pf_sandbox_accept(self->sandbox, preview->sandbox, &error);
    if (status == PF_OK) preview->sandbox = NULL;
    native_leave(preview);
    native_leave(self);
    if (status != PF_OK) return native_raise(self->state, &error, NULL);
    native_clear(preview);
    Py_RETURN_NONE;
}

static PyObject *native_is_fixed(machine *self, PyObject *none) {
    (void)none;
    return PyBool_FromLong(self->sandbox && pf_sandbox_is_fixed(self->sandbox));
}

static PyObject *native_was_struck(machine *self, PyObject *none) {
    (void)none;
    return PyBool_FromLong(self->sandbox && pf_sandbox_was_struck(self->sandbox));
}

/* Looks only, from any thread: "closed", "busy" or "open". */
static PyObject *native_condition(machine *self, PyObject *none) {
    (void)none;
    return PyUnicode_FromString(!self->sandbox ? "closed" : self->entered ? "busy" : "open");
}

#define FAST(name, function)                                                                       \
    {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL}
#define PLAIN(name, function) {name, (PyCFunction)(void (*)(void))(function), METH_NOARGS, NULL}
#define ONE(name, function)   {name, (PyCFunction)(void (*)(void))(function), METH_O, NULL}

static PyMethodDef methods[] = {
    FAST("start", native_start),
    FAST("resume", native_resume),
    FAST("resume_step", native_resume_step),
    FAST("fail", native_fail),
    PLAIN("advance", native_advance),
    PLAIN("result", native_result),
    PLAIN("has_work", native_has_work),
    PLAIN("is_fixed", native_is_fixed),
    PLAIN("was_struck", native_was_struck),
    PLAIN("running", native_running),
    PLAIN("wait_ns", native_wait_ns),
    PLAIN("step", native_step),
    PLAIN("pending", native_pending),
    PLAIN("pending_ids", native_pending_ids),
    FAST("file_write", native_file_write),
    FAST("file_read", native_file_read),
    FAST("file_digest", native_file_digest),
    FAST("file_link", native_file_link),
    FAST("file_remove", native_file_remove),
    FAST("file_make", native_file_make),
    FAST("file_tar", native_file_tar),
    FAST("file_stat", native_file_stat),
    FAST("file_lstat", native_file_lstat),
    FAST("file_list", native_file_list),
    FAST("snapshot", native_snapshot),
    FAST("snapshot_portable", native_snapshot_portable),
    PLAIN("left_out", native_left_out),
    FAST("fork", native_fork),
    PLAIN("fork_shared", native_fork_shared),
    PLAIN("preview", native_preview),
    ONE("accepts", native_accepts),
    ONE("accept", native_accept),
    ONE("on_output", native_on_output),
    ONE("tell_output", native_tell_output),
    PLAIN("processes", native_processes),
    FAST("mount_changes", native_mount_changes),
    FAST("mount_export", native_mount_export),
    FAST("mount_tar", native_mount_tar),
    PLAIN("replay_next", native_replay_next),
    PLAIN("replay_line", native_replay_line),
    PLAIN("replay_fork", native_replay_fork),
    ONE("replay_until", native_replay_until),
    ONE("replay_rest", native_replay_rest),
    PLAIN("replay_resting", native_replay_resting),
    PLAIN("replay_results", native_replay_results),
    PLAIN("interrupt", native_interrupt),
    PLAIN("stop", native_stop),
    PLAIN("kill", native_kill),
    FAST("claim", native_claim),
    ONE("unclaim", native_unclaim),
    PLAIN("hold", native_hold),
    PLAIN("let_go", native_let_go),
    PLAIN("close", native_close),
    PLAIN("condition", native_condition),
    PLAIN("tool_names", native_tool_names),
    FAST("refusal", native_refusal),
    ONE("calls_left", native_calls_left),
    ONE("on_decision", native_on_decision),
    ONE("on_request", native_on_request),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, native_new},           {Py_tp_dealloc, native_dealloc},
    {Py_tp_traverse, native_traverse}, {Py_tp_clear, native_clear},
    {Py_tp_methods, methods},           {0, NULL},
};

PyType_Spec native_spec = {
    .name = "pinfold._native.Machine",
    .basicsize = sizeof(machine),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
