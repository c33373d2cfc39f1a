"""Decides which modules are recorded, and says why."""

import fnmatch
import os
import sysconfig
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path


@dataclass(slots=True)
class Pattern:
    """A module (`pkg.sub`: it and all below it) or a path (file, folder or glob)."""

    text: str
    folder: Path
    """The folder that a relative path starts from."""
    has_matched: bool = False

    @property
    def is_path(self) -> bool:
        """Whether the text is a path, and not the name of a module."""
        return "/" in self.text or "*" in self.text or self.text.endswith(".py")

    def matches(self, name: str, path: str) -> bool:
        """Tell whether the pattern matches a module; note that it has matched."""
        found = self._matches_path(path) if self.is_path else _is_below(name, self.text)
        self.has_matched |= found
        return found

    def _matches_path(self, path: str) -> bool:
        wanted = os.path.normpath(self.folder / Path(self.text).expanduser())
        if "*" in self.text:
            below = os.path.join(wanted, "*")
            bare = "/" not in self.text and fnmatch.fnmatch(os.path.basename(path), self.text)
            return bare or fnmatch.fnmatch(path, wanted) or fnmatch.fnmatch(path, below)
        real = os.path.realpath(wanted)
        return any(path == each or path.startswith(each + os.sep) for each in (wanted, real))


@dataclass(slots=True)
class Scope:
    """The modules that are recorded: the user's patterns, and the rules for other modules."""

    folder: Path
    """The project folder: modules in it are recorded unless they are installed."""
    package: str = ""
    """With `-m`: the top-level package of the module; recorded unless it is installed."""
    include: list[Pattern] = field(default_factory=list)
    exclude: list[Pattern] = field(default_factory=list)
    is_testing: bool = False
    """Whether the program is a test runner."""

    def decide(self, name: str, path: str, *, is_program: bool = False) -> tuple[bool, str]:
        """Return whether a module is recorded, and the reason."""
        real = os.path.realpath(path) if path else ""
        excluded = [pattern for pattern in self.exclude if pattern.matches(name, real)]
        included = [pattern for pattern in self.include if pattern.matches(name, real)]
        if excluded:
            return False, f"excluded by {excluded[0].text}"
        if included:
            return True, f"included by {included[0].text}"
        if is_program:
            return True, "the program itself"
        where = installed(real)
        if where:
            return False, where
        if self.package and _is_below(name, self.package):
            return True, f"part of {self.package}, the module that was run"
        if _is_in(real, str(self.folder)):
            return True, f"in the project folder {self.folder}"
        return False, f"outside of the project folder {self.folder}"

    def unmatched(self) -> list[str]:
        """List the patterns that no module matched."""
        return [pattern.text for pattern in self.include + self.exclude if not pattern.has_matched]


def _is_below(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


@cache
def _standard_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({os.path.realpath(paths[key]) for key in ("stdlib", "platstdlib")})


@cache
def _is_environment(folder: str) -> bool:
    """Tell whether a folder lies in a virtual environment."""
    if os.path.exists(os.path.join(folder, "pyvenv.cfg")):
        return True
    parent = os.path.dirname(folder)
    return parent != folder and _is_environment(parent)


def installed(path: str) -> str:
    """Return how a module is installed, as a phrase; empty if it is not installed."""
    if not path:
        return "it has no source file"
    parts = path.split(os.sep)
    if "site-packages" in parts or "dist-packages" in parts:
        return "an installed package"
    if any(_is_in(path, folder) for folder in _standard_folders()):
        return "part of the standard library"
    if _is_environment(os.path.dirname(path)):
        return "installed in a virtual environment"
    return ""


def is_foreign(path: str) -> bool:
    """Tell whether a module's file is installed, and not part of the user's own code."""
    return bool(path) and bool(installed(os.path.realpath(path)))


def project_folder(start: Path) -> Path:
    """Find the nearest folder, from here upwards, that looks like a project's root."""
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").exists() or (folder / ".git").exists():
            return folder
    return start
