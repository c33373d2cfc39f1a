"""`sleuth tree`: the tree that is searched, with answers and weights."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

ROOT = Path(__file__).parents[3]
MANY = "def leaf(n):\n    return n\ndef main():\n    for n in range(40):\n        leaf(n)\nmain()\n"


def played(trace: Path, *lines: str) -> None:
    answers = trace.with_name("answers.txt")
    answers.write_text("\n".join(lines))
    main(["ask", str(trace), "--answers", str(answers)])


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    capsys.readouterr()
    assert main(["tree", *argv]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    trace = recorded(tmp_path, (ROOT / "examples/shop.py").read_text()).path
    played(trace, "w self.lines[0].price = 1.80", "first 1")
    return trace


def test_the_tree_is_drawn_in_its_shape_with_answers_and_weights(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(capsys, str(shop))
    assert "transformations: loops, forward, balance" in lines[0]
    text = "\n".join(lines)
    assert re.search(r"100% +12 +\[wrong, you\] Cart\.apply\(", text)
    assert re.search(r"100% +\[wrong, you\] turn 1 of 3 in Cart\.apply", text)
    assert re.search(r"- +turn 2 of 3 in Cart\.apply", text)
    assert max(map(len, lines)) <= 80
    plain = shown(capsys, str(recorded_plain(shop)))
    assert "turn 1 of 3" not in "\n".join(plain)


def recorded_plain(shop: Path) -> Path:
    played(shop, "x none")
    return shop


def test_a_deep_or_wide_tree_is_bounded_and_says_how_to_see_more(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(capsys, str(shop), "--depth", "2")
    assert lines[-2].split() == ["...", "25", "nodes", "below"]
    assert lines[-1] == "2 levels of 6. More: --depth 4, or --json"
    (tmp_path / "many").mkdir()
    trace = recorded(tmp_path / "many", MANY).path
    played(trace, "x none")
    wide = shown(capsys, str(trace), "--depth", "9")
    assert "... 30 more beside" in wide[-2]
    assert wide[-1] == "All nodes: --json"
    assert main(["tree", str(trace), "--depth", "0"]) == 2


def test_each_field_of_a_node_is_documented(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/reference/json.md").read_text()
    said = page[page.index("## Tree") : page.index("## Suspects")]
    nodes = [json.loads(line) for line in shown(capsys, str(shop), "--json")]
    assert all(f"`{name}`" in said for name in nodes[0])
    assert [each["node"] for each in nodes] == list(range(len(nodes)))
    assert all(nodes[each["parent"]]["depth"] == each["depth"] - 1 for each in nodes[1:])
    wrong = next(each for each in nodes if each["verdict"] == "wrong")
    assert (wrong["function"], wrong["call"], wrong["by"]) == ("Cart.apply", 12, "user")
    few = shown(capsys, str(shop), "--json", "--depth", "1")
    assert len(few) == 2
