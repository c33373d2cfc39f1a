"""How much of a value is kept, and which values are hidden."""

from collections.abc import Mapping
from dataclasses import dataclass

from sleuth.errors import UsageError

SECRETS = (
    "password", "passwd", "passphrase", "secret", "api_key", "apikey", "private_key",
    "access_token", "authorization", "cookie",
)  # fmt: skip


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
    """A value is hidden if its name contains one of these, in any case, `-` like `_`."""
    max_items: int = 10_000
    """So many items of one object are kept."""
    max_text: int = 65_536
    """So many bytes of one text are kept."""
    max_array_items: int = 256
    """Of arrays and tables with more items than this only facts and a sample are kept."""
    contents: bool = True
    """Whether the contents of objects are recorded."""

    def hides(self, name: str) -> bool:
        """Tell whether the value under a name is hidden."""
        plain = name.lower().replace("-", "_")
        return any(secret in plain for secret in self.secrets)


def from_settings(settings: Mapping[str, object]) -> Keeping:
    """Read [tool.sleuth]."""
    secrets = settings.get("secrets", list(SECRETS))
    if not isinstance(secrets, list) or not all(isinstance(each, str) for each in secrets):
        raise UsageError("[tool.sleuth] secrets must be a list of names")
    names = tuple(str(each).lower().replace("-", "_") for each in secrets if each)
    if sum(map(len, names)) + len(names) > 4000 or not all(each.isascii() for each in names):
        raise UsageError("[tool.sleuth] secrets must be plain names, not more than 4 kB in all")
    contents = settings.get("contents", True)
    if not isinstance(contents, bool):
        raise UsageError("[tool.sleuth] contents must be true or false")
    items, text, numbers = (_size(settings, key, default) for key, default, _ in _SIZES)
    return Keeping(names, items, text, numbers, contents)


def _size(settings: Mapping[str, object], key: str, default: int) -> int:
    found = settings.get(key, default)
    largest = next(largest for each, _, largest in _SIZES if each == key)
    if not isinstance(found, int) or not 1 <= found <= largest:
        raise UsageError(f"[tool.sleuth] {key} must be a number from 1 to {largest}")
    return found
