"""The behaviour of each kind of call, in a recorded program and in another language."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, NotKept
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.tree.observe.whole_run import run_behaviour
from tests import toy
from tests.recorded import call_of, recorded


def done(trace: Trace, name: str, number: int = 0) -> Behaviour:
    return behaviour_of(trace, call_of(trace, name, number))


@pytest.mark.parametrize(
    ("name", "number", "kind", "how"),
    [
        ("<module>", 0, words.MODULE_BODY, words.RETURNED),
        ("Cart", 0, words.CLASS_BODY, words.RETURNED),
        ("Cart.__init__", 0, words.CONSTRUCTOR, words.RETURNED),
        ("Cart.add", 0, words.METHOD, words.RETURNED),
        ("Cart.total", 0, words.PROPERTY, words.RETURNED),
        ("Cart.__add__", 0, words.OPERATOR, words.RETURNED),
        ("numbers", 0, words.GENERATOR, words.STOPPED),
        ("guarded", 0, words.GENERATOR, words.CLOSED),
        ("numbers", 1, words.GENERATOR, words.NOT_REQUESTED),
        ("numbers", 2, words.GENERATOR, words.NEVER_STARTED),
        ("later", 0, words.COROUTINE, words.RETURNED),
        ("fail", 0, words.CALL, words.RAISED),
        ("<lambda>", 0, words.LAMBDA, words.RETURNED),
        ("<genexpr>", 0, words.GENERATOR, words.STOPPED),
        ("nothing", 0, words.CALL, words.RETURNED),
    ],
)
def test_each_call_has_its_kind_and_ending(
    shop: Trace, name: str, number: int, kind: str, how: str
) -> None:
    behaviour = done(shop, name, number)
    assert (behaviour.kind, behaviour.outcome.how) == (kind, how)


def test_a_method_changes_what_it_was_given_and_globals(shop: Trace) -> None:
    behaviour = done(shop, "Cart.add", 1)
    assert [seen.path for seen in behaviour.given] == ["self", "price"]
    assert {change.path for change in behaviour.changes} == {"self.lines[1]", "LOG[1]"}
    assert [(seen.path, seen.scope) for seen in behaviour.used] == [("LOG", "global")]
    assert behaviour.aliases == (("return", "self"),)


def test_a_generator_is_one_stream(shop: Trace) -> None:
    stream = done(shop, "numbers").stream
    assert stream is not None
    assert [seen.value for seen in stream.given] == [Atom(0), Atom(2), Atom(4)]
    talk = done(shop, "talking").stream
    assert talk is not None
    assert [seen.value for seen in talk.sent] == [Atom("a")]


def test_what_an_asynchronous_generator_waits_for_is_not_what_it_gives(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        async def numbers():
            for i in range(2):
                await asyncio.sleep(0)
                yield i
        async def main():
            return [i async for i in numbers()]
        asyncio.run(main())
        """,
    )
    stream = done(trace, "numbers").stream
    assert stream is not None
    assert [seen.value for seen in stream.given] == [Atom(0), Atom(1)]
    assert stream.count == 2


def test_what_others_changed_meanwhile_is_not_its_effect(shop: Trace) -> None:
    behaviour = done(shop, "slow")
    assert not behaviour.changes
    assert [change.path for change in behaviour.meanwhile] == ["cart.lines[2]"]
    assert behaviour.rests_on_others
    assert not done(shop, "Cart.add").rests_on_others


def test_what_was_printed_counts_the_calls_it_made(shop: Trace) -> None:
    lines = done(shop, "<module>").printed.lines
    assert lines[0] == "7"
    assert done(shop, "login").printed.lines == ("x" * 100 + "日本語 7",)
    assert run_behaviour(shop).printed.lines == lines
    assert behaviour_at(shop, -1).kind == words.RUN


def test_a_secret_stays_hidden(shop: Trace) -> None:
    behaviour = done(shop, "login")
    assert isinstance(behaviour.given[0].value, NotKept)
    assert behaviour.gaps.hidden == ("password",)


def test_an_exception_has_its_arguments_and_its_line(shop: Trace) -> None:
    outcome = done(shop, "fail").outcome
    assert outcome.arguments == (Atom("bad \x1b[31m"), Atom(2))
    assert outcome.line is not None


def test_variables_of_functions_around_are_told(shop: Trace) -> None:
    for number in (0, 1):
        used = done(shop, "outer.<locals>.inner", number).used
        assert [(seen.path, seen.value, seen.scope) for seen in used] == [("k", Atom(3), "closure")]


def test_an_iterator_is_not_called_the_same(tmp_path: Path) -> None:
    """It went on, and how far is not recorded."""
    trace = recorded(
        tmp_path,
        """
        def take(numbers, items):
            return items[next(numbers)]
        take(iter([0, 1]), ["a", "b"])
        """,
    )
    assert done(trace, "take").same == ("items",)


def test_two_names_for_one_object_are_told(shop: Trace) -> None:
    assert done(shop, "alias").aliases == (("two", "one"),)


def test_a_task_does_not_take_the_effects_of_another(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        box = {"n": 0}
        async def first(box):
            before = box["n"]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            box["mine"] = before
        async def second(box):
            box["n"] = 5
        async def both():
            await asyncio.gather(first(box), second(box))
        asyncio.run(both())
        """,
    )
    behaviour = done(trace, "first")
    assert [change.path for change in behaviour.changes] == ["box['mine']"]
    assert [change.path for change in behaviour.meanwhile] == ["box['n']"]
    assert [change.path for change in done(trace, "second").changes] == ["box['n']"]


def test_what_it_changed_and_others_then_overwrote_is_its_effect(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        balance = {"eur": 100}
        async def set_to(n):
            balance["eur"] = n
            await asyncio.sleep(0)
        async def both():
            await asyncio.gather(set_to(10), set_to(20))
        asyncio.run(both())
        """,
    )
    first = done(trace, "set_to")
    assert [(change.path, change.new) for change in first.changes] == [("balance['eur']", Atom(10))]
    assert [(each.path, each.new) for each in first.meanwhile] == [("balance['eur']", Atom(20))]


def test_what_others_changed_and_it_then_overwrote_is_told(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import asyncio
        balance = {"eur": 100}
        async def withdraw(n):
            seen = balance["eur"]
            await asyncio.sleep(0)
            balance["eur"] = seen - n
        async def both():
            await asyncio.gather(withdraw(10), withdraw(20))
        asyncio.run(both())
        """,
    )
    assert not done(trace, "withdraw").rests_on_others
    second = done(trace, "withdraw", 1)
    assert [(change.path, change.new) for change in second.changes] == [
        ("balance['eur']", Atom(80))
    ]
    (lost,) = second.meanwhile
    assert (lost.path, lost.old, lost.new) == ("balance['eur']", Atom(100), Atom(90))


def test_what_another_thread_changed_and_it_then_overwrote_is_told(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import threading
        class Account:
            eur = 100
        hits = 0
        def withdraw(account, n, go, done):
            global hits
            seen, count = account.eur, hits
            go.wait()
            account.eur, hits = seen - n, count + 1
            done.set()
        account = Account()
        account.eur = 100
        first, second, end = threading.Event(), threading.Event(), threading.Event()
        one = threading.Thread(target=withdraw, args=(account, 10, first, second))
        two = threading.Thread(target=withdraw, args=(account, 20, second, end))
        one.start(); two.start()
        while two.ident is None:
            pass
        threading.Event().wait(0.2)
        first.set()
        one.join(); two.join()
        def alone(account):
            account.eur = 1
            account.eur = 2
        alone(account)
        """,
    )
    behaviours = [done(trace, "withdraw", number) for number in range(2)]
    late = next(each for each in behaviours if each.given[1].value == Atom(20))
    assert {"account.eur", "hits"} <= {change.path for change in late.meanwhile}
    assert not done(trace, "alone").rests_on_others


def test_a_call_that_never_ended_is_told_as_far_as_it_went(tmp_path: Path) -> None:
    source = """
        import os
        def stop(xs):
            xs.append(1)
            print("here", flush=True)
            os.kill(os.getpid(), 9)
        stop([])
        """
    trace = recorded(tmp_path, source, status=-9)
    behaviour = done(trace, "stop")
    assert behaviour.outcome.how == words.UNFINISHED
    assert [change.path for change in behaviour.changes] == ["xs[0]"]
    assert behaviour.printed.lines == ("here",)


def test_another_language_has_behaviours_too(tmp_path: Path) -> None:
    trace = Trace(toy.record(tmp_path / "fact.trace", toy.FACTORIAL, []))
    behaviour = done(trace, "fact")
    assert (behaviour.kind, behaviour.outcome.value) == (words.CALL, Atom(120))
    assert done(trace, "main").printed.lines == ("120",)
    failing = Trace(toy.record(tmp_path / "fail.trace", toy.FAILING, []))
    assert done(failing, "main").outcome.how == words.RAISED
    arrays = Trace(toy.record(tmp_path / "arrays.trace", toy.ARRAYS, []))
    assert [change.path for change in done(arrays, "order").changes] == ["a0[2]"]
