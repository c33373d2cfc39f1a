"""The route of a call: the same steps that a tracer of instructions sees, on every version."""

import importlib.util
import shutil
from pathlib import Path
from runpy import run_path

import pytest

from tests.effort import IS_WHOLE, share
from tests.routes.truth import END_OF_WAITING, Activation, activations

CONSTRUCTS = Path(__file__).parent / "programs" / "constructs.py"
PROGRAMS = Path(__file__).parents[2] / "bench" / "programs"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
STANDARD = ("textwrap", "csv", "shlex", "graphlib", "contextlib", "configparser")
"""Modules of the standard library that every run of the tests uses."""
STANDARD_MORE = (
    "argparse",
    "base64",
    "calendar",
    "cmd",
    "code",
    "codeop",
    "colorsys",
    "copy",
    "dataclasses",
    "difflib",
    "fileinput",
    "fnmatch",
    "fractions",
    "getopt",
    "gettext",
    "glob",
    "hashlib",
    "heapq",
    "hmac",
    "ipaddress",
    "keyword",
    "linecache",
    "mimetypes",
    "optparse",
    "pprint",
    "plistlib",
    "quopri",
    "random",
    "reprlib",
    "secrets",
    "shutil",
    "statistics",
    "string",
    "tempfile",
    "timeit",
    "uuid",
    "zipapp",
)
"""Further modules, used with WHOLE_LIBRARY=1."""


BENCH = {
    "accounts": ("20",),
    "calls": ("1",),
    "chain": ("300",),
    "classes": ("1",),
    "compiled": ("templates 100", "same 20", "different 20", "functions 20"),
    "hot_objects": ("",),
    "loops": ("1",),
    "many_objects": ("300",),
    "mergesort": ("1",),
    "million": ("300",),
    "parser": ("1",),
    "parts": tuple(f"{part} 20" for part in run_path(str(PROGRAMS / "parts.py"))["PARTS"]),
    "ten_million": ("300",),
    "text": ("1",),
    "turns": ("300",),
}
"""The programs of bench/, with their arguments."""
INSTRUCTIONS = 300_000 if IS_WHOLE else share(30_000, 10_000)
"""The most instructions of a program that are compared."""
MAY_BE_DOUBTFUL = {"case", END_OF_WAITING}
"""Statements with uncertain steps: which part of a pattern failed, and who ended `async for`."""


def _is_right(found: list[Activation]) -> None:
    assert found
    assert not [each for each in found if each.told is None or each.told_steps is None][:5]
    assert not [each for each in found if each.told != each.seen][:5]
    assert not [each for each in found if not each.is_sure][:5]
    assert not [each for each in found if not {*each.doubtful} <= MAY_BE_DOUBTFUL][:5]


def _copied(source: Path, folder: Path) -> Path:
    return Path(shutil.copy(source, folder))


def test_every_construct_of_the_language_has_the_steps_that_ran(tmp_path: Path) -> None:
    _is_right(activations(CONSTRUCTS, tmp_path))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_the_steps_that_ran(program: Path, tmp_path: Path) -> None:
    copy = _copied(program, tmp_path)
    _is_right(activations(copy, tmp_path, most_instructions=INSTRUCTIONS))


def test_every_program_of_the_bench_is_among_them() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.py")} == {*BENCH}


@pytest.mark.slow
@pytest.mark.parametrize("program", BENCH)
def test_programs_of_the_bench_have_the_steps_that_ran(program: str, tmp_path: Path) -> None:
    copy = _copied(PROGRAMS / f"{program}.py", tmp_path)
    found = activations(copy, tmp_path, arguments=BENCH[program], most_instructions=INSTRUCTIONS)
    _is_right(found)


@pytest.mark.slow
@pytest.mark.parametrize("module", STANDARD + STANDARD_MORE if IS_WHOLE else STANDARD)
def test_standard_modules_under_their_tests_have_the_steps_that_ran(
    module: str, tmp_path: Path
) -> None:
    pytest.importorskip(f"test.test_{module}")
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    copy = _copied(Path(found.origin), tmp_path)
    _is_right(activations(copy, tmp_path, tests=f"test.test_{module}", most=400))
