"""Install a wheel without a compiler, and find the bug of the example with it.

`python tools/try_wheel.py dist/sleuth-*.whl` does that in a new environment, and
`python tools/try_wheel.py --installed` in this one, which has it already.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOUND = "line.rebate(percent)"
NO_COMPILER = {"CC": "/nonexistent/compiler", "CXX": "/nonexistent/compiler"}


def main(arguments: list[str]) -> int:
    """Try a wheel, or what is installed."""
    with tempfile.TemporaryDirectory() as scratch:
        python = sys.executable
        if arguments != ["--installed"]:
            python = installed(Path(scratch) / "environment", Path(*arguments).resolve())
        return tried(python, Path(scratch) / "project")


def installed(folder: Path, wheel: Path) -> str:
    """Install a wheel into a new environment; return its Python."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # What it needs may be taken from the cache, but nothing may be built.
    run([*install, "--only-binary", ":all:", str(wheel)], cwd=folder, extra=NO_COMPILER)
    return python


def tried(python: str, project: Path) -> int:
    """Record the example and answer as its session does; return the exit status."""
    project.mkdir()
    shutil.copy(ROOT / "examples" / "shop.py", project)
    answers = ROOT / "tests" / "sessions" / "shop" / "answers.txt"
    run([python, "-m", "sleuth", "record", "--quiet", "shop.py"], cwd=project)
    told = run([python, "-m", "sleuth", "ask", "--answers", str(answers)], cwd=project)
    ask_where = "import sleuth; print(sleuth.__version__, sleuth.__file__)"
    place = run([python, "-c", ask_where], cwd=project)
    print(place, end="")
    if str(ROOT) in place:
        print("This is the checkout, not what was installed.")
        return 1
    if FOUND not in told:
        print(told, f"The bug was not found: {FOUND!r} is missing above.", sep="\n")
        return 1
    print("The bug of the example was found.")
    return 0


def run(command: list[str], *, cwd: Path, extra: dict[str, str] | None = None) -> str:
    """Run a command and return what it printed; stop with that if it failed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=cwd, env=kept | (extra or {}), capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = f"{done.stdout}{done.stderr}"
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{said}")
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
