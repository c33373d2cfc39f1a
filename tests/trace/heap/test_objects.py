"""The contents of an object at a moment are those that the program had then."""

import sys
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.trace.heap.alignment import aligned
from sleuth.trace.heap.difference import Change
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import check
from sleuth.trace.values import ABSENT, Atom, Ref

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.effort import examples
from tests.trace.heap_model import Model, content, models, unflat


def written(model: Model, folder: Path) -> Trace:
    path = folder / "model.trace"
    path.unlink(missing_ok=True)
    return model.write(path)


@given(models(), st.data())
@settings(max_examples=examples(150))
def test_every_object_is_at_every_moment_what_it_was(
    tmp_path_factory: Any, model: Model, data: st.DataObject
) -> None:
    trace = written(model, tmp_path_factory.mktemp("heap"))
    assert trace.event_count == len(model.moments)
    moments = list(range(1, len(model.moments) + 1))
    for at in data.draw(st.permutations(moments)):
        objects, unsure, roots = model.state(at)
        for number in range(len(objects)):
            shape = trace.shape(model.ref(number), at)
            if number not in model.told:
                assert shape is None
                continue
            first, seen = model.first_told[number]
            if at < first:
                assert unflat(shape) == seen, "as far as is known it was so before"
                continue
            assert shape is not None
            # A shape that is not sure promises nothing: a slice was set from a list that is unsure.
            assert unflat(shape) == objects[number] or not shape.is_sure, (number, at)
            assert shape.is_sure is (number not in unsure) or at == first
        named = trace.variables(trace.call(0), at)
        bound = {f"v{slot}": value for slot, value in enumerate(roots)}
        assert {name: value for name, value in bound.items() if name in named} == named
    assert not check(trace.path).problems


@given(models(40), st.data())
@settings(max_examples=examples(150))
def test_what_was_before_with_the_differences_is_what_came_after(
    tmp_path_factory: Any, model: Model, data: st.DataObject
) -> None:
    trace = written(model, tmp_path_factory.mktemp("heap"))
    first, last = sorted(data.draw(st.integers(1, trace.event_count)) for _ in range(2))
    call = trace.call(0)
    difference = trace.changed_between(call, first, last)
    assert difference.is_whole
    before, after = trace.variables(call, first), trace.variables(call, last)
    changes: dict[int | None, list[Change]] = {}
    for change in difference.changes:
        changes.setdefault(change.holder.id if change.holder else None, []).append(change)
    variables = dict(before)
    apply_keyed(variables, changes.pop(None, []))
    assert variables == dict(after)
    reached: set[int] = set()
    waiting = [value for name, value in after.items() if before.get(name) == value]
    # Variables that were set in between lead to older objects, too.
    waiting += [
        value
        for name, value in after.items()
        if before.get(name) != value
        and isinstance(value, Ref)
        and trace.shape(value, first) is not None
    ]
    while waiting:
        ref = waiting.pop()
        if not isinstance(ref, Ref) or ref.id in reached:
            continue
        reached.add(ref.id)
        old, new = unflat(trace.shape(ref, first)), unflat(trace.shape(ref, last))
        if isinstance(new, list):
            apply_sequence(old, changes.pop(ref.id, []))
            steps = [(x, y) for x, y in zip(old, new, strict=True) if x == y]
            waiting += [x for x, _ in steps if x in unflat(trace.shape(ref, first))]
        elif isinstance(new, set):
            for change in changes.pop(ref.id, []):
                if change.kind == "added":
                    old.add(content(change.key))
                else:
                    old.remove(content(change.key))
        else:
            waiting += [value for key, value in new.items() if old.get(key) == value]
            apply_keyed(old, changes.pop(ref.id, []))
        assert old == new, ref
    assert changes == {}, "nothing else changed"


def apply_keyed(before: dict[Any, Any], changes: list[Change]) -> None:
    for change in changes:
        key = content(change.key)
        assert before.get(key, ABSENT) == change.old
        if change.kind == "removed":
            del before[key]
        else:
            before[key] = change.new


def apply_sequence(before: list[Any], changes: list[Change]) -> None:
    for change in changes:
        if change.kind == "set":
            assert before[content(change.key)] == change.old
            before[content(change.key)] = change.new
    gone = sorted((content(c.key) for c in changes if c.kind == "removed"), reverse=True)
    for index in gone:
        del before[index]
    for change in sorted(
        (c for c in changes if c.kind == "added"), key=lambda change: content(change.key)
    ):
        before.insert(content(change.key), change.new)


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_alignment_accounts_for_every_item_once(left: list[int], right: list[int]) -> None:
    before, after = tuple(map(Atom, left)), tuple(map(Atom, right))
    pairs = aligned(before, after)
    assert sorted(i for i, _ in pairs if i is not None) == list(range(len(before)))
    assert sorted(j for _, j in pairs if j is not None) == list(range(len(after)))
    for i, j in pairs:
        assert i is None or j is None or i == j or before[i] == after[j]
