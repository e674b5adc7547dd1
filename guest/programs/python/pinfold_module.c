/*
 * pinfold_module.c: the module _pinfold, what pf.h has for a Python program: the embedder's text and
 * value, and calls to its tools. lib/tools.py and lib/_cell.py are made of it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pycore_ast.h>
#include <pycore_compile.h>
#include <pycore_parser.h>
#include <pycore_pyarena.h>

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "abi/types.h"
#include "pf.h"
#include "threads.h"

static PyObject *failed(void) { return PyErr_SetFromErrno(PyExc_OSError); }

/* run_text() -> bytes; OSError when this process was not started by a run. */
static PyObject *run_text(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    size_t len;
    char *text = pf_run_text(&len);
    if (!text) return failed();
    PyObject *bytes = PyBytes_FromStringAndSize(text, (Py_ssize_t)len);
    free(text);
    return bytes;
}

/* run_next(status) -> the flags of the next run of this session, which it waits for. */
static PyObject *run_next(PyObject *self, PyObject *number) {
    int on_way = python_leaf;
    (void)self;
    int status = (int)PyLong_AsLong(number);
    if (status == -1 && PyErr_Occurred()) return NULL;
    int flags = PYTHON_UNWOUND(on_way, pf_run_next(status));
    return flags < 0 ? failed() : PyLong_FromLong(flags);
}

/* Of a cell: what runs first, and the value that it ends with; NULL with an exception, or where there is none. */
struct cell {
    PyCodeObject *code, *value;
};

static struct cell compile_parts(mod_ty module, PyObject *name, PyCompilerFlags *how, PyArena *arena) {
    asdl_stmt_seq *body = module->v.Module.body;
    Py_ssize_t count = asdl_seq_LEN(body);
    stmt_ty last = count ? asdl_seq_GET(body, count - 1) : NULL;
    struct cell cell = {0};
    bool has_value = last && last->kind == Expr_kind;
    if (has_value) body->size--;
    if (count > has_value) cell.code = _PyAST_Compile(module, name, how, -1, arena);
    if (PyErr_Occurred() || !has_value) return cell;
    mod_ty expression = _PyAST_Expression(last->v.Expr.value, arena);
    if (expression) cell.value = _PyAST_Compile(expression, name, how, -1, arena);
    return cell;
}

/* compile_cell(text: bytes, name: str, flags) -> (code or None, code of the last expression or None) */
static PyObject *compile_cell(PyObject *self, PyObject *args) {
    (void)self;
    const char *text;
    Py_ssize_t len;
    PyObject *name;
    PyCompilerFlags how = _PyCompilerFlags_INIT;
    if (!PyArg_ParseTuple(args, "y#Ui", &text, &len, &name, &how.cf_flags)) return NULL;
    how.cf_flags |= PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE;
    if (memchr(text, 0, (size_t)len)) {
        PyErr_SetString(PyExc_ValueError, "source code cannot contain null bytes");
        return NULL;
    }
    PyArena *arena = _PyArena_New();
    if (!arena) return NULL;
    struct cell cell = {0};
    mod_ty module = _PyParser_ASTFromString(text, name, Py_file_input, &how, arena);
    if (module) cell = compile_parts(module, name, &how, arena);
    _PyArena_Free(arena);
    PyObject *pair = NULL;
    if (!PyErr_Occurred())
        pair = PyTuple_Pack(2, cell.code ? (PyObject *)cell.code : Py_None,
                            cell.value ? (PyObject *)cell.value : Py_None);
    Py_XDECREF(cell.code);
    Py_XDECREF(cell.value);
    return pair;
}

/* run_value(json: bytes) */
static PyObject *run_value(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer json;
    if (!PyArg_ParseTuple(args, "y*", &json)) return NULL;
    int result = pf_run_value(json.buf, (size_t)json.len);
    PyBuffer_Release(&json);
    if (result < 0) return failed();
    Py_RETURN_NONE;
}

/* tool_start(json: bytes) -> the call's number */
static PyObject *tool_start(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer json;
    if (!PyArg_ParseTuple(args, "y*", &json)) return NULL;
    int id = pf_tool_start(json.buf, (size_t)json.len);
    PyBuffer_Release(&json);
    return id < 0 ? failed() : PyLong_FromLong(id);
}

static PyObject *take(int id) {
    int outcome;
    size_t len;
    char *reply = pf_tool_take(id, &outcome, &len);
    python_tool_forget(id);
    if (!reply) return failed();
    PyObject *pair = Py_BuildValue("iy#", outcome, reply, (Py_ssize_t)len);
    free(reply);
    return pair;
}

/* tool_take(id) -> (outcome, reply: bytes) of a finished call, which is over then */
static PyObject *tool_take(PyObject *self, PyObject *args) {
    (void)self;
    int id;
    return PyArg_ParseTuple(args, "i", &id) ? take(id) : NULL;
}

/* tool_wait(id) -> as tool_take(), when the answer is there. An exception of a signal gives the call up. */
static PyObject *tool_wait(PyObject *self, PyObject *number) {
    int on_way = python_leaf;
    (void)self;
    int id = (int)PyLong_AsLong(number);
    if (id == -1 && PyErr_Occurred()) return NULL;
    while (python_tool_wait(on_way, id) < 0) {
        if (errno != EINTR) return failed();
        if (PyErr_CheckSignals() < 0) {
            pf_tool_close(id);
            python_tool_forget(id);
            return NULL;
        }
    }
    return take(id);
}

/* tool_next() -> the number of a newly finished call, or None */
static PyObject *tool_next(PyObject *self, PyObject *none) {
    (void)self, (void)none;
    int id = python_tool_next();
    if (id > 0) return PyLong_FromLong(id);
    if (id < 0 && errno != EAGAIN) return failed();
    Py_RETURN_NONE;
}

static PyObject *tool_close(PyObject *self, PyObject *args) {
    (void)self;
    int id;
    if (!PyArg_ParseTuple(args, "i", &id)) return NULL;
    pf_tool_close(id);
    python_tool_forget(id);
    Py_RETURN_NONE;
}

/* poll([(fd, events)], milliseconds) -> [(fd, revents)]; finished calls wake it, and are not told. */
static PyObject *poll_all(PyObject *self, PyObject *const *args, Py_ssize_t argc) {
    int on_way = python_leaf;
    (void)self;
    PyObject *list, *found = NULL;
    int timeout;
    if (!_PyArg_ParseStack(args, argc, "O!i", &PyList_Type, &list, &timeout)) return NULL;
    Py_ssize_t count = PyList_GET_SIZE(list);
    struct pollfd *fds = PyMem_Calloc((size_t)count + 1, sizeof *fds);
    if (!fds) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "ih", &fds[i].fd, &fds[i].events)) goto out;
    fds[count] = (struct pollfd){.fd = PF_POLL_OPS, .events = POLLIN};
    if (python_tool_news()) timeout = 0;
    int ready = python_poll(on_way, fds, (int)count + 1, timeout < 0 ? -1 : timeout * 1000000ll);
    if (ready < 0) {
        if (errno != EINTR || PyErr_CheckSignals() < 0) {
            if (!PyErr_Occurred()) failed();
            goto out;
        }
    }
    found = PyList_New(0);
    for (Py_ssize_t i = 0; found && ready > 0 && i < count; i++) {
        if (!fds[i].revents) continue;
        PyObject *pair = Py_BuildValue("ih", fds[i].fd, fds[i].revents);
        if (!pair || PyList_Append(found, pair) < 0) Py_CLEAR(found);
        Py_XDECREF(pair);
    }
out:
    PyMem_Free(fds);
    return found;
}

static PyMethodDef methods[] = {
    {"run_next", run_next, METH_O, NULL},         {"compile_cell", compile_cell, METH_VARARGS, NULL},
    {"run_text", run_text, METH_NOARGS, NULL},    {"run_value", run_value, METH_VARARGS, NULL},
    {"tool_start", tool_start, METH_VARARGS, NULL}, {"tool_take", tool_take, METH_VARARGS, NULL},
    {"tool_wait", tool_wait, METH_O, NULL}, {"tool_next", tool_next, METH_NOARGS, NULL},
    {"tool_close", tool_close, METH_VARARGS, NULL}, {"poll", (PyCFunction)(void (*)(void))poll_all, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_pinfold", .m_doc = "The embedder's runs and tools.",
    .m_methods = methods};

PyMODINIT_FUNC PyInit__pinfold(void) { return PyModuleDef_Init(&module); }
