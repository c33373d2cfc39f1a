"""Labels: an object is shown by what identifies it, or by the parts that the user names."""

from pathlib import Path

import pytest

from sleuth.errors import UsageError
from sleuth.trace.labels import label
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Part
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.inside import reached
from sleuth.views.drawing import identity
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.value_text import SHORT
from sleuth.views.project import labels_of
from tests.recorded import call_of, recorded

PROGRAM = """
    from queue import Queue

    class Leaf:
        def __init__(self, value):
            self.value = value
            self.prefix = ["", ""]

    class Line:
        def __init__(self, mode, words):
            self.mode = mode
            self.leaves = [Leaf(word) for word in words]
            self.depth = 2
            self.waiting = Queue()
            self.waiting.put(7)

    class Order:
        def __init__(self, status, order_id, line):
            self.status = status
            self.comment = "please call before you come"
            self.order_id = order_id
            self.line = line

    def look(line, order):
        return 1

    line = Line("fast", ["def", "f"])
    look(line, Order("new", 17, line))
    """


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("labels"), PROGRAM)


def drawn(trace: Trace, path: str) -> str:
    found = reached(trace, behaviour_of(trace, call_of(trace, "look")), path)
    text = Pictures(trace).of(found.value, found.at, depth=SHORT)
    return text.partition(" ")[2].partition(" ")[2].removesuffix(">")


def labelled(**fields: object) -> str:
    part = Part(
        "attributes",
        tuple(Constant("None") if item is None else Atom(item) for item in fields.values()),  # type: ignore[arg-type]
        len(fields),
        tuple(Atom(name) for name in fields),
    )
    return identity.label(part)


def test_an_object_is_labelled_by_its_id_and_not_by_its_first_text(trace: Trace) -> None:
    assert drawn(trace, "order") == "order_id=17"


LONG = "a text that is too long to be shown in a label"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"kind": "print", "text": LONG, "id": 3}, "id=3"),
        ({"kind": "print", "text": LONG, "id": 3, "name": "eva"}, "id=3 'eva'"),
        ({"kind": "print", "text": LONG, "_name": "eva"}, "'eva'"),
        ({"kind": "print", "text": LONG, "slug": "eva-1"}, "'eva-1'"),
        ({"kind": "print", "text": LONG, "userId": 4}, "userId=4"),
        ({"kind": "print", "text": LONG}, "'print'"),
        ({"text": LONG, "size": 4}, "size=4"),
        ({"x": 1, "y": None}, "x=1 y=None"),
    ],
)
def test_ids_keys_and_names_come_first(fields: dict[str, object], text: str) -> None:
    assert labelled(**fields) == text


def test_the_identifying_field_is_not_cut_off_where_all_fields_are_shown(trace: Trace) -> None:
    found = reached(trace, behaviour_of(trace, call_of(trace, "look")), "order")
    assert "<Order #" in (text := Pictures(trace).of(found.value, found.at, width=30))
    assert text.partition(" ")[2].partition(" ")[2].startswith("order_id=17 status='new'")


@pytest.mark.parametrize(
    ("name", "paths", "text"),
    [
        ("Line", "leaves[*].value", "'def f'"),
        ("__main__.Line", "leaves[0].value, depth", "'def' depth=2"),
        ("Line", "waiting[*]", "7"),
        ("Line", "mode", "'fast'"),
        ("Line", "missing", "'fast'"),
        ("black.Line", "depth", "'fast'"),
    ],
)
def test_a_label_of_the_user_shows_the_parts_that_it_names(
    trace: Trace, name: str, paths: str, text: str
) -> None:
    assert drawn(trace.labelled([label(name, paths)]), "line") == text


def test_the_last_label_of_a_class_holds_and_an_empty_one_removes_it(trace: Trace) -> None:
    several = [label("Line", "depth"), label("Line", "mode depth")]
    assert drawn(trace.labelled(several), "line") == "'fast' depth=2"
    assert drawn(trace.labelled([*several, label("Line", "")]), "line") == "'fast'"


def test_two_looks_at_one_trace_have_labels_of_their_own(trace: Trace) -> None:
    other = trace.labelled([label("Line", "depth")])
    assert (drawn(other, "line"), drawn(trace, "line")) == ("depth=2", "'fast'")


@pytest.mark.parametrize(
    ("name", "is_meant"),
    [
        ("Line", True),
        ("lines.Line", True),
        ("black.Line", True),
        ("black.lines.Line", True),
        ("white.Line", False),
        ("ine", False),
        ("black.lines", False),
    ],
)
def test_a_class_is_meant_by_its_last_names_or_by_its_package(name: str, is_meant: bool) -> None:  # noqa: FBT001
    assert label(name, "x").is_for("black.lines.Line") is is_meant


def test_the_nearest_pyproject_has_the_labels(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.sleuth.show]\n"black.Line" = "leaves[*].value"\nOrder = ["id", "owner.name"]\n'
    )
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    found = labels_of(inner)
    assert [(each.class_name, each.words) for each in found] == [
        ("black.Line", "leaves[*].value"),
        ("Order", "id, owner.name"),
    ]
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert labels_of(inner) == ()


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('"Line" = 3', '[tool.sleuth.show] "Line" must be a text with paths'),
        ('"Line" = "a..b"', '[tool.sleuth.show] "Line": a..b is not a path'),
        ('"not a class" = "a"', "'not a class' is not the name of a class"),
        ('"Line" = "global:x"', '[tool.sleuth.show] "Line": global:x is not part of an object'),
        ("Line", "can't be read"),
    ],
)
def test_a_bad_entry_is_told_with_its_file_and_key(tmp_path: Path, entry: str, words: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.sleuth.show]\n{entry}\n")
    with pytest.raises(UsageError) as caught:
        labels_of(tmp_path)
    assert str(caught.value).startswith(str(file))
    assert words in str(caught.value)
