"""Numbers of the event stream that the C core knows, too: its header is made from them.

After a change: `python tools/write_core_numbers.py`.
"""

from enum import IntEnum, IntFlag


class Definition(IntEnum):
    """Kinds of records that take no moment; those that do are in `EventKind`."""

    THREAD = 0x01
    TASK = 0x02
    NAME = 0x03
    CONTENTS = 0x40
    UNSURE = 0x41


class Named(IntEnum):
    """What a record gives a name to."""

    THREAD = 1
    TASK = 2
    NAMESPACE = 3


class EnterFlag(IntFlag):
    """How a call began."""

    DEFERRED = 1
    """A generator or coroutine was made, and has not started."""
    BY_RESUMER = 2
    """It was not seen when it was made: its parent is whoever resumed it first."""
    INDIRECT = 4
    """There was code that is not recorded between its caller and itself."""
    ELSEWHERE = 8
    """A call of another thread, which is named, has started it."""
    CALLED = 16
    """It is the very function that its caller called."""


class CallFlag(IntFlag):
    """What is kept of a call beside the flags that it began with."""

    RESUMABLE = 0x20
    """It was suspended or resumed: its interval has gaps."""
    STARTED = 0x40
    """It began to run."""


class SuspendFlag(IntFlag):
    """How a call was suspended."""

    WAITS = 1
    """For another activation, as `await` and `yield from` do."""
    HAS_PLACE = 2
    """A place follows."""


class OutputFlag(IntFlag):
    """What stands beside the number of a stream."""

    HAS_PLACE = 4
    """A place follows."""


class PartFlag(IntFlag):
    """What is said of a part of an object."""

    CUT = 1
    """Not all of it is kept."""
    WHOLE = 4
    """Nothing that was told of the object before is needed."""
    DIGEST = 8
    """A hash of all items is told."""


class Cause(IntEnum):
    """How a change was noticed that code made which is not recorded."""

    CALL = 1
    """Behind a call of such code."""
    LATER = 2
    """Some time later."""


ASKED_DISTANCE = 0x20
"""From the kind of a store to that of one which is only asked for."""
CALL_SIZE = 42
"""Bytes of a packed call."""
END_SIZE = 32
"""Bytes of a packed end of a call."""
