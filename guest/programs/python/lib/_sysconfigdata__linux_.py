"""What sysconfig knows of the build: where things lie, nothing to compile with."""

build_time_vars = {
    "ABIFLAGS": "",
    "BINDIR": "/usr/bin",
    "CC": "",
    "CFLAGS": "",
    "EXT_SUFFIX": ".so",
    "HOST_GNU_TYPE": "wasm32-unknown-linux",
    "LDSHARED": "",
    "LIBDIR": "/usr/lib",
    "MULTIARCH": "",
    "Py_DEBUG": 0,
    "SIZEOF_VOID_P": 4,
    "SOABI": "",
    "TZPATH": "/usr/share/zoneinfo",
    "VERSION": "3.11",
    "WITH_PYMALLOC": 1,
    "exec_prefix": "/usr",
    "prefix": "/usr",
    "srcdir": "/usr/lib/python3.11",
}
