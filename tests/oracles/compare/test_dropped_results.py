"""Results that no code uses."""

from pathlib import Path

from sleuth.oracles.compare.dropped_results import Dropped
from tests.recorded import call_of, recorded

PROGRAM = """
    import asyncio
    def note(x):
        return x
    def alone():
        note(1)
    def taken():
        return note(2)
    def in_parts():
        (note(3),
         note(4))
    def chosen(x):
        note(5) if x else note(6)
    async def soon(x):
        return x
    async def waits():
        await soon(7)
        return await soon(8)
    alone(), taken(), in_parts(), chosen(1)
    asyncio.run(waits())
"""


def test_a_result_is_dropped_if_no_operation_takes_it(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PROGRAM)
    dropped = Dropped(trace)
    found = [dropped.is_dropped(call_of(trace, "note", number)) for number in range(5)]
    assert found == [True, False, False, False, True]
    assert dropped.is_dropped(call_of(trace, "soon"))
    assert not dropped.is_dropped(call_of(trace, "soon", 1))
