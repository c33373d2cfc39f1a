"""The process in which specifications run: a JSON object a line in, one out.

Whatever they print goes to standard error, so that it never gets between the lines.
"""

import contextlib
import importlib
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

from sleuth.spec.declare import SPECIFIED
from sleuth.spec.judge import judged

Reply = dict[str, Any]
_LONGEST = 500


def main() -> None:
    """Answer requests until the input ends."""
    with os.fdopen(os.dup(1), "w", encoding="ascii") as sink:
        os.dup2(2, 1)
        server = _Server(sink)
        for line in sys.stdin:
            server.take(json.loads(line))


class _Server:
    """The loaded specifications or function, and the answers to requests."""

    def __init__(self, sink: TextIO) -> None:
        self._sink = sink
        self._asked: Callable[[Mapping[str, Any]], Any] | None = None

    def take(self, request: Mapping[str, Any]) -> None:
        """Carry out one request."""
        requests: dict[str, Callable[[Any], Reply]] = {
            "load": self._load,
            "judge": self._judge,
            "ask": self._ask,
        }
        kind = request["do"]
        try:
            reply = requests[kind](request)
        except BaseException as error:  # noqa: BLE001 - it is another's code that runs here
            if kind != "load":
                traceback.print_exc()
            reply = {"problem": _described(error)}
        # An answer that can't be written as JSON is not an answer.
        print(json.dumps(reply, default=repr), file=self._sink, flush=True)

    def _load(self, request: Mapping[str, Any]) -> Reply:
        sys.path[:0] = [each for each in request["paths"] if each not in sys.path]
        for name in request["specs"]:
            _imported(name)
        if request["function"]:
            name, _, wanted = request["function"].partition(":")
            found: Any = _imported(name)
            for part in wanted.split("."):
                found = getattr(found, part)
            if not callable(found):
                raise TypeError(f"{request['function']} is not a function")
            self._asked = found
        return {
            "specified": [
                {"about": each.about, "kind": each.kind, "total": each.is_total, "name": each.name}
                for each in SPECIFIED
            ]
        }

    def _judge(self, request: Mapping[str, Any]) -> Reply:
        with contextlib.redirect_stdout(io.StringIO()):
            return judged(SPECIFIED[request["number"]], request["call"])

    def _ask(self, request: Mapping[str, Any]) -> Reply:
        assert self._asked is not None  # noqa: S101 - it was loaded
        return _understood(self._asked(request["question"]))


def _imported(name: str) -> Any:
    """Import a module by name, or by the path of its file."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name).resolve()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {name}")
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)


def _understood(said: Any) -> Reply:
    """Return the answer that the user's function returned."""
    if said is None:
        return {"verdict": None}
    if isinstance(said, bool):
        return {"verdict": "right" if said else "wrong"}
    if isinstance(said, str):
        said = {"verdict": said}
    if not isinstance(said, Mapping):
        return {"problem": f"it returned {_short(repr(said))}, which is not a verdict"}
    texts = {name: said.get(name) for name in ("path", "expected", "note")}
    return {
        "verdict": said.get("verdict"),
        **{
            name: text if isinstance(text, str) else repr(text)
            for name, text in texts.items()
            if text is not None
        },
    }


def _described(error: BaseException) -> str:
    return _short(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


if __name__ == "__main__":
    main()
