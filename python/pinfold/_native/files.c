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

/* Takes the path, args[0], and the bounds behind `known` arguments; false: an exception. */
static bool begin(machine *self, PyObject *const *args, Py_ssize_t count, Py_ssize_t known,
                  native_act *act, const char **path, PyObject **held) {
    *held = NULL;
    *act = (native_act){0};
    if (count < known || count > known + 2) {
        PyErr_Format(PyExc_TypeError, "expected %zd arguments and the bounds, got %zd", known,
                     count);
        return false;
    }
    *path = path_text(args[0], held);
    if (*path && native_act_begin(self, act, args + known, count - known)) return true;
    Py_CLEAR(*held);
    return false;
}

/* file_write(path, bytes, …bounds) */
PyObject *native_file_write(machine *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *held;
    const char *path;
    Py_buffer data;
    native_act act;
    pf_error error = {0};
    if (count < 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    if (PyObject_GetBuffer(args[1], &data, PyBUF_SIMPLE) != 0) return NULL;
    bool ok = begin(self, args, count, 2, &act, &path, &held);
    if (ok) {
        pf_status status = pf_file_write(self->sandbox, path, data.buf, (size_t)data.len, &error);
        ok = native_act_end(self, &act, status, &error, args[0]);
    }
    PyBuffer_Release(&data);
    Py_XDECREF(held);
    if (!ok) return NULL;
    Py_RETURN_NONE;
}

/* Bytes that belong to a path. */
typedef pf_status (*take_fn)(pf_sandbox *, const char *, char **, size_t *, pf_error *);

static PyObject *take_bytes(machine *self, PyObject *const *args, Py_ssize_t count, take_fn take) {
    PyObject *held;
    const char *path;
    native_act act;
    char *data = NULL;
    size_t len = 0;
    pf_error error;
    if (!begin(self, args, count, 1, &act, &path, &held)) return NULL;
    pf_status status = take(self->sandbox, path, &data, &len, &error);
    bool ok = native_act_end(self, &act, status, &error, args[0]);
    Py_XDECREF(held);
    if (ok) return native_take_bytes(data, len);
    pf_free(data);
    return NULL;
}

/* file_read(path, …bounds): the content of a file. */
PyObject *native_file_read(machine *self, PyObject *const *args, Py_ssize_t count) {
    return take_bytes(self, args, count, pf_file_take);
}

/* file_link(path, …bounds): the target of a link. */
PyObject *native_file_link(machine *self, PyObject *const *args, Py_ssize_t count) {
    return take_bytes(self, args, count, pf_file_link);
}

/* file_tar(path, …bounds): a tree as a tar archive. */
PyObject *native_file_tar(machine *self, PyObject *const *args, Py_ssize_t count) {
    return take_bytes(self, args, count, pf_file_tar);
}

/* file_digest(path, …bounds): equal for equal contents. */
PyObject *native_file_digest(machine *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *held;
    const char *path;
    native_act act;
    uint8_t digest[PF_DIGEST_BYTES];
    pf_error error;
    if (!begin(self, args, count, 1, &act, &path, &held)) return NULL;
    pf_status status = pf_file_digest(self->sandbox, path, digest, &error);
    bool ok = native_act_end(self, &act, status, &error, args[0]);
    Py_XDECREF(held);
    return ok ? PyBytes_FromStringAndSize((const char *)digest, sizeof digest) : NULL;
}

PyObject *native_file_remove(machine *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *held;
    const char *path;
    native_act act;
    pf_error error;
    if (!begin(self, args, count, 1, &act, &path, &held)) return NULL;
    pf_status status = pf_file_remove(self->sandbox, path, &error);
    bool ok = native_act_end(self, &act, status, &error, args[0]);
    Py_XDECREF(held);
    if (!ok) return NULL;
    Py_RETURN_NONE;
}

/* (mode, size, mtime_ns) */
typedef pf_status (*stat_fn)(pf_sandbox *, const char *, pf_file_info *, pf_error *);

static PyObject *file_stat(machine *self, PyObject *const *args, Py_ssize_t count,
                           stat_fn function) {
    PyObject *held;
    const char *path;
    native_act act;
    pf_file_info info;
    pf_error error;
    if (!begin(self, args, count, 1, &act, &path, &held)) return NULL;
    pf_status status = function(self->sandbox, path, &info, &error);
    bool ok = native_act_end(self, &act, status, &error, args[0]);
    Py_XDECREF(held);
    if (!ok) return NULL;
    return Py_BuildValue("(kLL)", (unsigned long)info.mode, (long long)info.size,
                         (long long)info.mtime_ns);
}

PyObject *native_file_stat(machine *self, PyObject *const *args, Py_ssize_t count) {
    return file_stat(self, args, count, pf_file_stat);
}

/* Of a link itself. */
PyObject *native_file_lstat(machine *self, PyObject *const *args, Py_ssize_t count) {
    return file_stat(self, args, count, pf_file_lstat);
}

/* The names in a directory, sorted. Names are bytes in the guest; what is not UTF-8 is escaped. */
PyObject *native_file_list(machine *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *held;
    const char *path;
    native_act act;
    char *names = NULL;
    size_t len = 0;
    pf_error error;
    if (!begin(self, args, count, 1, &act, &path, &held)) return NULL;
    pf_status status = pf_file_list(self->sandbox, path, &names, &len, &error);
    bool ok = native_act_end(self, &act, status, &error, args[0]);
    Py_XDECREF(held);
    PyObject *list = ok ? PyList_New(0) : NULL;
    for (size_t at = 0; list && at < len; at += strlen(names + at) + 1) {
        PyObject *name = PyUnicode_DecodeUTF8(names + at, (Py_ssize_t)strlen(names + at),
                                              "surrogateescape");
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    pf_free(names);
    return list;
}

/* file_make(path, mode with its type, mtime in ns, contents or target, …bounds) */
PyObject *native_file_make(machine *self, PyObject *const *args, Py_ssize_t count) {
    PyObject *held;
    const char *path;
    Py_buffer data;
    native_act act;
    pf_error error = {0};
    if (count < 4) return PyErr_Format(PyExc_TypeError, "expected 4 arguments, got %zd", count);
    pf_file_new file = {.size = sizeof file, .mode = (uint32_t)PyLong_AsUnsignedLong(args[1])};
    if (PyErr_Occurred()) return NULL;
    file.mtime_ns = PyLong_AsLongLong(args[2]);
    if (PyErr_Occurred() || PyObject_GetBuffer(args[3], &data, PyBUF_SIMPLE) != 0) return NULL;
    file.data = data.buf;
    file.len = (size_t)data.len;
    bool ok = begin(self, args, count, 4, &act, &path, &held);
    if (ok) {
        pf_status status = pf_file_make(self->sandbox, path, &file, &error);
        ok = native_act_end(self, &act, status, &error, args[0]);
    }
    PyBuffer_Release(&data);
    Py_XDECREF(held);
    if (!ok) return NULL;
    Py_RETURN_NONE;
}
