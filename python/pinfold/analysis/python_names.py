"""What is known of Python's modules and builtins, for `python`."""

from __future__ import annotations

import sys

#: Modules that compute, and neither run nor open anything.
HARMLESS = set(
    "__future__ abc array asyncio base64 binascii bisect calendar cmath collections"
    " collections.abc colorsys contextlib"
    " copy csv dataclasses datetime decimal difflib enum errno fractions functools hashlib"
    " heapq hmac html html.parser"
    " itertools json keyword math numbers operator pprint random re secrets statistics string"
    " struct textwrap time"
    " typing unicodedata urllib.parse urllib uuid zlib zoneinfo ipaddress graphlib stat".split()
)
#: Modules of which it matters what is used.
LOOKED_INTO = {
    "subprocess",
    "os",
    "os.path",
    "pathlib",
    "sys",
    "shutil",
    "glob",
    "io",
    "tempfile",
    "tools",
    "tools.aio",
}
MODULES = set(sys.stdlib_module_names)
SUBMODULES = {"os.path", "urllib.parse", "collections.abc", "html.parser", "tools.aio"}
#: Functions and classes that are called as a module is.
ALSO_FUNCTIONS = set("datetime time copy random calendar pprint glob bisect array struct".split())
#: Attributes by which a program gets at the interpreter, or at an attribute by a text.
REACHING = set(
    "attrgetter methodcaller get_type_hints ForwardRef evaluate_forward_ref singledispatch"
    " singledispatchmethod make_dataclass Formatter"
    " create_subprocess_exec create_subprocess_shell subprocess_exec subprocess_shell"
    " open_connection"
    " open_unix_connection connect_read_pipe to_thread run_in_executor gi_frame gi_code"
    " cr_frame cr_code ag_frame"
    " ag_code f_back f_globals f_locals f_builtins f_code tb_frame tb_next func_globals"
    " modules _getframe"
    " exec_module load_module find_spec run_path run_module compile_command".split()
)
PLAIN_SPECIAL = set(
    "__init__ __name__ __doc__ __len__ __str__ __repr__ __eq__ __lt__ __hash__ __iter__"
    " __next__ __enter__ __exit__"
    " __aenter__ __aexit__ __contains__ __getitem__ __setitem__ __add__ __post_init__"
    " __version__ __all__"
    " __annotations__ __cause__ __context__ __notes__".split()
)
POWERFUL = set("eval exec compile globals locals vars breakpoint setattr delattr help".split())
SUBPROCESS_PLAIN = set(
    "PIPE DEVNULL STDOUT CalledProcessError TimeoutExpired CompletedProcess SubprocessError".split()
)
OS_PLAIN = set(
    "getcwd getenv sep linesep pathsep name getpid getppid cpu_count curdir pardir extsep"
    " devnull fspath fsencode"
    " fsdecode path urandom uname times getuid getgid strerror error PathLike DirEntry"
    " get_terminal_size".split()
)
OS_FILES = {
    **dict.fromkeys("listdir scandir walk stat lstat access readlink".split(), "read"),
    **dict.fromkeys(
        "mkdir makedirs remove unlink rmdir removedirs chmod truncate utime".split(), "write"
    ),
    **dict.fromkeys("rename replace renames link symlink".split(), "rename"),
}
PATH_FILES = {
    **dict.fromkeys(
        "read_text read_bytes exists is_file is_dir stat iterdir glob rglob".split(), "read"
    ),
    **dict.fromkeys("write_text write_bytes mkdir unlink rmdir touch chmod".split(), "write"),
}
OTHER_FILES = {
    "io.open": "read and write",
    "glob.glob": "read",
    "glob.iglob": "read",
    "shutil.rmtree": "write",
    **dict.fromkeys(
        ("shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.copytree", "shutil.move"),
        "rename",
    ),
}
SYS_PLAIN = set(
    "argv exit stdout stderr stdin version version_info maxsize platform byteorder"
    " executable getsizeof"
    " getrecursionlimit setrecursionlimit float_info int_info hexversion implementation"
    " exc_info maxunicode intern"
    " getdefaultencoding".split()
)
