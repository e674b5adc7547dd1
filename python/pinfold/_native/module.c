/* module.c: the module pinfold._native: the types Machine and Gate, questions about policies, the
 * version. */
#include "native.h"

#include <unistd.h>

static bool load_errors(native_state *state) {
    PyObject *errors = PyImport_ImportModule("pinfold.errors");
    if (!errors) return false;
    state->busy = PyObject_GetAttrString(errors, "SandboxBusy");
    state->closed = PyObject_GetAttrString(errors, "SandboxClosed");
    state->state = PyObject_GetAttrString(errors, "SandboxStateError");
    state->dead = PyObject_GetAttrString(errors, "SandboxDead");
    state->snapshot = PyObject_GetAttrString(errors, "SnapshotError");
    state->replay = PyObject_GetAttrString(errors, "ReplayError");
    state->capability = PyObject_GetAttrString(errors, "CapabilityError");
    state->no_timer = PyObject_GetAttrString(errors, "NoTimerError");
    state->bound = PyObject_GetAttrString(errors, "BoundError");
    state->interrupted = PyObject_GetAttrString(errors, "SandboxInterrupted");
    Py_DECREF(errors);
    return state->busy && state->closed && state->state && state->dead && state->snapshot &&
           state->replay && state->capability && state->no_timer && state->bound &&
           state->interrupted;
}

/* Python's main thread is the process's first one, unless an embedder started Python on another:
 * then the module `threading` knows. Importing it costs more than all else here together, so it is
 * asked only where it is there already, or where this is not the first thread. */
static bool find_main_thread(native_state *state) {
    PyObject *name = PyUnicode_FromString("threading");
    PyObject *threading = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    if (!threading && !PyErr_Occurred()) {
        if (gettid() == getpid()) {
            state->main_thread = PyThread_get_thread_ident();
            return true;
        }
        threading = PyImport_ImportModule("threading");
    }
    PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
    PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    if (ident) state->main_thread = PyLong_AsUnsignedLong(ident);
    Py_XDECREF(threading);
    Py_XDECREF(thread);
    Py_XDECREF(ident);
    return !PyErr_Occurred();
}

static int module_exec(PyObject *module) {
    native_state *state = PyModule_GetState(module);
    if (pf_abi_version() != PF_ABI_VERSION) {
        PyErr_Format(PyExc_ImportError, "built for interface %d of the library, loaded %d",
                     PF_ABI_VERSION, pf_abi_version());
        return -1;
    }
    if (!load_errors(state) || !find_main_thread(state)) return -1;
    native_guard_setup();
    state->native_type = PyType_FromModuleAndSpec(module, &native_spec, NULL);
    if (!state->native_type) return -1;
    if (PyModule_AddType(module, (PyTypeObject *)state->native_type) != 0) return -1;
    PyObject *gate = PyType_FromModuleAndSpec(module, &native_gate_spec, NULL);
    int added = gate ? PyModule_AddType(module, (PyTypeObject *)gate) : -1;
    Py_XDECREF(gate);
    if (added != 0) return -1;
    PyObject *http = PyType_FromModuleAndSpec(module, &native_http_spec, NULL);
    added = http ? PyModule_AddType(module, (PyTypeObject *)http) : -1;
    Py_XDECREF(http);
    if (added != 0) return -1;
    return PyModule_AddStringConstant(module, "version", pf_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    native_state *state = PyModule_GetState(module);
    Py_VISIT(state->busy);
    Py_VISIT(state->closed);
    Py_VISIT(state->state);
    Py_VISIT(state->dead);
    Py_VISIT(state->snapshot);
    Py_VISIT(state->replay);
    Py_VISIT(state->capability);
    Py_VISIT(state->no_timer);
    Py_VISIT(state->bound);
    Py_VISIT(state->interrupted);
    Py_VISIT(state->native_type);
    return 0;
}

static int module_clear(PyObject *module) {
    native_state *state = PyModule_GetState(module);
    Py_CLEAR(state->busy);
    Py_CLEAR(state->closed);
    Py_CLEAR(state->state);
    Py_CLEAR(state->dead);
    Py_CLEAR(state->snapshot);
    Py_CLEAR(state->replay);
    Py_CLEAR(state->capability);
    Py_CLEAR(state->no_timer);
    Py_CLEAR(state->bound);
    Py_CLEAR(state->interrupted);
    Py_CLEAR(state->native_type);
    return 0;
}

#define FAST(name, function) {name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL}

static PyMethodDef functions[] = {
    {"shut", native_shut, METH_NOARGS, NULL},
    {"prepare", native_prepare, METH_NOARGS, NULL},
    {"confine", native_confine, METH_O, NULL},
    {"printable", native_printable, METH_O, NULL},
    {"confinement", native_confinement, METH_NOARGS, NULL},
    {"spawn", native_spawn, METH_VARARGS, NULL},
    FAST("replay_open", native_replay_open),
    FAST("trace_check", native_trace_check),
    FAST("proof_new", native_proof_new),
    FAST("proof_check", native_proof_check),
    FAST("snapshot_look", native_snapshot_look),
    {"snapshot_info", native_snapshot_info, METH_O, NULL},
    FAST("snapshot_shrink", native_snapshot_shrink),
    FAST("snapshot_files", native_snapshot_files),
    {"snapshot_files_list", native_snapshot_files_list, METH_O, NULL},
    FAST("snapshot_files_take", native_snapshot_files_take),
    {"json_refusal", native_json_refusal, METH_O, NULL},
    {"http_tool", native_http_tool, METH_NOARGS, NULL},
    {"policy_check", native_policy_check, METH_O, NULL},
    FAST("policy_gap", native_policy_gap),
    {"policy_normalize", native_policy_normalize, METH_O, NULL},
    FAST("pattern_matches", native_pattern_matches),
    FAST("pattern_is_subset", native_pattern_is_subset),
    {"ed25519_public_key", native_ed25519_public_key, METH_O, NULL},
    FAST("ed25519_sign", native_ed25519_sign),
    FAST("ed25519_verify", native_ed25519_verify),
    {"token_issue", native_token_issue, METH_VARARGS, NULL},
    {"token_narrow", native_token_narrow, METH_VARARGS, NULL},
    {"token_seal", native_token_seal, METH_VARARGS, NULL},
    {"token_verify", native_token_verify, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pinfold._native",
    .m_size = sizeof(native_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__native(void) {
    return PyModuleDef_Init(&definition);
}
