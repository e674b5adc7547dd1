"""The boot of python3: what boot.c runs in an interpreter at build time, before its memory is saved.

The modules that programs begin with are imported, and put aside: sys.modules has what it has in
CPython. An import takes a module from there, with those that its text imports, when the ordinary way
would lead to the same files; else it goes the ordinary way (take(), which importlib._bootstrap asks).
"""

import sys

import _frozen_importlib as _bootstrap
import builtins
import marshal

LIBRARY = "/usr/lib/python3.11"
MODULES = """
    json re os sys math datetime collections itertools functools pathlib random typing dataclasses csv io
    subprocess string statistics _cell traceback ast runpy time copy contextlib tempfile shutil glob textwrap
    argparse hashlib base64 decimal fractions heapq bisect operator logging asyncio unittest _pinfold gc
""".split()
SUFFIXES = ("", ".py", ".pyc", ".so", ".abi3.so")

_running = []  # the modules whose text runs, the innermost last
_needs = {}  # by module: those that its text imports, in order
_booted = {}  # all modules
_aside = {}  # those that nobody took yet
_unbound = set()  # submodules that their package does not import itself
_closures = {}
_found = set()  # those that the import system finds along sys.path
_files = frozenset()  # names of files that would hide one of them
_known = set()  # what site knows of sys.path


class Finder:
    """Finds modules in the program's table; gone when the interpreter is booted."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in codes:
            return None
        is_package = codes[name][0]
        where = f"{LIBRARY}/{name.replace('.', '/')}"
        file = where + ("/__init__.py" if is_package else ".py")
        spec = _bootstrap.ModuleSpec(name, Loader, origin=file, is_package=is_package)
        spec._set_fileattr = True
        if is_package:
            spec.submodule_search_locations = [where]
        return spec


class Loader:
    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        import _frozen_importlib_external as external

        spec = module.__spec__
        name = spec.name
        spec.loader = module.__loader__ = external.SourceFileLoader(name, spec.origin)
        exec(marshal.loads(codes[name][1]), module.__dict__)


def loaded(spec):
    """_load_unlocked(), which notes what came with the module: also a frozen one, or one in C."""
    before = {*sys.modules, spec.name}
    needs = _needs.setdefault(spec.name, {})
    _running.append(spec.name)
    try:
        return load(spec)
    finally:
        _running.pop()
        needs.update(dict.fromkeys(other for other in sys.modules if other not in before))


def recorded(name, globals=None, locals=None, fromlist=(), level=0):
    """__import__, which notes who imports what."""
    module = import_(name, globals, locals, fromlist, level)
    if _running:
        if level:
            name = _bootstrap._resolve_name(name, globals["__package__"], level)
        parts = name.split(".")
        names = [".".join(parts[: n + 1]) for n in range(len(parts))]
        names += [f"{name}.{item}" for item in fromlist or ()]
        needs = _needs[_running[-1]]
        needs.update(dict.fromkeys(other for other in names if other in sys.modules))
    return module


def boot():
    """Once, when the interpreter is initialised."""
    global import_, load, site, _files, _hooks, path_finder, file_finder
    import _frozen_importlib_external as external
    import _signal
    import site

    path_finder, file_finder = external.PathFinder, external.FileFinder
    site.setquit()
    site.setcopyright()
    site.sethelper()
    site.enablerlcompleter()
    sys.modules.pop("__main__", None)
    plain = set(sys.modules)
    import_, load = builtins.__import__, _bootstrap._load_unlocked
    builtins.__import__, _bootstrap._load_unlocked = recorded, loaded
    for name in MODULES:
        import_(name)
    builtins.__import__, _bootstrap._load_unlocked = import_, load
    del _bootstrap.__file__  # importlib's, which nobody imported yet
    sys.meta_path.remove(Finder)
    codes.clear()
    put_aside(plain)
    _files = frozenset(name + suffix for name in _found for suffix in SUFFIXES)
    sys.path_importer_cache.clear()
    sys.path_importer_cache["/usr/lib/python311.zip"] = None
    _known.update(sys.path)
    _hooks = list(sys.path_hooks)
    sys.dont_write_bytecode = False
    _bootstrap._take = take


def put_aside(plain):
    """Leaves in sys.modules what a bare interpreter has."""
    _booted.update(sys.modules)
    for name in [name for name in sys.modules if name not in plain]:
        _aside[name] = sys.modules.pop(name)
    _booted["atexit"]._clear()
    for name in _aside:
        if "." not in name and (_booted[name].__spec__.origin or "").startswith(LIBRARY):
            _found.add(name)
        parent, _, child = name.rpartition(".")
        if parent and name not in closure(parent) and child in vars(_booted[parent]):
            if vars(_booted[parent])[child] is _booted[name]:
                _unbound.add(name)
    for name in _unbound:
        parent, _, child = name.rpartition(".")
        delattr(_booted[parent], child)


def closure(name):
    """A module's name, and those of all that importing it imports."""
    found = _closures.get(name)
    if found is None:
        found, todo = set(), [name]
        while todo:
            other = todo.pop()
            if other in found or other not in _booted:
                continue
            found.add(other)
            todo.append(other.rpartition(".")[0])
            todo.extend(_needs.get(other, ()))
        _closures[name] = found
    return found


def take(name):
    """The booted module of that name, if an import now would give the same; else None."""
    if name not in _aside or sys.meta_path != meta_path():
        return None
    wanted = closure(name)
    for other in wanted:
        if other in sys.modules:
            if sys.modules[other] is not _booted[other]:
                return None
        elif other not in _aside:
            return None
    if hidden(wanted):
        return None
    bring(name)
    return _booted[name]


def meta_path():
    return [_bootstrap.BuiltinImporter, _bootstrap.FrozenImporter, path_finder]


def hidden(wanted):
    """Would another file than the library's be found for one of them, or none?"""
    for entry in sys.path:
        if entry == LIBRARY:
            cached = sys.path_importer_cache.get(entry)
            return sys.path_hooks != _hooks or type(cached) not in (file_finder, type(None))
        finder = path_finder._path_importer_cache(entry) if isinstance(entry, str) else None
        if finder is None:
            continue
        if type(finder) is file_finder and _files.isdisjoint(listing(finder)):
            continue
        for name in wanted & _found & _aside.keys():
            spec = finder.find_spec(name)
            if spec is not None and spec.loader is not None:
                return True
    return True


def listing(finder):
    """The names in its folder, as FileFinder.find_spec() keeps them."""
    from posix import getcwd, stat

    try:
        mtime = stat(finder.path or getcwd()).st_mtime
    except OSError:
        mtime = -1
    if mtime != finder._path_mtime:
        finder._fill_cache()
        finder._path_mtime = mtime
    return finder._path_cache


def bring(name):
    """Puts it into sys.modules, with what it imports."""
    module = _aside.pop(name, None)
    if module is None:
        return
    parent, _, child = name.rpartition(".")
    if parent:
        bring(parent)
    sys.modules.setdefault(name, module)
    for other in _needs.get(name, ()):
        bring(other)
    if name in _unbound:
        setattr(_booted[parent], child, module)
    if name in WAKING:
        WAKING[name](module)


def wake_warnings(module):
    module._processoptions(sys.warnoptions)


def wake_logging(module):
    module._startTime = _booted["time"].time()
    _booted["atexit"].register(module.shutdown)


def wake_importlib(module):
    _bootstrap.__file__ = f"{LIBRARY}/importlib/_bootstrap.py"


def wake_threading(module):
    module._main_thread._set_native_id()


# What is different in each process, though it was imported at build time.
WAKING = {
    "importlib": wake_importlib,
    "random": lambda module: module.seed(),
    "warnings": wake_warnings,
    "logging": wake_logging,
    "threading": wake_threading,
}


def woken(pythonpath):
    """In each process, when it has its environment and sys.path: what remains of site.main()."""
    if sys.flags.isolated:
        del sys.__interactivehook__
    if pythonpath is None:
        known = set(_known)
    else:
        sys.path[:0] = pythonpath.split(":")
        known = site.removeduppaths()
    site.ENABLE_USER_SITE = site.check_enableusersite()
    site.addusersitepackages(known)
    site.addsitepackages(known)
    if any(has_custom(entry) for entry in sys.path if entry not in _known):
        site.execsitecustomize()
        if site.ENABLE_USER_SITE:
            site.execusercustomize()


def has_custom(folder):
    """May sitecustomize or usercustomize be there? Elsewhere is nothing of the kind."""
    try:
        names = site.os.listdir(folder)
    except OSError:
        return site.os.path.isfile(folder)
    return any(name.startswith(("sitecustomize", "usercustomize")) for name in names)
