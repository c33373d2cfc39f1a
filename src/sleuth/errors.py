"""The exceptions that Sleuth raises, as one tree.

SleuthError
├── UsageError       the command can't be carried out as given        exit status 2
├── NothingKnown     the trace does not tell what was asked            exit status 1
├── RecordError      recording can't start                             exit status 2
├── TraceError       a trace can't be used                             exit status 3
│   ├── TraceMissing     there is no such trace
│   ├── TraceTooNew      it was written by a newer version
│   ├── TraceTooOld      it was written by a version too old for this one
│   └── TraceDamaged     its contents are damaged
└── JournalError     a journal can't be used                           exit status 2
    ├── JournalInUse     another process is writing to it
    ├── JournalForeign   it belongs to another trace
    ├── JournalTooNew    it was written by a newer version
    └── JournalDamaged   its contents are damaged

Every message says what is wrong and what to do next.
"""


class SleuthError(Exception):
    """An error that Sleuth reports to its user in a sentence."""

    slug = "error"
    exit_status = 2


class UsageError(SleuthError):
    """The command can't be carried out as given."""

    slug = "usage"


class NothingKnown(SleuthError):
    """The trace does not tell what was asked."""

    slug = "nothing-known"
    exit_status = 1


class RecordError(SleuthError):
    """Recording can't start; nothing was run."""

    slug = "record"


class TraceError(SleuthError):
    """A trace can't be used."""

    slug = "trace"
    exit_status = 3


class TraceMissing(TraceError):
    """There is no such trace."""

    slug = "trace-missing"


class TraceTooNew(TraceError):
    """The trace was written by a newer version of Sleuth."""

    slug = "trace-too-new"


class TraceTooOld(TraceError):
    """The trace was written by a version of Sleuth that is too old for this one."""

    slug = "trace-too-old"


class TraceDamaged(TraceError):
    """The contents of the trace are damaged."""

    slug = "trace-damaged"


class JournalError(SleuthError):
    """The journal of a trace can't be used."""

    slug = "journal"


class JournalInUse(JournalError):
    """Another process is writing to the journal."""

    slug = "journal-in-use"


class JournalForeign(JournalError):
    """The journal belongs to another trace."""

    slug = "journal-foreign"


class JournalTooNew(JournalError):
    """The journal was written by a newer version of Sleuth."""

    slug = "journal-too-new"


class JournalDamaged(JournalError):
    """The contents of the journal are damaged."""

    slug = "journal-damaged"
