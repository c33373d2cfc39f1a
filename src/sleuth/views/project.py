"""Settings for looking at traces: `[tool.sleuth.show]` of the nearest pyproject.toml."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sleuth.errors import UsageError
from sleuth.trace.labels import Label, label
from sleuth.trace.reader import Trace

_TABLE = "[tool.sleuth.show]"


def labelled(trace: Trace) -> Trace:
    """Return a trace, to be looked at with the labels of the project in the current folder."""
    labels = labels_of(Path.cwd())
    return trace.labelled(labels) if labels else trace


def labels_of(folder: Path) -> tuple[Label, ...]:
    """Return the labels of classes in the settings of the nearest project, from a folder upwards.

    UsageError: the file can't be read, or an entry is no label.
    """
    for each in (folder, *folder.parents):
        file = each / "pyproject.toml"
        if file.is_file():
            return tuple(_label(file, *entry) for entry in _entries(file).items())
    return ()


def _entries(file: Path) -> Mapping[str, Any]:
    try:
        found: Any = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} can't be read: {error}") from None
    for name in ("tool", "sleuth", "show"):
        found = found.get(name, {}) if isinstance(found, dict) else {}
    if not isinstance(found, dict):
        raise UsageError(f'{file}: {_TABLE} must be a table: "shop.Line" = "id, name"')
    return found


def _label(file: Path, name: str, paths: Any) -> Label:
    listed = [paths] if isinstance(paths, str) else paths
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        raise UsageError(
            f'{file}: {_TABLE} "{name}" must be a text with paths, such as "id, owner.name".'
        )
    try:
        return label(name, ", ".join(listed))
    except UsageError as error:
        raise UsageError(f'{file}: {_TABLE} "{name}": {error}') from None
