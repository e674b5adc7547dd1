/*
 * options.c: the settings of a new sandbox, from Python values to pf_options.
 *
 * settings = (limits, env, tools, policy, catch_all, clock_ns, seed, js_prelude): pairs (name, int),
 * pairs (name, text), triples (name, description, schema text or None), JSON text or None, bool, and
 * None for what is not given. The Python side always passes all of them.
 */
#include "native.h"

enum { LIMITS, ENV, TOOLS, POLICY, CATCH_ALL, CLOCK, SEED, JS_PRELUDE, SETTINGS };

const char *native_text_of(PyObject *value, Py_ssize_t *len) {
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "expected str, got %R", value);
        return NULL;
    }
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (text && !len && strlen(text) != (size_t)size) {
        PyErr_Format(PyExc_ValueError, "a NUL character is not allowed here: %R", value);
        return NULL;
    }
    if (len) *len = size;
    return text;
}

const char *native_text(PyObject *text) { return native_text_of(text, NULL); }

/* Member i of a tuple in a sequence, borrowed; NULL with an exception. */
static PyObject *member(PyObject *tuple, Py_ssize_t i) {
    return PyTuple_Check(tuple) ? PyTuple_GetItem(tuple, i)
                                : (PyErr_SetString(PyExc_TypeError, "settings are tuples"), NULL);
}

static bool add_limit(const native_state *state, pf_options *options, PyObject *item) {
    PyObject *name = member(item, 0), *number = member(item, 1);
    const char *text = name && number ? native_text_of(name, NULL) : NULL;
    if (!text) return false;
    unsigned long long value = PyLong_AsUnsignedLongLong(number);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) return false;
    pf_error error;
    if (pf_options_limit(options, text, value, &error) == PF_OK) return true;
    native_raise(state, &error, NULL);
    return false;
}

static bool add_env(const native_state *state, pf_options *options, PyObject *item) {
    PyObject *name = member(item, 0), *value = member(item, 1);
    const char *name_text = name && value ? native_text_of(name, NULL) : NULL;
    const char *value_text = name_text ? native_text_of(value, NULL) : NULL;
    if (!value_text) return false;
    pf_error error;
    if (pf_options_env(options, name_text, value_text, &error) == PF_OK) return true;
    native_raise(state, &error, NULL);
    return false;
}

static bool add_tool(const native_state *state, pf_options *options, PyObject *item) {
    PyObject *name = member(item, 0), *description = member(item, 1), *schema = member(item, 2);
    if (!name || !description || !schema) return false;
    const char *name_text = native_text_of(name, NULL);
    const char *description_text = name_text ? native_text_of(description, NULL) : NULL;
    if (!description_text) return false;
    const char *schema_text = NULL;
    Py_ssize_t schema_len = 0;
    if (schema != Py_None && !(schema_text = native_text_of(schema, &schema_len))) return false;
    pf_error error;
    if (pf_options_tool(options, name_text, description_text, schema_text, (size_t)schema_len,
                        &error) == PF_OK)
        return true;
    native_raise(state, &error, NULL);
    return false;
}

typedef bool (*add_fn)(const native_state *, pf_options *, PyObject *);

static bool add_all(const native_state *state, pf_options *options, PyObject *items, add_fn add) {
    Py_ssize_t count = items ? PySequence_Size(items) : -1;
    if (count < 0) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(items, i);
        bool ok = item && add(state, options, item);
        Py_XDECREF(item);
        if (!ok) return false;
    }
    return true;
}

static bool add_policy(const native_state *state, pf_options *options, PyObject *policy) {
    if (!policy || policy == Py_None) return policy != NULL;
    Py_ssize_t len = 0;
    const char *text = native_text_of(policy, &len);
    if (!text) return false;
    pf_error error;
    if (pf_options_policy(options, text, (size_t)len, &error) == PF_OK) return true;
    if (error.status == PF_INVALID) PyErr_SetString(state->capability, error.message);
    else native_raise(state, &error, NULL);
    return false;
}

static bool add_clock_and_seed(pf_options *options, PyObject *clock, PyObject *seed) {
    if (!clock || !seed) return false;
    if (clock != Py_None) {
        long long nanoseconds = PyLong_AsLongLong(clock);
        if (nanoseconds == -1 && PyErr_Occurred()) return false;
        pf_options_clock(options, nanoseconds);
    }
    if (seed != Py_None) {
        unsigned long long value = PyLong_AsUnsignedLongLong(seed);
        if (value == (unsigned long long)-1 && PyErr_Occurred()) return false;
        pf_options_seed(options, value);
    }
    return true;
}

static bool add_prelude(const native_state *state, pf_options *options, PyObject *prelude) {
    if (!prelude || prelude == Py_None) return prelude != NULL;
    Py_ssize_t len = 0;
    const char *text = native_text_of(prelude, &len);
    if (!text) return false;
    pf_error error;
    if (pf_options_js_prelude(options, text, (size_t)len, &error) == PF_OK) return true;
    native_raise(state, &error, NULL);
    return false;
}

pf_options *native_options(const native_state *state, PyObject *settings) {
    if (!PyTuple_Check(settings) || PyTuple_Size(settings) != SETTINGS) {
        PyErr_SetString(PyExc_TypeError, "settings are a tuple of 8");
        return NULL;
    }
    pf_options *options = pf_options_new();
    if (!options) {
        PyErr_NoMemory();
        return NULL;
    }
    int catch_all = PyObject_IsTrue(member(settings, CATCH_ALL));
    if (catch_all >= 0 && add_all(state, options, member(settings, LIMITS), add_limit) &&
        add_all(state, options, member(settings, ENV), add_env) &&
        add_all(state, options, member(settings, TOOLS), add_tool) &&
        add_policy(state, options, member(settings, POLICY)) &&
        add_clock_and_seed(options, member(settings, CLOCK), member(settings, SEED)) &&
        add_prelude(state, options, member(settings, JS_PRELUDE))) {
        pf_options_catch_all(options, catch_all);
        return options;
    }
    pf_options_free(options);
    return NULL;
}

pf_options *native_limits(const native_state *state, PyObject *pairs) {
    pf_options *options = pf_options_new();
    if (!options) {
        PyErr_NoMemory();
        return NULL;
    }
    if (add_all(state, options, pairs, add_limit)) return options;
    pf_options_free(options);
    return NULL;
}
