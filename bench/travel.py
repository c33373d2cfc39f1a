"""The cost of time travel: python bench/travel.py [--moments N] [--quick].

Records a program of ten million events, goes to random moments and to the corners of the run, and
measures the state, an origin, the first 100 writes of a history, and steps in all directions.
Exit status: 0 the limits hold for the median, 1 one is missed.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from sleuth.errors import UsageError
from sleuth.trace.events import CallId, Moment
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.history.locations import variables_at
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref
from sleuth.tree.travel.entries import page_of, scope_of
from sleuth.tree.travel.state import state_between

HERE = Path(__file__).resolve().parent
LOOK, STEP = 0.050, 0.005
"""The limits in seconds: a look at state, origin or history; a step."""
COUNT, QUICK = 515_000, 5_000
_WRITES, _PAGE = 100, 20
Act = Callable[[Cursor], object]


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--moments", type=int, default=200, help="how many moments to go to")
    options.add_argument("--quick", action="store_true", help="a short run: does it work?")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "accounts.trace"
        count = QUICK if given.quick else COUNT
        subprocess.run(
            [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", path,
             HERE / "programs" / "accounts.py", str(count)],
            check=True,
        )  # fmt: skip
        trace = Trace(path)
        places = _places(trace, given.moments)
        print(f"{trace.event_count:,} events, {len(places)} moments; wall time in ms")
        print(f"  {'':22}{'median':>8}{'95 %':>8}{'worst':>8}   limit")
        results = [_measured(name, act, limit, places) for name, act, limit in _ACTS]
    return not all(results)


def _places(trace: Trace, count: int) -> list[Cursor]:
    """Return random moments, and the beginnings and ends of the calls that last longest."""
    dice = random.Random(1)  # noqa: S311 - the same moments each time
    long = [call for call in islice(trace.calls(), 200) if (call.last or 0) - call.first > 10_000]
    edges = [moment for call in long for moment in (call.first, call.first + 1, call.last or 0)]
    start = Cursor(trace, CallId(0), Moment(0))
    chosen = [*dice.sample(range(trace.event_count), count), *edges]
    return [start.at(moment) for moment in chosen]


def _measured(name: str, act: Act, limit: float, places: list[Cursor]) -> bool:
    times = []
    for here in places:
        # Nothing is known of the moment but its event, as after a step to it.
        begun = time.perf_counter()
        with suppress(UsageError):  # there may be nothing in that direction
            act(here)
        times.append(time.perf_counter() - begun)
    times.sort()
    middle, most, worst = (times[int(len(times) * each)] for each in (0.5, 0.95, 0.9999))
    shown = "".join(f"{1000 * each:8.1f}" for each in (middle, most, worst))
    is_kept = middle <= limit
    print(f"  {name:22}{shown}{1000 * limit:8.0f} {'' if is_kept else 'MISSED'}")
    return is_kept


def _state(here: Cursor) -> object:
    """Return all variables, and what their objects contain."""
    trace, call = here.trace, here.trace.call(here.call)
    function = trace.function(call.function)
    found = dict(variables_at(trace, call, here.seen))
    if function is not None:
        found = {**trace.globals(function.module, here.seen), **found}
    refs = [value for value in found.values() if isinstance(value, Ref)]
    return found, [trace.shape(ref, here.seen) for ref in refs]


def _compared(here: Cursor) -> object:
    return state_between(here.trace, here.trace.call(here.call), here.begin, here.seen)


def _path(here: Cursor) -> str:
    """Return a path that exists there: an attribute, else a variable."""
    call = here.trace.call(here.call)
    names = here.trace.variables(call, here.seen)
    return "self.total" if "self" in names else next(iter(names), "return")


def _origin(here: Cursor) -> object:
    call = here.trace.call(here.call)
    return here.trace.why(_path(here), call=call, at=here.seen).inputs


def _history(here: Cursor) -> object:
    call = here.trace.call(here.call)
    writes = here.trace.history(_path(here), call=call, at=here.seen)
    return list(islice(writes, _WRITES))


def _events(here: Cursor) -> object:
    scope = scope_of(here.trace, here.trace.call(here.call))
    return page_of(here.trace, scope, scope.first, _PAGE)


_ACTS: tuple[tuple[str, Act, float], ...] = (
    ("state", _state, LOOK),
    ("state at two moments", _compared, LOOK),
    ("origin", _origin, LOOK),
    ("history, 100 writes", _history, LOOK),
    ("event list, 20 lines", _events, LOOK),
    ("into", Cursor.into, STEP),
    ("over", Cursor.over, STEP),
    ("out", Cursor.out, STEP),
    ("back into", Cursor.back_into, STEP),
    ("back over", Cursor.back_over, STEP),
    ("back out", Cursor.back_out, STEP),
    ("next turn", lambda here: here.turn(back=False), STEP),
    ("turn before", lambda here: here.turn(back=True), STEP),
)

if __name__ == "__main__":
    sys.exit(main())
