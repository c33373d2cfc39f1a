"""Real bugs in released packages, found by a reference without a person: one row for each.

    python bench/bugs/run.py                    # all of them; needs pip and an index
    python bench/bugs/run.py --only boltons_bits
    python bench/bugs/run.py --write            # all, into results.md

Sets both releases up by pip in a folder of their own, records the script with each, runs
`sleuth ask --reference FIXED --unattended`, and compares the result with the known bug.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from sleuth.trace.reader import Trace

HERE = Path(__file__).parent
NOBODY = "unattended"
MOST_CANDIDATES = 3
GRADES = {
    "A": "a call tree to walk and one function at fault",
    "B": "a small tree, or several functions changed",
    "C": "not a fair target",
}


@dataclass(frozen=True, slots=True)
class Row:
    """The result for one bug."""

    bug: dict[str, Any]
    calls: int
    answers: int
    function: str
    candidates: list[str]
    """Functions, each once, the best first; the diagnosis is the first of them."""
    lines: set[int]
    is_certain: bool
    is_hit: bool
    problem: str = ""

    @property
    def is_silently_wrong(self) -> bool:
        """Whether the report is sure of the wrong function."""
        return self.is_certain and not self.is_hit

    @property
    def cells(self) -> list[str]:
        """Return the row of the table."""
        more = len(self.candidates) - 1
        found = f"`{self.function}`" if self.function else "none"
        found += f" or {more} more" if more > 0 else ""
        wanted = {line for truth in self.bug["truth"] for line in truth["lines"]}
        lines = f"{len(wanted & self.lines)} of {len(wanted)}" if wanted else "none there"
        verdict = "hit" if self.is_hit else "**silently wrong**" if self.is_certain else "miss"
        return [
            self.bug["id"],
            f"{self.bug['package']} {self.bug['buggy']}",
            f"{self.calls:,}",
            str(self.answers),
            self.problem or found,
            f"{lines}, in {len(self.lines)}",
            verdict,
            self.bug.get("first", ""),
        ]


def main() -> int:
    """Run the bugs; the exit status is 1 if the goal for grade A is missed."""
    options = _options()
    bugs = json.loads((HERE / "bugs.json").read_text())
    rows = []
    for bug in bugs:
        if not options.only or bug["id"] in options.only:
            rows.append(row_of(bug, options.folder.resolve(), options.without))
            print(" | ".join([bug["grade"], *rows[-1].cells]), flush=True)
    report, is_kept = told(rows)
    print(f"\n{report}")
    if options.write:
        words = (HERE / "results-notes.md").read_text()
        (HERE / "results.md").write_text(f"{report}\n{words}")
    return 0 if is_kept or options.only else 1


def _options() -> argparse.Namespace:
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    made.add_argument("--only", metavar="ID", nargs="+", default=[], help="just these bugs")
    made.add_argument("--write", action="store_true", help="write results.md")
    made.add_argument(
        "--without", metavar="ORACLE", action="append", default=[], help="as for sleuth ask"
    )
    made.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "sleuth-bugs",
        help="where releases and traces go; outside of any project, so that what the package "
        "needs is not recorded",
    )
    return made.parse_args()


# --- One bug -------------------------------------------------------------------------------------


def row_of(bug: dict[str, Any], folder: Path, without: list[str]) -> Row:
    """Set a bug up, record it, let the reference answer, and compare with the known bug."""
    traces = []
    for which, status in (("buggy", 1), ("fixed", 0)):
        release = installed(bug, bug[which], folder)
        trace = folder / "traces" / f"{bug['id']}-{which}.trace"
        found = recorded(bug, release, trace)
        if found != status:
            return Row(bug, 0, 0, "", [], set(), False, False, f"{which}: exit status {found}")
        traces.append(trace)
    report = asked(*traces, without)
    diagnosis = report["diagnosis"]
    blamed = [diagnosis, *diagnosis["candidates"]] if diagnosis else []
    functions = list(dict.fromkeys(each["function"] or "the whole run" for each in blamed))
    return Row(
        bug,
        calls=Trace(traces[0]).call_count,
        answers=sum(answer["by"] != NOBODY for answer in report["answers"]),
        function=functions[0] if functions else "",
        candidates=functions,
        lines=set(diagnosis["lines"]) if diagnosis else set(),
        is_certain=diagnosis is not None and diagnosis["certain"],
        is_hit=is_hit(bug, functions),
    )


def is_hit(bug: dict[str, Any], functions: list[str]) -> bool:
    """Tell whether the diagnosis, or one of at most three candidates, is of the truth.

    A function that is defined inside of a function of the truth is part of it.
    """
    few = functions if len(functions) <= MOST_CANDIDATES else functions[:1]
    truths = [truth["function"] for truth in bug["truth"]]
    return any(
        each == truth or each.startswith(f"{truth}.<locals>.") for each in few for truth in truths
    )


def installed(bug: dict[str, Any], version: str, folder: Path) -> Path:
    """Install a release into a folder of its own, once."""
    target = folder / "releases" / f"{bug['package']}-{version}"
    if not target.exists():
        words = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        wanted = [f"{bug['package']}=={version}", *bug["extra"]]
        beside = target.with_name(f"{target.name}.part")
        subprocess.run(
            [sys.executable, "-m", "pip", *words, "--target", str(beside), *wanted],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        beside.rename(target)
    return target


def recorded(bug: dict[str, Any], release: Path, trace: Path) -> int:
    """Record the script with one release; return its exit status."""
    trace.parent.mkdir(parents=True, exist_ok=True)
    for old in trace.parent.glob(f"{trace.stem}.*"):
        old.unlink()
    include = bug.get("module", bug["package"])
    command = ["record", "--quiet", "--output", str(trace), "--include", include]
    return subprocess.run(
        [sys.executable, "-m", "sleuth", *command, str(HERE / "scripts" / bug["script"])],
        cwd=trace.parent,
        env={**os.environ, "PYTHONPATH": str(release), "PYTHONHASHSEED": "0"},
        capture_output=True,
        check=False,
    ).returncode


def asked(buggy: Path, fixed: Path, without: list[str]) -> dict[str, Any]:
    """Let the reference answer, and return the report."""
    command = ["ask", str(buggy), "--reference", str(fixed), "--unattended", "--json"]
    for name in without:
        command += ["--without", name]
    said = subprocess.run(
        [sys.executable, "-m", "sleuth", *command], capture_output=True, text=True, check=False
    )
    if not said.stdout:
        raise RuntimeError(said.stderr)
    report: dict[str, Any] = json.loads(said.stdout.splitlines()[-1])
    return report


# --- All of them ---------------------------------------------------------------------------------


def told(rows: list[Row]) -> tuple[str, bool]:
    """Return the tables, and whether the goal for grade A is kept."""
    parts = []
    is_kept = True
    for grade, words in GRADES.items():
        some = [row for row in rows if row.bug["grade"] == grade]
        if some:
            parts.append(_table(f"## Grade {grade}: {words}", some))
        if some and grade == "A":
            hits = sum(row.is_hit for row in some)
            is_kept = (
                hits >= 0.85 * len(some)
                and median(row.answers for row in some) <= 10
                and not any(row.is_silently_wrong for row in some)
            )
    return "# Real bugs, found by a reference\n\n" + "\n".join(parts), is_kept


def _table(title: str, rows: list[Row]) -> str:
    head = [
        "bug",
        "release",
        "calls",
        "answers",
        "diagnosis",
        "lines of the truth",
        "",
        "first run",
    ]
    lines = [f"| {' | '.join(each)} |" for each in (head, ["---"] * len(head))]
    lines += [f"| {' | '.join(row.cells)} |" for row in rows]
    hits = sum(row.is_hit for row in rows)
    silent = sum(row.is_silently_wrong for row in rows)
    answers = median(row.answers for row in rows)
    sums = f"{hits} of {len(rows)} hits ({hits / len(rows):.0%}), median {answers:g} answers, "
    return "\n".join([title, "", *lines, "", f"{sums}{silent} silently wrong.", ""])


if __name__ == "__main__":
    sys.exit(main())
