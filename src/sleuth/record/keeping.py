"""How much of a value is kept, and which values are hidden."""

from collections.abc import Mapping
from dataclasses import dataclass

from sleuth.errors import UsageError

SECRETS = (
    "password", "passwd", "passphrase", "secret", "api_key", "apikey", "private_key",
    "access_token", "authorization", "cookie",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Keeping:
    """The limits of a recording; every field is a key of [tool.sleuth]."""

    secrets: tuple[str, ...] = SECRETS
    """A value is hidden if its name contains one of these, in any case, `-` like `_`."""
    max_items: int = 10_000
    """So many items of one object are kept."""
    max_text: int = 65_536
    """So many bytes of one text are kept."""
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
    items, text = _size(settings, "max_items", 10_000), _size(settings, "max_text", 65_536)
    return Keeping(names, items, text, contents)


def _size(settings: Mapping[str, object], key: str, default: int) -> int:
    found = settings.get(key, default)
    largest = {"max_items": 1_000_000, "max_text": 262_144}[key]
    if not isinstance(found, int) or not 1 <= found <= largest:
        raise UsageError(f"[tool.sleuth] {key} must be a number from 1 to {largest}")
    return found
