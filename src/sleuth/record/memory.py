"""The memory that the program's process shares with the collector, as the collector uses it.

The layout is that of `Control` in `_core/stream/ring.h`, which asserts the offsets: a header, a
mailbox for requests of the program's process ("how shall this module run?"), and a ring of
segments with events.
"""

import mmap
import os
import struct
from enum import IntEnum

from sleuth import _core
from sleuth.record.keeping import ROOM_FOR_SECRETS

MAGIC = 0x314854554C53
HEADER = 8192
MAILBOX = 8 << 20
SEGMENTS = 24
SEGMENT_SIZE = 512 << 10

MAX_CHILDREN = 256


class Field(IntEnum):
    """Offsets of the header's fields."""

    POSITION = 16
    CONSUMED = 24
    HEARTBEAT = 32
    STOP = 40
    BELL = 44
    MAIL_STATE = 48
    MAIL_KIND = 52
    MAIL_SIZE = 56
    OWNER = 60
    ENDING = 64
    STATUS = 68
    CHILDREN = 72
    ORPHANS = 76
    CUT = 80
    GONE = 84
    CHILD_PID = 88
    USED = 1112
    SALT = 2136
    HIDDEN = 2144
    MOST_ITEMS = 2148
    MOST_TEXT = 2152
    SECRETS = 2160
    LOOKED = SECRETS + ROOM_FOR_SECRETS
    LIFE = LOOKED + 8


class Mail(IntEnum):
    """The kinds of requests that the program's process makes."""

    MODULE = 1
    FINISH = 2
    PYTEST = 3
    PLAIN = 4
    LOADED = 5
    TEST = 6
    TESTED = 7
    COMPILED = 8


class Mailbox(IntEnum):
    """States of the mailbox."""

    IDLE = 0
    REQUEST = 1
    REPLY = 2


class Ending(IntEnum):
    """How the program ends, as its process announces it."""

    NONE = 0
    EXIT = 1
    OS_EXIT = 2
    EXEC = 3


class Memory:
    """The shared memory: methods to read and write its header, mailbox and segments."""

    def __init__(self) -> None:
        """Create the memory with all its pages: a missing page would kill the program by SIGBUS."""
        size = HEADER + MAILBOX + SEGMENTS * SEGMENT_SIZE
        self.fd = os.memfd_create("sleuth", 0)
        os.posix_fallocate(self.fd, 0, size)
        self._map = mmap.mmap(self.fd, size)
        struct.pack_into("<QII", self._map, 0, MAGIC, SEGMENTS, SEGMENT_SIZE)

    def set_limits(self, items: int, text: int, numbers: int) -> None:
        """Set how much is recorded of one object, of one text and of one array."""
        struct.pack_into("<III", self._map, Field.MOST_ITEMS, items, text, numbers)

    def set_secrets(self, names: bytes) -> None:
        """Set the names whose values are hidden, and choose the salt for the tags of the values."""
        self._map[Field.SALT : Field.SALT + 8] = os.urandom(8)
        data = names + b"\0"
        if len(data) > ROOM_FOR_SECRETS:
            raise ValueError("the list of secret names is too long")
        self._map[Field.SECRETS : Field.SECRETS + len(data)] = data

    def word(self, offset: int) -> int:
        """Read a 32-bit field."""
        return int(struct.unpack_from("<I", self._map, offset)[0])

    def long(self, offset: int) -> int:
        """Read a 64-bit field."""
        return int(struct.unpack_from("<Q", self._map, offset)[0])

    @property
    def position(self) -> tuple[int, int]:
        """The segment that is being written, and how many of its bytes are complete."""
        both = self.long(Field.POSITION)
        return both >> 32, both & 0xFFFFFFFF

    @property
    def status(self) -> int:
        """The exit status that the program's process announced."""
        return int(struct.unpack_from("<i", self._map, Field.STATUS)[0])

    def segment(self, number: int, size: int | None = None) -> bytes:
        """Return a copy of a segment's bytes; the size of a closed segment is in the header."""
        at = number % SEGMENTS
        if size is None:
            size = self.word(Field.USED + 4 * at)
        start = HEADER + MAILBOX + at * SEGMENT_SIZE
        return self._map[start : start + size]

    def release(self, consumed: int) -> None:
        """Set how many segments were taken: their slots in the ring can be filled again."""
        struct.pack_into("<I", self._map, Field.CONSUMED + 4, consumed >> 32)
        _core.post(self._map, Field.CONSUMED, consumed & 0xFFFFFFFF)

    def beat(self, count: int) -> None:
        """Set the heartbeat, which shows that the collector is alive."""
        struct.pack_into("<Q", self._map, Field.HEARTBEAT, count)

    def leave_will(self) -> None:
        """Make the kernel notify the program's process when this thread ends."""
        _core.leave_will(self._map, Field.LIFE)

    def ask_to_stop(self, why: int) -> None:
        """Tell the program's process to stop recording at the next segment."""
        struct.pack_into("<I", self._map, Field.STOP, why)

    def wait_for_bell(self, seen: int, milliseconds: int) -> None:
        """Sleep until the program's process rings the bell, or until the time is over."""
        _core.wait(self._map, Field.BELL, seen, milliseconds)

    def question(self) -> tuple[int, list[bytes]]:
        """Return the kind and the parts of the request in the mailbox."""
        size, at = self.word(Field.MAIL_SIZE), 0
        parts = []
        while at < size:
            length = self.long(HEADER + at)
            start = HEADER + at + 8
            parts.append(self._map[start : start + length])
            at += 8 + length
        return self.word(Field.MAIL_KIND), parts

    def answer(self, text: bytes) -> bool:
        """Put an answer into the mailbox; an answer that is too long is sent empty, and False."""
        fits = len(text) <= MAILBOX
        if fits:
            self._map[HEADER : HEADER + len(text)] = text
        struct.pack_into("<I", self._map, Field.MAIL_SIZE, len(text) if fits else 0)
        _core.post(self._map, Field.MAIL_STATE, Mailbox.REPLY)
        return fits

    def forked_children(self) -> list[int]:
        """List the processes that the program forked; they enter themselves into the header."""
        count = min(self.word(Field.CHILDREN), MAX_CHILDREN)
        return [self.word(Field.CHILD_PID + 4 * index) for index in range(count)]
