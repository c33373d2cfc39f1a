"""The limits of a recording: how much of a value is recorded, and which values are hidden."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sleuth import _core
from sleuth.errors import UsageError

SECRETS = (
    "password", "passwd", "passphrase", "pwd", "secret", "credential", "api_key", "apikey",
    "private_key", "access_token", "refresh_token", "authorization", "cookie",
)  # fmt: skip
ROOM_FOR_SECRETS = 4096
"""Bytes for the list of names in the shared memory; `_core/stream/ring.h` has the same number."""

_SIZES = (
    ("max_items", 10_000, 1_000_000),
    ("max_text", 65_536, 262_144),
    ("max_array_items", 256, 10_000),
)
"""Each limit with its default and the largest number it can be."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """The limits of a recording; every field is a key of [tool.sleuth]."""

    secrets: tuple[str, ...] = SECRETS
    """A value is hidden if its name contains one of these: the rule is in `secret_names.c`."""
    max_items: int = 10_000
    """How many items of one object are recorded."""
    max_text: int = 65_536
    """How many bytes of one text are recorded."""
    max_array_items: int = 256
    """Larger arrays and tables are recorded as a summary: facts and a sample of the items."""
    contents: bool = True
    """Whether the contents of objects are recorded."""

    def hides(self, name: str) -> bool:
        """Tell whether the value under a name is hidden."""
        return _core.hides(packed(self.secrets), name)


def packed(secrets: Iterable[str]) -> bytes:
    """Pack names of secrets as the core reads them, but without the final 0 of the list."""
    return b"".join(name.encode() + b"\0" for name in secrets)


def from_settings(settings: Mapping[str, object]) -> Keeping:
    """Read [tool.sleuth]."""
    secrets = settings.get("secrets", list(SECRETS))
    if not isinstance(secrets, list) or not all(isinstance(each, str) for each in secrets):
        raise UsageError("[tool.sleuth] secrets must be a list of names")
    names = tuple(unicodedata.normalize("NFKC", each).strip() for each in secrets if each.strip())
    _check_secrets(names)
    contents = settings.get("contents", True)
    if not isinstance(contents, bool):
        raise UsageError("[tool.sleuth] contents must be true or false")
    items, text, numbers = (_size(settings, key, default) for key, default, _ in _SIZES)
    return Keeping(names, items, text, numbers, contents)


def _check_secrets(names: tuple[str, ...]) -> None:
    if odd := next((each for each in names if not any(map(str.isalnum, each))), None):
        raise UsageError(f"[tool.sleuth] secrets: {odd!r} has no letter or digit; remove it")
    size = len(packed(names)) + 1
    if size > ROOM_FOR_SECRETS:
        raise UsageError(
            f"[tool.sleuth] secrets takes {size:,} bytes, but there is room for"
            f" {ROOM_FOR_SECRETS:,}: list fewer or shorter names"
            " (a part that several have in common stands for all of them)"
        )


def _size(settings: Mapping[str, object], key: str, default: int) -> int:
    found = settings.get(key, default)
    largest = next(largest for each, _, largest in _SIZES if each == key)
    if not isinstance(found, int) or not 1 <= found <= largest:
        raise UsageError(f"[tool.sleuth] {key} must be a number from 1 to {largest}")
    return found
