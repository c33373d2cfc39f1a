"""The route of a call: the same steps that a tracer of instructions sees, on every version."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from tests.effort import IS_WHOLE
from tests.routes.truth import Activation, activations

CONSTRUCTS = Path(__file__).parent / "programs" / "constructs.py"
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
STANDARD = ("textwrap", "csv", "shlex", "graphlib", "contextlib", "configparser")
"""Of the standard library, in each run of the tests."""
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
    "numbers",
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
"""These, too, with WHOLE_LIBRARY=1."""


def _is_right(found: list[Activation]) -> None:
    assert found
    wrong = [each for each in found if each.told is not None and each.told != each.seen]
    assert not wrong[:5]
    assert not [each for each in found if each.told is None][:5]


def test_every_construct_of_the_language_has_the_lines_that_ran(tmp_path: Path) -> None:
    _is_right(activations(CONSTRUCTS, tmp_path))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_the_lines_that_ran(program: Path, tmp_path: Path) -> None:
    copy = tmp_path / program.name
    shutil.copy(program, copy)
    _is_right(activations(copy, tmp_path))


def _copied(module: str, folder: Path) -> Path:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    copy = folder / f"{module}.py"
    shutil.copy(found.origin, copy)
    return copy


@pytest.mark.parametrize("module", STANDARD + STANDARD_MORE if IS_WHOLE else STANDARD)
def test_standard_modules_under_their_tests_have_the_lines_that_ran(
    module: str, tmp_path: Path
) -> None:
    pytest.importorskip(f"test.test_{module}")
    found = activations(_copied(module, tmp_path), tmp_path, f"test.test_{module}", most=400)
    _is_right(found)
