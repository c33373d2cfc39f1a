"""A change that recorded code makes is not recorded again as a change by other code."""

import pytest

from sleuth.trace.events import EventKind

STORES = [
    ("del a[0]", "[1, 2, 3]"),
    ("del a[-1]", "[1, 2, 3]"),
    ("a[1] = 7", "[1, 2, 3]"),
    ("a.insert(0, 7)", "[1, 2, 3]"),
    ("a.pop(0)", "[1, 2, 3]"),
    ("a.pop()", "[1, 2, 3]"),
    ("a.append(4)", "[1, 2, 3]"),
    ("a.extend((4, 5))", "[1, 2, 3]"),
    ("a.clear()", "[1, 2, 3]"),
    ("a[1] = 7", "{1: 2, 3: 4}"),
    ("a[9] = 7", "{1: 2, 'k': 4}"),
    ("a['k'] = 7", "{'k': 4}"),
    ("a['k'] = 7", "{1: 2, 'k': 4}"),
    ("del a['k']", "{'k': 4, 'm': 5}"),
    ("a.x = 7", "Plain()"),
    ("del a.x", "Plain()"),
    ("a.x = 7", "Slotted()"),
    ("del a.y", "Slotted()"),
    ("a.x = 7", "type('Class', (), {'x': 1})"),
    ("a.new = 7", "type('Class', (), {'x': 1})"),
    ("a.x = key", "type('Class', (), {'x': 1})"),
    ("a.key = 7", "type('Class', (), {'key': key})"),
    ("del a.x", "type('Class', (), {'x': 1})"),
]
"""Statements that change an object in a certain way, and the object."""

BEGIN = """
import json

class Plain:
    def __init__(self): self.x = self.y = 1
class Slotted:
    __slots__ = "x", "y"
    def __init__(self): self.x = self.y = 1

def key(number): return number
def unrecorded():
    setattr(Plain(), "x", 2)
    json.dumps(1)
"""
EACH = """
def act{0}(a):
    {1}
    unrecorded()
    return a
def called_back{0}(a):
    def act(number):
        {1}
        return number
    sorted([1], key=act)
    unrecorded()
    return a
act{0}({2})
called_back{0}({2})
"""


def told_of(run, name):
    """Say what is told of the object that a call was given as a change by others."""
    trace = run.trace
    call = next(call for each, call in run.calls() if each == name)
    ref = trace.arguments(call)[0]
    found = [
        f"event {event.moment}"
        for event in trace.events(call.first, call.last)
        if event.kind is EventKind.CHANGED and event.number == ref.id
    ]
    causes = [
        change.cause
        for change in trace.changed(call).changes
        if change.holder == ref and change.cause
    ]
    return found + [f"cause {cause}" for cause in causes if cause.since is not None]


@pytest.mark.slow
def test_a_store_of_recorded_code_is_not_found_again_later(record):
    texts = [EACH.format(number, *store) for number, store in enumerate(STORES)]
    run = record(BEGIN + "".join(texts))
    assert run.process.returncode == 0, run.process.stderr
    wrong = {
        f"{store} of {thing}, {name}": told
        for number, (store, thing) in enumerate(STORES)
        for name in ("act", "called_back")
        if (told := told_of(run, f"{name}{number}"))
    }
    assert wrong == {}


def test_a_variable_that_recorded_code_sets_or_deletes_is_not_found_again(record):
    run = record("""
        import json
        class Plain: pass
        x, y = 1, 2
        def act():
            global x, y
            z = 3
            def inner():
                nonlocal z
                z = 4
            inner()
            del x, z
            y = 3
            setattr(Plain(), "y", 2)
            json.dumps(1)
        def after(): pass
        act()
        after()
    """)
    assert run.process.returncode == 0, run.process.stderr
    changed = [event for event in run.events() if event.kind is EventKind.CHANGED]
    assert changed == []


def test_a_change_by_others_does_not_stand_for_what_recorded_code_did_before(record):
    run = record("""
        import operator
        def act(items, things):
            items[0] = "mine"
            operator.setitem(items, 2, "theirs")
            things["a"] = "mine"
            operator.setitem(things, "c", "theirs")
        act([1, 2, 3], {"a": 1, "b": 2, "c": 3})
    """)
    call = next(call for name, call in run.calls() if name == "act")
    found = {
        change.path: change.cause.is_recorded
        for change in run.trace.changed(call).changes
        if change.cause
    }
    assert found == {
        "items[0]": True,
        "items[2]": False,
        "things['a']": True,
        "things['c']": False,
    }
