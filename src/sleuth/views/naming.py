"""What a user means by the name of a call, a strategy, an answer; near matches if there is none."""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from sleuth.errors import UsageError
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.events import Function
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.node import ExecutionTree, NodeKind

if TYPE_CHECKING:
    from sleuth.views.inquiry import Inquiry

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
    raise UsageError(f"There is no strategy {escaped(name)}.{hint} See them all: sleuth strategies")


def root(inquiry: "Inquiry", words: str) -> int:
    """Return the node to search in: a call's, or that of the whole run."""
    return 0 if words == "run" else node(inquiry, words)


def node(inquiry: "Inquiry", words: str) -> int:
    """Return the node of the call that is meant."""
    return node_in(inquiry.trace, inquiry.tree, words)


def node_in(trace: Trace, tree: ExecutionTree, words: str) -> int:
    """Return the node of a call, by its number or by the name of a function called just once."""
    word = words.strip().removeprefix("#")
    if not word.isdigit():
        word = str(_only_call(trace, tree, word))
    found = tree.find_call(int(word)) if len(word) < 19 else None
    if found is None:
        raise UsageError(_no_call(trace, word))
    return found


def _no_call(trace: Trace, word: str) -> str:
    if trace.call_count == 0:
        return "This trace has no calls. See why: sleuth show --modules"
    return f"There is no call {word}: they go from 0 to {trace.call_count - 1:,}."


def _only_call(trace: Trace, tree: ExecutionTree, name: str) -> int:
    named = {
        number: function.qualified_name
        for number, function in _functions(trace, tree)
        if name in (function.qualified_name, function.name)
    }
    numbers = np.flatnonzero(np.isin(tree.routine, list(named)))
    nodes = map(tree.node, numbers.tolist())
    calls = [node.call for node in nodes if node.kind is NodeKind.CALL]
    if len(calls) == 1:
        return calls[0]
    if calls:
        some = ", ".join(map(str, islice(sorted(calls), _MOST_NAMED)))
        more = ", ..." if len(calls) > _MOST_NAMED else ""
        raise UsageError(
            f"{escaped(name)} was called {len(calls):,} times. Give the number of one: {some}{more}"
        )
    known = {function.qualified_name for _, function in _functions(trace, tree)}
    known |= {function.name for _, function in _functions(trace, tree)}
    near = get_close_matches(name, known, n=3)
    hint = f" Did you mean {' or '.join(map(escaped, near))}?" if near else ""
    raise UsageError(f"There is no call of {escaped(name)} in this trace.{hint}")


def _functions(trace: Trace, tree: ExecutionTree) -> Iterator[tuple[int, Function]]:
    for number in np.unique(tree.routine).tolist():
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
