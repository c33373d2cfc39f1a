"""What was expected stands below what was given, with the difference."""

from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.drawing.styled import plain
from sleuth.views.words.expected import Expected, written_data
from sleuth.views.words.question import question_lines
from tests.recorded import call_of, recorded


def shown(trace: Trace, name: str, written: str, path: str = "return") -> list[str]:
    expected = Expected(written, "you", path, written_data(written))
    behaviour = behaviour_of(trace, call_of(trace, name))
    lines = question_lines(trace, behaviour, width=80, expected=expected)
    return [each.strip() for each in plain(lines)]


def test_a_text_of_one_line_is_pointed_at(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "def f():\n    return 'the quick brown fox'\nf()\n")
    lines = shown(trace, "f", "'the quick green fox'")
    assert lines[1:] == [
        "returned  'the quick brown fox'",
        "expected  'the quick green fox'  (you)",
        "^^^^",
    ]


def test_a_part_is_compared_with_what_it_should_be(tmp_path: Path) -> None:
    code = "def f(box):\n    box['a'] = [1, 2]\n    box['b'] = 3\nf({})\n"
    trace = recorded(tmp_path, code)
    assert "differs   box['b']  3, expected 4" in shown(trace, "f", "4", "box['b']")
    lines = shown(trace, "f", "[1, 3]", "box['a']")
    assert "expected  box['a'] = [1, 3]  (you)" in lines
    assert "differs   box['a'][1]  2, expected 3" in lines


def test_a_value_that_is_no_literal_is_shown_as_it_was_typed(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "def f():\n    return [1]\nf()\n")
    lines = shown(trace, "f", "something else")
    assert "expected  something else  (you)" in lines
    assert not any(each.startswith("differs") for each in lines)


def test_other_quotes_are_no_difference(tmp_path: Path) -> None:
    code = f"def f():\n    return {{'a': {'x' * 90!r}, 'b': [1, 2, 3]}}\nf()\n"
    trace = recorded(tmp_path, code)
    wanted = f'{{"a": "{"x" * 90}", "b": [1, 2, 4]}}'
    lines = shown(trace, "f", wanted)
    assert lines[1].endswith("'b': [1, 2, 3]}")
    assert lines[2].startswith("expected")
    assert "'b': [1, 2, 4]}" in lines[2]


def test_a_changed_text_of_several_lines_is_shown_by_line(tmp_path: Path) -> None:
    code = (
        "def f(box):\n    box['text'] = box['text'].replace('red', 'blue')\n"
        "lines = [f'line {n}' + ' is red' * (n == 7) for n in range(30)]\n"
        "f({'text': '\\n'.join(lines)})\n"
    )
    trace = recorded(tmp_path, code)
    behaviour = behaviour_of(trace, call_of(trace, "f"))
    lines = [each.strip() for each in plain(question_lines(trace, behaviour, width=80))]
    assert lines[-4:-1] == ["line 8 of 30:", "- line 7 is red", "+ line 7 is blue"]
    assert lines[-1] == "?           ^^^^"
