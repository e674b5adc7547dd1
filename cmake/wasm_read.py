"""wasm_read.py: the bytes of a WebAssembly module, for the scripts that look into one."""


class Refused(Exception):
    """The module is not what the host expects."""


class Reader:
    """Bytes of a wasm module, taken from the front."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def u8(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def leb(self) -> tuple[int, int]:
        """A number and how many bits it was written with."""
        value = bits = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << bits
            bits += 7
            if byte < 0x80:
                return value, bits

    def u32(self) -> int:
        return self.leb()[0]

    def s32(self) -> int:
        value, bits = self.leb()
        return value - (1 << bits) if value >> (bits - 1) else value

    def take(self, n: int) -> bytes:
        if n > len(self.data) - self.at:
            raise Refused("truncated")
        self.at += n
        return self.data[self.at - n:self.at]

    def name(self) -> str:
        return self.take(self.u32()).decode()

    def limits(self) -> tuple[int, int | None]:
        flags = self.u8()
        low = self.u32()
        return low, self.u32() if flags & 1 else None

    @property
    def more(self) -> bool:
        return self.at < len(self.data)
