"""What the answers amount to when nothing is left to ask, and where they contradict each other."""

from collections.abc import Iterator

import numpy as np

from sleuth.search.ledger import Ledger
from sleuth.search.problem import Case
from sleuth.search.question import (
    JUDGEMENTS,
    UNSURE,
    USER,
    Clash,
    Contradiction,
    Diagnosis,
    Given,
    NoBug,
    Verdict,
)
from sleuth.search.space import SearchSpace
from sleuth.tree.node import NodeKind


def concluded(case: Case, ledger: Ledger, space: SearchSpace) -> Diagnosis | NoBug | Contradiction:
    """Conclude, with nothing left to ask."""
    verdict, number = space.judged.verdicts.get(space.focus, (None, 0))
    if verdict is Verdict.INADMISSIBLE and not space.is_wrong:
        return _diagnosis(case, space, [space.focus], is_input=True)
    suspects = _suspects(case, ledger, space)
    if suspects and space.is_wrong and case.tree.is_done[space.focus]:
        return _diagnosis(case, space, suspects)
    if space.is_wrong and verdict is Verdict.WRONG and not case.tree.is_growing:
        around = _around(case, space)
        if around is not None:
            return _diagnosis(case, space, [around])
        numbers = (number, *_numbers_inside(space))
        return Contradiction(Clash.NOTHING_LEFT, numbers, space.focus, case.tree.key(space.focus))
    above = int((space.judged.explained & ~space.judged.trusted & (case.tree.mass > 0)).sum())
    return NoBug(
        is_running=case.tree.is_growing,
        confirmed=len(ledger.confirmed),
        unjudged=max(above - len(ledger.confirmed), 0) + len(space.unknown),
        evidence=tuple(given.number for given in ledger.given),
    )


def _around(case: Case, space: SearchSpace) -> int | None:
    """Return what holds parts together that are right by themselves and wrong in sum.

    Some turns, or some calls side by side, have no code of their own: what lies between them is
    the loop's head, or the code of the call that made them.
    """
    tree, at = case.tree, space.focus
    while at > 0 and not tree.mass[at]:
        at = int(tree.parent[at])
    is_cleared = space.judged.verdicts.get(at, (None, 0))[0] is Verdict.RIGHT
    return None if at == space.focus or space.judged.trusted[at] or is_cleared else at


def _suspects(case: Case, ledger: Ledger, space: SearchSpace) -> list[int]:
    """Return what may be guilty, the best first: the focus, then by mass.

    What hints make more suspicious than the focus goes before it.  Where the search went beyond
    what makes the run wrong, as a test that failed does, what was called there goes first. What was
    rejected goes out, unless nothing else is left.
    """
    found = [space.focus] if space.is_suspect[0] and space.is_wrong else []
    found += [*space.unknown.tolist(), *_not_excluded(case, ledger, space)]
    mass = case.tree.mass
    inside = range(case.start, int(case.tree.end[case.start]))

    def rank(node: int) -> tuple[float, bool, bool, float]:
        own = float(space.own[node - space.focus]) if node >= space.focus else 0.0
        is_beyond = node not in inside and space.focus < case.start
        return -own / float(mass[node]), is_beyond, node != space.focus, -own

    found.sort(key=rank)
    left = [node for node in found if case.tree.key(node) not in ledger.rejected]
    return left or found


def _not_excluded(case: Case, ledger: Ledger, space: SearchSpace) -> Iterator[int]:
    """Yield what is around the focus, where it was not said with confidence that it is in there."""
    verdicts, tree = space.judged.verdicts, case.tree
    confidence = {given.number: given.answer.confidence for given in ledger.given}
    at = space.focus
    while at > case.start and at in verdicts:
        verdict, number = verdicts[at]
        if verdict is not Verdict.WRONG or confidence.get(number, 1.0) > UNSURE:
            return
        at = int(tree.parent[at])
        while at > case.start and verdicts.get(at, (None, 0))[0] is not Verdict.WRONG:
            at = int(tree.parent[at])
        if tree.mass[at] and not space.judged.trusted[at]:
            yield at


def _diagnosis(
    case: Case, space: SearchSpace, suspects: list[int], *, is_input: bool = False
) -> Diagnosis:
    node = suspects[0]
    return Diagnosis(
        node=node,
        about=case.tree.key(node),
        candidates=tuple(suspects),
        evidence=tuple(sorted({*_numbers_above(case, space), *_numbers_inside(space)})),
        between=tuple(_between(case, space, node)),
        is_input=is_input,
    )


def _between(case: Case, space: SearchSpace, node: int) -> Iterator[int]:
    """Yield the nodes between a node and the root that could be judged wrong and were not."""
    above = int(case.tree.parent[node])
    found = []
    while above > case.start:
        is_wrong = space.judged.verdicts.get(above, (None, 0))[0] is Verdict.WRONG
        is_call = case.tree.node(above).kind is NodeKind.CALL  # not just a part of one
        if (
            is_call
            and not is_wrong
            and not space.judged.trusted[above]
            and case.tree.is_done[above]
        ):
            found.append(above)
        above = int(case.tree.parent[above])
    yield from reversed(found)


def _numbers_above(case: Case, space: SearchSpace) -> Iterator[int]:
    """Yield the answers that made the focus what it is."""
    at = space.focus
    while at >= 0:
        verdict, number = space.judged.verdicts.get(at, (None, 0))
        if verdict is Verdict.WRONG or at == space.focus:
            yield from [number] if number else []
        at = int(case.tree.parent[at])


def _numbers_inside(space: SearchSpace) -> Iterator[int]:
    """Yield the answers by which nodes of the focus were excluded, or are unknown."""
    for node, (_, number) in space.judged.verdicts.items():
        if space.focus < node < space.stop:
            yield number
    yield from {
        number for node, number in space.judged.implied.items() if space.focus < node < space.stop
    }
    trusting = space.judged.trusting
    routines = np.unique(space.tree.routine[space.focus + 1 : space.stop]) if trusting else ()
    yield from {trusting[each] for each in map(int, routines) if each in trusting}


def contradiction(case: Case, ledger: Ledger, space: SearchSpace) -> Contradiction | None:
    """Return the first contradiction among the answers."""
    by_hash: dict[int, list[tuple[Given, int]]] = {}
    for given in ledger.given:
        node = case.find(given.answer.about)
        if node is None or given.answer.verdict not in JUDGEMENTS:
            continue
        earlier = by_hash.setdefault(hash(case.print_of(node)), [])
        for other, at in earlier:
            # Whether two questions are equal takes long to find out: only where it matters.
            if other.answer.verdict is given.answer.verdict:
                continue
            if case.print_of(at) == case.print_of(node):
                clash = Clash.SAME if node == at else Clash.EQUAL
                return Contradiction(clash, (other.number, given.number), node, given.answer.about)
        earlier.append((given, node))
        if not space.judged.trusting:
            continue
        trust = space.judged.trusting.get(int(case.tree.routine[node]))
        is_of_function = case.tree.kind[node] != NodeKind.GROUP
        if trust is not None and is_of_function and given.answer.verdict is Verdict.WRONG:
            numbers = tuple(sorted((trust, given.number)))
            return Contradiction(Clash.TRUST, numbers, node, given.answer.about)
    return None


def weakest(case: Case, ledger: Ledger, rejected: Diagnosis) -> Given | None:
    """Return the answer to ask again: of those that a diagnosis rests on the least sure one."""
    able = [
        given
        for given in ledger.given
        if given.number in rejected.evidence
        and given.number not in ledger.asked_again
        and case.find(given.answer.about) is not None
    ]
    return min(able, key=lambda given: _sureness(case, given), default=None)


def _sureness(case: Case, given: Given) -> tuple[bool, float, bool, bool, int, int]:
    """Order answers: "don't know", the least confident, those of oracles, "right" for much.

    What was called right at once and consists of much is most likely to hide what was overlooked.
    """
    answer = given.answer
    node = case.find(answer.about) or 0
    return (
        answer.verdict is not Verdict.UNKNOWN,
        answer.confidence,
        answer.by == USER,
        answer.verdict is Verdict.WRONG,
        node - int(case.tree.end[node]),
        -given.number,
    )


def stubborn(rejected: Diagnosis) -> Contradiction:
    """Say that the answers, looked at again, name what was rejected."""
    return Contradiction(Clash.REJECTED, rejected.evidence, rejected.node, rejected.about)
