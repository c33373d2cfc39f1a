"""Runs a package's own tests without a framework: all of some modules, or one.

    python drive.py list MODULE...       # a line of JSON for each test
    python drive.py first FILE MODULE... # the same, of tests named in a file, until one fails
    python drive.py one MODULE:TEST      # fails as the test does

Plain functions without arguments and unittest's classes; others are left out.
"""

import importlib
import inspect
import json
import sys
import time
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path


def tests(module: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the tests of a module that can be run as they are."""
    found = importlib.import_module(module)
    for name, value in list(vars(found).items()):
        if inspect.isfunction(value) and name.startswith("test"):
            if not inspect.signature(value).parameters:
                yield f"{module}:{name}", value
        elif inspect.isclass(value) and issubclass(value, unittest.TestCase):
            for each in unittest.TestLoader().getTestCaseNames(value):
                yield f"{module}:{name}.{each}", value(each).debug


def main(what: str, *words: str) -> None:
    """Carry out the command."""
    if what == "one":
        module = words[0].partition(":")[0]
        dict(tests(module))[words[0]]()
        return
    wanted = None
    if what == "first":
        wanted, words = set(json.loads(Path(words[0]).read_text())), words[1:]
    for module in words:
        for name, test in tests(module):
            if wanted is not None and name not in wanted:
                continue
            start, fails = time.perf_counter(), False
            try:
                test()
            except BaseException:  # noqa: BLE001 - whatever it is, the test does not pass
                fails = True
            seconds = time.perf_counter() - start
            print(json.dumps({"name": name, "fails": fails, "seconds": seconds}), flush=True)
            if wanted is not None and fails:
                return


if __name__ == "__main__":
    main(*sys.argv[1:])
