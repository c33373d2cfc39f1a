"""The checks of a test module are found, with the variables of pytest's rewriting."""

import ast
from types import SimpleNamespace

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from sleuth.record.rewrite.checks import checks_of


def checks(text: str) -> list[tuple[str, str, list[tuple[str, str, bool]]]]:
    source = text.encode()
    rewritten = ast.parse(source)
    config = SimpleNamespace(getini=lambda _name: False)
    rewrite_asserts(rewritten, source, "x.py", config)  # type: ignore[arg-type]
    found = checks_of(ast.parse(source), source.split(b"\n"), rewritten)
    return [
        (said, relation, [(words, variable, literal) for words, _, variable, literal in operands])
        for _, said, relation, operands in found
    ]


@pytest.mark.parametrize(
    ("text", "relation", "operands"),
    [
        ("assert a == 3", "==", [("a", True, False), ("3", True, True)]),
        ("assert f(1) is None, 'why'", "is", [("f(1)", True, False), ("None", True, True)]),
        ("assert x.y in [1, (2, -3)]", "in", [("x.y", True, False), ("[1, (2, -3)]", True, True)]),
        ("assert 'ä' != g['ö'](2)", "!=", [("'ä'", True, True), ("g['ö'](2)", True, False)]),
        ("assert f(2)", "true", [("f(2)", True, False)]),
        ("assert not f(2)", "false", [("f(2)", True, False)]),
        ("assert a and b", "", []),
        ("assert a < b < c", "", []),
        ("s.assertEqual(f(1), [n])", "==", [("f(1)", False, False), ("[n]", False, False)]),
        ("s.assertIsNone(f(1))", "none", [("f(1)", False, False)]),
        ("assert a.equals(b)", "==", [("a", True, False), ("b", True, False)]),
        ("assert (a == b).all().all()", "==", [("a", True, False), ("b", True, False)]),
        ("assert (a < b).all()", "true", [("(a < b).all()", True, False)]),
        ("assert np.allclose(a, b, 1)", "==", [("a", True, False), ("b", True, False)]),
        ("t.assert_frame_equal(a, b)", "==", [("a", True, False), ("b", True, False)]),
        ("assert_array_equal(a, b)", "==", [("a", True, False), ("b", True, False)]),
    ],
)
def test_a_check_is_told_with_its_operands(
    text: str, relation: str, operands: list[tuple[str, bool, bool]]
) -> None:
    ((_, found, sides),) = checks(text)
    assert found == relation
    assert [(said, bool(name), literal) for said, name, literal in sides] == operands


def test_of_a_check_on_several_lines_the_text_is_one_line() -> None:
    ((said, _, sides),) = checks("assert (f(1,\n   2) ==\n  {'a': 1})")
    assert said == "f(1, 2) == {'a': 1}"
    assert [words for words, _, _ in sides] == ["f(1, 2)", "{'a': 1}"]
