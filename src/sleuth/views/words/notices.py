"""Warnings before the first question: what is incomplete or unusual about a trace."""

from collections.abc import Iterator
from pathlib import Path

from sleuth.trace.events import Module
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.observe import behaviour as words

_MOST_NAMED = 3


def notices(trace: Trace) -> Iterator[str]:
    """Yield a sentence for each thing to know about a trace."""
    if trace.is_running:
        yield (
            "The run is still going on, or its recorder was stopped: "
            "the questions are about what was written up to now."
        )
    if failure := trace.meta.get("failure"):
        yield (
            f"The trace is incomplete ({escaped(str(failure))}): "
            "the questions are about what was written before."
        )
    for stop in trace.stops[:1]:
        yield (
            f"Recording stopped before the program did ({escaped(stop.reason)}): "
            "the questions are about what came before."
        )
    if changed := _changed_sources(trace):
        names = ", ".join(escaped(path.name) for path in changed[:_MOST_NAMED])
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        yield (
            f"Changed since it was recorded: {names}{more}. "
            "The questions, lines and code are those of the recording."
        )


def _changed_sources(trace: Trace) -> list[Path]:
    return [
        Path(module.path)
        for module in trace.modules()
        if module.is_recorded and is_changed(trace, module)
    ]


@kept(most=1)
def _texts(trace: Trace) -> frozenset[int]:
    """Return the modules that stand for a text which the program compiled itself."""
    texts = (words.CODE_BODY, words.EXPRESSION)
    return frozenset(each.module.id for each in trace.functions() if each.kind in texts)


def is_changed(trace: Trace, module: Module) -> bool:
    """Whether a file is there and says something else: one that is gone tells nothing.

    Nor does that of a text which the program compiled: a template's file never said the same.
    """
    if module.id in _texts(trace):
        return False
    recorded = trace.raw_source(module)
    try:
        return recorded is not None and Path(module.path).read_bytes() != recorded
    except (OSError, ValueError):
        return False
