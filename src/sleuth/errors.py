"""What can go wrong, as one tree.

SleuthError
├── UsageError       the command can't be carried out as given        exit status 2
├── RecordError      recording can't start                             exit status 2
├── TraceError       a trace can't be used                             exit status 3
│   ├── TraceMissing     there is no such trace
│   ├── TraceTooNew      it was written by a newer version
│   ├── TraceTooOld      it was written by a version too old for this one
│   └── TraceDamaged     its contents are not what was written
└── JournalError     the answers kept beside a trace can't be used     exit status 2
    ├── JournalInUse     another process is adding to them
    ├── JournalForeign   they are about another trace
    ├── JournalTooNew    they were written by a newer version
    └── JournalDamaged   they are not what was written

Every message says what is wrong and what to do next.
"""


class SleuthError(Exception):
    """Anything that Sleuth reports to its user as a sentence."""

    slug = "error"
    exit_status = 2


class UsageError(SleuthError):
    """The command can't be carried out as given."""

    slug = "usage"


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
    """The trace's contents are not what was written."""

    slug = "trace-damaged"


class JournalError(SleuthError):
    """The answers kept beside a trace can't be used."""

    slug = "journal"


class JournalInUse(JournalError):
    """Another process is adding to the answers about this trace."""

    slug = "journal-in-use"


class JournalForeign(JournalError):
    """The answers are about another trace."""

    slug = "journal-foreign"


class JournalTooNew(JournalError):
    """The answers were written by a newer version of Sleuth."""

    slug = "journal-too-new"


class JournalDamaged(JournalError):
    """The answers are not what was written."""

    slug = "journal-damaged"
