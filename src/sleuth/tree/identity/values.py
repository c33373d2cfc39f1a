"""Equality of values of different runs: the rule for all that compare runs.

Floats are the hard case: a sum in another order, or another machine, changes their last digits.
Two rules are needed, as different things follow from them:

- *The same*: equal in all digits.  An answer that is found by a key is applied without asking the
  user.  A tiny difference can change a result (`now > deadline`), so an answer about one float
  holds for no other.  If the last digits differ, the answer is not found: that costs a question,
  and is never wrong.  Memory, passing tests and replay use keys (`across_runs.py`).
- *Alike*: equal except for noise.  A call that behaved differently in the reference is guilty, so
  noise must not count as a difference.  If the inputs of two calls are only alike, the verdict is
  not sure, for the reason above.  The reference uses it (`oracles/compare/structural.py`).

Sameness is an equivalence, as keys need.  Closeness is not: of three floats the outer two may be
too far apart.  So floats are alike if `Noise` gives them one representative.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath

from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref

NOISE = 1e-12
"""The relative difference up to which two floats are alike."""
_CELLS = 1 << 38
"""The number of cells between two powers of two; each is wider than the noise."""
_MOST = 1_000_000
"""Representatives that are kept; further floats are alike only if they are the same."""
_MAIN = "__main__"
_FOLDER = "<folder>/"
"""Replaces a folder of the run; no path begins like that."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_TAG = re.compile(r", tag \w+$")
"""The tag of a secret, which differs in each run."""


@dataclass(eq=False)
class Noise:
    """Representatives of floats: floats that differ only by noise share one.

    The first float that is met represents those near to it.  Rounding would need no memory, but it
    separates two floats, however close they are, if a boundary is between them.
    """

    _met: dict[tuple[bool, int], list[float]] = field(default_factory=dict)
    """Sign and cell -> the representatives in it."""
    _count: int = 0

    def representative(self, number: float) -> float:
        """Return the float that stands for a number and those near to it."""
        if number == 0 or not math.isfinite(number):
            return number
        part, exponent = math.frexp(abs(number))
        cell = exponent * _CELLS + int((part - 0.5) * 2 * _CELLS)
        for near in (cell, cell - 1, cell + 1):
            for other in self._met.get((number < 0, near), ()):
                if math.isclose(other, number, rel_tol=NOISE):
                    return other
        if self._count < _MOST:
            self._met.setdefault((number < 0, cell), []).append(number)
            self._count += 1
        return number


class Values:
    """Values of one run, in a form that is equal for values of another run that are the same."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def main(self) -> str:
        """The name of the main program: that of its file, so that it is the same if imported."""
        main = next((each for each in self._trace.modules() if each.name == _MAIN), None)
        return PurePath(main.path).stem if main else _MAIN

    def module_name(self, name: str) -> str:
        """Return a module's name."""
        return self.main if name == _MAIN else name

    def type_name(self, ref: Ref) -> str:
        """Return the name of an object's type."""
        name = ref.type_name
        return f"{self.main}{name[len(_MAIN) :]}" if name.startswith(f"{_MAIN}.") else name


class AlikeValues(Values):
    """Values of one run, in a form that is equal for values of another run that are alike."""

    def __init__(self, trace: Trace, noise: Noise) -> None:
        super().__init__(trace)
        self._noise = noise

    def content(self, content: complex | str | bytes) -> complex | str | bytes:
        """Return the content of an atom without what differs from run to run."""
        if isinstance(content, str):
            return self.text(content)
        if isinstance(content, float):
            return self._noise.representative(content)
        if isinstance(content, complex):
            return complex(*map(self._noise.representative, (content.real, content.imag)))
        return content

    def reason(self, reason: str) -> str:
        """Return why a value was not kept, without the tag of a secret."""
        return _TAG.sub("", reason)

    def text(self, content: str) -> str:
        """Return a text without addresses and without the folders of this run."""
        if "0x" in content:
            content = _ADDRESS.sub("0x", content)
        if "/" in content:
            for folder in self._folders:
                content = content.replace(folder, _FOLDER)
        return content

    @cached_property
    def _folders(self) -> Sequence[str]:
        """The folders in which this run found its modules, the longest first."""
        found = {str(self._trace.meta.get("cwd", "")).rstrip("/") + "/"}
        for module in self._trace.modules():
            if module.is_recorded and module.path.startswith("/"):
                up = module.name.count(".") + (PurePath(module.path).name == "__init__.py")
                parents = PurePath(module.path).parents
                found.add(f"{parents[min(up, len(parents) - 1)]}/")
        return sorted(found - {"/"}, key=len, reverse=True)
