"""The measured runs: small programs after those of the papers, and packages on a real input."""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sleuth.opening import Opened
from sleuth.search.session import Session
from sleuth.search.shapes import Looks, Shapes
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree

HERE = Path(__file__).resolve().parent
PROGRAMS = tuple(sorted(path.stem for path in (HERE / "programs").glob("*.py")))


@dataclass(frozen=True, slots=True)
class Package:
    """A package and the program that uses it: `packages/NAME.py`, with `inputs` beside it."""

    name: str
    version: str


PACKAGES = {
    each.name: each
    for each in (
        Package("mistune", "3.0.2"),
        Package("simpleeval", "0.9.13"),
        Package("sqlparse", "0.5.0"),
        Package("tabulate", "0.9.0"),
        Package("tomli", "2.0.1"),
    )
}


def recorded(name: str, folder: Path) -> Path:
    """Record a program, or a package on its input, in a folder; return the trace."""
    path = folder / f"{name}.trace"
    if path.exists():
        return path
    program = HERE / "programs" / f"{name}.py"
    if name in PACKAGES:
        program = _with_package(PACKAGES[name], folder)
    _record(program, path)
    return path


def recorded_text(source: str, folder: Path, name: str) -> Path:
    """Record a program that is given as text."""
    program = folder / f"{name}.py"
    program.write_text(source, encoding="utf-8")
    _record(program, folder / f"{name}.trace")
    return folder / f"{name}.trace"


def _record(program: Path, path: Path) -> None:
    ours = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(path), "--"]
    subprocess.run(
        [*ours, str(program)],
        cwd=program.parent,
        env=os.environ | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def _with_package(package: Package, folder: Path) -> Path:
    """Install a package into a folder of its own, next to the program that uses it.

    Not into a virtual environment: code that is installed there is trusted, so nothing is asked.
    """
    place = folder / f"with-{package.name}"
    wanted = f"{package.name}=={package.version}"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--no-compile", "--target", str(place), wanted], check=True)
    for source in (HERE / "packages" / f"{package.name}.py", *(HERE / "packages").glob("input.*")):
        # The program must not have the name of the package that it imports.
        name = "main.py" if source.suffix == ".py" else source.name
        (place / name).write_bytes(source.read_bytes())
    return place / "main.py"


class Subject(Opened):
    """A recorded run in which one position is wrong: of two equal calls, one may be wrong."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._efforts: dict[tuple[object, int], float] = {}

    @cached_property
    def _shapes(self) -> Shapes:
        return Shapes(
            self._shaper.tree,
            symptom=self._symptom,
            looks=Looks(self._known_effort, self._is_silent, self._late, self._feeding),
        )

    def _known_effort(self, tree: FlatTree, node: int) -> float:
        key = tree.key(node), int(tree.end[node]) - node
        if key not in self._efforts:
            self._efforts[key] = self._effort(tree, node)
        return self._efforts[key]

    def within(self, tree: FlatTree) -> "Subject":
        """Return a part of the run as a subject of its own; what was looked up is shared."""
        part = Subject(self.trace)
        part.tree, part._symptom = tree, self._symptom
        part._shaper, part._efforts = self._shaper.of_part(tree), self._efforts
        part._silent, part._late = self._silent, self._late
        return part

    def begun(self, strategy: str, shape: tuple[str, ...]) -> Session:
        """Begin a session in which the first call, which made all others, is known to be wrong."""
        return self.session(root=0, strategy=strategy).shaped(shape)
