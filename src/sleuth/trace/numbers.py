"""Numbers of the event stream that Python shares with the C core; its header is made from them.

After a change: `python tools/write_core_numbers.py`.
"""

from enum import IntEnum, IntFlag


class Definition(IntEnum):
    """Kinds of records without a moment; those with one are in `EventKind`."""

    THREAD = 0x01
    TASK = 0x02
    NAME = 0x03
    CONTENTS = 0x40
    UNSURE = 0x41


class Named(IntEnum):
    """What kind of thing a record names."""

    THREAD = 1
    TASK = 2
    NAMESPACE = 3


class EnterFlag(IntFlag):
    """How a call began."""

    DEFERRED = 1
    """A generator or coroutine was made but not started."""
    BY_RESUMER = 2
    """Its creation was not seen: its parent is the call that first resumed it."""
    INDIRECT = 4
    """It was called through code that is not recorded."""
    ELSEWHERE = 8
    """It was started by a call of another thread, which the record names."""
    CALLED = 16
    """It is the function that its caller called, not one called on its behalf."""


class CallFlag(IntFlag):
    """Flags of a call beside those of its beginning."""

    RESUMABLE = 0x20
    """It was suspended or resumed: its interval has gaps."""
    STARTED = 0x40
    """It began to run."""


class SuspendFlag(IntFlag):
    """How a call was suspended."""

    WAITS = 1
    """It waits for another call, as `await` and `yield from` do."""
    HAS_PLACE = 2
    """A place follows."""


class OutputFlag(IntFlag):
    """Flags of an output."""

    HAS_PLACE = 4
    """A place follows."""


class PartFlag(IntFlag):
    """Flags of a part of an object."""

    CUT = 1
    """Not all items are kept."""
    WHOLE = 4
    """It is a full description: earlier records about the object are not needed."""
    DIGEST = 8
    """A hash of all items follows."""


class Cause(IntEnum):
    """How a change by unrecorded code was noticed."""

    CALL = 1
    """After a call of such code."""
    LATER = 2
    """Some time later."""


ASKED_DISTANCE = 0x20
"""Distance from the kind of a store to that of the same store as a request."""
CALL_SIZE = 42
"""Bytes of a packed call."""
END_SIZE = 32
"""Bytes of a packed end of a call."""
