"""The part of CPython's _socket that needs no network.

A sandbox has none: making a socket fails with an OSError that says what to do instead, looking up a
name with a gaierror. socketpair() is two pipes, so that an event loop can wake itself.
"""

import errno
import os

error = OSError
timeout = TimeoutError
has_ipv6 = False
CAPI = None
AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = 0, 1, 2, 10
SOCK_STREAM, SOCK_DGRAM, SOCK_RAW = 1, 2, 3
SOCK_NONBLOCK, SOCK_CLOEXEC = 0o4000, 0o2000000
IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6 = 0, 6, 17, 41
SOL_SOCKET, SO_REUSEADDR, SO_TYPE, SO_ERROR, SO_BROADCAST = 1, 2, 3, 4, 6
SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_LINGER, SO_REUSEPORT = 7, 8, 9, 13, 15
TCP_NODELAY, IPV6_V6ONLY, SOMAXCONN = 1, 26, 4096
SHUT_RD, SHUT_WR, SHUT_RDWR = 0, 1, 2
MSG_OOB, MSG_PEEK, MSG_WAITALL, MSG_DONTWAIT = 1, 2, 256, 64
AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_ADDRCONFIG = 1, 2, 4, 32
EAI_AGAIN, EAI_FAIL, EAI_FAMILY, EAI_NONAME = -3, -4, -6, -2
NI_NUMERICHOST, NI_NUMERICSERV, NI_MAXHOST, NI_MAXSERV = 1, 2, 1025, 32
INADDR_ANY, INADDR_LOOPBACK, INADDR_BROADCAST = 0, 0x7F000001, 0xFFFFFFFF

NO_NETWORK = "a sandbox has no network: call a tool for what lies outside"

_ends: dict[int, tuple[int, int]] = {}  # of both ends of a pair: where it reads, where it writes
_default_timeout = None


class herror(OSError):
    pass


class gaierror(OSError):
    pass


class socket:
    """One end of a socketpair(); no other socket can be made."""

    __slots__ = ("_fd", "_timeout")  # the subclass in socket.py adds its own

    family = property(lambda self: AF_UNIX)
    type = property(lambda self: SOCK_STREAM)
    proto = property(lambda self: 0)
    timeout = property(lambda self: self._timeout)

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        self._fd = -1
        if fileno is None or fileno not in _ends:
            raise OSError(errno.EAFNOSUPPORT, NO_NETWORK)
        self._fd, self._timeout = fileno, _default_timeout

    def fileno(self):
        return self._fd

    def detach(self):
        fd, self._fd = self._fd, -1
        return fd

    def close(self):
        fd, self._fd = self._fd, -1
        if fd >= 0:
            close(fd)

    def _wait(self, fd, event):
        if self._timeout is None:
            return
        import select

        poller = select.poll()
        poller.register(fd, event)
        if not poller.poll(self._timeout * 1000):
            raise (
                TimeoutError("timed out")
                if self._timeout
                else BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            )

    def recv(self, size, flags=0):
        reads = _ends[self._fd][0]
        self._wait(reads, 1)
        return os.read(reads, size)

    def recv_into(self, buffer, nbytes=0, flags=0):
        data = self.recv(nbytes or len(buffer), flags)
        memoryview(buffer).cast("B")[: len(data)] = data
        return len(data)

    def send(self, data, flags=0):
        writes = _ends[self._fd][1]
        self._wait(writes, 4)
        return os.write(writes, data)

    def sendall(self, data, flags=0):
        view = memoryview(data).cast("B")
        while view:
            view = view[self.send(view, flags) :]

    def shutdown(self, how):
        if how in (SHUT_WR, SHUT_RDWR):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, _ends[self._fd][1], inheritable=False)
            os.close(null)

    def setblocking(self, flag):
        self.settimeout(None if flag else 0.0)

    def settimeout(self, value):
        self._timeout = None if value is None else float(value)
        for end in _ends[self._fd]:
            os.set_blocking(end, value is None)

    def gettimeout(self):
        return self._timeout

    def getblocking(self):
        return self._timeout != 0.0

    def getsockopt(self, level, option, size=0):
        return SOCK_STREAM if option == SO_TYPE else 0

    def setsockopt(self, *args):
        pass

    def getsockname(self):
        return ""

    getpeername = getsockname

    def _no_network(self, *args):
        raise OSError(errno.EOPNOTSUPP, NO_NETWORK)

    accept = _accept = bind = connect = connect_ex = listen = _no_network
    recvfrom = recvfrom_into = recvmsg = sendto = sendmsg = _no_network


SocketType = socket


def socketpair(family=AF_UNIX, type=SOCK_STREAM, proto=0):
    a_reads, b_writes = os.pipe()
    b_reads, a_writes = os.pipe()
    # The first is known by where it reads, the second by where it writes: who waits on one for what the
    # other, or a signal's handler, sends, waits on a pipe.
    _ends[a_reads], _ends[b_writes] = (a_reads, a_writes), (b_reads, b_writes)
    return socket(fileno=a_reads), socket(fileno=b_writes)


def close(fd):
    for end in _ends.pop(fd, (fd,)):
        os.close(end)


def dup(fd):
    raise OSError(errno.EOPNOTSUPP, NO_NETWORK)


def _no_names(*args, **names):
    raise gaierror(EAI_FAIL, NO_NETWORK)


getaddrinfo = gethostbyname = gethostbyname_ex = gethostbyaddr = getnameinfo = _no_names
getservbyname = getservbyport = getprotobyname = _no_names


def gethostname():
    return os.uname().nodename


def getdefaulttimeout():
    return _default_timeout


def setdefaulttimeout(value):
    global _default_timeout
    _default_timeout = None if value is None else float(value)


def htons(number):
    return int.from_bytes(number.to_bytes(2, "little"), "big")


def htonl(number):
    return int.from_bytes(number.to_bytes(4, "little"), "big")


ntohs, ntohl = htons, htonl


def inet_aton(text):
    parts = text.split(".")
    if len(parts) != 4 or not all(p.isdigit() and int(p) < 256 for p in parts):
        raise OSError("illegal IP address string passed to inet_aton")
    return bytes(map(int, parts))


def inet_ntoa(packed):
    if len(packed) != 4:
        raise ValueError("packed IP wrong length")
    return ".".join(map(str, packed))


def inet_pton(family, text):
    import ipaddress

    kind = {AF_INET: ipaddress.IPv4Address, AF_INET6: ipaddress.IPv6Address}.get(family)
    if kind is None:
        raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))
    try:
        return kind(text).packed
    except ValueError:
        raise OSError("illegal IP address string passed to inet_pton") from None


def inet_ntop(family, packed):
    import ipaddress

    kind = {AF_INET: ipaddress.IPv4Address, AF_INET6: ipaddress.IPv6Address}.get(family)
    if kind is None:
        raise ValueError(f"unknown address family {family}")
    return str(kind(packed))
