"""The recorder keeps no references: counts after many lookups are what they were before.

On a debug interpreter, such as that of `make sanitize`, all references are counted; elsewhere those
of the names that the recorder looks up.
"""

import json
import sys

import pytest

ROUNDS = 40
PROGRAM = """
import asyncio, collections, datetime, decimal, functools, gc, importlib, json, re, sys, types
import helper

class Missing(dict):
    def __missing__(self, key):
        return key

class Slotted:
    __slots__ = ("x",)

class Age(int):
    pass

Point = collections.namedtuple("Point", "x y")

def take(one):
    return one

async def work(number):
    await asyncio.sleep(0)
    return number

async def many():
    tasks = [asyncio.create_task(work(number), name=f"task {number}") for number in range(3)]
    return [await task for task in tasks]

def raising(depth):
    if depth == 0:
        raise ValueError("text", 1 << 8150)
    raising(depth - 1)

def turn():
    importlib.reload(helper)
    for each in (Missing(a=1), Slotted(), Age(7), Point(1, 2), collections.deque([1]), bytearray(9),
                 decimal.Decimal("1.5"), datetime.datetime(2020, 1, 1), re.match("(a)", "ab"),
                 functools.partial(take, 1), types.SimpleNamespace(a=[1]), range(9), {1: {2}},
                 1 << 8150, collections.OrderedDict(a=1), collections.defaultdict(list),
                 memoryview(b"ab"),
                 "x" * 100, b"y" * 100, 1.5, 2j, type("Made", (), {"kept": 1})(), [[]], (1, [2])):
        take(each)
        setattr(take, "seen", each)
        del take.seen
    made = Missing()
    made["k"] = [made["missing"]]
    made["k"].extend([1, 2])
    sorted([3, 1], key=take)
    asyncio.run(many())
    try:
        raising(3)
    except ValueError as error:
        take(error)
    return [take(each) for each in range(3)]

NAMES = ["__missing__", "get_data", "source_to_code", "path", "get_name", "_fields", "__init__",
         "__builtins__", "_ndarray"]
total = getattr(sys, "gettotalrefcount", lambda: 0)

def counts():
    gc.collect()
    if sys.version_info < (3, 13):
        # It keeps names, and how many depends on the addresses of types and names.
        sys._clear_type_cache()
    return [sys.getrefcount(sys.intern(name)) for name in NAMES] + [total()]

for _ in range(5):
    turn()
before = counts()
before = counts()
for _ in range(%d):
    turn()
print(json.dumps([new - old for new, old in zip(counts(), before)]))
"""


def test_lookups_keep_no_references(record, plain, tmp_path):
    helper = "value = [1]\ndef helping(a):\n    return [a]\nhelping(value)\n"
    (tmp_path / "work" / "helper.py").write_text(helper, encoding="utf-8")
    run = record(PROGRAM % ROUNDS)
    assert run.process.returncode == 0, run.process.stderr
    recorded, usual = json.loads(run.process.stdout), json.loads(plain().stdout)
    # Less than one for each round: caches of the interpreter may hold a few more or fewer.
    assert all(new - old < ROUNDS for new, old in zip(recorded, usual, strict=True)), recorded


@pytest.mark.skipif(not hasattr(sys, "gettotalrefcount"), reason="needs a debug interpreter")
def test_arrays_and_tables_keep_no_references(record, plain):
    run = record("""
        import gc, sys
        import numpy, pandas
        def take(one):
            return one
        def turn():
            take(numpy.array([1, 2]))
            take(numpy.array([[], None], dtype=object))
            take(pandas.DataFrame({"a": [1], "b": ["x"]}))
            take(numpy.float64(1))
        for _ in range(5):
            turn()
        gc.collect()
        before = sys.gettotalrefcount()
        for _ in range(100):
            turn()
        gc.collect()
        print(sys.gettotalrefcount() - before)
    """)
    assert run.process.returncode == 0, run.process.stderr
    assert int(run.process.stdout) - int(plain().stdout) < 100
