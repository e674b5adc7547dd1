"""As much of an ELF file of 64 bits as its hardening shows."""

import pathlib
import struct

LOAD, DYNAMIC, GNU_STACK, GNU_RELRO = 1, 2, 0x6474E551, 0x6474E552
EXECUTABLE, WRITABLE = 1, 2
NEEDED, STRTAB, STRSZ, SYMTAB, TEXTREL, FLAGS, FLAGS_1 = 1, 5, 10, 6, 22, 30, 0x6FFFFFFB
RPATH, RUNPATH = 15, 29
BIND_NOW, NOW = 8, 1  # of FLAGS and FLAGS_1


class Elf:
    def __init__(self, path: pathlib.Path) -> None:
        self.data = path.read_bytes()
        assert self.data[:6] == b"\x7fELF\x02\x01", f"{path} is no little ELF file of 64 bits"
        (self.type,) = struct.unpack_from("<H", self.data, 16)
        (start,) = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        # kind, flags, offset, address, (physical), size in the file, size in memory, alignment
        self.segments = [
            struct.unpack_from("<IIQQQQQQ", self.data, start + i * size) for i in range(count)
        ]
        (dynamic,) = [s for s in self.segments if s[0] == DYNAMIC]
        entries = struct.iter_unpack("<qQ", self.data[dynamic[2] : dynamic[2] + dynamic[5] // 16 * 16])
        self.dynamic: dict[int, int] = {}
        for tag, value in entries:
            if tag == 0:
                break
            self.dynamic.setdefault(tag, value)

    def flags(self, kind: int) -> list[int]:
        return [s[1] for s in self.segments if s[0] == kind]

    def offset(self, address: int) -> int:
        """Where in the file an address of the loaded program lies."""
        for kind, _, at, start, _, size, _, _ in self.segments:
            if kind == LOAD and start <= address < start + size:
                return at + address - start
        raise AssertionError(f"{address:#x} is in no segment")

    def string(self, tag: int) -> str:
        """The text that an entry of the dynamic section stands for."""
        at = self.offset(self.dynamic[STRTAB]) + self.dynamic[tag]
        return self.data[at : self.data.index(b"\0", at)].decode()

    def imported(self) -> set[str]:
        """Names that it takes from other libraries."""
        names = self.offset(self.dynamic[STRTAB])
        at, end, found = self.offset(self.dynamic[SYMTAB]), names, set()
        while at < end:  # linkers put the names behind the symbols
            name, _, _, section = struct.unpack_from("<IBBH", self.data, at)
            if section == 0 and name:
                found.add(self.data[names + name : self.data.index(b"\0", names + name)].decode())
            at += 24
        return found
