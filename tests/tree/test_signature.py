"""The head of a function as its source says it."""

import pytest

from sleuth.tree.signature import Passing, head


@pytest.mark.parametrize(
    ("lines", "passed"),
    [
        (["def f():"], ""),
        (["def f(a, b=(1, 2), /, c={'x': 1}):"], "a b c"),
        (["def f(a, *, b, c=1):"], "a b= c="),
        (["def f(a, *rest, b, **more):"], "a *rest b= **more"),
        (["@deco(lambda x: (x, 'def'))", "async def f(self, n: 'int' = 3) -> None:"], "self n"),
        (["    def f(", "        a: dict[str, int],  # a comment,", "    *,", "    b):"], "a b="),
        (["def f[T](a: T, *b: T): return a"], "a *b"),
    ],
)  # fmt: skip
def test_how_parameters_are_passed(lines: list[str], passed: str) -> None:
    signs = {Passing.BY_NAME: "{}=", Passing.ALL_PLACES: "*{}", Passing.ALL_NAMES: "**{}"}
    read = head([*lines, "    return 1"])
    assert read is not None
    found = [signs.get(each.passing, "{}").format(name) for name, each in read.parameters.items()]
    assert " ".join(found) == passed


def test_annotations_and_defaults_are_told() -> None:
    read = head(["def f(a: dict[str, int] | None = None, b='x') -> list[tuple[int, str]]: pass"])
    assert read is not None
    assert read.parameters["a"].annotation == "dict[str,int]|None"
    assert (read.parameters["a"].default, read.parameters["b"].default) == ("None", "'x'")
    assert read.returns == "list[tuple[int,str]]"


@pytest.mark.parametrize("lines", [[], ["lambda x: x"], ["x = 1"], ["def f(a, b"]])
def test_what_is_no_head_is_none(lines: list[str]) -> None:
    assert head(lines) is None
