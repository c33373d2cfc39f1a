"""A group of calls did what its calls did: nothing else, and nothing less."""

from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from sleuth.tree.node import Key
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.nodes import behaviour_for
from sleuth.tree.observe.together import Writes
from tests.recorded import call_of, calls_of, recorded


def group_in(trace: Trace, caller: str, *numbers: int) -> Behaviour:
    """Return the behaviour of a group of consecutive callees of a call."""
    call = call_of(trace, caller)
    members = [trace.call(each) for each in trace.child_ids(call.id)]
    first, last = (members[number] for number in (numbers[0], numbers[-1]))
    assert last.last is not None
    return behaviour_for(trace, Key(call.id, first.first, last.last))


def changes(behaviour: Behaviour) -> list[tuple[str, str]]:
    return [(change.path, change.kind) for change in behaviour.changes]


def test_changes_of_objects_that_the_caller_can_not_reach_are_shown(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Store:
            def __init__(self):
                self.next = 4
                self.items = {1: "milk"}
        def handlers():
            store = Store()
            def delete(key):
                del store.items[key]
                store.next -= 1
            def create(title):
                store.items[store.next] = title
                store.next += 1
            return {"delete": delete, "create": create}
        def visit(urls):
            urls["delete"](1)
            urls["create"]("salt")
        visit(handlers())
        """,
    )
    group = group_in(trace, "visit", 0, 1)
    # 4 -> 3 and 3 -> 4 undo each other, and one of them is wrong: both are shown.
    assert changes(group) == [
        ("store.next", "set"),
        ("store.items[1]", "removed"),
        ("store.next", "set"),
        ("store.items[3]", "added"),
    ]
    assert [(seen.path, seen.scope) for seen in group.used] == [("store", "closure")]


def test_changes_are_named_as_the_caller_names_them_and_joined(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Account:
            def __init__(self):
                self.balance = 0
            def put(self, amount):
                self.balance += amount
        def pay(mine, yours):
            mine.put(1)
            yours.put(2)
            mine.put(3)
        pay(Account(), Account())
        """,
    )
    group = group_in(trace, "pay", 0, 1, 2)
    told = [(change.path, change.old, change.new) for change in group.changes]
    assert told == [("mine.balance", Atom(0), Atom(4)), ("yours.balance", Atom(0), Atom(2))]


def test_objects_with_the_same_name_in_two_calls_are_told_apart(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        def counter():
            state = {"n": 0}
            def count():
                state["n"] += 1
            return count
        def both(calls):
            for call in calls:
                call()
        both([counter(), counter()])
        """,
    )
    first, second = (call_of(trace, "counter.<locals>.count", number) for number in (0, 1))
    caller = call_of(trace, "both")
    assert second.last is not None
    group = behaviour_for(trace, Key(caller.id, first.first, second.last))
    paths = [change.path for change in group.changes]
    holder = group.changes[1].holder
    assert holder is not None
    assert paths == ["state['n']", f"<dict #{holder.id}>['n']"]


def test_what_the_caller_did_between_the_calls_is_left_out(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        def look(x):
            print("look", x)
            return x
        def main(log):
            look(1)
            print("between")
            log.append("between")
            look(2)
        main([])
        """,
    )
    group = group_in(trace, "main", 0, 1)
    assert group.printed.lines == ("look 1", "look 2")
    assert group.changes == ()


def test_globals_of_another_module_are_named_with_the_module(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("RATE = 1\ndef rise():\n    global RATE\n    RATE += 1\n")
    trace = recorded(
        tmp_path,
        """
        import rules
        def main():
            rules.rise()
            rules.rise()
        main()
        """,
    )
    group = group_in(trace, "main", 0, 1)
    assert [change.path for change in group.changes] == ["global:rules.RATE"]


def test_a_call_changed_what_it_got_from_another_call(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Todo:
            done = False
        def finder():
            todos = [Todo(), Todo()]
            for todo in todos:
                todo.done = False
            return lambda number: todos[number]
        def handler(find):
            def update(number):
                todo = find(number)
                new = [number]
                new.append(2)
                todo.done = True
            return update
        handler(finder())(1)
        """,
    )
    update = behaviour_of(trace, call_of(trace, "handler.<locals>.update"))
    assert changes(update) == [("todo.done", "set")]
    assert "todo" not in update.same


def test_items_that_tasks_took_from_one_queue_are_told_apart(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        async def worker(queue):
            while not queue.empty():
                await queue.get()
                await asyncio.sleep(0.001)
        async def main():
            queue = asyncio.Queue()
            for each in "abcd":
                queue.put_nowait(each)
            await asyncio.gather(worker(queue), worker(queue))
        asyncio.run(main())
        """,
    )
    for number, (mine, others) in enumerate((("ac", "bd"), ("bd", "ac"))):
        behaviour = behaviour_of(trace, calls_of(trace, "worker")[number])
        taken = [
            [change.old for change in part if change.kind == "removed"]
            for part in (behaviour.changes, behaviour.meanwhile)
        ]
        assert taken == [[*map(Atom, mine)], [*map(Atom, others)]]


def test_of_many_calls_it_is_told_what_they_changed_together(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        COUNT = 0
        def add(box, n):
            global COUNT
            box[n % 2] += n
            COUNT += 1
        def main(box, log):
            for n in range(20):
                add(box, n)
                log.append(n)
        main([0, 0], [])
        """,
    )
    members = calls_of(trace, "add")
    assert members[-1].last is not None
    key = Key(call_of(trace, "main").id, members[0].first, members[-1].last)
    group = behaviour_for(trace, key)
    told = {change.path: change.new for change in group.changes}
    assert told == {"box[0]": Atom(90), "box[1]": Atom(100), "COUNT": Atom(20)}
    assert not group.gaps.is_whole


def test_calls_that_write_to_nothing_older_are_passed_over(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        class Box:
            def __init__(self, n):
                self.n = n
        def pure(n):
            found = [n]
            found.append(n)
            return sum(found)
        def put(box):
            box.n += 1
        def main(box):
            pure(1)
            put(box)
            pure(2)
            made = Box(3)
        main(Box(1))
        """,
    )
    call = call_of(trace, "main")
    members = list(trace.children(call.id))
    assert members[-1].last is not None
    key = Key(call.id, members[0].first, members[-1].last)
    names = [trace.function(each.function) for each in Writes(trace, key).by(members)]
    assert [each.name for each in names if each] == ["put", "__init__"]
