"""Narrowing: the search over a part of the run asks what the search over all of it asks."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from bench.questions.corpus import Subject, recorded, recorded_text
from bench.questions.narrow import Narrowing
from bench.questions.positions import positions_of
from bench.questions.shapes import OF_SESSIONS, SHAPES
from bench.questions.walk import walked
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.reader import Trace

LEARNING = ("bisection", "hat-delta-ratio", "dynamic-weighting")
MIXED = """
class Shop:
    def __init__(self):
        self.total = 0

    def forward(self, number):
        return self.add(number)

    def add(self, number):
        self.total += number
        return self.total

def steps(count):
    for number in range(count):
        yield number

def deep(level, shop):
    for number in steps(2):
        shop.forward(number)
    return level if level == 0 else deep(level - 1, shop)

def main():
    shop = Shop()
    for number in range(4):
        shop.add(number)
        if number % 3 == 0:
            deep(1, shop)

main()
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Trace]:
    folder = tmp_path_factory.mktemp("narrow")
    return [Trace(recorded("cues", folder)), Trace(recorded_text(MIXED, folder, "mixed"))]


def same(trace: Trace, strategy: str, shape: str) -> bool:
    subject, positions = Subject(trace), positions_of(trace)
    whole = walked(subject.begun(strategy, SHAPES[shape]), positions)
    parts = walked(subject.begun(strategy, SHAPES[shape]), positions, Narrowing(subject))
    guilty = [[each.diagnosis[place] for place in each.ended] for each in (whole, parts)]
    return (whole.questions == parts.questions).all() and guilty[0] == guilty[1]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("strategy", LEARNING)
def test_the_questions_are_the_same_in_every_shape(
    traces: list[Trace], strategy: str, shape: str
) -> None:
    for trace in traces:
        assert same(trace, strategy, shape)


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - set(LEARNING)))
def test_the_questions_are_the_same_with_every_strategy(traces: list[Trace], strategy: str) -> None:
    assert same(traces[1], strategy, OF_SESSIONS)


def test_parts_are_smaller(traces: list[Trace]) -> None:
    subject = Subject(traces[1])
    session = subject.begun("top-down", ())
    tree = subject.tree
    inner = next(node for node in range(2, len(tree)) if 2 < tree.node(node).size < len(tree) / 2)
    part = Narrowing(subject)(session, tree.key(inner)).problem.tree
    assert len(part) == tree.node(inner).size + 1
    assert part.node(1).key == tree.key(inner)
