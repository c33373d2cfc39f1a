"""Every form of a loop, as questions: one program, read through the tree with all loops open.

After a change of the wording write them anew, and read them: WRITE_TRANSCRIPTS=1 pytest ...
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.observe.nodes import behaviour_for
from sleuth.tree.transformations import Shaper
from sleuth.tree.transformations.outline import Outline
from sleuth.views.drawing.styled import Line
from sleuth.views.words.question import asked, question_lines
from tests.recorded import recorded
from tests.steady import steady

HERE = Path(__file__).parent / "forms"
LOOPS = ("loops",)
PARTS = (NodeKind.LOOP, NodeKind.TURN)


def plain(line: Line) -> str:
    return "".join(piece.text for piece in line)


def questions(found: Opened, shape: tuple[str, ...]) -> Iterator[str]:
    """Yield what is asked about the parts of calls, all of them open."""
    tree, opened = found.tree, frozenset[Key]()
    while (keys := frozenset(map(tree.key, range(len(tree))))) != opened:
        opened = keys
        tree = Shaper(found.trace, found.tree).tree(Outline(shape, opened))
    for node in range(len(tree)):
        if tree.kind[node] in PARTS:
            behaviour = behaviour_for(found.trace, tree.key(node))
            yield from map(plain, question_lines(found.trace, behaviour, width=80))
            yield asked(behaviour)
            yield ""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    program = (HERE / "program.txt").read_text()
    return Opened(recorded(tmp_path_factory.mktemp("forms"), program))


@pytest.mark.parametrize("shape", [LOOPS, ("streams",)], ids=",".join)
def test_loops_of_all_forms_are_asked_about_in_the_same_words_on_all_versions(
    found: Opened, shape: tuple[str, ...]
) -> None:
    shown = "\n".join(questions(found, shape))
    kept = HERE / f"{'-'.join(shape)}.txt"
    if os.environ.get("WRITE_TRANSCRIPTS"):
        kept.write_text(shown)
    assert steady(shown) == steady(kept.read_text())
    assert max(map(len, shown.splitlines())) <= 80
