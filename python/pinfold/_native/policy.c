/*
 * policy.c: questions about policies, and what a sandbox grants: pf_policy_*, pf_pattern_*,
 * pf_sandbox_can_call() and its like.
 */
#include "native.h"

/* What is wrong with a policy is a CapabilityError. */
static PyObject *refuse(PyObject *module, const pf_error *error) {
    native_state *state = PyModule_GetState(module);
    if (error->status != PF_INVALID) return native_raise(state, error, NULL);
    PyErr_SetString(state->capability, error->message);
    return NULL;
}

static bool check_count(Py_ssize_t count, Py_ssize_t expected) {
    if (count == expected) return true;
    PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd", expected, count);
    return false;
}

/* json_refusal(text): why no call could be answered with it, or None. */
PyObject *native_json_refusal(PyObject *module, PyObject *text) {
    (void)module;
    Py_ssize_t len = 0;
    const char *json = native_text_of(text, &len);
    if (!json) return NULL;
    pf_error error;
    if (pf_json_check(json, (size_t)len, &error) == PF_OK) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(error.message, (Py_ssize_t)strlen(error.message), "replace");
}

/* Text of the library's, which is freed; NULL is None. */
static PyObject *take_text(char *text) {
    if (!text) Py_RETURN_NONE;
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    pf_free(text);
    return string;
}

PyObject *native_policy_check(PyObject *module, PyObject *text) {
    Py_ssize_t len = 0;
    const char *json = native_text_of(text, &len);
    pf_error error;
    if (!json) return NULL;
    if (pf_policy_check(json, (size_t)len, &error) == PF_OK) Py_RETURN_NONE;
    return refuse(module, &error);
}

/* policy_gap(child, parent): None when the child is a subset, else what is not covered */
PyObject *native_policy_gap(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    Py_ssize_t child_len = 0, parent_len = 0;
    if (!check_count(count, 2)) return NULL;
    const char *child = native_text_of(args[0], &child_len);
    const char *parent = child ? native_text_of(args[1], &parent_len) : NULL;
    if (!parent) return NULL;
    bool subset = false;
    char *why = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status = pf_policy_is_subset(child, (size_t)child_len, parent,
                                                        (size_t)parent_len, &subset, &why, &error);
    Py_END_ALLOW_THREADS if (status != PF_OK) return refuse(module, &error);
    if (subset) Py_RETURN_NONE;
    return why ? take_text(why) : PyUnicode_FromString("it is not covered");
}

PyObject *native_policy_normalize(PyObject *module, PyObject *text) {
    Py_ssize_t len = 0;
    const char *json = native_text_of(text, &len);
    char *out = NULL;
    size_t out_len = 0;
    pf_error error;
    if (!json) return NULL;
    if (pf_policy_normalize(json, (size_t)len, &out, &out_len, &error) != PF_OK)
        return refuse(module, &error);
    return take_text(out);
}

typedef pf_status (*pattern_question)(const char *, const char *, bool *, pf_error *);

static PyObject *ask(PyObject *module, PyObject *const *args, Py_ssize_t count,
                     pattern_question question) {
    if (!check_count(count, 2)) return NULL;
    const char *first = native_text(args[0]), *second = first ? native_text(args[1]) : NULL;
    bool yes = false;
    pf_error error;
    if (!second) return NULL;
    if (question(first, second, &yes, &error) != PF_OK) return refuse(module, &error);
    return PyBool_FromLong(yes);
}

/* pattern_matches(pattern, method) */
PyObject *native_pattern_matches(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    return ask(module, args, count, pf_pattern_matches);
}

/* pattern_is_subset(child, parent) */
PyObject *native_pattern_is_subset(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    return ask(module, args, count, pf_pattern_is_subset);
}

/* ------------------------------------------------------------------ of a sandbox */

/* [(name, id, flat, flat_usable, dotted_usable)] */
PyObject *native_tool_names(machine *self, PyObject *none) {
    (void)none;
    if (!native_enter(self)) return NULL;
    size_t count = pf_sandbox_tools(self->sandbox, NULL, 0);
    pf_tool_info *tools = PyMem_Malloc((count + 1) * sizeof *tools);
    PyObject *list = tools ? PyList_New((Py_ssize_t)count) : PyErr_NoMemory();
    if (tools) pf_sandbox_tools(self->sandbox, tools, count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *flat = PyBool_FromLong(tools[i].flat_usable);
        PyObject *dotted = PyBool_FromLong(tools[i].dotted_usable);
        PyObject *item =
            Py_BuildValue("(sssNN)", tools[i].name, tools[i].id, tools[i].flat, flat, dotted);
        if (item)
            PyList_SetItem(list, (Py_ssize_t)i, item);
        else
            Py_CLEAR(list);
    }
    PyMem_Free(tools);
    native_leave(self);
    return list;
}

/* refusal(method, params as JSON): None when the call would be allowed, else why not */
PyObject *native_refusal(machine *self, PyObject *const *args, Py_ssize_t count) {
    Py_ssize_t len = 0;
    if (!check_count(count, 2)) return NULL;
    const char *method = native_text(args[0]);
    const char *params = method ? native_text_of(args[1], &len) : NULL;
    if (!params || !native_enter(self)) return NULL;
    char *why = NULL;
    bool allowed = pf_sandbox_can_call(self->sandbox, method, params, (size_t)len, &why);
    native_leave(self);
    if (allowed) Py_RETURN_NONE;
    return why ? take_text(why) : PyErr_NoMemory();
}

/* Calls that the capability of this index has left; None: no limit */
PyObject *native_calls_left(machine *self, PyObject *index) {
    size_t capability = PyLong_AsSize_t(index);
    if (capability == (size_t)-1 && PyErr_Occurred()) return NULL;
    if (!native_enter(self)) return NULL;
    int64_t left = pf_sandbox_calls_left(self->sandbox, capability);
    native_leave(self);
    if (left < 0) Py_RETURN_NONE;
    return PyLong_FromLongLong(left);
}

/* ------------------------------------------------------------------ decisions as they are made */

static PyObject *tell(machine *self, const pf_decision *d) {
    if (self->raw_decisions)
        return PyObject_CallFunction(self->on_decision, "Ksy#z", (unsigned long long)d->id,
                                     d->outcome, d->request, (Py_ssize_t)d->request_len,
                                     d->message);
    return PyObject_CallFunction(self->on_decision, "Ksszziz", (unsigned long long)d->id,
                                 d->outcome, d->method, d->name, d->params, d->capability,
                                 d->message);
}

static void decided(void *user, const pf_decision *d) {
    machine *self = user;
    PyEval_RestoreThread(self->thread);
    if (!self->failure && self->on_decision) {
        PyObject *done = tell(self, d);
        if (!done) {
            PyObject *type, *value, *traceback;
            PyErr_Fetch(&type, &value, &traceback);
            PyErr_NormalizeException(&type, &value, &traceback);
            if (traceback) PyException_SetTraceback(value, traceback);
            self->failure = value;
            Py_XDECREF(type);
            Py_XDECREF(traceback);
            pf_sandbox_stop(self->sandbox);
        }
        Py_XDECREF(done);
    }
    self->thread = PyEval_SaveThread();
}

static PyObject *listen(machine *self, PyObject *callback, bool raw) {
    if (!native_enter(self)) return NULL;
    self->raw_decisions = raw;
    bool none = callback == Py_None;
    PyObject *old = self->on_decision;
    self->on_decision = none ? NULL : Py_NewRef(callback);
    Py_XDECREF(old);
    self->thread = PyEval_SaveThread(); /* it tells at once of what came with a snapshot */
    pf_sandbox_on_decision(self->sandbox, none ? NULL : decided, self);
    PyEval_RestoreThread(self->thread);
    native_leave(self);
    PyObject *failure = self->failure;
    self->failure = NULL;
    if (!failure) Py_RETURN_NONE;
    PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
    Py_DECREF(failure);
    return NULL;
}

/* on_decision(callback or None): callback(id, outcome, method, name, params, capability, message)
 */
PyObject *native_on_decision(machine *self, PyObject *callback) {
    return listen(self, callback, false);
}

/* The same for who decides once more: callback(id, outcome, request as bytes, message) */
PyObject *native_on_request(machine *self, PyObject *callback) {
    return listen(self, callback, true);
}
