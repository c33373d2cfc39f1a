"""Guilt: the function, lines and kind of fault of each node in a diagnosis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleuth.search.question import Diagnosis, Pending, Verdict
from sleuth.search.session import Session
from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import Coverage, coverage
from sleuth.tree.dependence.interleaving import Interleaving, interleaving_in
from sleuth.tree.loops.parts import outside_loops, part_coverage, part_of
from sleuth.tree.node import ExecutionTree, Key, NodeKind
from sleuth.tree.observe.behaviour import Behaviour, LoopPart
from sleuth.tree.observe.nodes import behaviour_in
from sleuth.views.drawing.places import file_of
from sleuth.views.words.loop_names import loop_names, named

KINDS = (
    "call",
    "loop",
    "loop-header",
    "loop-body",
    "turn",
    "statement",
    "condition",
    "expression",
    "missing",
    "input",
    "interleaving",
)
"""The kinds of code that a diagnosis can name."""
_MOST_HELD = 100


@dataclass(frozen=True, slots=True)
class Held:
    """A function whose code counts as its caller's: it was inlined, or only forwards."""

    function: Function
    file: str
    lines: tuple[int, ...]
    """The lines that its calls ran, sorted."""
    calls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Guilt:
    """One node that may be the bug."""

    behaviour: Behaviour
    coverage: Coverage
    kind: str
    """One of KINDS."""
    file: str
    """Relative to the folder in which the program ran; empty for the whole run."""
    about: Key
    held: tuple[Held, ...] = ()
    """The functions whose code counts as its own."""
    wrong_part: str = ""
    """The path of the part that was called wrong; empty: none."""
    interleaving: Interleaving | None = None
    """The write of another thread or task that disturbed it, if one is known."""

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that it ran itself, sorted."""
        function, lines = self.behaviour.function, self.coverage.lines
        template = function.module.template if function else None
        return lines if function is None or template is None else template.lines_in(function, lines)

    @property
    def call(self) -> int:
        """The call's number; below 0: the whole run."""
        return self.behaviour.call.id


def guilt_of(trace: Trace, session: Session, node: int, *, is_input: bool = False) -> Guilt:
    """Look up one node."""
    tree, names = session.problem.tree, loop_names(trace, session.ledger.names)
    key = tree.key(node)
    behaviour = named(behaviour_in(trace, tree, node), names)
    function, part = behaviour.function, behaviour.part
    if function is None:
        covered = Coverage((), (), None, is_known=False)
    elif part is not None:
        covered = part_coverage(trace, key, part, is_one=_is_one(trace, tree, node, part))
    else:
        covered = coverage(trace, behaviour.call)
        if _has_loops_apart(trace, tree, node):
            covered = outside_loops(trace, behaviour.call, covered)
    interleaving = _interleaving(trace, behaviour)
    kind = _kind(behaviour, is_input=is_input)
    if interleaving is not None and kind == "call":
        kind = "interleaving"
    if kind == "loop-header" and part is not None and _is_one(trace, tree, node, part):
        kind = "loop"
    file = file_of(trace, function) if function else ""
    held = tuple(_held(trace, tree, node))
    wrong_part = part_called_wrong(session, node)
    return Guilt(behaviour, covered, kind, file, key, held, wrong_part, interleaving)


def _interleaving(trace: Trace, behaviour: Behaviour) -> Interleaving | None:
    if behaviour.function is None or behaviour.group is not None:
        return None
    return interleaving_in(trace, behaviour.call, int(behaviour.first), int(behaviour.last))


def _held(trace: Trace, tree: ExecutionTree, node: int) -> Iterator[Held]:
    """Yield the functions whose code counts as a node's own."""
    by_function: dict[int, list[Call]] = {}
    for number in tree.calls_in(node)[:_MOST_HELD].tolist():
        call = trace.call(number)
        by_function.setdefault(call.function, []).append(call)
    for number, calls in by_function.items():
        function = trace.function(number)
        if function is not None:
            lines = {line for call in calls for line in coverage(trace, call).lines}
            numbers = tuple(int(call.id) for call in calls)
            yield Held(function, file_of(trace, function), tuple(sorted(lines)), numbers)


def _kind(behaviour: Behaviour, *, is_input: bool) -> str:
    if is_input:
        return "input"
    if behaviour.rests_on_others:
        return "interleaving"
    if behaviour.part is None:
        return "call"
    if behaviour.part.is_stream:
        return "turn"
    return "loop-header" if behaviour.part.is_loop else "loop-body"


def _is_one(trace: Trace, tree: ExecutionTree, node: int, part: LoopPart) -> bool:
    """Whether a node is a loop whose turns are no nodes, so that it has all of its code."""
    if not part.is_loop or not part.count:
        return False
    children = map(tree.node, tree.children(node).tolist())
    kinds = (NodeKind.LOOP, NodeKind.TURN)
    parts = (part_of(trace, each.key) for each in children if each.kind in kinds)
    return all(each is None or each.site != part.site for each in parts)


def _has_loops_apart(trace: Trace, tree: ExecutionTree, node: int) -> bool:
    """Whether the loops of a call are nodes of their own, so that its guilt excludes them."""
    children = map(tree.node, tree.children(node).tolist())
    parts = [each.key for each in children if each.kind in (NodeKind.LOOP, NodeKind.TURN)]
    part = part_of(trace, parts[0]) if parts else None
    return part is not None and not part.is_stream


def part_called_wrong(session: Session, node: int) -> str:
    """Return the path of the part of a node that the user called wrong last; empty: none."""
    about = session.problem.tree.key(node)
    paths = [
        each.answer.path
        for each in session.answers
        if each.answer.about == about and each.answer.verdict is Verdict.WRONG and each.answer.path
    ]
    return paths[-1] if paths else ""


def guilty(trace: Trace, found: Diagnosis, session: Session, *, most: int = 20) -> Sequence[Guilt]:
    """Look up all candidates, the best first."""
    nodes = list(dict.fromkeys((found.node, *found.candidates)))[:most]
    return [guilt_of(trace, session, node, is_input=found.is_input) for node in nodes]


def concluded(session: Session) -> Pending:
    """Return the end of a session: the last confirmed diagnosis, or else what is pending."""
    pending = session.pending
    if isinstance(pending, Diagnosis):
        return pending
    return session.found[-1] if session.found else pending


def earlier(trace: Trace, session: Session) -> list[Guilt]:
    """Look up the other bugs that the user confirmed, in order."""
    ended = concluded(session)
    return [guilty(trace, each, session)[0] for each in session.found if each != ended]
