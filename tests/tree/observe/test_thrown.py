"""An exception that was thrown into a generator or coroutine is not one that it raised."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.words.question import asked, question_lines
from tests.recorded import call_of, recorded

ENDED = """
    import asyncio

    async def inner(log):
        log.append("in")
        await asyncio.sleep(10)

    async def outer(log):
        await inner(log)

    async def cleaned(log):
        try:
            await asyncio.sleep(10)
        finally:
            log.append("clean")

    async def fails(log):
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            raise ValueError("x") from None

    async def awaits(failing):
        await failing

    def numbers():
        yield 1
        yield 2

    def passes_on():
        yield from numbers()

    def broken():
        yield 1
        raise KeyError("own")

    def throws(into):
        yield 0
        into.throw(KeyError("k"))

    async def main():
        tasks = [asyncio.create_task(each([])) for each in (outer, cleaned, fails)]
        failing = asyncio.get_running_loop().create_future()
        tasks.append(asyncio.create_task(awaits(failing)))
        await asyncio.sleep(0.01)
        for task in tasks[:3]:
            task.cancel()
        failing.set_exception(OSError("gone"))
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())
    given = passes_on()
    next(given)
    for each in (throws(given), broken()):
        try:
            list(each)
        except KeyError:
            pass
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(Path(tmp_path_factory.mktemp("thrown")), ENDED)


@pytest.mark.parametrize(
    ("name", "is_thrown"),
    [
        ("inner", True),
        ("outer", True),
        ("cleaned", True),
        ("numbers", True),
        ("passes_on", True),
        ("fails", False),  # it raised another exception
        ("awaits", False),  # what it awaited failed
        ("throws", False),  # it threw the exception into another one
        ("broken", False),
    ],
)
def test_the_exception_came_from_outside_or_not(
    trace: Trace, name: str, *, is_thrown: bool
) -> None:
    behaviour = behaviour_at(trace, call_of(trace, name).id)
    assert behaviour.outcome.how == "raised"
    assert behaviour.outcome.is_thrown is is_thrown
    assert ("made to end" in asked(behaviour)) is is_thrown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("outer", "  cancelled where it waited, at line 9"),
        ("numbers", "  thrown in KeyError('k')  where it waited, at line 27"),
    ],
)
def test_the_question_says_where_it_waited(trace: Trace, name: str, shown: str) -> None:
    behaviour = behaviour_at(trace, call_of(trace, name).id)
    lines = question_lines(trace, behaviour, width=80)
    assert shown in ["".join(piece.text for piece in line).rstrip() for line in lines]
