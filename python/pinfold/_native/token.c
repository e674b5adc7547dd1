/* token.c: pf_token_*: signed policies as bytes. What is wrong with one is a CapabilityError. */
#include "native.h"

static PyObject *refuse(PyObject *module, const pf_error *error) {
    native_state *state = PyModule_GetState(module);
    if (error->status != PF_INVALID) return native_raise(state, error, NULL);
    PyErr_SetString(state->capability, error->message);
    return NULL;
}

static PyObject *give(PyObject *module, pf_status status, char *data, size_t len,
                      const pf_error *error) {
    if (status != PF_OK) return refuse(module, error);
    PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)len);
    pf_free(data);
    return bytes;
}

/* token_issue(seed, policy, expires) */
PyObject *native_token_issue(PyObject *module, PyObject *args) {
    const char *seed, *policy;
    Py_ssize_t seed_len, policy_len;
    long long expires;
    if (!PyArg_ParseTuple(args, "y#s#L", &seed, &seed_len, &policy, &policy_len, &expires))
        return NULL;
    if (seed_len != PF_KEY_BYTES)
        return PyErr_Format(PyExc_ValueError, "a seed has %d bytes, not %zd", PF_KEY_BYTES,
                            seed_len);
    char *token = NULL;
    size_t len = 0;
    pf_error error;
    pf_status status = pf_token_issue((const uint8_t *)seed, policy, (size_t)policy_len, expires,
                                      &token, &len, &error);
    return give(module, status, token, len, &error);
}

/* token_narrow(token, policy, expires) */
PyObject *native_token_narrow(PyObject *module, PyObject *args) {
    const char *data, *policy;
    Py_ssize_t data_len, policy_len;
    long long expires;
    if (!PyArg_ParseTuple(args, "y#s#L", &data, &data_len, &policy, &policy_len, &expires))
        return NULL;
    char *token = NULL;
    size_t len = 0;
    pf_error error;
    pf_status status = pf_token_narrow(data, (size_t)data_len, policy, (size_t)policy_len, expires,
                                       &token, &len, &error);
    return give(module, status, token, len, &error);
}

/* token_seal(token) */
PyObject *native_token_seal(PyObject *module, PyObject *args) {
    const char *data;
    Py_ssize_t data_len;
    if (!PyArg_ParseTuple(args, "y#", &data, &data_len)) return NULL;
    char *token = NULL;
    size_t len = 0;
    pf_error error;
    pf_status status = pf_token_seal(data, (size_t)data_len, &token, &len, &error);
    return give(module, status, token, len, &error);
}

/* token_verify(token, trusted keys one after the other, now): (policy, expires) */
PyObject *native_token_verify(PyObject *module, PyObject *args) {
    const char *data, *trusted;
    Py_ssize_t data_len, trusted_len;
    long long now;
    if (!PyArg_ParseTuple(args, "y#y#L", &data, &data_len, &trusted, &trusted_len, &now))
        return NULL;
    if (trusted_len % PF_KEY_BYTES != 0)
        return PyErr_Format(PyExc_ValueError, "a public key has %d bytes", PF_KEY_BYTES);
    char *policy = NULL;
    size_t len = 0;
    int64_t expires = 0;
    pf_error error;
    pf_status status =
        pf_token_verify(data, (size_t)data_len, (const uint8_t *)trusted,
                        (size_t)trusted_len / PF_KEY_BYTES, now, &policy, &len, &expires, &error);
    if (status != PF_OK) return refuse(module, &error);
    PyObject *tuple = Py_BuildValue("(s#L)", policy, (Py_ssize_t)len, (long long)expires);
    pf_free(policy);
    return tuple;
}
