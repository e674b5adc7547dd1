/* mounts.c: what became of mounted directories. */
#include "native.h"

/* A path without NUL characters; NULL with an exception. */
static const char *path_text(PyObject *path) {
    Py_ssize_t len = 0;
    const char *text = PyUnicode_AsUTF8AndSize(path, &len);
    if (!text || strlen(text) == (size_t)len) return text;
    PyErr_Format(PyExc_ValueError, "a path has no NUL character: %R", path);
    return NULL;
}

/* Takes the place, args[0], and the bounds behind `known` arguments; false: an exception. */
static bool begin(machine *self, PyObject *const *args, Py_ssize_t count, Py_ssize_t known,
                  native_act *act, const char **place) {
    *act = (native_act){0};
    if (count < known || count > known + 2) {
        PyErr_Format(PyExc_TypeError, "expected %zd arguments and the bounds, got %zd", known,
                     count);
        return false;
    }
    *place = path_text(args[0]);
    return *place && native_act_begin(self, act, args + known, count - known);
}

/* mount_changes(guest, …bounds): [("A", path)] */
PyObject *native_mount_changes(machine *self, PyObject *const *args, Py_ssize_t count) {
    const char *place;
    char *changes = NULL;
    size_t len = 0;
    native_act act;
    pf_error error;
    if (!begin(self, args, count, 1, &act, &place)) return NULL;
    pf_status status = pf_mount_changes(self->sandbox, place, &changes, &len, &error);
    bool ok = native_act_end(self, &act, status, &error, NULL);
    PyObject *list = ok ? PyList_New(0) : NULL;
    for (const char *at = changes; list && at < changes + len; at += strlen(at) + 1) {
        PyObject *item = Py_BuildValue(
            "(s#N)", at, (Py_ssize_t)1,
            PyUnicode_DecodeUTF8(at + 1, (Py_ssize_t)strlen(at + 1), "surrogateescape"));
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    pf_free(changes);
    return list;
}

/* mount_export(guest, directory, …bounds) */
PyObject *native_mount_export(machine *self, PyObject *const *args, Py_ssize_t count) {
    const char *place, *directory = count > 1 ? path_text(args[1]) : NULL;
    native_act act;
    pf_error error;
    if (count > 1 && !directory) return NULL;
    if (!begin(self, args, count, 2, &act, &place)) return NULL;
    pf_status status = pf_mount_export(self->sandbox, place, directory, &error);
    if (!native_act_end(self, &act, status, &error, NULL)) return NULL;
    Py_RETURN_NONE;
}

/* mount_tar(guest, changed only, …bounds) */
PyObject *native_mount_tar(machine *self, PyObject *const *args, Py_ssize_t count) {
    const char *place;
    bool changed_only = count > 1 && PyObject_IsTrue(args[1]) == 1;
    char *data = NULL;
    size_t len = 0;
    native_act act;
    pf_error error;
    if (!begin(self, args, count, 2, &act, &place)) return NULL;
    pf_status status = pf_mount_tar(self->sandbox, place, changed_only, &data, &len, &error);
    if (native_act_end(self, &act, status, &error, NULL)) return native_take_bytes(data, len);
    pf_free(data);
    return NULL;
}
