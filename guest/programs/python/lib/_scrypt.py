"""hashlib.scrypt(), which CPython takes from OpenSSL: RFC 7914 on pbkdf2_hmac(), with OpenSSL's bounds."""

import _scrypt_mix

_INT_MAX = (1 << 31) - 1
_MEMORY = 32 << 20  # as much as OpenSSL takes where maxmem is 0


def _bytes(text):
    try:
        return bytes(memoryview(text))
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{type(text).__name__}'") from None


def derive(password, salt, n, r, p, maxmem, dklen):
    """What hashlib.scrypt() gives."""
    from hashlib import pbkdf2_hmac

    password, salt = _bytes(password), _bytes(salt)
    for name, number in (("n", n), ("r", r), ("p", p)):
        if number is not None and not isinstance(number, int):
            raise TypeError(f"scrypt() argument '{name}' must be int, not {type(number).__name__}")
        if number is None or not 0 <= number < 1 << 64:
            raise TypeError(f"{name} is required and must be an unsigned int")
    if n < 2 or n & (n - 1):
        raise ValueError("n must be a power of 2.")
    if not 0 <= maxmem <= _INT_MAX:
        raise ValueError(f"maxmem must be positive and smaller than {_INT_MAX}")
    if not 1 <= dklen <= _INT_MAX:
        raise ValueError(f"dklen must be greater than 0 and smaller than {_INT_MAX}")
    if r < 1 or p < 1 or p > (1 << 30) // r:
        raise ValueError("Invalid parameter combination for n, r, p, maxmem.")
    if 128 * r * (n + 2 + p) > (maxmem or _MEMORY):
        raise ValueError("[digital envelope routines] memory limit exceeded")
    size = 128 * r
    blocks = pbkdf2_hmac("sha256", password, salt, 1, p * size)
    mixed = b"".join(_scrypt_mix.mix(blocks[at : at + size], n, r) for at in range(0, p * size, size))
    return pbkdf2_hmac("sha256", password, mixed, 1, dklen)
