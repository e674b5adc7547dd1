/*
 * gate.c: the type pinfold._native.Gate, pf_gate: capabilities, tools and counters without a
 * sandbox, for the process that does not run the machine itself (pinfold/remote.py).
 */
#include "native.h"

typedef struct gate {
    PyObject_HEAD native_state *state; /* of the module, which the type keeps alive */
    pf_gate *gate;                     /* never NULL */
} gate;

static PyObject *wrap(PyTypeObject *type, native_state *state, pf_gate *inner) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    gate *self = inner ? (gate *)alloc(type, 0) : NULL;
    if (!self) {
        pf_gate_free(inner);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    self->state = state;
    self->gate = inner;
    return (PyObject *)self;
}

/* Gate(settings), which are those of Machine() */
static PyObject *gate_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *settings = NULL;
    static char *names[] = {"settings", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &settings)) return NULL;
    native_state *state = PyType_GetModuleState(type);
    pf_options *options = state ? native_options(state, settings) : NULL;
    if (!options) return NULL;
    pf_gate *inner = NULL;
    pf_error error;
    pf_status status = pf_gate_new(options, &inner, &error);
    pf_options_free(options);
    return status == PF_OK ? wrap(type, state, inner) : native_raise(state, &error, NULL);
}

/* What the guest or the engine wrote; NULL is None. */
static PyObject *text_of(const char *text) {
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static void gate_dealloc(gate *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    pf_gate_free(self->gate);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *gate_clone(gate *self, PyObject *none) {
    (void)none;
    return wrap(Py_TYPE((PyObject *)self), self->state, pf_gate_clone(self->gate));
}

/* decide(request as bytes): (outcome, method, name, params or None, capability, message or None).
 * What is allowed is spent. */
static PyObject *gate_decide(gate *self, PyObject *request) {
    char *text;
    Py_ssize_t len = 0;
    if (PyBytes_AsStringAndSize(request, &text, &len) != 0) return NULL;
    pf_decision d;
    pf_error error;
    pf_status status = pf_gate_decide(self->gate, text, (size_t)len, &d, &error);
    if (status != PF_OK) return native_raise(self->state, &error, NULL);
    return Py_BuildValue("(ssNNiN)", d.outcome, d.method, text_of(d.name),
                         text_of(d.params), d.capability, text_of(d.message));
}

/* refusal(method, params as JSON): None when the call would be allowed, else why not */
static PyObject *gate_refusal(gate *self, PyObject *args) {
    const char *method, *params;
    Py_ssize_t len = 0;
    if (!PyArg_ParseTuple(args, "ss#", &method, &params, &len)) return NULL;
    char *why = NULL;
    if (pf_gate_can_call(self->gate, method, params, (size_t)len, &why)) Py_RETURN_NONE;
    if (!why) return PyErr_NoMemory();
    PyObject *text = text_of(why);
    pf_free(why);
    return text;
}

/* spend(capability, calls) */
static PyObject *gate_spend(gate *self, PyObject *args) {
    Py_ssize_t capability = 0;
    long long calls = 0;
    if (!PyArg_ParseTuple(args, "nL", &capability, &calls)) return NULL;
    pf_gate_spend(self->gate, (size_t)capability, calls);
    Py_RETURN_NONE;
}

/* calls_left(capability): None when there is no limit */
static PyObject *gate_calls_left(gate *self, PyObject *index) {
    Py_ssize_t capability = PyLong_AsSsize_t(index);
    if (capability == -1 && PyErr_Occurred()) return NULL;
    int64_t left = pf_gate_calls_left(self->gate, (size_t)capability);
    if (left < 0) Py_RETURN_NONE;
    return PyLong_FromLongLong(left);
}

static PyMethodDef methods[] = {
    {"clone", (PyCFunction)(void (*)(void))gate_clone, METH_NOARGS, NULL},
    {"decide", (PyCFunction)(void (*)(void))gate_decide, METH_O, NULL},
    {"refusal", (PyCFunction)(void (*)(void))gate_refusal, METH_VARARGS, NULL},
    {"spend", (PyCFunction)(void (*)(void))gate_spend, METH_VARARGS, NULL},
    {"calls_left", (PyCFunction)(void (*)(void))gate_calls_left, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, gate_new},
    {Py_tp_dealloc, gate_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec native_gate_spec = {
    .name = "pinfold._native.Gate",
    .basicsize = sizeof(gate),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
