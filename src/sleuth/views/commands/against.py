"""`sleuth run --against REVISION`: the same command, recorded at another revision of the project.

The revision is checked out into a temporary git worktree.  The user's folder stays as it is.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit
from urllib.request import url2pathname

from sleuth.errors import UsageError
from sleuth.record import launch
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.views.drawing.screen import complain
from sleuth.views.trace_files import REFERENCES

_MOST_STRAYS = 5
_SUBMODULE = "160000"
"""The mode that git gives to a submodule."""


@dataclass(frozen=True, slots=True)
class Revision:
    """An existing revision of a project under git."""

    root: Path
    """The project's folder."""
    name: str
    """As the user gave it."""
    commit: str


def revision(name: str) -> Revision:
    """Find a revision of the project in the working folder, before anything runs."""
    if shutil.which("git") is None:
        raise UsageError(
            "--against needs git, which was not found. Install it, or record the other run "
            "yourself and name it: --reference TRACE"
        )
    root = _git(Path(), "rev-parse", "--show-toplevel")
    if root is None:
        raise UsageError(
            "--against needs a git repository, and the working folder is in none. Record the other "
            "run yourself and name it: --reference TRACE"
        )
    commit = _git(Path(root), "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if commit is None:
        raise UsageError(f"There is no revision {escaped(name)}. List them: git log")
    return Revision(Path(root), name, commit)


def announced(
    wanted: Revision, argv: list[str], trace: Path, *, bring: Sequence[Path] = ()
) -> Path:
    """Record a command line at a revision, and report it on standard error; return the trace."""
    complain(f"sleuth: the same command at {wanted.name} ...")
    found, status = recorded(wanted, argv, trace, bring=bring)
    complain(f"sleuth: there it {ending(status)}")
    if status:
        complain("sleuth: a reference should be a run that was right; was this one?")
    if stray := strays(wanted, Trace(found)):
        names = escaped(", ".join(stray[:_MOST_STRAYS]))
        complain(f"sleuth: that run also used code from your folder: {names}.")
        complain("sleuth: set PYTHONPATH so that the revision's own code is found")
    complain(f"sleuth: kept for --reference: {escaped(str(found))}")
    return found


def ending(status: int) -> str:
    """Describe how a program ended, by the status of its process."""
    if status >= 0:
        return f"ended with status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"


def recorded(
    wanted: Revision, argv: list[str], trace: Path, *, bring: Sequence[Path] = ()
) -> tuple[Path, int]:
    """Record a command line at a revision; return the trace and the program's exit status.

    bring: files that are taken from the user's folder, whatever the revision has.
    """
    path = trace.resolve().parent / REFERENCES / f"{trace.stem}.{wanted.commit[:12]}.trace"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    ours, program = launch.split(argv)
    with _checked_out(wanted) as folder:
        here = folder / Path.cwd().resolve().relative_to(wanted.root.resolve())
        here.mkdir(parents=True, exist_ok=True)
        words = [_moved(word, wanted.root, folder) for word in program]
        _bring_program(words, here)
        for file in bring:
            _bring(file.resolve(), folder / file.resolve().relative_to(wanted.root.resolve()))
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "sleuth", "record"),
                *(_moved(word, wanted.root, folder) for word in _without_output(ours)),
                *("--quiet", "--output", str(path), "--", *words),
            ],
            cwd=here,
            env={**os.environ, "PYTHONPATH": search_path(wanted.root, folder)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    if not path.exists():
        raise UsageError(
            f"Nothing could be recorded at {escaped(wanted.name)}: exit status "
            f"{ended.returncode}. Does that revision have the program? Try it in a worktree: "
            "git worktree add"
        )
    return path, ended.returncode


@contextmanager
def _checked_out(wanted: Revision) -> Iterator[Path]:
    with TemporaryDirectory(prefix="sleuth-") as parent:
        folder = Path(parent).resolve() / wanted.root.name
        made = [(wanted.root, folder)]
        if not _add_worktree(*made[0], wanted.commit):
            raise UsageError(
                f"git can't check out {escaped(wanted.name)}. Look for a stale worktree: "
                "git worktree list"
            )
        try:
            for path, commit in _submodules(folder):
                pair = wanted.root / path, folder / path
                if (pair[0] / ".git").exists() and _add_worktree(*pair, commit):
                    made.append(pair)
            yield folder
        finally:
            for repository, tree in reversed(made):
                _git(repository, "worktree", "remove", "--force", "--force", str(tree))


def _add_worktree(repository: Path, folder: Path, commit: str) -> bool:
    return _git(repository, "worktree", "add", "--detach", str(folder), commit) is not None


def _submodules(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each submodule's path and revision."""
    for line in (_git(folder, "ls-files", "--stage") or "").splitlines():
        about, _, path = line.partition("\t")
        mode, commit, _ = about.split()
        if mode == _SUBMODULE:
            yield path, commit


def _git(folder: Path, *words: str) -> str | None:
    """Run git and return its output; None: it failed."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def _moved(word: str, root: Path, folder: Path) -> str:
    """Return a word of the command; a path into the project becomes one into the worktree."""
    name, sign, value = word.partition("=")
    if sign and name.startswith("-"):
        return f"{name}={_moved(value, root, folder)}"
    is_inside = word == str(root) or word.startswith(f"{root}{os.sep}")
    return str(folder) + word[len(str(root)) :] if is_inside else word


def _bring_program(words: list[str], here: Path) -> None:
    """Copy the program if the revision does not have it: what counts is the code that it uses."""
    first = words[0]
    if not first.startswith("-") and not (here / first).exists() and Path(first).is_file():
        _bring(Path(first), here / first)


def _bring(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, target)


def search_path(root: Path, folder: Path) -> str:
    """Return the module search path, with the project's folders moved into the worktree."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    # A project that is installed in place (`pip install -e`) is searched in the worktree, too.
    installed = [word for word in (*sys.path, *_editable()) if _moved(word, root, folder) != word]
    moved = [_moved(os.path.abspath(word), root, folder) for word in [*given, *installed] if word]  # noqa: PTH100 - links are kept
    if (folder / "src").is_dir():
        moved.append(str(folder / "src"))
    return os.pathsep.join(dict.fromkeys(moved))


def _editable() -> Iterator[str]:
    """Yield the folders of projects that are installed in place, by a `.pth` file or a finder."""
    for each in distributions():
        with suppress(ValueError, KeyError, TypeError):
            about = json.loads(each.read_text("direct_url.json") or "{}")
            if about["dir_info"]["editable"]:
                yield url2pathname(urlsplit(about["url"]).path)


def strays(wanted: Revision, trace: Trace) -> list[str]:
    """Return modules that a run at the revision took from the user's folder by mistake."""
    root = f"{wanted.root.resolve()}{os.sep}"
    installed = f"{Path(sys.prefix).resolve()}{os.sep}"
    return [
        module.name
        for module in trace.modules()
        if module.path.startswith(root) and not module.path.startswith(installed)
    ]


def _without_output(ours: list[str]) -> list[str]:
    """Return the options for recording without `--output`."""
    found, index = [], 0
    while index < len(ours):
        word = ours[index]
        width = 2 if word in launch.WITH_VALUE else 1
        if word.partition("=")[0] not in ("--output", "--quiet"):
            found += ours[index : index + width]
        index += width
    return found
