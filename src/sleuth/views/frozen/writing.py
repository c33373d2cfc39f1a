"""The test file: imports, helper functions and tests."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.frozen.expectation import Expectation, Wanted
from sleuth.views.frozen.importing import Imports
from sleuth.views.frozen.invocation import Invocation, invocation

_MADE = '''def made(cls, **attributes):
    """Make an object with these attributes, without calling its __init__."""
    instance = cls.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(instance, name, value)
    return instance'''
_STATE = '''def state(value, inside=()):
    """Return what a value consists of, so that objects are compared by their contents."""
    if id(value) in inside:
        return "itself"
    inside = (*inside, id(value))
    if isinstance(value, float) and value != value:
        return "not a number"
    if isinstance(value, (list, tuple)):
        return [state(each, inside) for each in value]
    if isinstance(value, dict):
        return {key: state(each, inside) for key, each in value.items()}
    names = {*getattr(value, "__dict__", ()), *getattr(type(value), "__slots__", ())}
    if not names or isinstance(value, type):
        return value
    kept = {name: state(getattr(value, name, None), inside) for name in sorted(names)}
    return type(value).__name__, kept'''
_REASON = "WHY"
_WHY = 'WHY = "it fails until the bug is fixed; then remove this mark"'


@dataclass(slots=True)
class Frozen:
    """One test."""

    name: str
    body: list[str]
    made: Invocation
    compares_objects: bool
    failure: str = ""
    """The exception with which it fails until the bug is fixed; empty: it passes."""

    def lines(self, name: str) -> list[str]:
        """Return the test as source."""
        fixture = "monkeypatch" if self.made.patches else ""
        mark = [f"@pytest.mark.xfail(raises={self.failure}, strict=True, reason={_REASON})"]
        body = [*self.made.before, *self.made.patches, *self.body]
        return [
            *(mark if self.failure else []),
            f"def test_{name}({fixture}):",
            *(f"    {line}" for line in body),
        ]


def frozen(
    imports: Imports, behaviour: Behaviour, wanted: Wanted | None, *, is_right: bool
) -> Frozen:
    """Write a test for a call; Unbuildable: there can be none, for this reason."""
    trace = imports.trace
    made = invocation(trace, behaviour, imports)
    expectation = Expectation(trace, behaviour, made)
    failure = ""
    if is_right:
        body = expectation.as_recorded()
    else:
        body = expectation.wanted(wanted) if wanted else expectation.not_as_recorded()
        failure = expectation.failure
        if wanted is not None and wanted.error and failure == "AssertionError":
            failure = "pytest.fail.Exception"
    name = re.sub(r"[\W_]+", "_", behaviour.name).strip("_").lower()
    return Frozen(name, body, made, expectation.compares_objects, failure)


def file_text(tests: list[Frozen], about: str, *, folder: Path) -> str:
    """Return the text of the file, for a folder."""
    head = [f'"""{about}"""', "", *_folders(tests, folder)]
    imports = tests[-1].made.writer.imports.lines  # the last one has the imports of all
    body = [line for test in tests for line in test.body]
    if any(test.failure for test in tests) or any("pytest." in line for line in body):
        head.append("import pytest")
    blocks = ["\n".join([*head, *imports])]
    if any(test.failure for test in tests):
        blocks[0] += f"\n\n{_WHY}"
    if any(test.made.writer.makes_objects for test in tests):
        blocks.append(_MADE)
    if any(test.compares_objects for test in tests):
        blocks.append(_STATE)
    blocks += ["\n".join(test.lines(name)) for name, test in _named(tests)]
    return "\n\n\n".join(blocks) + "\n"


def _named(tests: list[Frozen]) -> list[tuple[str, Frozen]]:
    """Give each test a name of its own."""
    taken: set[str] = set()
    found = []
    for test in tests:
        name, number = test.name, 2
        while name in taken:
            name, number = f"{test.name}_{number}", number + 1
        taken.add(name)
        found.append((name, test))
    return found


def _path_text(way: str) -> str:
    return repr(way) if {*way} & {*'\\"\n\r'} or not way.isprintable() else f'"{way}"'


def _folders(tests: list[Frozen], folder: Path) -> list[str]:
    """Put the folders of the program's modules on the search path."""
    all_folders = dict.fromkeys(each for test in tests for each in test.made.writer.imports.folders)
    if not all_folders:
        return []
    lines = ["import sys", "from pathlib import Path", "", "HERE = Path(__file__).resolve().parent"]
    for each in all_folders:
        way = os.path.relpath(each, folder.resolve())
        target = "HERE" if way == "." else f"HERE / {_path_text(way)}"
        lines.append(f"sys.path.insert(0, str({target}))")
    return [*lines, ""]
