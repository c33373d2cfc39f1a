"""Values of builtin types, and of classes made from them that tell whoever asks them anything."""
import array
import collections
import datetime
import decimal
import enum
import gc
import re
import sys
import types
import weakref


def loud(name):
    def method(self, *args):
        print("asked", type(self).__name__, name)
        return getattr(type(self).__mro__[2], name)(self, *args)
    return method


class Loud:
    for _name in ("__repr__", "__str__", "__hash__", "__eq__", "__getattribute__"):
        locals()[_name] = loud(_name)
    for _name in ("__int__", "__float__", "__bool__", "__index__", "__len__", "__iter__", "__del__"):
        locals()[_name] = lambda self, *args, name=_name: print("asked", name)
    del _name


class Age(Loud, int): pass
class Ratio(Loud, float): pass
class Tag(Loud, str): pass
class Blob(Loud, bytes): pass
class Money(Loud, decimal.Decimal): pass
class Day(Loud, datetime.date): pass
class Numbers(Loud, array.array): pass
class Names(Loud, types.SimpleNamespace): pass
class Pair(Loud, collections.namedtuple("Pair", "x y")): pass
class Level(enum.IntEnum):
    LOW = 1


def same(value):
    kept = [value]
    return kept[0]


for make in (lambda: Age(5), lambda: Ratio(1.5), lambda: Tag("a"), lambda: Blob(b"a"), lambda: Money("1.5"),
             lambda: Day(2024, 1, 1), lambda: Numbers("i", [1]), lambda: Names(a=1), lambda: Pair(1, 2),
             lambda: Level.LOW, lambda: decimal.Decimal("1.5"), lambda: re.match("(a)(b)?", "a"),
             lambda: datetime.timezone(datetime.timedelta(1 / 48))):
    value = make()
    print(sys.getrefcount(same(value)) - sys.getrefcount(value))
    del value

numbers = array.array("i", [1, 2, 3])
view = memoryview(numbers)
same(view)
try:
    numbers.append(4)
except BufferError as error:
    print(error)
view.release()
same(view)
same(numbers).append(4)
print(numbers, sys.getsizeof(decimal.Decimal("1.5")), gc.is_tracked(numbers))
watched = weakref.ref(same(numbers))
del numbers
print(watched())
text = "a" * 10_000_000
same(re.match("a*", text))
huge = decimal.Decimal("1" * 100_000)
print(same(huge) == huge, hash(same(decimal.Decimal("2.50"))) == hash(decimal.Decimal("2.5")))
