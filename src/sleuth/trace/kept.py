"""Caches results about a trace in the trace object, so that they are freed with it.

An opened trace never changes: one that has grown is another object with a cache of its own.
"""

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from sleuth.trace.reader import Trace

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
_About: TypeAlias = Callable[Concatenate[Trace, _Given], _Found]
"""A function of a trace and further arguments."""


def kept(*, most: int) -> Callable[[_About[_Given, _Found]], _About[_Given, _Found]]:
    """Cache the last results of a function of a trace, at most `most` for each trace."""

    def keeping(find: _About[_Given, _Found]) -> _About[_Given, _Found]:
        @wraps(find)
        def found(trace: Trace, /, *given: _Given.args, **named: _Given.kwargs) -> _Found:
            if find not in trace.kept:
                trace.kept[find] = lru_cache(most)(partial(find, trace))
            known: Callable[_Given, _Found] = trace.kept[find]
            return known(*given, **named)

        return found

    return keeping
