"""The words of the code: each module begins with a plain sentence and uses the glossary's words."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_version  # the words are the same on all

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "sleuth").rglob("*.py"))
LONGEST = 100
ROOMS = ("trace", "tree", "search", "oracles", "spec")
RIDDLES = re.compile(r"(What|Who|Whom|Whose|Which|Where|When|Whether)\b|.*\b(nobody|somebody)\b")
"""A first line that begins with a question word makes the reader guess the noun."""


def test_the_first_line_of_each_module_is_a_sentence() -> None:
    wrong = []
    for path in SOURCES:
        text = ast.get_docstring(ast.parse(path.read_text()))
        first = (text or "").split("\n")[0]
        if not first.endswith(".") or not re.match("[A-Z`]", first) or len(first) > LONGEST:
            wrong.append(f"{path.relative_to(ROOT)}: {first}")
    assert not wrong, "\n".join(wrong)


def test_the_first_line_of_a_module_names_its_subject() -> None:
    wrong = []
    for path in SOURCES:
        if path.relative_to(ROOT / "src" / "sleuth").parts[0] not in ROOMS:
            continue
        first = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n")[0]
        if RIDDLES.match(first):
            wrong.append(f"{path.relative_to(ROOT)}: {first}")
    assert not wrong, "\n".join(wrong)


def test_each_word_is_in_the_glossary_once() -> None:
    words = [word for row in _rows() for word in re.split(r" / |, ", row[0])]
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_words_that_the_glossary_rules_out_are_not_used(path: Path) -> None:
    unwanted = [word for row in _rows() for word in re.findall(r"\*([^*]+)\*", row[2])]
    assert unwanted
    found = re.compile(rf"\b({'|'.join(unwanted)})s?\b", re.IGNORECASE)
    used = [(line, text.strip()) for line, text in _prose(path) if found.search(text)]
    assert not used


def _rows() -> Iterator[list[str]]:
    for line in (ROOT / "docs" / "glossary.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0] != "word" and not cells[0].startswith("-"):
            yield cells


def _prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments, docstrings and messages of a file, each with its line."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value
