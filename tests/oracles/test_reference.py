"""The reference: calls that did the same in a right run are right, others are wrong."""

import sys
from pathlib import Path

import pytest

from sleuth.opening import Opened
from sleuth.oracles.compare import harmless
from sleuth.oracles.reference import Reference
from sleuth.oracles.table import Helpers, helpers
from sleuth.search.question import Answer, Diagnosis, Hint, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

SHOP = """
    import itertools
    __version__ = "{version}"
    class Basket:
        def __init__(self, prices):
            self.prices = prices
            self.count = len(prices)
            {more}
        def total(self):
            '''{words}'''
            return self.count and summed(self.prices) * {factor}
    def summed(prices):
        return sum(prices)
    def colours():
        return {colours}
    def noise():
        return {noise}
    def address():
        return "<object at 0x7f{address}>"
    def banner():
        print("shop " + __version__)
    counter = itertools.count({first})
    def number():
        return next(counter)
    def lazily(prices):
        for price in prices:
            yield price * 2
    def first_of(prices):
        return next(lazily(prices))
    def copied(prices):
        return {copied}
    class Box:
        def __init__(self):
            self.__items = []
        def put(self, item):
            self.__items += [item] * {times}
        def size(self):
            return len(self.__items)
    def only_new():
        return 1
    def main():
        colours(), noise(), address(), banner(), number(), number(), first_of([3, 4])
        {call}
        copied([1])
        box = Box()
        box.put(1)
        basket = Basket([1, 2, 3])
        return basket.total() + box.size() - 1
    assert main() == 6
    """
BAD = {
    "version": "1.0",
    "more": "pass",
    "words": "The sum.",
    "factor": "2",
    "colours": "{'red', 'green'}",
    "noise": "0.1 + 0.2",
    "address": "12345678",
    "first": "5",
    "call": "only_new()",
    "copied": "prices",
    "times": "2",
}
GOOD = BAD | {
    "version": "1.1",
    "more": "self.currency = 'EUR'",
    "words": "The sum, as it should be.",
    "factor": "1",
    "colours": "{'green', 'red'}",
    "noise": "0.3",
    "address": "87654321",
    "first": "7",
    "call": "pass",
    "copied": "list(prices)",
    "times": "1",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trace, Trace]:
    folder = tmp_path_factory.mktemp("reference")
    bad = recorded(folder / "bad", SHOP.format(**BAD), status=1)
    return bad, recorded(folder / "good", SHOP.format(**GOOD))


def said(runs: tuple[Trace, Trace], name: str, number: int = 0) -> Answer | None:
    """Return what the reference says of a call."""
    bad, good = runs
    session = Opened(bad).session(transform=())
    node = session.problem.tree.find_call(call_of(bad, name, number).id)
    assert node is not None
    return Reference(bad, good).answer(session.question(node))


def verdict(runs: tuple[Trace, Trace], name: str) -> Verdict | None:
    found = said(runs, name)
    return None if found is None else found.verdict


def helped(runs: tuple[Trace, Trace]) -> tuple[Session, Helpers]:
    bad, good = runs
    made = helpers(bad, {"reference": [str(good.path)]})
    return Opened(bad).session(transform=()).helped(made.oracles, made.hints), made


def test_a_call_that_did_the_same_there_is_right(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "summed") is Verdict.RIGHT


def test_a_call_that_did_otherwise_there_is_wrong_and_it_says_what_came_there(
    runs: tuple[Trace, Trace],
) -> None:
    found = said(runs, "Basket.total")
    assert found is not None
    assert (found.verdict, found.by) == (Verdict.WRONG, "reference")
    assert (found.path, found.expected) == ("return", "6")
    assert "good" in found.note or "prog.trace" in found.note


@pytest.mark.parametrize("name", ["colours", "noise", "address"])
def test_order_of_sets_float_noise_and_addresses_are_no_difference(
    runs: tuple[Trace, Trace], name: str
) -> None:
    assert verdict(runs, name) is Verdict.RIGHT


def test_what_is_only_printed_reaches_no_exception(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "banner") is None


def test_attributes_that_no_later_code_names_do_not_convict(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "Basket.__init__") is not Verdict.WRONG


def test_calls_that_the_reference_does_not_have_get_no_answer(runs: tuple[Trace, Trace]) -> None:
    assert said(runs, "only_new") is None


def test_a_stream_is_compared_as_far_as_somebody_wanted_it(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "lazily") is Verdict.RIGHT


def test_a_call_whose_result_is_shared_differently_is_not_called_right(
    runs: tuple[Trace, Trace],
) -> None:
    assert verdict(runs, "copied") is None


def test_private_attributes_count_as_given(runs: tuple[Trace, Trace]) -> None:
    assert verdict(runs, "Box.put") is Verdict.WRONG
    assert verdict(runs, "Box.size") is None


def test_unattended_it_finds_the_bug_and_says_what_that_rests_on(
    runs: tuple[Trace, Trace],
) -> None:
    session, _ = helped(runs)
    ended = session.unattended()
    assert isinstance(ended.pending, Diagnosis)
    wrong = {call_of(runs[0], name).id for name in ("Basket.total", "Box.put")}
    assert ended.pending.about.call in wrong
    said_by = {given.answer.by for given in ended.answers if given.number in ended.pending.evidence}
    assert "reference" in said_by


def test_switched_off_it_says_nothing(runs: tuple[Trace, Trace]) -> None:
    session, made = helped(runs)
    assert {"reference", "edits"} <= {*made.names}
    settled = session.settled()
    assert any(given.answer.by == "reference" for given in settled.answers)
    assert not settled.switched("reference", is_on=False).settled().answers


def test_edited_code_is_more_suspicious(runs: tuple[Trace, Trace]) -> None:
    session, made = helped(runs)
    tree = session.problem.tree
    edited, same = (
        tree.find_call(call_of(runs[0], name).id) for name in ("Basket.total", "summed")
    )
    assert edited is not None
    assert same is not None
    hint = next(each for each in made.hints if each.name == "edits")
    assert isinstance(hint, Hint)
    factors = hint.factors(tree)
    assert factors[edited] > factors[same]
    assert hint.reason(tree, edited) == "its code was edited"


KEPT = """
    TOTAL = 0
    LOG = []
    DEEP = {{"by name": []}}
    FILED = {{"by name": [], "by day": []}}
    class Settings:
        level = 0
    class Order:
        pass
    def bump(amount):
        global TOTAL
        TOTAL += amount{plus}
    def note(text):
        LOG.append(text{mark})
    def enter(text):
        DEEP["by name"].append(text{mark})
    def file(text):
        FILED["by {which}"].append(text)
    def adjust(level):
        Settings.level = level{plus}
    def remember(count):
        bump.count = count{plus}
    def convert(order, rate):
        order.conversion_rate = rate{plus}
    def version():
        return "{version}"
    def unused():
        return 1{plus}
    def append(text):
        LOG.append(text)
    def steady(text):
        append(text)
    def main():
        order = Order()
        version()
        unused()
        file("f")
        bump(1), note("a"), enter("b"), adjust(5), remember(3), convert(order, 2), steady("c")
        kept = TOTAL, LOG, DEEP, FILED, Settings.level, bump.count, order.conversion_rate
        assert str(kept) == ""
    main()
    """
SOUND = {"plus": "", "mark": "", "version": "1.0", "which": "name"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trace, Trace]:
    folder = tmp_path_factory.mktemp("kept")
    unsound = {"plus": " + 1", "mark": " + '!'", "version": "1.1", "which": "day"}
    bad = recorded(folder / "bad", KEPT.format(**unsound), status=1)
    return bad, recorded(folder / "good", KEPT.format(**SOUND), status=1)


@pytest.mark.parametrize("name", ["bump", "note", "enter", "adjust", "remember"])
def test_writes_to_objects_not_reachable_from_the_arguments_count(
    kept: tuple[Trace, Trace], name: str
) -> None:
    assert verdict(kept, name) is Verdict.WRONG


def test_the_same_written_to_another_object_is_not_called_right(kept: tuple[Trace, Trace]) -> None:
    assert verdict(kept, "file") is not Verdict.RIGHT


def test_what_only_contains_the_word_version_counts(kept: tuple[Trace, Trace]) -> None:
    assert verdict(kept, "convert") is Verdict.WRONG


def test_a_version_that_a_function_returns_is_no_difference(kept: tuple[Trace, Trace]) -> None:
    assert verdict(kept, "version") is Verdict.RIGHT


def test_a_result_that_nobody_took_convicts_nobody(kept: tuple[Trace, Trace]) -> None:
    assert verdict(kept, "unused") is Verdict.RIGHT


UNREAD = """
    PRICES = {{}}
    CACHE = {{}}
    class Cart:
        def __init__(self):
            self.items = []
            {extra}
        def add(self, name):
            self.items.append(name)
    def fill(table):
        table["apple"] = 3
        table["pear"] = {pear}
        table["plum"] = {plum}
    def remember(name):
        CACHE[{key}] = 1
    def total(cart):
        return sum([PRICES[name] for name in cart.items])
    def order():
        cart = Cart()
        cart.add("apple")
        cart.add("pear")
        fill(PRICES)
        remember("apple")
        return total(cart)
    assert order() == 8
    """
READ = {"extra": "pass", "pear": "4", "plum": "1", "key": "name"}
OTHERWISE = {"extra": "self.note = 'new'", "plum": "2", "key": "name, 1"}


def test_a_difference_that_nothing_read_on_the_way_to_the_symptom_is_harmless(
    tmp_path: Path,
) -> None:
    bad = recorded(tmp_path / "bad", UNREAD.format(**READ | OTHERWISE), status=1)
    good = recorded(tmp_path / "good", UNREAD.format(**READ), status=1)
    for name, path in [
        ("Cart.__init__", "self.note"),
        ("fill", "table['plum']"),
        ("remember", "another object"),
    ]:
        found = said((bad, good), name)
        assert found is not None, name
        assert found.verdict is Verdict.RIGHT, name
        assert found.note.startswith(f"{path} differs from call "), name
        assert found.note.endswith("harmless, as nothing read that on the way to the symptom"), name


def test_a_difference_that_was_read_on_the_way_to_the_symptom_convicts(tmp_path: Path) -> None:
    bad = recorded(tmp_path / "bad", UNREAD.format(**READ | {"pear": "6"}), status=1)
    good = recorded(tmp_path / "good", UNREAD.format(**READ), status=1)
    found = said((bad, good), "fill")
    assert found is not None
    assert found.verdict is Verdict.WRONG
    assert found.note.startswith("table['pear'] is 6 here and 4 in call ")


def test_the_reference_says_when_it_does_not_know_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harmless, "SECONDS", -1.0)
    bad = recorded(tmp_path / "bad", UNREAD.format(**READ | {"plum": "2"}), status=1)
    good = recorded(tmp_path / "good", UNREAD.format(**READ), status=1)
    found = said((bad, good), "fill")
    assert found is not None
    assert found.verdict is Verdict.WRONG
    assert found.note.endswith("it is not known whether that was read on the way to the symptom")


def test_equal_writes_to_an_object_that_differed_before_are_no_difference(
    kept: tuple[Trace, Trace],
) -> None:
    assert verdict(kept, "steady") is Verdict.RIGHT


CLOCK = """
    def expired(now, deadline):
        return {expired}
    def half(number):
        return number / 2
    def noise():
        return {noise}
    def main():
        return expired({now}, 1763450000.122), half({given}), noise()
    main()
    """


def test_inputs_that_are_only_alike_convict_nobody_and_acquit_unsurely(tmp_path: Path) -> None:
    """An edit moved `now` by less than noise: `expired` rightly says something else."""
    bad = {"expired": "now > deadline", "now": "1763450000.1225", "given": "0.1 + 0.2"}
    good = {"expired": "deadline < now", "now": "1763450000.1215", "given": "0.3"}
    # Of a sum the last bit differs, and rounding to 12 digits would go down here, and up there.
    bad |= {"noise": "0.1234567890125"}
    good |= {"noise": "0.12345678901250001"}
    runs = (
        recorded(tmp_path / "bad", CLOCK.format(**bad)),
        recorded(tmp_path / "good", CLOCK.format(**good)),
    )
    assert verdict(runs, "expired") is None
    half = said(runs, "half")
    assert half is not None
    assert half.verdict is Verdict.RIGHT
    assert half.confidence < 1
    assert verdict(runs, "noise") is Verdict.RIGHT
