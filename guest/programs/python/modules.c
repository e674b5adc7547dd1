/* modules.c: the modules that are C, all of them in the program. CMakeLists.txt has their sources. */
#include <Python.h>

#define MODULES(X)                                                                              \
    X(_abc) X(_asyncio) X(_bisect) X(_blake2) X(_bz2) X(_codecs) X(_codecs_cn) X(_codecs_hk)    \
    X(_codecs_iso2022) X(_codecs_jp) X(_codecs_kr) X(_codecs_tw) X(_collections) X(_contextvars) \
    X(_csv) X(_datetime) X(_decimal) X(_elementtree) X(_functools) X(_heapq) X(_io) X(_json)    \
    X(_locale) X(_lsprof) X(_lzma) X(_md5) X(_multibytecodec) X(_opcode) X(_operator) X(_pickle) \
    X(_pinfold) X(_posixsubprocess) X(_queue) X(_random) X(_scrypt_mix) X(_sha1) X(_sha256) X(_sha3) X(_sha512) X(_signal) \
    X(_sqlite3) X(_sre) X(_stat) X(_statistics) X(_struct) X(_symtable) X(_thread) X(_tracemalloc)          \
    X(_typing) X(_weakref) X(_zoneinfo) X(array) X(atexit) X(audioop) X(binascii) X(cmath)      \
    X(errno) X(faulthandler) X(fcntl) X(grp) X(itertools) X(math) X(mmap) X(posix) X(pwd) X(pyexpat)    \
    X(resource) X(select) X(termios) X(time) X(unicodedata) X(zlib)

#define X(name) PyObject *PyInit_##name(void);
MODULES(X)
#undef X
/* Those of the core. */
PyObject *PyMarshal_Init(void);
PyObject *PyInit__imp(void);
PyObject *PyInit__ast(void);
PyObject *PyInit__tokenize(void);
PyObject *PyInit_gc(void);
PyObject *_PyWarnings_Init(void);
PyObject *PyInit__string(void);

struct _inittab _PyImport_Inittab[] = {
#define X(name) {#name, PyInit_##name},
    MODULES(X)
#undef X
    {"marshal", PyMarshal_Init},
    {"_imp", PyInit__imp},
    {"_ast", PyInit__ast},
    {"_tokenize", PyInit__tokenize},
    {"builtins", NULL},
    {"sys", NULL},
    {"gc", PyInit_gc},
    {"_warnings", _PyWarnings_Init},
    {"_string", PyInit__string},
    {NULL, NULL},
};

/* The frozen modules are read as bytes (frozen.c), not as C objects: the template has them anyway. */
int _Py_Deepfreeze_Init(void) { return 0; }
void _Py_Deepfreeze_Fini(void) {}
