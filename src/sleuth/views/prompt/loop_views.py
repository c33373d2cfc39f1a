"""Loops and groups at the prompt: tables of turns, lists of calls, the first wrong turn, names."""

from dataclasses import dataclass, replace

from sleuth.errors import UsageError
from sleuth.search.question import Answer, Verdict
from sleuth.trace.events import Call
from sleuth.tree.loops.parts import part_of
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.loops.turns import ALL, Turns, TurnTable, parted, table, turns_of
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.observe.behaviour import LoopPart
from sleuth.tree.observe.group import members_in
from sleuth.tree.transformations.loops import LOOPS, STREAMS
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.words.loop_names import LONGEST, named

_MOST_LOOPS = 3
_PAGE = 40
_MOST_MEMBERS = 1_000
_NO_LOOP = "This question is not about a loop or its turns."


@dataclass(frozen=True, slots=True)
class Wanted:
    """The turns or calls to show; None: those of the question, or a selection of them."""

    first: int | None = None
    last: int | None = None


def tables(inquiry: Inquiry, node: int, wanted: Wanted, *, most: int = ALL) -> list[TurnTable]:
    """Return the turns of the loop that a question is about, or of the loops of its call."""
    part = part_of(inquiry.trace, inquiry.tree.key(node))
    if part is not None:
        return [_table(inquiry, node, part, wanted, most)]
    loops = _loops_of(inquiry, node)
    if not loops:
        raise UsageError(f"{_NO_LOOP} The call did not run a loop itself.")
    if wanted.first is not None and len(loops) > 1:
        raise UsageError(
            f"This call ran {len(loops)} loops. Type turns to see all, or x +loops to be asked "
            "about each."
        )
    return [_named_table(inquiry, loop, wanted, most) for loop in loops[:_MOST_LOOPS]]


def first_wrong(inquiry: Inquiry, node: int, turn: int) -> None:
    """Give two answers: a turn of a loop is wrong, and the turns before it are right."""
    turns = _turns(inquiry, node)
    if not 1 <= turn <= len(turns.starts):
        raise UsageError(_beyond(len(turns.starts)))
    before, wrong = parted(turns, turn)
    inquiry.give(Answer(wrong, Verdict.WRONG))
    if before is not None:
        inquiry.give(Answer(before, Verdict.RIGHT))


def members(inquiry: Inquiry, node: int, wanted: Wanted) -> tuple[int, list[Call], int]:
    """Return the members of a group to show: number of the first, calls, size of the group."""
    numbers = members_in(inquiry.tree, node)
    if numbers is None:
        raise UsageError("This question is not about a group of calls.")
    first = wanted.first or 1
    last = min(first + _PAGE - 1, len(numbers)) if wanted.last is None else wanted.last
    if not 1 <= first <= last <= len(numbers):
        raise UsageError(f"The calls of this group are numbered from 1 to {len(numbers):,}.")
    if last - first >= _MOST_MEMBERS:
        raise UsageError(f"At most {_MOST_MEMBERS:,} calls can be shown at once.")
    return first, [inquiry.trace.call(each) for each in numbers[first - 1 : last]], len(numbers)


def name(inquiry: Inquiry, node: int, words: str) -> None:
    """Name the loop that a question is about; no words: remove the name."""
    about = inquiry.tree.key(node)
    part = part_of(inquiry.trace, about)
    if part is None:
        raise UsageError(f"{_NO_LOOP} Only loops can be given a name.")
    if len(words) > LONGEST:
        raise UsageError(f"A name can have at most {LONGEST} characters.")
    if not words and not inquiry.loop_names.get(part.site.id):
        raise UsageError("This loop has no name to remove.")
    inquiry.name(about, words)


def _turns(inquiry: Inquiry, node: int) -> Turns:
    """Return the turns, or steps, that a question is about, or those of its call's only loop."""
    shape, key = inquiry.session.problem.shape, inquiry.tree.key(node)
    part = part_of(inquiry.trace, key)
    if part is not None:
        key = _whole_loop(inquiry, node, part)
    if part is not None or (STREAMS in shape and _is_call(inquiry, node)):
        found = turns_of(inquiry.trace, key)
        if found is not None:
            return found
    if LOOPS not in shape:
        raise UsageError(f"{_NO_LOOP} To be asked about loops: x +loops")
    # A generator is left out: the number could be that of a turn or of a step.
    is_stream = _is_call(inquiry, node) and inquiry.trace.call(key.call).is_resumable
    loops = [] if is_stream else _loops_of(inquiry, node)
    if len(loops) == 1:
        return loops[0]
    if loops:
        raise UsageError(
            f"This call ran {len(loops)} loops. Type n if it is wrong: then each is asked about."
        )
    raise UsageError(f"{_NO_LOOP} Questions about loops come later in the search.")


def _is_call(inquiry: Inquiry, node: int) -> bool:
    return inquiry.tree.node(node).kind is NodeKind.CALL


def _table(inquiry: Inquiry, node: int, part: LoopPart, wanted: Wanted, most: int) -> TurnTable:
    turns = turns_of(inquiry.trace, _whole_loop(inquiry, node, part))
    if turns is None:
        raise UsageError(_beyond(0))
    if wanted.first is None and part.first < part.last:
        wanted = Wanted(part.first, part.last)
    return _named_table(inquiry, turns, wanted, most)


def _named_table(inquiry: Inquiry, turns: Turns, wanted: Wanted, most: int) -> TurnTable:
    """Return a table of turns, with the name of their loop."""
    found = table(inquiry.trace, turns, *_bounds(turns, wanted), most=most)
    return replace(found, behaviour=named(found.behaviour, inquiry.loop_names))


def _bounds(turns: Turns, wanted: Wanted) -> tuple[int, int]:
    count = len(turns.starts)
    if wanted.first is None:
        return 1, count
    last = min(wanted.first + ALL - 1, count) if wanted.last is None else wanted.last
    if not 1 <= wanted.first <= last <= count:
        raise UsageError(_beyond(count))
    return wanted.first, last


def _beyond(count: int) -> str:
    return f"The turns are numbered from 1 to {count:,}." if count else "This loop made no turn."


def _loops_of(inquiry: Inquiry, node: int) -> list[Turns]:
    """Return the outermost loops that a call ran."""
    key = inquiry.tree.key(node)
    if not _is_call(inquiry, node) or key.last < 0:
        return []
    if STREAMS in inquiry.session.problem.shape and (steps := turns_of(inquiry.trace, key)):
        return [steps]
    runs = loops_of(inquiry.trace, key.call).runs(key.first, key.last, None)
    found = (turns_of(inquiry.trace, Key(key.call, run.first, run.last)) for run in runs)
    return [each for each in found if each is not None]


def _whole_loop(inquiry: Inquiry, node: int, part: LoopPart) -> Key:
    """Return the key of a whole loop, given a node of some of its turns."""
    tree = inquiry.tree
    key = tree.key(node)
    while (above := tree.node(node).parent) is not None:
        node = above
        outer = part_of(inquiry.trace, tree.key(node))
        if outer is None or outer.site != part.site:
            break
        key = tree.key(node)
    return key
