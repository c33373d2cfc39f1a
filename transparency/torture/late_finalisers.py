"""Finalisers that run when the interpreter has dropped its modules, and names of builtins are gone."""
import asyncio
import codecs
import contextvars
import os
import sys
from collections import OrderedDict, deque
from types import SimpleNamespace

class Missing(dict):
    def __missing__(self, key):
        return key

WORLD = SimpleNamespace(
    write=os.write, iter=iter, object=object, range=range, view=memoryview, type=type, next=next,
    deque=deque, ordered=OrderedDict, set=set, missing=Missing, array=bytearray, stop=StopIteration,
    error=BaseException, os=os, sys=sys, lookup=codecs.lookup, asyncio=asyncio, gather=asyncio.gather,
)

class Late:
    def __init__(self, words, stages=None):
        self.words = words
        self.stages = stages

    def __call__(self, *ignored):
        return None

    def __del__(self, world=WORLD):
        def same(value, *others, key=None, **named):
            return value
        def steps(values):
            for each in values:
                yield each
        async def waits(value):
            return value
        Made = world.type("Made", (), {"__slots__": ("a", "__dict__"), "__module__": "late"})
        made = Made()
        made.a, made.b = [], {}
        made.a.append(made)
        made.b["x"] = made.a[0]
        kinds = [
            world.object(), world.iter([1]), world.range(3), world.view(b"x"), world.array(b"y"), made, Made,
            world.deque([1]), world.ordered(a=1), world.missing(a=1), world.set([4]), same, self.__del__,
            world.os, world.sys, world.lookup, world.asyncio, world.gather, world, 2**70, "text" * 100, 1.5,
        ]
        count = 0
        for each in steps(kinds):
            same(each, count, key=kinds, more=each)
            count += 1
        kinds[7].appendleft(self)
        kinds[8]["b"] = kinds[9]["absent"]
        del kinds[8]["a"], kinds[0]
        kinds[:2] = [self, None]
        try:
            waits(kinds).send(None)
        except world.stop as stop:
            same(stop)
        try:
            import colorsys
        except world.error as error:
            same(error)
        world.write(1, b"late: %s %d\n" % (self.words, count))

# Each of them is let go at another step of the end.
contextvars.ContextVar("held").set(Late(b"context variable"))
codecs.register(Late(b"codec"))
codecs.register_error("late", Late(b"codec error"))
os.register_at_fork(before=Late(b"fork"))
sys.addaudithook(Late(b"audit hook"))
sys.late = Late(b"sys")
sys.modules["late"] = Late(b"module")
__builtins__.late = Late(b"builtins")
main = Late(b"main")
print("done", flush=True)
