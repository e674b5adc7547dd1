/*
 * scrypt.c: the module _scrypt_mix, the mixing of large blocks in scrypt (RFC 7914, 3 to 5). lib/_scrypt.py is
 * the rest of it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#define WORDS 16 /* of 32 bits in a block of Salsa20 */
#define TURN 1024 /* blocks between two looks at signals */

static uint32_t rotated(uint32_t x, int by) { return x << by | x >> (32 - by); }

static void quarter(uint32_t *x, int a, int b, int c, int d) {
    x[b] ^= rotated(x[a] + x[d], 7);
    x[c] ^= rotated(x[b] + x[a], 9);
    x[d] ^= rotated(x[c] + x[b], 13);
    x[a] ^= rotated(x[d] + x[c], 18);
}

static void salsa20_8(uint32_t block[WORDS]) {
    uint32_t x[WORDS];
    memcpy(x, block, sizeof x);
    for (int round = 0; round < 4; round++) {
        quarter(x, 0, 4, 8, 12);
        quarter(x, 5, 9, 13, 1);
        quarter(x, 10, 14, 2, 6);
        quarter(x, 15, 3, 7, 11);
        quarter(x, 0, 1, 2, 3);
        quarter(x, 5, 6, 7, 4);
        quarter(x, 10, 11, 8, 9);
        quarter(x, 15, 12, 13, 14);
    }
    for (int i = 0; i < WORDS; i++) block[i] += x[i];
}

/* scryptBlockMix: 2 * r blocks, from `from` to `to`. */
static void mix_blocks(const uint32_t *from, uint32_t *to, uint32_t r) {
    uint32_t x[WORDS];
    memcpy(x, from + (2 * r - 1) * WORDS, sizeof x);
    for (uint32_t i = 0; i < 2 * r; i++) {
        for (int k = 0; k < WORDS; k++) x[k] ^= from[i * WORDS + k];
        salsa20_8(x);
        memcpy(to + (i / 2 + (i & 1) * r) * WORDS, x, sizeof x);
    }
}

/* scryptROMix, in place; `all` has room for n times as much, `spare` for one. -1: an exception of a signal. */
static int mix(uint32_t *block, uint32_t *all, uint32_t *spare, uint32_t n, uint32_t r) {
    size_t words = 32 * (size_t)r;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(all + i * words, block, words * 4);
        mix_blocks(all + i * words, block, r);
        if (i % TURN == TURN - 1 && PyErr_CheckSignals() < 0) return -1;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *other = all + (block[words - WORDS] & (n - 1)) * words;
        for (size_t k = 0; k < words; k++) spare[k] = block[k] ^ other[k];
        mix_blocks(spare, block, r);
        if (i % TURN == TURN - 1 && PyErr_CheckSignals() < 0) return -1;
    }
    return 0;
}

/* mix(block: bytes of 128 * r, n: a power of 2, r) -> bytes */
static PyObject *mix_bytes(PyObject *self, PyObject *args) {
    (void)self;
    const char *bytes;
    Py_ssize_t len;
    unsigned n, r;
    if (!PyArg_ParseTuple(args, "y#II", &bytes, &len, &n, &r)) return NULL;
    if (!r || r > PY_SSIZE_T_MAX / 256 || len != 128 * (Py_ssize_t)r || !n || n & (n - 1) ||
        n > PY_SSIZE_T_MAX / len - 2) {
        PyErr_SetString(PyExc_ValueError, "Invalid parameter combination for n, r, p, maxmem.");
        return NULL;
    }
    uint32_t *all = PyMem_Malloc((size_t)len * (n + 2));
    if (!all) return PyErr_NoMemory();
    uint32_t *block = all + (size_t)len / 4 * n, *spare = block + len / 4;
    memcpy(block, bytes, (size_t)len);
    PyObject *result = NULL;
    if (mix(block, all, spare, n, r) == 0) result = PyBytes_FromStringAndSize((char *)block, len);
    PyMem_Free(all);
    return result;
}

static PyMethodDef methods[] = {{"mix", mix_bytes, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_scrypt_mix", .m_doc = "The mixing of scrypt.", .m_methods = methods};

PyMODINIT_FUNC PyInit__scrypt_mix(void) { return PyModuleDef_Init(&module); }
