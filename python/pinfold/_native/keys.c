/* keys.c: pf_key_*: Ed25519 over bytes. */
#include "native.h"

/* The data of a bytes object that has exactly `size` bytes, of any size when that is 0. */
static const uint8_t *bytes_of(PyObject *value, Py_ssize_t size, const char *what,
                               Py_ssize_t *len) {
    char *data = NULL;
    Py_ssize_t found = 0;
    if (PyBytes_AsStringAndSize(value, &data, &found) != 0) return NULL;
    if (size && found != size) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes, not %zd", what, size, found);
        return NULL;
    }
    if (len) *len = found;
    return (const uint8_t *)data;
}

PyObject *native_ed25519_public_key(PyObject *module, PyObject *seed) {
    (void)module;
    uint8_t key[PF_KEY_BYTES];
    const uint8_t *secret = bytes_of(seed, PF_KEY_BYTES, "a seed", NULL);
    if (!secret) return NULL;
    pf_key_public(secret, key);
    return PyBytes_FromStringAndSize((const char *)key, sizeof key);
}

/* ed25519_sign(seed, data) */
PyObject *native_ed25519_sign(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    Py_ssize_t len = 0;
    uint8_t signature[PF_SIGNATURE_BYTES];
    if (count != 2) return PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
    const uint8_t *secret = bytes_of(args[0], PF_KEY_BYTES, "a seed", NULL);
    const uint8_t *data = secret ? bytes_of(args[1], 0, "data", &len) : NULL;
    if (!data) return NULL;
    pf_key_sign(secret, data, (size_t)len, signature);
    return PyBytes_FromStringAndSize((const char *)signature, sizeof signature);
}

/* ed25519_verify(public_key, data, signature): a signature or key of a wrong length is wrong */
PyObject *native_ed25519_verify(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    (void)module;
    Py_ssize_t key_len = 0, len = 0, signature_len = 0;
    if (count != 3) return PyErr_Format(PyExc_TypeError, "expected 3 arguments, got %zd", count);
    const uint8_t *key = bytes_of(args[0], 0, "a key", &key_len);
    const uint8_t *data = key ? bytes_of(args[1], 0, "data", &len) : NULL;
    const uint8_t *signature = data ? bytes_of(args[2], 0, "a signature", &signature_len) : NULL;
    if (!signature) return NULL;
    if (key_len != PF_KEY_BYTES || signature_len != PF_SIGNATURE_BYTES) Py_RETURN_FALSE;
    return PyBool_FromLong(pf_key_verify(key, data, (size_t)len, signature));
}
