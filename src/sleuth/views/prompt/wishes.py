"""Carries out `fold`, `unfold`, `only` and `inline`: changes of the tree that the user asks for."""

from collections.abc import Iterator

import numpy as np

from sleuth.errors import UsageError
from sleuth.search.session import Session
from sleuth.trace.values import escaped
from sleuth.tree.node import Flags, Key
from sleuth.tree.observe.group import group_of
from sleuth.tree.transformations.fold import in_region, is_folded
from sleuth.tree.transformations.outline import Wish, Wished
from sleuth.views.prompt import name_lookup
from sleuth.views.prompt.grammar import COMMANDS
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.words.node_line import node_text

WISHES = {each.name: each.wish for each in COMMANDS if each.wish is not None}
"""The changes of the tree that can be asked for, by the name of the command."""
_WIDEST = 60
"""Columns of a call within a sentence."""
_COLUMNS = ("parent", "kind", "call", "first")
"""Trees with these columns equal are the same tree."""
_SAID = {
    Wish.FOLD: "Folded, and asked about last: {}.",
    Wish.UNFOLD: "No longer folded: {}.",
    Wish.ONLY: "Searched first, and all else is folded: {}.",
    Wish.INLINE: "Its code now counts as its callers': {}.",
}


def wished(inquiry: Inquiry, wish: Wish, text: str, about: Key | None) -> list[str]:
    """Carry out a command; without an argument it is about the pending question."""
    word = text.strip()
    if wish is Wish.INLINE:
        whats = [Wished(wish, routine=each) for each in name_lookup.functions(inquiry, word)]
    elif word == "all" and wish is Wish.UNFOLD:
        whats = [Wished(wish)]
    elif not word:
        if about is None:
            raise UsageError(
                f"There is no question here. Name a call or a function: {wish.value} 12"
            )
        _check_group(inquiry, about)
        whats = [Wished(wish, about=about)]
    elif word.removeprefix("#").isdigit():
        whats = [Wished(wish, about=inquiry.key_of_call(name_lookup.call(inquiry, word)))]
    else:
        whats = [Wished(wish, routine=each) for each in name_lookup.functions(inquiry, word)]
    what = named(inquiry, whats[0])
    if wish is Wish.UNFOLD and not any(_changes(inquiry, each) for each in whats):
        there = "" if word == "all" else f" in this: {what}"
        return [f"Nothing is folded or merged{there}."]
    for each in whats:
        inquiry.wish(each)
    return [_SAID[wish].format(what)]


def _changes(inquiry: Inquiry, wish: Wished) -> bool:
    """Tell whether a wish would change the tree, or the order of the search."""
    now, then = inquiry.session, inquiry.session.wished(wish)
    return not (
        all(
            np.array_equal(getattr(now.problem.tree, column), getattr(then.problem.tree, column))
            for column in _COLUMNS
        )
        and all(map(np.array_equal, _order(now), _order(then)))
    )


def _order(session: Session) -> list[Flags]:
    """Return the folded parts, and the part that is searched first."""
    tree, wishes = session.problem.tree, session.ledger.wishes
    region = in_region(tree, wishes)
    return [is_folded(tree, wishes), np.zeros(len(tree), bool) if region is None else region]


def _check_group(inquiry: Inquiry, about: Key) -> None:
    """Refuse to split or fold a group that was judged, as the answer would be lost."""
    judged = [given.number for given in inquiry.session.answers if given.answer.about == about]
    if judged and group_of(inquiry.trace, about) is not None:
        raise UsageError(f"This group was judged. Clear that answer first: a {judged[-1]} -")


def named(inquiry: Inquiry, wish: Wished) -> str:
    """Describe the subject of a wish."""
    if wish.routine is not None:
        function = inquiry.trace.function(wish.routine)
        return escaped(function.qualified_name) if function else f"function {wish.routine}"
    if wish.about is None:
        return "everything"
    group = group_of(inquiry.trace, wish.about)
    these = "these " if group is not None else ""
    text = node_text(inquiry.trace, wish.about, inquiry.loop_names, _WIDEST)
    return these + text.removeprefix("group of ")


def holding(inquiry: Inquiry) -> Iterator[str]:
    """List the parts of the tree that the user has folded, inlined or searches first."""
    words = {
        Wish.ONLY: "searching only {}",
        Wish.FOLD: "asking last about {}",
        Wish.INLINE: "counting {} as part of its callers",
    }
    found = [
        words[each.wish].format(named(inquiry, each))
        for each in inquiry.session.ledger.wishes
        if each.wish in words
    ]
    if found:
        said = ", ".join(found)
        yield f"{said[0].upper()}{said[1:]}; `x none` lifts that."
