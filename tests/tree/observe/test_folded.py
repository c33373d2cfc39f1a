"""Objects of the standard library are shown as what they mean; the rest is folded."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.inside import reached
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import plain
from sleuth.views.drawing.value_text import FULL
from sleuth.views.words.opened_value import opened_lines
from sleuth.views.words.question import question_lines
from tests.recorded import call_of, recorded

THREADS = """
    import collections, contextlib, logging, pathlib, queue, random, threading

    class Box:
        def __init__(self):
            self.ready = threading.Event()
            self.inbox = queue.Queue(3)
            self.few = threading.Semaphore(2)
            self.log = logging.getLogger("app")
            self.rng = random.Random(7)
            self.path = pathlib.Path("/tmp") / "x"
            self.stack = contextlib.ExitStack()
            self.recent = collections.deque([1])

        def put(self, item):
            self.inbox.put(item)
            self.ready.set()
            self.log.debug("put %s", item)
            str(self.path)

        def busy(self):
            self.few.acquire()

    class Own(queue.Queue):
        pass

    class Item:
        def __init__(self):
            self.count = 0

    def grow(own):
        own.put(1)

    def tag(thread):
        thread.result = 5

    def touch(holder):
        holder.not_empty.extra.count += 1

    box = Box()
    box.put("tea")
    box.busy()
    grow(Own())
    tag(threading.Thread())
    hidden = queue.Queue()
    hidden.not_empty.extra = Item()
    touch(hidden)
    """
TASKS = """
    import asyncio

    class Pool:
        def __init__(self):
            self.queue = asyncio.Queue()
            self.lock = asyncio.Lock()
            self.done = asyncio.Event()

        async def put(self, item):
            await self.queue.put(item)

        async def hold(self):
            await self.lock.acquire()
            self.done.set()

    async def main():
        pool = Pool()
        await pool.put("tea")
        await pool.hold()

    asyncio.run(main())
    """


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("threads"), THREADS)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("tasks"), TASKS)


def changed(trace: Trace, name: str) -> list[str]:
    return [change.path for change in behaviour_of(trace, call_of(trace, name)).changes]


def drawn(trace: Trace, name: str, path: str) -> str:
    found = reached(trace, behaviour_of(trace, call_of(trace, name)), path)
    text = Pictures(trace).of(found.value, found.at, width=200, depth=FULL)
    return text.partition(" ")[2].partition(" ")[2]


def shown(trace: Trace, name: str) -> str:
    behaviour = behaviour_of(trace, call_of(trace, name))
    return "\n".join(plain(question_lines(trace, behaviour, width=80)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("self.inbox", "['tea'] maxsize=3>"),
        ("self.ready", "set>"),
        ("self.few", "2 left>"),
        ("self.log", "name='app'>"),
        ("self.rng", ""),
        ("self.stack", "[]>"),
        ("self.recent", "[1]>"),
    ],
)
def test_an_object_of_the_library_is_drawn_as_what_it_means(
    threads: Trace, path: str, text: str
) -> None:
    assert drawn(threads, "Box.put", path) == text


def test_a_change_of_a_queue_is_one_of_its_items_and_an_event_is_set(threads: Trace) -> None:
    assert changed(threads, "Box.put") == ["self.ready._flag", "self.inbox[0]"]
    assert "self.ready     not set -> set" in shown(threads, "Box.put")
    assert "self.inbox[0]  added 'tea'" in shown(threads, "Box.put")
    assert "self.few  2 left -> 1 left" in shown(threads, "Box.busy")


def test_an_item_of_a_queue_has_a_path(threads: Trace) -> None:
    behaviour = behaviour_of(threads, call_of(threads, "Box.put"))
    for path in ("self.inbox[0]", "self.inbox.queue[0]"):
        assert reached(threads, behaviour, path).value == behaviour.given[1].value


def test_folded_changes_are_counted_and_can_be_opened(threads: Trace) -> None:
    behaviour = behaviour_of(threads, call_of(threads, "Box.put"))
    assert "self.inbox.unfinished_tasks" in [change.path for change in behaviour.folded]
    assert "inside library objects, `o folded` opens them" in shown(threads, "Box.put")
    opened = "\n".join(plain(opened_lines(threads, behaviour, "folded", width=80)))
    assert "self.inbox.unfinished_tasks  0 -> 1" in opened
    opened = "\n".join(plain(opened_lines(threads, behaviour, "self.inbox", width=80)))
    assert "self.inbox.unfinished_tasks = 1  (was 0)" in opened


def test_a_class_of_the_program_keeps_its_attributes(threads: Trace) -> None:
    assert "own.unfinished_tasks" in changed(threads, "grow")


def test_an_attribute_that_the_program_added_is_shown(threads: Trace) -> None:
    assert changed(threads, "tag") == ["thread.result"]


def test_an_object_of_the_program_inside_of_a_folded_one_is_compared(threads: Trace) -> None:
    assert changed(threads, "touch") == ["holder.not_empty.extra.count"]


def test_queues_locks_and_events_of_tasks_are_folded_too(tasks: Trace) -> None:
    assert changed(tasks, "Pool.put") == ["self.queue[0]"]
    assert "self.queue[0]  added 'tea'" in shown(tasks, "Pool.put")
    said = shown(tasks, "Pool.hold")
    assert "self.lock  free -> held" in said
    assert "self.done  not set -> set" in said
    assert drawn(tasks, "Pool.hold", "self.lock") == "held>"


def test_what_a_test_case_or_a_thread_of_the_program_inherits_is_folded(tmp_path: Path) -> None:
    source = """
        import threading, unittest
        class Case(unittest.TestCase):
            def test_it(self):
                self.found = 1
        class Worker(threading.Thread):
            def run(self):
                self.found = 2
        Case("test_it").run()
        worker = Worker(name="w")
        worker.start()
        worker.join()
        """
    trace = recorded(tmp_path, source)
    assert changed(trace, "Case.test_it") == ["self.found"]
    assert changed(trace, "Worker.run") == ["self.found"]
    assert drawn(trace, "Case.test_it", "self") == "_testMethodName='test_it' found=1>"
    assert drawn(trace, "Worker.run", "self") == "_name='w' found=2>"


def test_a_variable_of_which_only_folded_parts_changed_is_not_called_the_same(
    tmp_path: Path,
) -> None:
    source = """
        import logging
        def work(log):
            log.debug("x")
        work(logging.getLogger("app"))
        """
    trace = recorded(tmp_path, source)
    behaviour = behaviour_of(trace, call_of(trace, "work"))
    assert behaviour.changes == ()
    assert [change.path for change in behaviour.folded] == ["log._cache[10]"]
    assert behaviour.same == ()
