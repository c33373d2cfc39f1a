"""Builtin values, and objects of classes derived from them, as questions show them."""

import random
import textwrap
from decimal import Decimal

import pytest

from sleuth.oracles.compare.structural import Likeness
from sleuth.trace.heap.recipe import Unbuildable, recipe
from sleuth.trace.values import Atom, Ref
from sleuth.views.drawing.picture import Pictures

IMPORTS = """
import array, collections, datetime, decimal, enum, fractions, operator, pathlib, re, types, uuid
"""
CLASSES = """
class Colour(enum.Enum):
    RED = 1

class Level(enum.IntEnum):
    HIGH = 2

Point = collections.namedtuple("Point", "x y")

class Corner(Point):
    pass

class Age(int):
    pass

class Ratio(float):
    pass

class Wave(complex):
    pass

class Tag(str):
    pass

class Blob(bytes):
    pass

class Money(decimal.Decimal):
    pass

class Day(datetime.date):
    pass

class Triple(tuple):
    pass

class Settings(types.SimpleNamespace):
    pass

def noted(made, **notes):
    vars(made).update(notes)
    return made

ZONE = datetime.timezone(datetime.timedelta(hours=2), "CEST")
"""
SAID = {
    # numbers
    "decimal.Decimal('1.50')": "Decimal('1.50')",
    "decimal.Decimal('-NaN12')": "Decimal('-NaN12')",
    "fractions.Fraction(6, 14)": "Fraction(3, 7)",
    "Level.HIGH": "Level.HIGH",
    "Age(5)": "<Age 5>",
    "Age(-10**30)": f"<Age -1{'0' * 30}>",
    "Ratio(0.5)": "<Ratio 0.5>",
    "Wave(1+2j)": "<Wave (1+2j)>",
    "Money('2.50')": "Money('2.50')",
    # texts
    "Tag('a')": "<Tag 'a'>",
    "noted(Tag('a'), seen=1)": "<Tag 'a' seen=1>",
    "noted(Age(5), seen=1)": "<Age 5 seen=1>",
    "Blob(b'a')": "<Blob b'a'>",
    "re.match(r'(\\d+)-(x)?', '12-y')": "<Match match='12-' group_1='12' group_2=None start=0 end=3"
    " string='12-y' re=Pattern('(\\\\d+)-(x)?', 32)>",
    "re.search(b'b+', b'abb')": "<Match match=b'bb' start=1 end=3 string=b'abb'"
    " re=Pattern(b'b+', 0)>",
    # dates
    "Day(2024, 5, 6)": "Day(2024, 5, 6)",
    "datetime.timezone.utc": "timezone(timedelta(0, 0, 0))",
    "datetime.datetime(2024, 2, 29, 1, fold=1, tzinfo=ZONE)": "datetime(2024, 2, 29, 1, 0, 0, 0, "
    "timezone(timedelta(0, 7200, 0), 'CEST'), fold=1)",
    "datetime.time(1, tzinfo=ZONE)": "time(1, 0, 0, 0, timezone(timedelta(0, 7200, 0), 'CEST'))",
    # arrays
    "array.array('d', [1.5, -2])": "<array float64 (2,) from -2.0 to 1.5: 1.5, -2.0>",
    "array.array('B')": "<array uint8 (0,)>",
    "memoryview(bytearray(b'abc'))[1:]": "<memoryview uint8 (2,) from 98 to 99: 98, 99>",
    "memoryview(array.array('i', range(4))).cast('B').cast('i', (2, 2))[::1]": "<memoryview int32"
    " (2, 2) from 0 to 3: 0, 1, 2, 3>",
    "memoryview(b'abcdef')[::-2]": "<memoryview uint8 (3,) from 98 to 102: 102, 100, 98>",
    # others
    "Colour.RED": "Colour.RED",
    "Point(1, Point(2, 3))": "Point(x=1, y=Point(x=2, y=3))",
    "Corner(1, 2)": "Corner(x=1, y=2)",
    "noted(Triple((1, 2)), seen=1)": "<Triple [1, 2] seen=1>",
    "types.SimpleNamespace(a=1, b=[2])": "<SimpleNamespace a=1 b=[2]>",
    "Settings(a=1)": "<Settings a=1>",
    "types.MappingProxyType({'a': 1})": "<mappingproxy of {'a': 1}>",
    "operator.itemgetter(1)": "<itemgetter item=1>",
    "uuid.UUID(int=2**127 + 1)": "UUID('80000000-0000-0000-0000-000000000001')",
    "pathlib.PurePosixPath('/a', 'b', 'c.txt')": "PurePosixPath('/a/b/c.txt')",
    "pathlib.PurePosixPath('a', '/b')": "PurePosixPath('/b')",
}


def given(run, name="look"):
    """Give the argument of each call of a function, with the moment when the call begins."""
    trace = run.trace
    return [(trace.arguments(call)[0], call.first) for each, call in run.calls() if each == name]


def said(trace, value, at):
    """Tell a value as a question does, without the numbers of objects."""
    text = Pictures(trace).deep(value, at, 200)
    return " ".join(word for word in text.split(" ") if not word.strip("<>?,").startswith("#"))


def test_values_are_said_as_programmers_write_them(record):
    calls = "\n".join(f"look({expression})" for expression in SAID)
    run = record(f"{IMPORTS}{CLASSES}\ndef look(value): pass\n{calls}\n")
    trace = run.trace
    found = [said(trace, value, at).replace(" >", ">") for value, at in given(run)]
    assert found == list(SAID.values())


def test_any_decimal_is_told_as_its_text(record):
    source = random.Random(7)
    texts = ["0", "-0", "0E+3", "0E-7", "1E-7", "0.000001", "sNaN", "-Infinity", "1" * 5000]
    for _ in range(200):
        digits = "".join(source.choices("0123456789", k=source.randint(1, 60)))
        sign, point = source.choice(["", "-"]), source.randint(0, len(digits))
        exponent = source.choice(["", f"E{source.randint(-80, 80)}"])
        texts.append(f"{sign}{digits[:point]}.{digits[point:]}{exponent}")
    run = record(f"""
        from decimal import Decimal
        def look(value): pass
        for text in {texts}:
            look(Decimal(text))
    """)
    trace = run.trace
    for text, (value, at) in zip(texts, given(run), strict=True):
        part = trace.shape(value, at).part("attributes")
        told = [item.content for item in part.items] if part is not None else []
        assert told == ([] if len(text) == 5000 else [str(Decimal(text))])


def test_values_that_come_and_go_are_told_apart(record):
    run = record("""
        from decimal import Decimal
        class Age(int): pass
        class Money(Decimal): pass
        def look(value): pass
        for i in range(100):
            look(Decimal(i) / 8)
            look(Money(i))
            look(Age(i))
    """)
    trace = run.trace
    found = [said(trace, value, at) for value, at in given(run)]
    assert found == [
        text
        for i in range(100)
        for text in (f"Decimal('{Decimal(i) / 8}')", f"Money('{i}')", f"<Age {i}>")
    ]
    sure = [value.id for value, _ in given(run) if not value.id & 1]
    assert len(sure) == len(set(sure)) == 200, "decimals are known for sure"


def test_what_arrays_and_views_of_memory_hold_is_told_when_it_changes(record):
    run = record("""
        import array
        def fill(numbers, view, memory):
            numbers[1] = 7
            numbers.append(8)
            view[0] = 65
            return len(memory)
        memory = bytearray(b"abc")
        fill(array.array("i", [1, 2]), memoryview(memory), memory)
        def release(view):
            view.release()
        release(memoryview(memory))
        import ctypes
        release(memoryview((ctypes.c_char * 8).from_address(1)))
    """)
    assert run.process.returncode == 0
    trace = run.trace
    ((_, call),) = [(name, call) for name, call in run.calls() if name == "fill"]
    numbers, view, memory = trace.arguments(call)
    assert said(trace, numbers, call.first) == "<array int32 (2,) from 1 to 2: 1, 2>"
    assert said(trace, numbers, call.last) == "<array int32 (3,) from 1 to 8: 1, 7, 8>"
    assert said(trace, view, call.last) == "<memoryview uint8 (3,) from 65 to 99: 65, 98, 99>"
    assert said(trace, memory, call.first) == "<bytearray b'abc'>"
    assert said(trace, memory, call.last) == "<bytearray b'Abc'>"


def test_types_that_are_made_anew_are_never_taken_for_others(record):
    run = record("""
        import gc, sys
        def look(value): pass
        for number in range(3):
            import decimal
            look(decimal.Decimal(number))
            for name in ("decimal", "_decimal"):
                del sys.modules[name]
            del decimal
            gc.collect()
    """)
    trace = run.trace
    assert run.process.returncode == 0
    found = [said(trace, value, at) for value, at in given(run)]
    assert found[0] == "Decimal('0')"
    assert all(text in (f"Decimal('{i}')", "<Decimal") for i, text in enumerate(found))


def test_stores_into_a_namespace_are_its_changes(record):
    run = record("""
        from types import SimpleNamespace
        def change(options):
            options.level = 2
            del options.name
            setattr(options, "more", 3)
        change(SimpleNamespace(level=1, name="a"))
    """)
    trace = run.trace
    ((_, call),) = [(name, call) for name, call in run.calls() if name == "change"]
    (options,) = trace.arguments(call)
    assert said(trace, options, call.first) == "<SimpleNamespace name='a' level=1>"
    assert said(trace, options, call.last) == "<SimpleNamespace level=2 more=3>"


@pytest.fixture(scope="module")
def program():
    return textwrap.dedent(f"""
{IMPORTS}{CLASSES}
def look(value): pass
look(Money("1"))
look(Money("2"))
look(Age(1))
look(Point(1, 2))
look(Level.HIGH)
look(re.match("a", "a"))
look(Day(2024, 1, 1))
    """)


def test_values_are_compared_by_what_they_are_and_built_only_where_that_is_sure(record, program):
    run = record(program)
    trace = run.trace
    likeness = Likeness(trace)
    one, two, age, point, level, match, day = given(run)
    told = [likeness.told({"value": value}, at) for value, at in (one, two)]
    assert all(each.is_sure for each in told)
    assert not told[0].is_like(told[1])
    for value, at in (one, age, match, day):
        with pytest.raises(Unbuildable, match=r"made from a builtin one|can't be rebuilt"):
            recipe(trace, {"value": value}, at)
    tuple_shape = recipe(trace, {"value": point[0]}, point[1]).objects[point[0].id]
    assert [part.kind for part in tuple_shape.parts if part.items] == ["sequence"]
    assert isinstance(level[0], Ref)
    member = recipe(trace, {"value": level[0]}, level[1]).objects[level[0].id]
    assert {key for part in member.parts for key in part.keys} == {Atom("_name_"), Atom("_value_")}
