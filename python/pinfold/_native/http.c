/*
 * http.c: the type pinfold._native.Http, pf_http: what decides about requests (pinfold/http.py).
 */
#include "native.h"

typedef struct http {
    PyObject_HEAD native_state *state; /* of the module, which the type keeps alive */
    pf_http *http;                     /* never NULL */
} http;

/* http_tool(): the description and the schema of the tool http/request. */
PyObject *native_http_tool(PyObject *module, PyObject *nothing) {
    const char *description, *schema;
    (void)module, (void)nothing;
    pf_http_tool(&description, &schema);
    return Py_BuildValue("(ss)", description, schema);
}

/* Http(config as JSON) */
static PyObject *http_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *config;
    Py_ssize_t len = 0;
    static char *names[] = {"config", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#", names, &config, &len)) return NULL;
    native_state *state = PyType_GetModuleState(type);
    if (!state) return NULL;
    pf_http *inner = NULL;
    pf_error error;
    if (pf_http_new(config, (size_t)len, &inner, &error) != PF_OK)
        return native_raise(state, &error, NULL);
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    http *self = (http *)alloc(type, 0);
    if (!self) {
        pf_http_free(inner);
        return NULL;
    }
    self->state = state;
    self->http = inner;
    return (PyObject *)self;
}

static void http_dealloc(http *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    pf_http_free(self->http);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* A refusal as ("denied", message), or ("invalid", message); anything else is raised. */
static PyObject *refused(http *self, const pf_error *error) {
    if (error->status != PF_DENIED && error->status != PF_INVALID)
        return native_raise(self->state, error, NULL);
    PyObject *text = PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    return Py_BuildValue("(sN)", error->status == PF_DENIED ? "denied" : "invalid", text);
}

/* request(params as JSON): ("ok", what to send as JSON) or a refusal */
static PyObject *http_request(http *self, PyObject *args) {
    const char *params;
    Py_ssize_t len = 0;
    if (!PyArg_ParseTuple(args, "s#", &params, &len)) return NULL;
    char *out = NULL;
    size_t out_len = 0;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status =
        pf_http_request(self->http, params, (size_t)len, &out, &out_len, &error);
    Py_END_ALLOW_THREADS if (status != PF_OK) return refused(self, &error);
    PyObject *text = PyUnicode_DecodeUTF8(out, (Py_ssize_t)out_len, "strict");
    pf_free(out);
    return text ? Py_BuildValue("(sN)", "ok", text) : NULL;
}

/* address(url, address): None, or a refusal */
static PyObject *http_address(http *self, PyObject *args) {
    const char *url, *address;
    if (!PyArg_ParseTuple(args, "ss", &url, &address)) return NULL;
    pf_error error;
    if (pf_http_address(self->http, url, address, &error) == PF_OK) Py_RETURN_NONE;
    return refused(self, &error);
}

/* clean(data): bytes without secrets */
static PyObject *http_clean(http *self, PyObject *data) {
    char *text;
    Py_ssize_t len = 0;
    if (PyBytes_AsStringAndSize(data, &text, &len) != 0) return NULL;
    char *out = NULL;
    size_t out_len = 0;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status =
        pf_http_clean(self->http, text, (size_t)len, &out, &out_len, &error);
    Py_END_ALLOW_THREADS if (status != PF_OK) return native_raise(self->state, &error, NULL);
    PyObject *bytes = PyBytes_FromStringAndSize(out, (Py_ssize_t)out_len);
    pf_free(out);
    return bytes;
}

static PyMethodDef methods[] = {
    {"request", (PyCFunction)(void (*)(void))http_request, METH_VARARGS, NULL},
    {"address", (PyCFunction)(void (*)(void))http_address, METH_VARARGS, NULL},
    {"clean", (PyCFunction)(void (*)(void))http_clean, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, http_new},
    {Py_tp_dealloc, http_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec native_http_spec = {
    .name = "pinfold._native.Http",
    .basicsize = sizeof(http),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
