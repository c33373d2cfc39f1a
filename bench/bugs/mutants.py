"""A hundred one-line mutants of released packages, found by the unmutated version.

    python bench/bugs/mutants.py                # 100 mutants; needs pip and an index
    python bench/bugs/mutants.py --count 10
    python bench/bugs/mutants.py --write        # into mutants.md

A mutant is kept if one of the package's own tests fails with it. That test is recorded with the
mutant and without, and `sleuth ask --reference --unattended` has to name the mutated function.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from mutations import changes
from run import HERE, NOBODY, asked, is_hit

from sleuth.trace.reader import Trace

MOST_CALLS = 8_000
SECONDS = 60
PACKAGES = {
    # Distribution: what is mutated, and which modules test it.
    "boltons==26.2.0": (
        ["boltons/setutils.py", "boltons/dictutils.py", "boltons/iterutils.py"],
        ["tests.test_setutils", "tests.test_dictutils", "tests.test_iterutils"],
    ),
    "cachetools==5.5.0": (
        ["src/cachetools/__init__.py", "src/cachetools/keys.py"],
        [
            "tests.test_lru",
            "tests.test_lfu",
            "tests.test_ttl",
            "tests.test_keys",
            "tests.test_fifo",
        ],
    ),
    "more-itertools==10.8.0": (["more_itertools/more.py"], ["tests.test_more"]),
    "schema==0.7.7": (["schema.py"], ["test_schema"]),
    "tabulate==0.9.0": (["tabulate/__init__.py"], ["test_output", "test_input"]),
    "toolz==1.0.0": (
        ["toolz/itertoolz.py", "toolz/dicttoolz.py", "toolz/functoolz.py"],
        ["toolz.tests.test_itertoolz", "toolz.tests.test_dicttoolz", "toolz.tests.test_functoolz"],
    ),
    "xmltodict==0.14.2": (["xmltodict.py"], ["tests.test_xmltodict", "tests.test_dicttoxml"]),
}
DRIVER = HERE / "drive.py"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A package with one changed line."""

    package: str
    file: str
    function: str
    line: int
    text: str
    """The whole file, mutated."""
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Row:
    """The results for a mutant: with the hint of edited code, and by answers alone."""

    mutant: Mutant
    test: str
    calls: int
    answers: int
    function: str
    is_certain: bool
    is_hit: bool
    is_hit_alone: bool

    @property
    def is_silently_wrong(self) -> bool:
        """Whether the report is sure of the wrong function."""
        return self.is_certain and not self.is_hit


def main() -> int:
    """Find mutants that a test notices, equally many of each package, until there are enough."""
    options = _options()
    folder = options.folder.resolve()
    end = time.monotonic() + 60 * options.minutes
    each = -(-options.count // (len(PACKAGES) * len(options.seeds)))
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = [
            pool.submit(rows_of, name, folder / seed, each, end)
            for seed in options.seeds
            for name in PACKAGES
        ]
        rows = [row for done in as_completed(waiting) for row in done.result()]
    order = list(PACKAGES)
    rows.sort(key=lambda row: order.index(row.mutant.package))
    report = told(rows[: options.count])
    print(f"\n{report}")
    if options.write:
        (HERE / "mutants.md").write_text(report)
    return 0 if sum(row.is_hit for row in rows) >= 0.9 * len(rows) else 1


def rows_of(package: str, folder: Path, count: int, end: float) -> list[Row]:
    """Return what came of so many mutants, or of those there was time for; the folder seeds."""
    chance = random.Random(f"{folder.name} {package}")  # noqa: S311 - it has to repeat
    found = []
    for row in _rows(package, folder, chance, end):
        found.append(row)
        print(" | ".join(_cells(row)), flush=True)
        if len(found) == count:
            break
    return found


def _options() -> argparse.Namespace:
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--count", type=int, default=100, help="how many mutants")
    made.add_argument("--seeds", nargs="+", default=["20", "21"], help="of what is random")
    made.add_argument("--jobs", type=int, default=2, help="how many at once")
    made.add_argument("--minutes", type=float, default=240, help="stop looking after so long")
    made.add_argument("--write", action="store_true", help="write mutants.md")
    made.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "sleuth-mutants",
        help="where packages and traces go",
    )
    return made.parse_args()


# --- Mutating ------------------------------------------------------------------------------------


def mutants(package: str, source: Path, chance: random.Random) -> Iterator[Mutant]:
    """Yield mutants of a package in a random order."""
    places = []
    for file in PACKAGES[package][0]:
        text = (source / file).read_text()
        for function, node, now in changes(ast.parse(text)):
            places.append((file, text, function, node, now))
    chance.shuffle(places)
    for file, text, function, node, now in places:
        lines = text.splitlines(keepends=True)
        line = lines[node.lineno - 1]
        start, end = (
            len(line.encode()[:at].decode()) for at in (node.col_offset, node.end_col_offset)
        )
        written = f"{line[:start]}({now}){line[end:]}"
        mutated = "".join([*lines[: node.lineno - 1], written, *lines[node.lineno :]])
        yield Mutant(package, file, function, node.lineno, mutated, line.strip(), written.strip())


# --- One mutant ----------------------------------------------------------------------------------


def _rows(package: str, folder: Path, chance: random.Random, end: float) -> Iterator[Row]:
    """Yield the results for each mutant of a package that a test notices."""
    source = unpacked(package, folder)
    passing = folder / f"{package}.json"
    passing.write_text(json.dumps(passing_tests(package, source)))
    for number, mutant in enumerate(mutants(package, source, chance)):
        if time.monotonic() > end:
            return
        file = source / mutant.file
        whole = file.read_text()
        try:
            file.write_text(mutant.text)
            test = failing_test(package, source, passing)
            if test is None:
                continue
            traces = folder / "traces"
            bad = recorded(package, source, test, traces / f"{package}-{number}-bad.trace")
        finally:
            file.write_text(whole)
        if not bad.exists() or Trace(bad).call_count > MOST_CALLS:
            continue
        good = recorded(package, source, test, traces / f"{package}-{number}-good.trace")
        yield _row(mutant, test, bad, good)
        bad.unlink()
        good.unlink()


def _row(mutant: Mutant, test: str, bad: Path, good: Path) -> Row:
    found = []
    for without in ([], ["edits"]):
        report = asked(bad, good, without)
        diagnosis = report["diagnosis"]
        blamed = [diagnosis, *diagnosis["candidates"]] if diagnosis else []
        functions = list(dict.fromkeys(each["function"] or "the whole run" for each in blamed))
        is_right = is_hit({"truth": [{"function": mutant.function}]}, functions)
        found.append((report, functions, is_right))
        for kept in bad.parent.glob(f"{bad.stem}.answers*"):
            kept.unlink()
    report, functions, is_right = found[0]
    return Row(
        mutant,
        test,
        Trace(bad).call_count,
        sum(answer["by"] != NOBODY for answer in report["answers"]),
        functions[0] if functions else "none",
        is_certain=diagnosis is not None and diagnosis["certain"],
        is_hit=is_right,
        is_hit_alone=found[1][2],
    )


def unpacked(package: str, folder: Path) -> Path:
    """Fetch the source of a release, with its tests; return its folder."""
    target = folder / "sources" / package
    if not target.exists():
        beside = target.with_name(f"{package}.part")
        words = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(beside)]
        subprocess.run(
            [sys.executable, "-m", "pip", *words, package], check=True, stderr=subprocess.DEVNULL
        )
        with tarfile.open(next(beside.glob("*.tar.gz"))) as archive:
            archive.extractall(beside, filter="data")
        beside.rename(target)
    return next(path for path in target.iterdir() if path.is_dir())


def passing_tests(package: str, source: Path) -> list[str]:
    """Return the tests that pass without a mutant."""
    found = _tests(source, ["list", *PACKAGES[package][1]])
    return [test["name"] for test in found if not test["fails"]]


def failing_test(package: str, source: Path, passing: Path) -> str | None:
    """Return the first of those tests that fails with a mutant."""
    found = _tests(source, ["first", str(passing), *PACKAGES[package][1]])
    return next((test["name"] for test in found if test["fails"]), None)


def _tests(source: Path, words: list[str]) -> list[dict[str, Any]]:
    said = _run(source, words, [sys.executable])
    return [json.loads(line) for line in said.splitlines() if line.startswith('{"name"')]


def recorded(package: str, source: Path, test: str, trace: Path) -> Path:
    """Record one test."""
    trace.parent.mkdir(parents=True, exist_ok=True)
    trace.unlink(missing_ok=True)
    record = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(trace)]
    for file in PACKAGES[package][0]:
        record += ["--include", str(source / file)]
    record += ["--include", str(source / PACKAGES[package][1][0].split(".")[0])]
    _run(source, ["one", test], record)
    return trace


def _run(source: Path, words: list[str], command: list[str]) -> str:
    roots = [source, source / "src", source / "test"]
    try:
        done = subprocess.run(
            [*command, str(DRIVER), *words],
            cwd=source,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, roots)),
                "PYTHONHASHSEED": "0",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout


# --- All of them ---------------------------------------------------------------------------------


def _cells(row: Row) -> list[str]:
    verdict = "hit" if row.is_hit else "**silently wrong**" if row.is_certain else "miss"
    return [
        row.mutant.package,
        f"`{row.mutant.function}` {row.mutant.line}",
        f"`{row.mutant.was}` -> `{row.mutant.now}`".replace("|", "\\|"),
        f"{row.calls:,}",
        str(row.answers),
        f"`{row.function}`",
        verdict,
        "hit" if row.is_hit_alone else "miss",
    ]


def told(rows: list[Row]) -> str:
    """Return the page."""
    head = ["release", "mutated", "line", "calls", "answers", "diagnosis", "", "without edits"]
    lines = [f"| {' | '.join(each)} |" for each in (head, ["---"] * len(head))]
    lines += [f"| {' | '.join(_cells(row))} |" for row in rows]
    count, hits = len(rows), sum(row.is_hit for row in rows)
    alone = sum(row.is_hit_alone for row in rows)
    silent = sum(row.is_silently_wrong for row in rows)
    packages = len({row.mutant.package for row in rows})
    sums = (
        f"{hits} of {count} mutants of {packages} packages are hits ({hits / count:.0%}), with a "
        f"median of {median(row.answers for row in rows):g} answers, {silent} silently wrong. "
        f"`--without edits` {alone} are hits ({alone / count:.0%}): then what is left is not "
        "ordered by which of it was edited. (The reference itself still compares the code, to tell "
        "what went the same way in both runs, and what differs by chance.)\n\n"
        "`python bench/bugs/mutants.py --write` makes this page, in one run."
    )
    return "\n".join(["# Mutants, found by the unmutated version", "", sums, "", *lines, ""])


if __name__ == "__main__":
    sys.exit(main())
