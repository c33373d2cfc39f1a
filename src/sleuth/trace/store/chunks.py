"""Compressed, checksummed blobs, and a bounded cache of unpacked ones."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar
from zlib import crc32

import zstandard

_LEVEL = 1
_FREE, RATIO, _MOST = 1 << 20, 64, 1 << 28
"""Limits of an unpacked blob: bytes in any case, bytes per packed byte, and bytes at most.  A blob
that claims more is a decompression bomb."""
_PADDING = b"\x50\x2a\x4d\x18"
"""Begins a skippable frame of Zstandard."""


class BadChunk(Exception):
    """A blob is damaged."""


def pack(plain: bytes) -> tuple[bytes, int]:
    """Return the compressed bytes and their checksum."""
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(plain)
    if len(plain) > _most(packed):
        lacking = -(-(len(plain) - _FREE) // RATIO) - len(packed)
        packed += _PADDING + lacking.to_bytes(4, "little") + bytes(lacking)
    return packed, crc32(packed)


def _most(packed: bytes) -> int:
    """Return the limit of a blob's unpacked size."""
    return min(_FREE + RATIO * len(packed), _MOST)


def unpack(packed: object, crc: object) -> bytes:
    """Return the plain bytes, or raise BadChunk."""
    if not isinstance(packed, bytes) or crc32(packed) != crc:
        raise BadChunk("a checksum is wrong")
    try:
        size = zstandard.frame_content_size(packed)
        # (A blob that does not state its size was not written by `pack`.)
        if not 0 <= size <= _most(packed):
            raise BadChunk("a blob claims to be larger than any that is written")
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=size)
    except zstandard.ZstdError as error:
        raise BadChunk(f"a blob can't be unpacked ({error})") from None


Content = TypeVar("Content")


class Memory(Generic[Content]):
    """A cache of the most recently used items, up to a number of bytes."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._used = 0
        self._kept: OrderedDict[Hashable, tuple[Content, int]] = OrderedDict()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable, make: Callable[[], tuple[Content, int]]) -> Content:
        """Return the item of a key; if it is missing, `make` returns it with its size."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        content, size = make()
        self._kept[key] = content, size
        self._used += size
        while self._used > self._budget and len(self._kept) > 1:
            _, (_, freed) = self._kept.popitem(last=False)
            self._used -= freed
        return content

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._used = 0
