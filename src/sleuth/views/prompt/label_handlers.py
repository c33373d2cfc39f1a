"""The handler of `label CLASS PATHS`: the parts by which objects of a class are shown."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.trace.heap.reachable import LISTING, Walk
from sleuth.trace.labels import Label, label
from sleuth.views.prompt.grammar import NotUnderstood
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.prompt.registry import Spot, handles

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation

_NO_LABEL = "-"


@handles("label")
def _label(talk: "Conversation", spot: Spot, text: str) -> None:
    inquiry = talk.inquiry
    name, _, paths = text.partition(" ")
    if not paths.strip():
        talk.say(_listed(inquiry, name))
        return
    wanted = "" if paths.strip() == _NO_LABEL else " ".join(paths.split())
    known = label(name, wanted)
    if not wanted and not any(each.class_name == name for each in _holding(inquiry)):
        raise NotUnderstood(f"There is no label for {name}. Example: label Line id, name")
    inquiry.label(name, wanted)
    talk.show_again()
    if wanted and not any(known.is_for(each) for each in _classes(inquiry, spot.node)):
        talk.say([f"The label is kept, but nothing of a class {name} is shown here."])


def _holding(inquiry: Inquiry) -> list[Label]:
    """Return the labels in use; of several for a class the last."""
    found = {each.class_name: each for each in inquiry.trace.labels}
    return [each for each in found.values() if each.paths]


def _listed(inquiry: Inquiry, name: str) -> Iterator[str]:
    shown = [each for each in _holding(inquiry) if name == each.class_name]
    for each in shown:
        yield f"  {each.class_name}  {each.words}"
    if not shown:
        yield f"There is no label for {name}. Example: label Line id, name"


def _classes(inquiry: Inquiry, node: int) -> set[str]:
    """Return the classes of the objects near the values of a question."""
    behaviour, trace = inquiry.behaviour(node), inquiry.trace
    walk, found = Walk(trace.shape, LISTING), set()
    seen = [(each.value, each.at) for each in (*behaviour.given, *behaviour.used)]
    seen.append((behaviour.outcome.value, behaviour.last))
    seen += [(each.new, behaviour.last) for each in behaviour.changes]
    for value, at in seen:
        found |= {each.ref.type_name for each in walk.objects((value,), at)}
    return found
