"""Cache of rewritten code, in a folder of its own: never in a `__pycache__`."""

import contextlib
import hashlib
import importlib.util
import marshal
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from sleuth.record import rewrite
from sleuth.record.rewrite import Function, Rewritten
from sleuth.record.rewrite.flow.table import Flow

MOST_FILES = 4000


@cache
def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "sleuth", f"{sys.implementation.cache_tag}")


@cache
def _rewriter() -> bytes:
    """Give a hash of everything but the source that the result depends on."""
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(rewrite.__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    found.update(importlib.util.MAGIC_NUMBER)
    found.update(repr((sys.version_info, sys.flags.optimize)).encode())
    return found.digest()


def _file(source: bytes, path: str, variant: str) -> Path:
    key = hashlib.blake2b(digest_size=20)
    for part in (_rewriter(), path.encode("utf-8", "surrogateescape"), variant.encode(), source):
        key.update(len(part).to_bytes(8, "little") + part)
    return _folder() / f"{key.hexdigest()}.bin"


def load(source: bytes, path: str, variant: str) -> Rewritten | None:
    """Find what an earlier run made of the same source; anything odd counts as not found."""
    try:
        data = marshal.loads(_file(source, path, variant).read_bytes())  # noqa: S302 - our own
        code, probes, functions, sites, checks, twins, flows = data
        return Rewritten(
            code,
            probes,
            [Function(*row) for row in functions],
            sites,
            checks,
            twins,
            [Flow(*row) for row in flows],
        )
    except (OSError, ValueError, EOFError, TypeError):
        return None


def store(source: bytes, path: str, variant: str, made: Rewritten) -> None:
    """Keep it for the next run; a cache that can't be written is no reason to fail."""
    functions = [
        (
            each.id,
            each.name,
            each.qualified_name,
            each.kind,
            each.first_line,
            each.last_line,
            each.identity,
            each.parameters,
            each.places,
            each.cells,
            each.free,
            each.uses,
        )
        for each in made.functions
    ]
    flows = [
        (
            each.function,
            each.statements,
            each.steps,
            each.loops,
            each.parameters,
            each.operations,
            each.wording,
        )
        for each in made.flows
    ]
    data = marshal.dumps(
        (made.code, made.probes, functions, made.sites, made.checks, made.twins, flows)
    )
    target = _file(source, path, variant)
    with contextlib.suppress(OSError):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_room(target.parent)
        handle, name = tempfile.mkstemp(dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, target)


def _make_room(folder: Path) -> None:
    files = list(os.scandir(folder))
    if len(files) < MOST_FILES:
        return
    files.sort(key=lambda file: file.stat().st_mtime)
    for file in files[: MOST_FILES // 4]:
        os.unlink(file.path)
