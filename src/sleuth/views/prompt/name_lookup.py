"""Looks up calls, strategies and answers by what the user typed; suggests near matches."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from sleuth.errors import UsageError
from sleuth.search.strategies import STRATEGIES
from sleuth.trace import columns
from sleuth.trace.events import Function
from sleuth.trace.function_names import names_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.node import ExecutionTree, NodeKind

if TYPE_CHECKING:
    from sleuth.views.prompt.inquiry import Inquiry

_MOST_NAMED = 5


def strategy(name: str) -> str:
    """Return a strategy's name; a unique beginning is enough."""
    if name in STRATEGIES:
        return name
    alike = [each for each in STRATEGIES if each.startswith(name)]
    if len(alike) == 1:
        return alike[0]
    near = alike or get_close_matches(name, STRATEGIES, n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(f"There is no strategy {escaped(name)}.{hint} List them: sleuth strategies")


def root(inquiry: "Inquiry", words: str) -> int:
    """Return the node to search in: that of a call, or of the whole run."""
    return 0 if words == "run" else node(inquiry, words)


def node(inquiry: "Inquiry", words: str) -> int:
    """Return the node of a call; a call that was merged into another is split off."""
    return inquiry.node_of_call(call(inquiry, words))


def call(inquiry: "Inquiry", words: str) -> int:
    """Return a call: see `call_in`."""
    return call_in(inquiry.trace, inquiry.tree, words)


def call_in(trace: Trace, tree: ExecutionTree, words: str) -> int:
    """Return a call, by its number or its function: `12`, `parse` (called once), `parse#3`."""
    word = words.strip().removeprefix("#")
    if not word.isdigit():
        return _only_call(trace, tree, word)
    if len(word) >= 19 or tree.holder(int(word)) is None:
        raise UsageError(_no_call(trace, word))
    return int(word)


def _no_call(trace: Trace, word: str) -> str:
    if trace.call_count == 0:
        return "This trace has no calls. See why: sleuth show --modules"
    return f"There is no call {word}: they go from 0 to {trace.call_count - 1:,}."


def _only_call(trace: Trace, tree: ExecutionTree, words: str) -> int:
    name, which = _numbered(words)
    meant = _meant(trace, tree, name)
    calls, routines = tree.merged_calls()
    is_call = (tree.kind == NodeKind.CALL) & np.isin(tree.routine, meant)
    found: list[int] = np.union1d(tree.call[is_call], calls[np.isin(routines, meant)]).tolist()
    if which is not None:
        return _chosen(found, name, which)
    if len(found) == 1:
        return found[0]
    some = ", ".join(map(str, found[:_MOST_NAMED]))
    more = ", ..." if len(found) > _MOST_NAMED else ""
    raise UsageError(
        f"{escaped(name)} was called {len(found):,} times. Give the number of one: {some}{more}"
    )


@dataclass(frozen=True, slots=True)
class Named:
    """A call that was named by its function."""

    call: int
    function: str
    which: int
    """Its place among the calls of the function, from 1 on."""
    count: int
    """The number of calls of the function."""


def call_named(trace: Trace, words: str) -> Named:
    """Return a call by its number or its function: `parse` is its first call, `parse#3` its third.

    Unlike `call_in` it needs no tree, and takes any of several calls.
    """
    word = words.strip()
    number = word.removeprefix("#")
    if number.removeprefix("-").isdigit():
        if number.startswith("-") or len(number) >= 19 or int(number) >= trace.call_count:
            raise UsageError(_no_call(trace, number))
        return Named(int(number), "", 1, 1)
    name, which = _numbered(word)
    if trace.call_count == 0:
        raise UsageError(_no_call(trace, word))
    called = columns.calls(trace).function
    known = [
        (number, function)
        for number in np.unique(called).tolist()
        if (function := trace.function(number)) is not None
    ]
    found: list[int] = np.flatnonzero(np.isin(called, _with_name(known, name))).tolist()
    which = 1 if which is None else which
    return Named(_chosen(found, name, which), name, which, len(found))


def _numbered(words: str) -> tuple[str, int | None]:
    """Split `parse#3` into the name and the number; without one it is None."""
    name, sign, number = words.rpartition("#")
    if sign and name and number.isascii() and number.isdigit() and len(number) < 19:
        return name, int(number)
    return words, None


def _chosen(calls: list[int], name: str, which: int) -> int:
    if 1 <= which <= len(calls):
        return calls[which - 1]
    times = "once" if len(calls) == 1 else f"{len(calls):,} times"
    raise UsageError(
        f"{escaped(name)} was called {times}, so there is no {escaped(name)}#{which}. "
        f"They go from {escaped(name)}#1 to {escaped(name)}#{len(calls)}."
    )


def functions(inquiry: "Inquiry", name: str) -> list[int]:
    """Return the numbers of a function; it has several if it was defined several times."""
    trace, tree = inquiry.trace, inquiry.tree
    found = _meant(trace, tree, name)
    known = {
        number: function for number in found if (function := trace.function(number)) is not None
    }
    exact = [each for each in found if known[each].qualified_name == name]
    names = {known[each].qualified_name for each in found}
    if not exact and len(names) > 1:
        some = ", ".join(map(escaped, sorted(names)[:_MOST_NAMED]))
        raise UsageError(f"Several functions are called {escaped(name)}. Name one: {some}")
    return exact or found


def _meant(trace: Trace, tree: ExecutionTree, name: str) -> list[int]:
    """Return the called functions with a name."""
    return _with_name(list(_functions(trace, tree)), name)


def _with_name(known: list[tuple[int, Function]], name: str) -> list[int]:
    """Return the functions with a name: `Cart.apply`, `apply`, or `shop.Cart.apply`."""
    found = [number for number, function in known if name in names_of(function)]
    if found:
        return found
    names = {each for _, function in known for each in names_of(function)}
    near = get_close_matches(name, names, n=3)
    hint = f" Did you mean {' or '.join(map(escaped, near))}?" if near else ""
    raise UsageError(f"There is no call of {escaped(name)} in this trace.{hint}")


def _functions(trace: Trace, tree: ExecutionTree) -> Iterator[tuple[int, Function]]:
    for number in np.union1d(tree.routine, tree.merged_calls()[1]).tolist():
        function = trace.function(number) if number >= 0 else None
        if function is not None:
            yield number, function


def answer_number(inquiry: "Inquiry", word: str) -> int:
    """Return the number of an answer that holds."""
    known = [given.number for given in inquiry.session.answers]
    if word.isdigit() and int(word) in known:
        return int(word)
    if not known:
        raise UsageError("There are no answers yet.")
    raise UsageError(f"There is no answer {escaped(word)}. List them: a")
