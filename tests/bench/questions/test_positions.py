"""Positions: in each shape of the tree their total weight is the number of calls."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from bench.questions.corpus import Subject, recorded
from bench.questions.papers import transformed
from bench.questions.positions import positions_of
from bench.questions.shapes import SHAPES
from sleuth.trace.reader import Trace
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations.outline import Asking


@pytest.fixture(scope="module", params=["merge_sort", "chess"])
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Subject:
    return Subject(Trace(recorded(request.param, tmp_path_factory.mktemp("positions"))))


@pytest.mark.parametrize("asking", Asking)
@pytest.mark.parametrize("shape", SHAPES)
def test_weights_are_the_masses_of_the_nodes_that_own_them(
    subject: Subject, shape: str, asking: Asking
) -> None:
    positions = positions_of(subject.trace)
    tree, made = transformed(subject, shape, asking)
    owners = positions.owners(tree)
    assert owners.min() > 0
    assert not np.isin(tree.kind[owners], (NodeKind.RUN, NodeKind.GROUP)).any()
    weights = np.bincount(owners, weights=positions.weight, minlength=len(tree))
    assert weights == pytest.approx(tree.mass)
    assert weights.sum() == pytest.approx(subject.trace.call_count)
    assert made.nodes == len(tree) - 1


def test_a_sample_weighs_as_much_and_is_spread(subject: Subject) -> None:
    positions = positions_of(subject.trace)
    sample = positions.sampled(10, 1)
    assert len(sample) == 10
    assert sample.weight.sum() == pytest.approx(positions.weight.sum())
    assert len(set(sample.call.tolist())) == 10
    assert (sample.owners(subject.tree) > 0).all()
    assert positions.sampled(len(positions), 1) is positions
