/* portable.c: snapshots that outlive builds: the portable form, and the files of any. */
#include "native.h"

#define FILES "pinfold._native.files"

/* [text], as far as they are UTF-8; others with a question mark for each byte that is not. */
static PyObject *texts(const char *data, size_t len) {
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list && at < len; at += strlen(data + at) + 1) {
        PyObject *text = PyUnicode_DecodeUTF8(data + at, (Py_ssize_t)strlen(data + at), "replace");
        if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* snapshot_portable(counter, …bounds): (data, [what it does not hold]) */
PyObject *native_snapshot_portable(machine *self, PyObject *const *args, Py_ssize_t count) {
    unsigned long long counter = count ? PyLong_AsUnsignedLongLong(args[0]) : 0;
    Py_ssize_t known = count > 0;
    native_act act = {0};
    char *data = NULL, *left = NULL;
    size_t len = 0, left_len = 0;
    pf_error error;
    if (PyErr_Occurred() || !native_act_begin(self, &act, args + known, count - known)) return NULL;
    pf_status status =
        pf_sandbox_snapshot_portable(self->sandbox, counter, &data, &len, &left, &left_len, &error);
    PyObject *pair = NULL;
    if (native_act_end(self, &act, status, &error, NULL)) {
        PyObject *bytes = native_take_bytes(data, len), *list = texts(left, left_len);
        data = NULL;
        pair = bytes && list ? PyTuple_Pack(2, bytes, list) : NULL;
        Py_XDECREF(bytes);
        Py_XDECREF(list);
    }
    pf_free(data);
    pf_free(left);
    return pair;
}

/* left_out(): [what a portable snapshot did not bring] */
PyObject *native_left_out(machine *self, PyObject *none) {
    (void)none;
    size_t len = 0;
    if (!native_enter(self)) return NULL;
    const char *data = pf_sandbox_left_out(self->sandbox, &len);
    PyObject *list = texts(data, len);
    native_leave(self);
    return list;
}

static void free_files(PyObject *capsule) {
    pf_snapshot_files_free(PyCapsule_GetPointer(capsule, FILES));
}

/* snapshot_files(data, key or None, max_bytes): what the two functions below take */
PyObject *native_snapshot_files(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    native_state *state = PyModule_GetState(module);
    char *data = NULL, *key = NULL;
    Py_ssize_t len = 0, key_len = 0;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "expected 3 arguments, got %zd", count);
    if (PyBytes_AsStringAndSize(args[0], &data, &len) != 0) return NULL;
    if (args[1] != Py_None && PyBytes_AsStringAndSize(args[1], &key, &key_len) != 0) return NULL;
    unsigned long long most = PyLong_AsUnsignedLongLong(args[2]);
    if (PyErr_Occurred()) return NULL;
    pf_snapshot_files *files = NULL;
    pf_error error;
    pf_status status;
    Py_BEGIN_ALLOW_THREADS status =
        pf_snapshot_files_open(data, (size_t)len, key, (size_t)key_len, most, &files, &error);
    Py_END_ALLOW_THREADS if (status != PF_OK) return native_raise(state, &error, NULL);
    PyObject *capsule = PyCapsule_New(files, FILES, free_files);
    if (!capsule) pf_snapshot_files_free(files);
    return capsule;
}

/* snapshot_files_list(files): ([(path, mode, uid, size, mtime in ns, unread)], [what was left out])
 */
PyObject *native_snapshot_files_list(PyObject *module, PyObject *capsule) {
    (void)module;
    const pf_snapshot_files *files = PyCapsule_GetPointer(capsule, FILES);
    if (!files) return NULL;
    PyObject *list = PyList_New(0);
    pf_snapshot_file f;
    for (size_t i = 0; list && pf_snapshot_files_at(files, i, &f); i++) {
        PyObject *path = PyUnicode_DecodeFSDefault(f.path);
        PyObject *item =
            path ? Py_BuildValue("(NIIKLN)", path, f.mode, f.uid, (unsigned long long)f.size,
                                 (long long)f.mtime_ns, PyBool_FromLong(f.unread))
                 : NULL;
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    size_t len;
    const char *left = pf_snapshot_files_left_out(files, &len);
    PyObject *out = list ? texts(left, len) : NULL;
    PyObject *pair = out ? PyTuple_Pack(2, list, out) : NULL;
    Py_XDECREF(list);
    Py_XDECREF(out);
    return pair;
}

/* snapshot_files_take(files, number, max_bytes): the contents */
PyObject *native_snapshot_files_take(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    native_state *state = PyModule_GetState(module);
    if (count != 3) return PyErr_Format(PyExc_TypeError, "expected 3 arguments, got %zd", count);
    const pf_snapshot_files *files = PyCapsule_GetPointer(args[0], FILES);
    if (!files) return NULL;
    size_t number = PyLong_AsSize_t(args[1]);
    unsigned long long most = PyLong_AsUnsignedLongLong(args[2]);
    if (PyErr_Occurred()) return NULL;
    char *data;
    size_t len;
    pf_error error;
    pf_status status = pf_snapshot_files_take(files, number, most, &data, &len, &error);
    return status == PF_OK ? native_take_bytes(data, len) : native_raise(state, &error, NULL);
}
