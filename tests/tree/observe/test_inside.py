"""Where paths lead in behaviours."""

import pytest

from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.inside import reached, starts
from tests.recorded import call_of


@pytest.mark.parametrize(
    ("name", "path", "before", "after"),
    [
        ("Cart.add", "self.owner", "eva", "eva"),
        ("Cart.add", "price", 3, 3),
        ("Cart.add", "return.lines[-1]", None, 3),
        ("Cart.add", "LOG[0]", None, 3),
        ("Cart.add", "global:__main__.RATE", 2, 2),
        ("Cart.add", "RATE", 2, 2),
        ("big", "orders[17]['status']", "new", "held"),
        ("big", 'orders[17]["status"]', "new", "held"),
        ("big", "named['a'][49]", None, 49),
        ("fail", "raised[1]", 2, 2),
        ("numbers", "yielded[2]", 4, 4),
        ("numbers", "return", 7, 7),
        ("login", "stdout[0]", "x" * 100 + "日本語 7", "x" * 100 + "日本語 7"),
        ("outer.<locals>.inner", "k", 3, 3),
    ],
)
def test_a_path_leads_to_what_was_there(
    shop: Trace, name: str, path: str, before: object, after: object
) -> None:
    behaviour = behaviour_of(shop, call_of(shop, name))
    assert reached(shop, behaviour, path).value == Atom(after)  # type: ignore[arg-type]
    if before is not None:
        assert reached(shop, behaviour, path, before=True).value == Atom(before)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("Cart.add", "slef", "There is no slef here. Did you mean self?"),
        ("Cart.add", "self.linse", "self has no attribute linse. Did you mean lines?"),
        ("Cart.add", "self.lines[7]", "There is no self.lines[7]; there is [0] to [0]."),
        ("Cart.add", "self['x']", "self has attributes only, no items."),
        ("Cart.add", "price.real", "price is 3: it has no parts to go into."),
        ("Cart.add", "raised", "It raised nothing: it returned."),
        ("Cart.add", "stdout[0]", "This call printed nothing."),
        ("Cart.add", "global:__main__.RTE", "has no global RTE. Did you mean RATE?"),
        ("Cart.add", "global:shop.RATE", "No recorded module begins with shop."),
        ("Cart.add", "global:__main__", "names a module; add a variable"),
        ("big", "orders[17]['statu']", "has no key 'statu'. Did you mean 'status'?"),
        ("big", "orders['x']", "orders has items by number: [0] to [399]."),
        ("login", "stdout", "stdout needs a number, as in stdout[0]; there is [0] to [0]."),
        ("fail", "return", "It returned nothing: it raised."),
    ],
)
def test_a_path_that_leads_nowhere_says_why_and_what_would(
    shop: Trace, name: str, path: str, words: str
) -> None:
    behaviour = behaviour_of(shop, call_of(shop, name))
    with pytest.raises(PathError) as caught:
        reached(shop, behaviour, path)
    assert words in str(caught.value)


def test_every_path_that_is_shown_leads_somewhere(shop: Trace) -> None:
    for call in shop.calls():
        behaviour = behaviour_of(shop, call)
        for change in behaviour.changes[:20]:
            if change.kind in ("set", "added") and change.part != "set":
                assert reached(shop, behaviour, change.path).value == change.new
            elif change.kind == "removed" and change.part != "set":
                assert reached(shop, behaviour, change.path, before=True).value == change.old
        for start in starts(shop, behaviour):
            reached(shop, behaviour, start)
