"""The first difference between a call and one of another run, in words."""

from collections.abc import Collection

from sleuth.oracles.compare.call_record import RETURN, STDOUT, YIELDED, Done, Side
from sleuth.oracles.compare.first_difference import Place, first_difference, text
from sleuth.trace.events import Call
from sleuth.trace.heap.roots import end_of, given_to
from sleuth.tree.node_kinds import kind_of
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.printed import printed_in
from sleuth.tree.observe.stream import stream_of


class DifferenceWords:
    """Says how the effects of two calls with equal inputs differ."""

    def __init__(self, here: Side, there: Side) -> None:
        self._here = here
        self._there = there

    def of(self, call: Call, other: Call, parts: Collection[str], where: str) -> str:
        """Return `return[2] is 3 here and 4 in call 7 of good.trace`; else only where."""
        found = ""
        if RETURN in parts:
            found = self._outcome(call, other)
        if not found and YIELDED in parts:
            found = self._yielded(call, other)
        if not found:
            found = self._arguments(call, other, parts)
        if not found and STDOUT in parts:
            found = self._printed(call, other)
        return f"{found} in {where}" if found else f"it did something else than {where}"

    def _outcome(self, call: Call, other: Call) -> str:
        one, two = self._here.done(call), self._there.done(other)
        if one.how != two.how or one.outcome.how == words.RAISED:
            return f"it {_ended(one)} here and {_ended(two)}"
        found = first_difference(
            RETURN,
            Place(self._here.trace, one.outcome.value, end_of(self._here.trace, call)),
            Place(self._there.trace, two.outcome.value, end_of(self._there.trace, other)),
        )
        if found is None:
            return ""
        start = "it returned" if found.path == RETURN else f"{found.path} is"
        return f"{start} {text(found.here)} here and {text(found.there)}"

    def _arguments(self, call: Call, other: Call, parts: Collection[str]) -> str:
        trace, there = self._here.trace, self._there.trace
        given, twins = given_to(trace, call), given_to(there, other)
        near = [name for name in given if name in parts]
        for name in dict.fromkeys((*near, *given)):
            if name not in twins:
                continue
            found = first_difference(
                name,
                Place(trace, given[name], end_of(trace, call)),
                Place(there, twins[name], end_of(there, other)),
            )
            if found is not None:
                return f"{found.path} is {text(found.here)} here and {text(found.there)}"
        return ""

    def _yielded(self, call: Call, other: Call) -> str:
        streams = []
        for side, each in ((self._here, call), (self._there, other)):
            function = side.trace.function(each.function)
            kind = kind_of(side.trace, each, function)
            streams.append(stream_of(side.trace, each, function, kind).given)
        for number, (mine, theirs) in enumerate(zip(*streams, strict=False)):
            found = first_difference(
                f"yielded[{number}]",
                Place(self._here.trace, mine.value, mine.at),
                Place(self._there.trace, theirs.value, theirs.at),
            )
            if found is not None:
                return f"{found.path} is {text(found.here)} here and {text(found.there)}"
        counts = [len(each) for each in streams]
        return f"it yielded {counts[0]:,} values here and {counts[1]:,}" if counts else ""

    def _printed(self, call: Call, other: Call) -> str:
        mine, theirs = (
            printed_in(side.trace, each, end_of(side.trace, each)).lines
            for side, each in ((self._here, call), (self._there, other))
        )
        for number in range(max(len(mine), len(theirs))):
            one, two = (
                repr(lines[number]) if number < len(lines) else "missing"
                for lines in (mine, theirs)
            )
            if one != two:
                return f"stdout[{number}] is {one} here and {two}"
        return ""


def _ended(done: Done) -> str:
    outcome = done.outcome
    if outcome.how != words.RAISED:
        what = f" {text(outcome.value)}" if outcome.how == words.RETURNED else ""
        return f"{outcome.how}{what}"
    kind = getattr(outcome.value, "type_name", "an exception").removeprefix("builtins.")
    return f"raised {kind}({', '.join(text(each) for each in outcome.arguments)})"
