"""The wording of a function in the trace: its head, its asserts, and digests of its code."""

import ast
import sys
from textwrap import dedent
from typing import Any

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from sleuth.record.rewrite import rewrite
from sleuth.record.rewrite.flow.digests import Digests
from sleuth.record.rewrite.flow.wording import Told


def wordings(source: str) -> dict[str, Told]:
    """Return qualified name -> wording; of several with the same name that of the last."""
    text = dedent(source)
    made = rewrite(text, "x.py", text)
    told = {made.functions[each.function].qualified_name: each.wording for each in made.flows}
    return {name: each for name, each in told.items() if each is not None}


def head(source: str, name: str = "f") -> tuple[Any, Any, Any]:
    told = wordings(source)[name]
    return told.get("annotations"), told.get("defaults"), told.get("returns")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f(): pass", (None, None, None)),
        ("def f(a, b): pass", (None, None, None)),
        ("def f(a: int, b, c: str): pass", (["int", "", "str"], None, None)),
        ("def f(a, b=3, *c, d='x', e, **g): pass", (None, ["", "3", "'x'"], None)),
        ("def f(a, /, b: int = 1, *, c: str, d=None): pass",
         (["", "int", "str"], ["", "1", "", "None"], None)),
        ("def f(*a: int, k: bool, **b: str): pass", (["bool", "int", "str"], None, None)),
        ("async def f(a: 'list[int]') -> None: pass", (["'list[int]'"], None, "None")),
        ("def f(a='])}', b=\"(\") -> ')': pass", (None, ["'])}'", '"("'], "')'")),
        ("def f(é: 'ü' = 'ö'): pass", (["'ü'"], ["'ö'"], None)),
    ],
)  # fmt: skip
def test_annotations_and_defaults_are_told(source: str, told: object) -> None:
    assert head(source) == told


def test_an_annotation_over_several_lines_is_told_on_one() -> None:
    source = """
        def f(a: dict[str,  # a comment ]
                      int],
              b=(1,
                 2)) -> list[
                 int]: pass
    """
    assert head(source) == (["dict[str, int]"], ["", "(1, 2)"], "list[int]")


def test_a_long_text_is_cut_and_says_so() -> None:
    (default,) = head(f"def f(a={'x' * 500!r}): pass")[1]
    assert len(default) == 201
    assert default.endswith("…")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no type parameters")
def test_functions_and_classes_with_type_parameters_are_told() -> None:
    told = wordings("""
        @deco
        def f[T: (int, str)](a: T, *b: T) -> T: return a
        class A[T]:
            @deco
            def g[S](self, a: S = None): pass
    """)
    assert told["f"]["annotations"] == ["T", "T"]
    assert told["f"]["returns"] == "T"
    assert told["f"]["decorators"] == [["deco", 2, 2, "@deco"]]
    assert told["A.g"]["annotations"] == ["", "S"]
    assert told["A.g"]["defaults"] == ["", "None"]
    assert told["A"]["digest"]


def test_lambdas_have_defaults_and_are_told_apart_by_their_parameters() -> None:
    assert wordings("g = lambda a, b=(1, 2): a")["<lambda>"]["defaults"] == ["", "(1, 2)"]
    made = rewrite(*["g = lambda a=1: a, lambda b=2: b"] * 3)
    assert [(each.wording or {}).get("defaults") for each in made.flows[1:]] == [["1"], ["2"]]
    made = rewrite(*["g = lambda a=1: a, lambda a=2: a"] * 3)
    assert [(each.wording or {}).get("defaults") for each in made.flows[1:]] == [None, None]


def test_decorators_are_told_with_their_lines() -> None:
    told = wordings("""
        @a.b.c(lambda x: x > 0,
               '@d')   # a comment
        @plain  # a comment
        @registry["x"]
        def f(): pass
        @one
        class A:
            @property
            def p(self): pass
    """)
    assert told["f"]["decorators"] == [
        ["a.b.c", 2, 3, "@a.b.c(lambda x: x > 0,"],
        ["plain", 4, 4, "@plain"],
        ["", 5, 5, '@registry["x"]'],
    ]
    assert told["A"]["decorators"] == [["one", 7, 7, "@one"]]
    assert told["A.p"]["decorators"] == [["property", 9, 9, "@property"]]


def test_conditions_of_asserts_are_told() -> None:
    told = wordings("""
        def f(a, b):
            assert a > 0, f"{b}"
            if b:
                assert (a and
                        b)
    """)
    assert told["f"]["conditions"] == [[0, 3, 11, 3, 16], [2, 5, 16, 6, 17]]


def test_what_pytest_makes_of_a_module_is_not_what_its_author_wrote() -> None:
    text = "LIMIT = 3\ndef test_it():\n    assert LIMIT == 3\n"
    tree = ast.parse(text)
    rewrite_asserts(tree, text.encode(), "x.py")
    assert ast.dump(tree) != ast.dump(ast.parse(text))
    plain = rewrite(text, "x.py", text)
    changed = rewrite(tree, "x.py", text, written=ast.parse(text))
    digests = [[(each.wording or {})["digest"] for each in made.flows] for made in (plain, changed)]
    assert digests[0] == digests[1]
    module = changed.flows[0]
    ((statement, _),) = (module.wording or {})["digests"]
    assert module.statements[3][statement] == 1


BASE = """
    '''About it.'''
    import os
    LIMIT = 3
    def f(a: int, b=1) -> int:
        '''About f.'''
        # a comment
        def inner(c): return c
        return a + b
    class A(Base):
        '''About A.'''
        size: int = 4
        def g(self): return self.size
        class B:
            def h(self): return 1
"""


def edited(old: str, new: str, base: str = BASE) -> set[str]:
    """Return the functions whose digest an edit changes."""
    assert old in base
    before, after = wordings(base), wordings(base.replace(old, new))
    assert {*before} == {*after}
    return {name for name in before if before[name]["digest"] != after[name]["digest"]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'''About it.'''", "'''Something else.'''"),
        ("'''About f.'''", "'''Something else.'''"),
        ("'''About A.'''", "'''Something else.'''"),
        ("# a comment", "# another one\n\n"),
        ("a: int", "a: float"),
        ("-> int", ""),
        ("size: int", "size: str"),
        ("a + b", "(a  +\n            b)"),
    ],
)
def test_what_does_not_run_is_no_edit(old: str, new: str) -> None:
    assert edited(old, new) == set()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("b=1", "b=2", {"f"}),
        ("a + b", "a - b", {"f"}),
        ("return c", "return -c", {"f", "f.<locals>.inner"}),
        ("LIMIT = 3", "LIMIT = 4", {"<module>"}),
        ("LIMIT = 3", "LIMIT = True", {"<module>"}),
        ("size: int = 4", "size: int = 5", {"<module>", "A"}),
        ("A(Base)", "A(Other)", {"<module>", "A"}),
        ("self.size", "self.length", {"A.g"}),
        ("return 1", "return 2", {"A.B.h"}),
        ("def f(a", "@deco\n    def f(a", {"f"}),
    ],
)
def test_a_change_of_code_that_runs_is_an_edit_of_its_function(
    old: str, new: str, names: set[str]
) -> None:
    assert edited(old, new) == names


def test_a_function_says_what_the_classes_in_it_say() -> None:
    base = (
        "def f():\n    class A:\n        class B:\n            def g(self): return 1\n    return A"
    )
    assert edited("return 1", "return 2", base) == {"f", "f.<locals>.A.B.g"}


def test_only_a_docstring_says_as_much_as_nothing() -> None:
    one, two = wordings("def f():\n    '''It.'''"), wordings("def f():\n    pass")
    assert one["f"]["digest"] == two["f"]["digest"]


def test_statements_of_a_body_have_digests_each() -> None:
    one = wordings("'''It.'''\nx = 1\nif x:\n    y = 2\n    def f(): return 1\ndef g(): pass")
    two = wordings("'''It.'''\nx = 1\nif x:\n    y = 3\n    def f(): return 2\ndef g(): return")
    numbers = [number for number, _ in one["<module>"]["digests"]]
    assert numbers == [1, 2]
    same, other = zip(one["<module>"]["digests"], two["<module>"]["digests"], strict=True)
    assert same[0] == same[1]
    assert other[0] != other[1]


def test_digests_are_the_same_in_every_version_of_python() -> None:
    source = """
        import os.path as p
        def f(a, *b, c=1, **d) -> int:
            with open(a) as g, h:
                x = [f"{y!r:>{a}}" for y in b if y] or {1: 'ü', **d}
            try: return lambda q: q[1:2, ...]
            except (A, B) as e: raise C from e
            finally: del x
        class A(B, metaclass=M):
            y: int = 1j
            async def g(self):
                async for z in self: yield await z
    """
    digests = {name: told["digest"] for name, told in wordings(source).items()}
    assert digests == {
        "<module>": "ec7094849b016870",
        "f": "1c2718ae2be2a9cd",
        "f.<locals>.<lambda>": "e9a57d81608362a2",
        "A": "beac5d627c2c79c8",
        "A.g": "33fac92d46cf3407",
    }


def test_a_very_deep_expression_is_no_problem() -> None:
    digests = Digests(ast.parse(" + ".join(["a"] * 2_000)))
    assert digests.of([digests.module])
