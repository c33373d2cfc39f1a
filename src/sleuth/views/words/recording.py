"""A recording as a whole in words: the program, its end, and what is incomplete or has changed."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sleuth.trace.events import Module
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.observe import behaviour as words

_MOST_NAMED = 3
_DONE_TO = ("skipped", "interrupted")


def program(meta: Mapping[str, Any]) -> str:
    """Return the test that was recorded, or the command line."""
    test = meta.get("test")
    if isinstance(test, dict) and isinstance(test.get("id"), str):
        return escaped(test["id"])
    argv = meta.get("argv")
    words = [str(word) for word in argv] if isinstance(argv, list) else []
    return escaped(" ".join(words)) or "(unknown program)"


def ending(how: Mapping[str, Any] | None) -> str:
    """Return the end of a run: `exited with status 1`, `the test failed`."""
    if how is None:
        return "still running, or its recorder was stopped"
    match how.get("how"):
        case "exited":
            status = how.get("status")
            return "exited" if not status else f"exited with status {escaped(str(status))}"
        case "killed":
            return f"killed by signal {escaped(str(how.get('signal')))}"
        case "vanished":
            return "vanished"
        case "passed" | "failed" | "skipped" | "interrupted" as outcome:
            return f"the test {'was ' if outcome in _DONE_TO else ''}{outcome}"
        case "replaced":
            return "replaced by another program"
        case other:
            return escaped(str(other))


def notices(trace: Trace) -> Iterator[str]:
    """Yield a warning for each thing that is incomplete or unusual about a trace."""
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
    """Return the modules made from texts that the program compiled itself."""
    texts = (words.CODE_BODY, words.EXPRESSION)
    return frozenset(each.module.id for each in trace.functions() if each.kind in texts)


def is_changed(trace: Trace, module: Module) -> bool:
    """Whether a module's file is there and its text is another one than was recorded.

    A text that the program compiled itself has no such file: a template's never had that text.
    """
    if module.id in _texts(trace):
        return False
    recorded = trace.raw_source(module)
    try:
        return recorded is not None and Path(module.path).read_bytes() != recorded
    except (OSError, ValueError):
        return False
