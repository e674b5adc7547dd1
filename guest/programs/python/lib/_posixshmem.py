"""Memory that processes share does not exist here."""

import errno


def _refuse(*args, **names):
    raise OSError(
        errno.ENOSYS, "processes share no memory here: use a Queue, a Pipe, a Manager or a file"
    )


shm_open = shm_unlink = _refuse
