"""How subprocess starts a process with preexec_fn: by fork, as posixsubprocess.c says it otherwise."""

import os
import signal

RAISED = b"SubprocessError:0:Exception occurred in preexec_fn."


def fork_exec(
    args, programs, close_fds, keep, cwd, env, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite,
    errpipe_read, errpipe_write, restore_signals, new_session, group, gid, groups, uid, umask,
    preexec_fn, vfork,
):  # fmt: skip
    args, env = [os.fsencode(arg) for arg in args], env and [os.fsencode(one) for one in env]
    if env is not None:
        env = dict(one.split(b"=", 1) for one in env)
    if groups is not None or gid not in (None, os.getgid()) or uid not in (None, os.getuid()):
        raise PermissionError(1, "a process cannot become another user or group here")
    pid = os.fork()
    if pid:
        return pid
    in_function, where = False, b"noexec"
    try:
        _place([p2cread, c2pwrite, errwrite], (p2cwrite, c2pread, errread, errpipe_read))
        if cwd is not None:
            os.chdir(cwd)
        if umask >= 0:
            os.umask(umask)
        if restore_signals:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        if new_session:
            os.setsid()
        if group >= 0:
            os.setpgid(0, group)
        in_function = True
        preexec_fn()
        in_function, where = False, b""
        for fd in keep:
            if fd not in (errpipe_write, 0, 1, 2):
                os.set_inheritable(fd, True)
        if close_fds:
            _close_all_but(keep)
        _try(programs, args, env)
    except OSError as error:
        text = b"OSError:%X:%s" % (error.errno or 0, where)
        os.write(errpipe_write, RAISED if in_function else text)
    except BaseException:
        os.write(errpipe_write, RAISED)
    os._exit(255)


def _place(standard, others):
    for fd in others:
        if fd >= 0:
            os.close(fd)
    for at, fd in enumerate(standard):  # out of the way of those that come before it
        if 0 <= fd < at:
            standard[at] = os.dup(fd)
    for at, fd in enumerate(standard):
        if fd == at:
            os.set_inheritable(fd, True)
        elif fd >= 0:
            os.dup2(fd, at)
    for fd in set(standard):
        if fd > 2:
            os.close(fd)


def _close_all_but(keep):
    start = 3
    for fd in keep:
        if fd >= start:
            os.closerange(start, fd)
            start = fd + 1
    os.closerange(start, 4096)


def _try(programs, args, env):
    worst = None
    for program in programs:
        try:
            if env is None:
                os.execv(program, args)
            else:
                os.execve(program, args, env)
        except (FileNotFoundError, NotADirectoryError) as error:
            last = error
        except OSError as error:
            worst = worst or error
    raise worst or last
