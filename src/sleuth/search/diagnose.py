"""Diagnosis: the conclusion from the answers, and the contradictions among them."""

from collections.abc import Iterator

import numpy as np

from sleuth.search.ledger import Ledger
from sleuth.search.problem import Problem
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


def concluded(
    problem: Problem, ledger: Ledger, space: SearchSpace
) -> Diagnosis | NoBug | Contradiction:
    """Return the conclusion when nothing is left to ask."""
    verdict, number = space.judged.verdicts.get(space.focus, (None, 0))
    if verdict is Verdict.INADMISSIBLE and not space.is_wrong:
        return _diagnosis(problem, space, [space.focus], is_input=True)
    suspects = _suspects(problem, ledger, space)
    if suspects and space.is_wrong and problem.tree.is_done[space.focus]:
        return _diagnosis(problem, space, suspects)
    if space.is_wrong and verdict is Verdict.WRONG and not problem.tree.is_growing:
        around = _around(problem, space)
        if around is not None:
            return _diagnosis(problem, space, [around])
        numbers = (number, *_numbers_inside(space))
        return Contradiction(
            Clash.NOTHING_LEFT, numbers, space.focus, problem.tree.key(space.focus)
        )
    judged = space.judged
    above = judged.explained & ~judged.same_bug & ~judged.trusted & (problem.tree.mass > 0)
    return NoBug(
        is_running=problem.tree.is_growing,
        confirmed=len(ledger.confirmed),
        unjudged=int(above.sum()) + len(space.unknown),
        evidence=tuple(given.number for given in ledger.given),
    )


def feeding(
    problem: Problem, space: SearchSpace, ended: Diagnosis | NoBug | Contradiction
) -> int | None:
    """Return a generator that gave values to the guilty call, and that nobody judged.

    Whoever says that the call is wrong may mean the values that it took.  The generator is not
    among its callees, so that the answer must not rule it out.
    """
    if not isinstance(ended, Diagnosis) or ended.is_input or problem.feeding is None:
        return None
    tree, judged = problem.tree, space.judged
    for node in _feeding(problem, ended.node):
        if node in judged.verdicts or not tree.is_done[node]:
            continue
        above = judged.excluded[judged.excluded <= node]
        is_excluded = bool((tree.end[above] > node).any())
        if not (is_excluded or judged.trusted[node] or judged.explained[node]):
            return node
    return None


def _feeding(problem: Problem, node: int) -> Iterator[int]:
    call = int(problem.tree.call[node])
    numbers = () if problem.feeding is None or call < 0 else problem.feeding(call)
    yield from (found for found in map(problem.tree.find_call, numbers) if found is not None)


def _around(problem: Problem, space: SearchSpace) -> int | None:
    """Return the node around a wrong interval whose parts are all right.

    Intervals of turns and groups of calls have no code of their own: the code between their parts
    is the loop's head, or the code of the call that made them.
    """
    tree, at = problem.tree, space.focus
    while at > 0 and not tree.mass[at]:
        at = int(tree.parent[at])
    is_cleared = space.judged.verdicts.get(at, (None, 0))[0] is Verdict.RIGHT
    return None if at == space.focus or space.judged.trusted[at] or is_cleared else at


def _suspects(problem: Problem, ledger: Ledger, space: SearchSpace) -> list[int]:
    """Return the nodes that may be guilty, the best first: the focus, then by mass.

    Nodes that hints make more suspicious than the focus come before it.  If the focus is a trusted
    node that only shows the symptom, such as a failed test, its callees come first.  Rejected nodes
    are left out, unless nothing else is left.
    """
    found = [space.focus] if space.is_suspect[0] and space.is_wrong else []
    found += [*space.unknown.tolist(), *_not_excluded(problem, ledger, space)]
    mass = problem.tree.mass
    inside = range(problem.start, int(problem.tree.end[problem.start]))

    def rank(node: int) -> tuple[float, bool, bool, float]:
        own = float(space.ranking[node - space.focus]) if node >= space.focus else 0.0
        is_beyond = node not in inside and space.focus < problem.start
        return -own / float(mass[node]), is_beyond, node != space.focus, -own

    found.sort(key=rank)
    left = [node for node in found if problem.tree.key(node) not in ledger.rejected]
    return left or found


def _not_excluded(problem: Problem, ledger: Ledger, space: SearchSpace) -> Iterator[int]:
    """Yield the ancestors of the focus that were excluded only by unsure answers."""
    verdicts, tree = space.judged.verdicts, problem.tree
    confidence = {given.number: given.answer.confidence for given in ledger.given}
    at = space.focus
    while at > problem.start and at in verdicts:
        verdict, number = verdicts[at]
        if verdict is not Verdict.WRONG or confidence.get(number, 1.0) > UNSURE:
            return
        at = int(tree.parent[at])
        while at > problem.start and verdicts.get(at, (None, 0))[0] is not Verdict.WRONG:
            at = int(tree.parent[at])
        if tree.mass[at] and not space.judged.trusted[at]:
            yield at


def _diagnosis(
    problem: Problem, space: SearchSpace, suspects: list[int], *, is_input: bool = False
) -> Diagnosis:
    node = suspects[0]
    judged = (space.judged.verdicts.get(each) for each in _feeding(problem, node))
    fed = {each[1] for each in judged if each is not None}
    return Diagnosis(
        node=node,
        about=problem.tree.key(node),
        candidates=tuple(suspects),
        evidence=tuple(sorted({*_numbers_above(problem, space), *_numbers_inside(space), *fed})),
        between=tuple(_between(problem, space, node)),
        is_input=is_input,
    )


def _between(problem: Problem, space: SearchSpace, node: int) -> Iterator[int]:
    """Yield the nodes between a node and the root that were not judged wrong."""
    above = int(problem.tree.parent[node])
    found = []
    while above > problem.start:
        is_wrong = space.judged.verdicts.get(above, (None, 0))[0] is Verdict.WRONG
        is_call = problem.tree.node(above).kind is NodeKind.CALL  # not a part of a call
        if (
            is_call
            and not is_wrong
            and not space.judged.trusted[above]
            and problem.tree.is_done[above]
        ):
            found.append(above)
        above = int(problem.tree.parent[above])
    yield from reversed(found)


def _numbers_above(problem: Problem, space: SearchSpace) -> Iterator[int]:
    """Yield the numbers of the answers that led to the focus."""
    at = space.focus
    while at >= 0:
        verdict, number = space.judged.verdicts.get(at, (None, 0))
        if verdict is Verdict.WRONG or at == space.focus:
            yield from [number] if number else []
        at = int(problem.tree.parent[at])


def _numbers_inside(space: SearchSpace) -> Iterator[int]:
    """Yield the numbers of the answers that excluded nodes in the focus, or left them unknown."""
    for node, (_, number) in space.judged.verdicts.items():
        if space.focus < node < space.stop:
            yield number
    yield from {
        number for node, number in space.judged.implied.items() if space.focus < node < space.stop
    }
    trusting = space.judged.trusting
    routines = np.unique(space.tree.routine[space.focus + 1 : space.stop]) if trusting else ()
    yield from {trusting[each] for each in map(int, routines) if each in trusting}


def contradiction(problem: Problem, ledger: Ledger, space: SearchSpace) -> Contradiction | None:
    """Return the first contradiction among the answers."""
    by_hash: dict[int, list[tuple[Given, int]]] = {}
    for given in ledger.given:
        node = problem.find(given.answer.about)
        if node is None or given.answer.verdict not in JUDGEMENTS:
            continue
        earlier = by_hash.setdefault(hash(problem.print_of(node)), [])
        for other, at in earlier:
            # Comparing questions takes long, so it is done only where it matters.
            if other.answer.verdict is given.answer.verdict:
                continue
            if problem.print_of(at) == problem.print_of(node):
                clash = Clash.SAME if node == at else Clash.EQUAL
                return Contradiction(clash, (other.number, given.number), node, given.answer.about)
        earlier.append((given, node))
        if not space.judged.trusting:
            continue
        trust = space.judged.trusting.get(int(problem.tree.routine[node]))
        is_of_function = problem.tree.kind[node] != NodeKind.GROUP
        if trust is not None and is_of_function and given.answer.verdict is Verdict.WRONG:
            numbers = tuple(sorted((trust, given.number)))
            return Contradiction(Clash.TRUST, numbers, node, given.answer.about)
    return None


def weakest(problem: Problem, ledger: Ledger, rejected: Diagnosis) -> Given | None:
    """Return the answer to ask again: the least sure one that a rejected diagnosis rests on."""
    able = [
        given
        for given in ledger.given
        if given.number in rejected.evidence
        and given.number not in ledger.asked_again
        and problem.find(given.answer.about) is not None
    ]
    return min(able, key=lambda given: _sureness(problem, given), default=None)


def _sureness(problem: Problem, given: Given) -> tuple[bool, float, bool, bool, int, int]:
    """Order answers: "don't know", least confident, from oracles, "right" for large subtrees.

    A large subtree that was judged right as a whole is most likely to hide an overlooked bug.
    """
    answer = given.answer
    node = problem.find(answer.about) or 0
    return (
        answer.verdict is not Verdict.UNKNOWN,
        answer.confidence,
        answer.by == USER,
        answer.verdict is Verdict.WRONG,
        node - int(problem.tree.end[node]),
        -given.number,
    )


def stubborn(rejected: Diagnosis) -> Contradiction:
    """Return the contradiction that the answers, asked again, still name a rejected node."""
    return Contradiction(Clash.REJECTED, rejected.evidence, rejected.node, rejected.about)
