"""Measures other tools that show values, for comparison; they are installed only for this."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from measure import CommandFailed, TimeIsUp, run
from report import AtLeast

PACKAGES = {"viztracer": "viztracer", "pysnooper": "PySnooper"}
SIZE = 8
"""viztracer runs the programs at this size: it is slow, and its files are large."""
LIMIT = 40
"""Seconds after which a run of it is stopped."""
HERE = Path(__file__).parent


def cache_folder(tag: str) -> Path:
    """Give the folder where the tools stay from one bench to the next."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "sleuth-bench", tag)


def installed(python: str, tag: str) -> tuple[Path, dict[str, str]]:
    """Install missing tools; return the folder, and why a tool could not be installed."""
    folder = cache_folder(tag)
    missing = {}
    for module, package in PACKAGES.items():
        if (folder / module).is_dir():
            continue
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--target", str(folder), package], capture_output=True, text=True, check=False
        )
        if done.returncode:
            words = done.stderr.strip().splitlines() or ["pip failed"]
            missing[package] = words[-1][:200]
    return folder, missing


def viztracer_ratio(
    python: str, program: Path, environment: Mapping[str, str], folder: Path, size: int
) -> float:
    """Measure viztracer with arguments and results, its report included."""
    result = folder / "viztracer.json"
    plain = run([python, str(program), str(size)], environment, folder)
    options = ["--quiet", "--log_func_args", "--log_func_retval", "-o", str(result)]
    command = [python, "-m", "viztracer", *options, "--", str(program), str(size)]
    try:
        return run(command, environment, folder, limit=LIMIT).cpu / plain.cpu
    except TimeIsUp as stopped:
        return AtLeast(stopped.cpu / plain.cpu)
    finally:
        result.unlink(missing_ok=True)


def pysnooper_ratio(
    python: str, program: Path, environment: Mapping[str, str], folder: Path
) -> float:
    """Measure PySnooper on a small piece of a program."""
    log = folder / "snooped.txt"
    done = run([python, str(HERE / "snooped.py"), program.stem, str(log)], environment, folder)
    log.unlink(missing_ok=True)
    try:
        return float(done.out)
    except ValueError:
        raise CommandFailed(f"PySnooper on {program.stem}: {done.out!r}") from None
