/* waits.c: waits that are plain bytes; all of it is on the list of CMakeLists.txt. */
#include <Python.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "pf.h"
#include "threads.h"

int python_depth, python_way, python_leaf;
const void *python_next, *python_reader;

#define CHUNK 65536 /* as much as a pipe holds */

void python_wait_fd(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || flags & O_NONBLOCK || (flags & O_ACCMODE) == O_WRONLY) return;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    do {
        if (python_poll(1, &one, 1, -1) < 0) return;
    } while (python_threads > 1 && poll(&one, 1, 0) == 0); /* another process may have read since */
}

int python_raw_fd(void *raw) {
    extern PyTypeObject PyFileIO_Type;
    if (!raw || Py_TYPE((PyObject *)raw) != &PyFileIO_Type) return -1;
    PyObject *number = PyObject_CallMethod(raw, "fileno", NULL);
    int fd = number ? (int)PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    PyErr_Clear();
    return fd;
}

int python_is_stream(int fd) {
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

void python_wait_raw(void *raw) {
    int fd = python_raw_fd(raw);
    if (fd >= 0) python_wait_fd(fd);
}

/* NULL: an exception, or None of a descriptor that does not wait. */
static __attribute__((noinline)) PyObject *read_chunk(PyObject *stream, const char *method) {
    return PyObject_CallMethod(stream, method, "i", CHUNK);
}

static __attribute__((noinline)) PyObject *joined(PyObject *chunks) {
    PyObject *empty = PyBytes_FromString(""), *all = NULL;
    if (empty && PyList_GET_SIZE(chunks)) all = PyObject_CallMethod(empty, "join", "O", chunks);
    else all = Py_XNewRef(empty);
    Py_XDECREF(empty);
    Py_DECREF(chunks);
    return all;
}

/* 1: there is more; 0: that was the end, or there is nothing now; -1: an exception is set. */
static __attribute__((noinline)) int add_chunk(PyObject *chunks, PyObject *stream, const char *method) {
    PyObject *chunk = read_chunk(stream, method);
    if (!chunk) return -1;
    int more = PyBytes_Check(chunk) && PyBytes_GET_SIZE(chunk) > 0;
    if (more && PyList_Append(chunks, chunk) < 0) more = -1;
    Py_DECREF(chunk);
    return more;
}

void *python_read_all(void *raw) {
    PyObject *chunks = PyList_New(0);
    int more = chunks ? 1 : -1;
    while (more > 0) {
        python_wait_raw(raw);
        more = add_chunk(chunks, raw, "read");
    }
    if (more == 0) return joined(chunks);
    Py_XDECREF(chunks);
    return NULL;
}

void *python_read_buffered(void *stream) {
    PyObject *chunks = PyList_New(0);
    int more = chunks ? 1 : -1;
    while (more > 0) {
        python_wait_buffered(stream);
        more = add_chunk(chunks, stream, "read1");
    }
    if (more == 0) return joined(chunks);
    Py_XDECREF(chunks);
    return NULL;
}

int python_sleep(int way, long long ns) {
    _PyTime_t end = _PyTime_GetMonotonicClock() + ns;
    while (python_poll(way, NULL, 0, ns) < 0) {
        if (errno != EINTR) {
            PyErr_SetFromErrno(PyExc_OSError);
            return -1;
        }
        if (PyErr_CheckSignals()) return -1;
        ns = end - _PyTime_GetMonotonicClock();
        if (ns < 0) ns = 0;
    }
    return 0;
}
