/* files.c: the sandbox's files from the host. Paths are absolute; the Python side sees to that. */
#include "native.h"

/* The bytes of a path, NULL with an exception. They live as long as `path`, or as *held, which the
 * caller gives back: for names that are not UTF-8, which os.fsdecode() and file_list() give as
 * surrogates. */
static const char *path_text(PyObject *path, PyObject **held) {
    *held = NULL;
    if (!PyUnicode_Check(path)) {
        PyErr_Format(PyExc_TypeError, "a path is str, not %R", Py_TYPE(path));
        return NULL;
    }
    Py_ssize_t len = 0;
    const char *text = PyUnicode_AsUTF8AndSize(path, &len);
    if (!text && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        *held = PyUnicode_AsEncodedString(path, "utf-8", "surrogateescape");
        if (*held) PyBytes_AsStringAndSize(*held, (char **)&text, &len);
    }
    if (!text || strlen(text) == (size_t)len) return text;
    PyErr_SetString(PyExc_ValueError, "a path has no NUL character");
    Py_CLEAR(*held);
    return NULL;
}

/* file_write(path, bytes) */
PyObject *native_file_write(machine *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    PyObject *held;
    const char *path = path_text(args[0], &held);
    Py_buffer data;
    if (!path || PyObject_GetBuffer(args[1], &data, PyBUF_SIMPLE) != 0) {
        Py_XDECREF(held);
        return NULL;
    }
    pf_status status = PF_BUSY;
    pf_error error = {0};
    if (native_enter(self)) {
        status = pf_file_write(self->sandbox, path, data.buf, (size_t)data.len, &error);
        native_leave(self);
        if (status != PF_OK) native_raise(self->state, &error, args[0]);
    }
    PyBuffer_Release(&data);
    Py_XDECREF(held);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* The content of a file. */
PyObject *native_file_read(machine *self, PyObject *path) {
    PyObject *held;
    const char *text = path_text(path, &held);
    if (!text || !native_enter(self)) {
        Py_XDECREF(held);
        return NULL;
    }
    char *data = NULL;
    size_t len = 0;
    pf_error error;
    pf_status status = pf_file_take(self->sandbox, text, &data, &len, &error);
    native_leave(self);
    Py_XDECREF(held);
    if (status != PF_OK) return native_raise(self->state, &error, path);
    PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)len);
    pf_free(data);
    return bytes;
}

PyObject *native_file_remove(machine *self, PyObject *path) {
    PyObject *held;
    const char *text = path_text(path, &held);
    if (!text || !native_enter(self)) {
        Py_XDECREF(held);
        return NULL;
    }
    pf_error error;
    pf_status status = pf_file_remove(self->sandbox, text, &error);
    native_leave(self);
    Py_XDECREF(held);
    if (status != PF_OK) return native_raise(self->state, &error, path);
    Py_RETURN_NONE;
}

/* (mode, size, mtime_ns) */
typedef pf_status (*stat_fn)(pf_sandbox *, const char *, pf_file_info *, pf_error *);

static PyObject *file_stat(machine *self, PyObject *path, stat_fn function) {
    PyObject *held;
    const char *text = path_text(path, &held);
    if (!text || !native_enter(self)) {
        Py_XDECREF(held);
        return NULL;
    }
    pf_file_info info;
    pf_error error;
    pf_status status = function(self->sandbox, text, &info, &error);
    native_leave(self);
    Py_XDECREF(held);
    if (status != PF_OK) return native_raise(self->state, &error, path);
    return Py_BuildValue("(kLL)", (unsigned long)info.mode, (long long)info.size,
                         (long long)info.mtime_ns);
}

PyObject *native_file_stat(machine *self, PyObject *path) {
    return file_stat(self, path, pf_file_stat);
}

/* Of a link itself. */
PyObject *native_file_lstat(machine *self, PyObject *path) {
    return file_stat(self, path, pf_file_lstat);
}

/* The names in a directory, sorted. Names are bytes in the guest; what is not UTF-8 is escaped. */
PyObject *native_file_list(machine *self, PyObject *path) {
    PyObject *held;
    const char *text = path_text(path, &held);
    if (!text || !native_enter(self)) {
        Py_XDECREF(held);
        return NULL;
    }
    char *names = NULL;
    size_t len = 0;
    pf_error error;
    pf_status status = pf_file_list(self->sandbox, text, &names, &len, &error);
    native_leave(self);
    Py_XDECREF(held);
    if (status != PF_OK) return native_raise(self->state, &error, path);
    PyObject *list = PyList_New(0);
    for (size_t at = 0; list && at < len; at += strlen(names + at) + 1) {
        PyObject *name = PyUnicode_DecodeUTF8(names + at, (Py_ssize_t)strlen(names + at),
                                              "surrogateescape");
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    pf_free(names);
    return list;
}
