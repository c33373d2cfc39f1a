"""Fingerprints: two calls are equal if they have the same code, inputs and effects.

Objects are compared by contents and links, not by number.  A behaviour that is not known for sure
is equal to no other.
"""

from collections.abc import Hashable, Iterable, Iterator
from hashlib import blake2b

from sleuth.trace import conventions
from sleuth.trace.events import Call
from sleuth.trace.heap.opaque import is_opaque
from sleuth.trace.heap.reachable import FINGERPRINT, Walk, contents
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Shape, Value
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of


class Fingerprint:
    """A hashable that is equal for calls with equal behaviour.

    The full behaviour is looked up only if a quick comparison finds two calls equal: most differ.
    """

    __slots__ = ("_call", "_digest", "_glance", "_trace")

    def __init__(self, trace: Trace, call: Call, *, behaviour: Behaviour | None = None) -> None:
        self._trace = trace
        self._call = call
        self._glance = _glance(trace, call)
        self._digest = None if behaviour is None else _digest(trace, behaviour)

    @property
    def digest(self) -> str:
        """A text that is equal for equal behaviours."""
        if self._digest is None:
            self._digest = _digest(self._trace, behaviour_of(self._trace, self._call))
        return self._digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        if self is other:
            return True
        return self._glance == other._glance and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self._glance)


def fingerprint(trace: Trace, call: Call, *, behaviour: Behaviour | None = None) -> Fingerprint:
    """Return the fingerprint of a call."""
    return Fingerprint(trace, call, behaviour=behaviour)


def _glance(trace: Trace, call: Call) -> Hashable:
    seen = (*trace.arguments(call), trace.result(call))
    kinds = tuple(value.type_name if isinstance(value, Ref) else value for value in seen)
    return call.function, call.outcome, kinds


def _digest(trace: Trace, behaviour: Behaviour) -> str:
    return digested(_told(trace, behaviour))


def digested(parts: Iterable[str]) -> str:
    """Return a digest of all these texts, in this order."""
    digest = blake2b(digest_size=16)
    for part in parts:
        text = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(text))
        digest.update(text)
    return digest.hexdigest()


def _told(trace: Trace, behaviour: Behaviour) -> Iterator[str]:
    function = behaviour.function
    yield f"{function.module.path}:{behaviour.name}:{function.identity}" if function else "?"
    outcome, gaps = behaviour.outcome, behaviour.gaps
    yield f"{outcome.line}"
    graph = Graph(trace)
    for seen in (*behaviour.given, *behaviour.used):
        yield from graph.told(seen.path, seen.value, seen.at)
    yield from effects(behaviour, graph)
    if not graph.is_sure or gaps.closure or gaps.variables:
        yield f"only itself: {behaviour.call.id}"


def effects(behaviour: Behaviour, graph: "Graph") -> Iterator[str]:
    """Yield a description of the effects; the graph has described the inputs before."""
    outcome, gaps, printed = behaviour.outcome, behaviour.gaps, behaviour.printed
    after = graph.later()
    yield outcome.how
    yield from after.told("return", outcome.value, behaviour.last)
    for value in outcome.arguments:
        yield from after.told("raised", value, behaviour.last)
    for change in (*behaviour.changes, *behaviour.meanwhile, *behaviour.folded):
        yield f"{change.kind}:{change.path}"
        yield from graph.told("old", change.old, behaviour.first)
        yield from after.told("new", change.new, behaviour.last)
    stream = behaviour.stream
    for seen in (*stream.given, *stream.sent) if stream is not None else ():
        one = graph.later()
        yield from one.told("stream", seen.value, seen.at)
        after.is_sure = after.is_sure and one.is_sure
    yield repr((printed.lines, printed.errors))
    is_whole = gaps.is_whole and printed.is_whole and (stream is None or stream.is_whole)
    is_known = is_whole and gaps.has_contents and not gaps.unsure
    graph.is_sure = graph.is_sure and after.is_sure and is_known


class Graph:
    """Describes objects by their contents; each gets a number when first met."""

    def __init__(self, trace: Trace, numbers: dict[int, int] | None = None) -> None:
        self._trace = trace
        self._code = conventions.of(trace.meta.get("language")).code
        self.numbers: dict[int, int] = {} if numbers is None else dict(numbers)
        self._walk = Walk(self._look, FINGERPRINT, inside=self.inside)
        self.is_sure = True

    def later(self) -> "Graph":
        """Return a graph for another moment, with the same numbers for the same objects."""
        return type(self)(self._trace, self.numbers)

    def told(self, name: str, value: Value, at: int) -> Iterator[str]:
        """Yield a full description of a value."""
        yield name
        for each, found in self._walk.values((value,), at):
            if not isinstance(each, Ref):
                yield repr(each)
                continue
            number = self.numbers.setdefault(each.id, len(self.numbers))
            yield f"{self.type_name(each)}#{number}"
            if found is not None:
                yield self.opaque(each) if found.shape is None else _outline(found.shape)
        self.is_sure = self.is_sure and self._walk.cut is None

    def type_name(self, ref: Ref) -> str:
        """Return the name of an object's type."""
        return ref.type_name

    def opaque(self, ref: Ref) -> str:
        """Describe an object without known contents: a function or file equals only itself."""
        if ref.id & 1 and ref.type_name not in self._code:
            self.is_sure = False  # its number may have been reused
        return f"is {ref.id}"

    def _look(self, ref: Ref, at: int) -> Shape | None:
        """Return what an object contains; None: it is code, or may hold more than is known."""
        shape = None if ref.type_name in self._code else self._trace.shape(ref, at)
        if shape is None or is_opaque(self._trace, ref, shape):
            return None
        self.is_sure = self.is_sure and shape.is_sure and shape.is_complete
        return shape

    def inside(self, _ref: Ref, shape: Shape) -> Iterable[Value]:
        """Return the contents of an object, in an order that equal objects share."""
        return contents(shape)


def _outline(shape: Shape) -> str:
    return " ".join(f"{part.kind}:{part.full_length}" for part in shape.parts)
