"""Sessions without a user: `--unattended`, `--against`, `suspects`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.views.cli import main
from sleuth.views.commands import against
from tests.ready import ran
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/asking.schema.json").read_text(encoding="utf-8")
)
RIGHT = """\
def half(n):
    return n // 2
def total(ns):
    return sum(half(n) for n in ns)
"""
PROGRAM = "from halves import total\nassert total([2, 4]) == 3\n"


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose last revision is right, and whose working folder is not."""
    git(tmp_path, "init", "-q")
    (tmp_path / "halves.py").write_text(RIGHT)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "right")
    (tmp_path / "halves.py").write_text(RIGHT.replace("n // 2", "n // 2 + 1"))
    (tmp_path / "prog.py").write_text(PROGRAM)
    return tmp_path


def sleuth(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return ran(argv, cwd=folder, env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})


def test_another_revision_answers_and_nothing_of_the_folder_is_touched(project: Path) -> None:
    done = sleuth(project, "run", "--against", "HEAD", "--unattended", "prog.py")
    assert "Found, given these answers: half" in done.stdout, done.stdout + done.stderr
    assert "wrong (the reference run)" in done.stdout
    assert "there it ended with status 0" in done.stderr
    assert done.returncode == 0
    trees = subprocess.run(
        ["git", "worktree", "list"], cwd=project, check=True, capture_output=True, text=True
    )
    assert len(trees.stdout.splitlines()) == 1
    assert len(list((project / ".sleuth/references").iterdir())) == 1
    assert sleuth(project, "rm", "prog").returncode == 0
    assert not list((project / ".sleuth/references").iterdir())


def test_code_in_a_submodule_is_checked_out_and_code_of_the_folder_is_told_of(
    tmp_path: Path,
) -> None:
    inner, outer, stray = tmp_path / "inner", tmp_path / "outer", tmp_path / "outer/stray"
    for folder in (inner, outer):
        folder.mkdir()
        git(folder, "init", "-q")
    (inner / "halves.py").write_text(RIGHT)
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "right")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "below")
    stray.mkdir()
    (stray / "other.py").write_text("")
    paths = f"import sys\nsys.path += ['below', {str(stray)!r}]\nimport other\n"
    (outer / "prog.py").write_text(paths + PROGRAM)
    git(outer, "add", ".")
    git(outer, "commit", "-q", "-m", "right")
    (outer / "below/halves.py").write_text(RIGHT.replace("n // 2", "n // 2 + 1"))
    done = sleuth(outer, "run", "--against", "HEAD", "--unattended", "prog.py")
    assert "Found, given these answers: half" in done.stdout, done.stdout + done.stderr
    assert "that run also used code from your folder: other." in done.stderr
    for folder in (outer, outer / "below"):
        trees = subprocess.run(
            ["git", "worktree", "list"], cwd=folder, check=True, capture_output=True, text=True
        )
        assert len(trees.stdout.splitlines()) == 1


def test_an_editable_install_is_replaced_by_the_worktree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "site/halves-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Name: halves\nVersion: 1\n")
    url = (tmp_path / "my project").as_uri()
    (about / "direct_url.json").write_text(json.dumps({"url": url, "dir_info": {"editable": True}}))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    found = against.search_path(tmp_path / "my project", tmp_path / "worktree")
    assert found == str(tmp_path / "worktree")


@pytest.mark.slow
def test_a_failing_test_is_compared_with_another_revision(project: Path) -> None:
    (project / "test_halves.py").write_text(
        "from halves import total\ndef test_total():\n    assert total([2, 4]) == 3\n"
    )
    before = sorted(path.name for path in project.iterdir())
    done = sleuth(project, "test", "--against", "HEAD", "--unattended", "-q", "test_halves.py")
    assert "sleuth: there it ended with status 0" in done.stderr, "the test is new; the code is not"
    assert "Found, given these answers: half" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
    left = {path.name for path in project.iterdir()} - {"__pycache__", ".pytest_cache", "cache"}
    assert left == {*before, ".sleuth"}
    refused = sleuth(project, "test", "--against=nothing", "test_halves.py")
    assert refused.returncode == 2
    assert refused.stderr == "sleuth: There is no revision nothing. List them: git log\n"


def test_a_revision_that_there_is_not_is_refused_before_anything_runs(project: Path) -> None:
    done = sleuth(project, "run", "--against", "nowhere", "prog.py")
    assert done.returncode == 2
    assert "There is no revision nowhere" in done.stderr
    assert not (project / ".sleuth").exists()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    source = RIGHT + "def main():\n    assert total([2, 4]) == 4\nmain()\n"
    return recorded(folder, source, status=1).path


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    main(list(argv))
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    return found


def test_unattended_without_oracles_it_names_candidates_and_the_user_is_asked_later(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", str(trace), "--unattended"]) == 1
    shown = capsys.readouterr().out
    assert "given before" not in shown, "what is answered now was not answered before"
    commands = [line for line in shown.splitlines() if "sleuth show " in line]
    assert "..." not in "".join(commands), "a command is never cut"
    report = said(capsys, "ask", str(trace), "--unattended", "--json")
    assert report["state"] == "several"
    assert report["diagnosis"]["candidates"]
    assert "unattended" in {answer["by"] for answer in report["answers"]}
    assert main(["ask", str(trace), "--unattended"]) == 1
    assert "Best guess" in capsys.readouterr().out
    main(["ask", str(trace), "--answers", os.devnull])
    assert "Question 1" in capsys.readouterr().out


def test_suspects_are_ranked_with_reasons_and_nothing_is_kept(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = said(capsys, "suspects", str(trace), "--json")
    first = found["suspects"][0]
    assert "the uncaught exception left it" in first["reasons"]
    assert {each["function"] for each in found["suspects"]} >= {"half", "total"}
    assert main(["suspects", str(trace), "--most", "1"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown)) <= 80
    assert "more; list them: --most" in shown[-1]


def test_a_run_is_no_reference_for_itself(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(trace), "--reference", str(trace), "--unattended"]) == 2
    assert "--reference names this run itself" in capsys.readouterr().err


def test_an_oracle_that_there_is_not_is_refused(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", str(trace), "--without", "referense"]) == 2
    assert "Did you mean reference?" in capsys.readouterr().err
