"""Moves over the events of a run."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from sleuth.errors import UsageError
from sleuth.trace.events import Call, CallId, EventKind, Moment
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.history.line_runs import NoMove
from sleuth.trace.history.strands import strand_of, strands_at
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from tests.recorded import call_of, recorded

PROGRAM = """\
import threading

def leaf(x):
    y = x + 1
    return y

def work(n):
    total = 0
    for i in range(n):
        total += leaf(i)
    return total

def squares(n):
    for i in range(n):
        yield leaf(i)

other = threading.Thread(target=work, args=(3,))
other.start()
work(4)
other.join()
sum(squares(3))
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("moves"), PROGRAM)


def _first(trace: Trace) -> Cursor:
    return Cursor(trace, CallId(0), Moment(0))


def _repeated(here: Cursor, move: Callable[[Cursor], Cursor]) -> tuple[list[Cursor], str]:
    """Move as often as possible; return where that led to, and why it ended."""
    found: list[Cursor] = []
    while True:
        try:
            here = move(here)
        except NoMove as problem:
            return found, str(problem)
        found.append(here)


def _all(start: Cursor) -> list[Cursor]:
    return [start, *_repeated(start, Cursor.into)[0]]


def test_stepping_visits_every_event_of_its_thread_once(trace: Trace) -> None:
    here = trace.event(0)
    wanted = [
        event.moment
        for event in trace.events(0, trace.event_count - 1)
        if (event.thread, event.task) == (here.thread, here.task)
    ]
    assert [each.to for each in _all(_first(trace))] == wanted


def test_forward_then_back_is_exact(trace: Trace) -> None:
    path = _all(_first(trace))
    for one, two in pairwise(path):
        assert two.back_into().to == one.to
    for each in path:
        try:
            after = each.over()
        except NoMove:
            continue
        if after.call == each.call:
            assert after.back_over().to == each.to


def test_over_stays_in_the_call(trace: Trace) -> None:
    call = call_of(trace, "work")
    at = Cursor(trace, call.id, call.first)
    seen = [at.to]
    while at.to != call.last:
        at = at.over()
        seen.append(at.to)
        assert at.call == call.id
    assert seen == [each.moment for each in trace.events(call.first, seen[-1], call=call.id)]


def test_no_move_leaves_the_trace_or_the_thread(trace: Trace) -> None:
    moves = ("into", "back_into", "over", "back_over", "out", "back_out", "start", "end", "up")
    for each in _all(_first(trace)):
        thread = trace.event(each.to).thread
        for move in moves:
            try:
                found = getattr(each, move)()
            except NoMove:
                continue
            assert 0 <= found.to < trace.event_count
            assert trace.event(found.to).thread == thread


def test_the_writes_of_a_path_are_reached_in_both_directions(trace: Trace) -> None:
    call = call_of(trace, "work")
    at = Cursor(trace, call.id, call.first).end()
    values = []
    while True:
        try:
            at, write = at.written("total", back=True)
        except NoMove:
            break
        values.append(write.value)
    assert values[-1] == Atom(0)
    assert len(values) > 3
    assert at.written("total", back=False)[1].value == values[-2]


def test_callers_are_selected_at_the_same_moment(trace: Trace) -> None:
    leaf = call_of(trace, "leaf")
    at = Cursor(trace, leaf.id, leaf.first)
    assert at.up().call == leaf.parent
    assert at.up().down() == at
    with pytest.raises(NoMove, match="runs at this moment"):
        at.down()


RESUMED = """\
import asyncio
import threading

def leaf(x):
    y = x + 1
    return y

def numbers(n):
    for i in range(n):
        yield leaf(i)

def consume(g):
    got = next(g)
    return got

def both():
    g = numbers(3)
    a = next(g)
    b = consume(g)
    c = list(g)
    return a, b, c

async def fetch(name):
    before = leaf(1)
    await asyncio.sleep(0)
    after = leaf(before)
    return after

async def outer(name):
    first = await fetch(name)
    second = await fetch(name)
    return first + second

async def main():
    one = asyncio.create_task(outer("one"), name="first")
    two = asyncio.create_task(outer("two"), name="second")
    await one
    await two

def work(n):
    total = 0
    for i in range(n):
        if i:
            pass
        total += leaf(i)
    return total

both()
threads = [threading.Thread(target=work, args=(n,), name=f"w{n}") for n in (3, 4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("resumed"), RESUMED)


def _calls(trace: Trace, name: str) -> list[Call]:
    found = []
    for call in trace.calls():
        function = trace.function(call.function)
        if function is not None and function.name == name:
            found.append(call)
    return found


def _name(trace: Trace, call: CallId) -> str:
    function = trace.function(trace.call(call).function)
    return function.name if function else ""


def test_out_of_a_generator_leads_to_whoever_resumed_it(resumed: Trace) -> None:
    """Its creator resumes it at first, then another call does."""
    generator = call_of(resumed, "numbers")
    gives = [
        event.moment
        for event in resumed.events(generator.first, generator.last or 0, call=generator.id)
        if event.kind is EventKind.SUSPEND
    ]
    for moment, caller, line in ((gives[0], "both", 18), (gives[1], "consume", 13)):
        inside = Cursor(resumed, generator.id, moment).back_over()
        after, before = inside.out(), inside.back_out()
        assert _name(resumed, after.call) == _name(resumed, before.call) == caller
        site = resumed.site(after.event.number)
        assert site is not None
        assert site.span.line == line
        assert before.to < inside.to < after.to
        names = [_name(resumed, call.id) for call in inside.stack()]
        assert names[names.index("numbers") + 1] == caller


def test_steps_over_a_generator_stay_in_it(resumed: Trace) -> None:
    generator = call_of(resumed, "numbers")
    own = [
        e.moment for e in resumed.events(generator.first, generator.last or 0, call=generator.id)
    ]
    here = Cursor(resumed, generator.id, generator.first)
    seen = [here.to]
    while here.to != generator.last:
        here = here.over()
        seen.append(here.to)
    assert seen == own


def test_steps_stay_in_their_task_over_awaits(resumed: Trace) -> None:
    for coroutine in _calls(resumed, "outer"):
        task = resumed.event(coroutine.last or 0).task
        end = Cursor(resumed, coroutine.id, Moment(coroutine.last or 0))
        seen, _ = _repeated(end, Cursor.back_into)
        assert {each.event.task for each in seen} == {task}
        assert len(seen) > 10
        with pytest.raises(NoMove, match="without a recorded caller in its task"):
            end.out()


def test_out_of_a_coroutine_leads_behind_its_await(resumed: Trace) -> None:
    fetch = _calls(resumed, "fetch")[0]
    inside = Cursor(resumed, fetch.id, fetch.first)
    while inside.event.kind is not EventKind.BIND:
        try:
            inside = inside.over()
        except NoMove as problem:
            inside = inside.at(int(str(problem).rpartition(" ")[2]))
    after, before = inside.out(), inside.back_out()
    assert _name(resumed, after.call) == _name(resumed, before.call) == "outer"
    site = resumed.site(after.event.number)
    assert site is not None
    assert site.name == "first"


def test_threads_and_tasks_are_listed_and_gone_to(resumed: Trace) -> None:
    fetch = _calls(resumed, "fetch")[1]
    found = strands_at(resumed, int(fetch.last or 0) - 1, 10)
    names = [each.name for each in found.going_on]
    assert {"first", "second"} <= set(names)
    chosen = next(each for each in found.going_on if each.name == "first")
    here = Cursor(resumed, fetch.id, fetch.first).strand(chosen)
    assert here.event.task == chosen.task
    assert strand_of(resumed, chosen.number, here.to) is not None
    assert strand_of(resumed, 99, 0) is None


def test_a_step_in_a_thread_passes_over_the_others(resumed: Trace) -> None:
    for call in _calls(resumed, "work"):
        here = Cursor(resumed, call.id, call.first)
        while here.to != call.last:
            here = here.into()
            assert here.event.thread == call.thread
        with pytest.raises(NoMove):
            here.out()


def test_turns_are_stepped_in_both_directions(resumed: Trace) -> None:
    call = _calls(resumed, "work")[0]
    here = Cursor(resumed, call.id, call.first)
    with pytest.raises(NoMove, match="No loop goes on here"):
        here.turn(back=False)
    while here.event.kind is not EventKind.LOOP:
        here = here.over()
    turns, problem = _repeated(here, lambda at: at.turn(back=False))
    assert "last turn" in problem
    assert [each.event.values[0] for each in turns] == [Atom(0), Atom(1), Atom(2)]
    back, problem = _repeated(turns[-1], lambda at: at.turn(back=True))
    assert "no turn of the loop before" in problem
    assert [each.to for each in back] == [each.to for each in turns[-2::-1]]


def test_a_line_is_found_each_time_it_runs_even_without_an_event(resumed: Trace) -> None:
    lines = RESUMED.splitlines()
    silent, start = lines.index("            pass") + 1, lines.index("    total = 0") + 1
    call = _calls(resumed, "work")[0]
    here = Cursor(resumed, call.id, call.first)
    found, problem = _repeated(here, lambda at: at.line(silent, back=False))
    assert problem == f"Line {silent} runs right after this moment, and not later in this call."
    with pytest.raises(NoMove, match="does not run after this moment in this call"):
        here.end().line(silent, back=False)
    assert len(found) == 2
    back, problem = _repeated(here.end(), lambda at: at.line(silent, back=True))
    assert "does not run before" in problem
    assert [each.to for each in back] == [each.to for each in found[::-1]]
    here = back[-1]
    assert here.line(start, back=True).to == call.first
    with pytest.raises(UsageError, match="There is no code on line 1 of this function"):
        here.line(1, back=False)


def test_a_line_of_a_file_is_found_in_any_call(resumed: Trace) -> None:
    line = RESUMED.splitlines().index("    y = x + 1") + 1
    file = resumed.modules()[0].path
    found, problem = _repeated(_first(resumed), lambda at: at.line(line, file, back=False))
    assert problem.endswith(f"{line} runs right after this moment, and not later.")
    with pytest.raises(NoMove, match=f"{line} does not run after this moment"):
        found[-1].end().line(line, file, back=False)
    assert [each.to for each in found] == [call.first for call in _calls(resumed, "leaf")]
    here = found[-1]
    assert here.line(line, "prog.py", back=True).to == found[-2].to
    with pytest.raises(UsageError, match="No recorded file is named nowhere"):
        here.line(line, "nowhere.py", back=False)


def test_the_selection_moves_as_a_whole(trace: Trace) -> None:
    call = call_of(trace, "work")
    here = Cursor(trace, call.id, call.first).end().choose_path("total")
    assert here.path is not None
    assert here.begin == call.first
    event = here.choose_event(call.first + 3)
    assert (event.call, event.begin, event.path) == (here.call, here.begin, here.path)
    since = here.choose_from(call.first + 2)
    assert (since.begin, since.to) == (call.first + 2, here.to)
    leaf = call_of(trace, "leaf")
    there, write = since.choose_call(leaf.id).choose_path("y").written("", back=True)
    assert (there.call, there.begin, there.to) == (leaf.id, leaf.first, write.moment)


def test_a_variable_that_is_not_set_yet_is_found_at_its_first_write(trace: Trace) -> None:
    leaf = call_of(trace, "leaf")
    there, write = Cursor(trace, leaf.id, leaf.first).written("y", back=False)
    assert there.to == write.moment == leaf.first + 1
    with pytest.raises(UsageError, match="There is no nothing here"):
        there.written("nothing", back=False)
