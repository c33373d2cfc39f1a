"""Each part of an object that the recorder looks at, changed by code that is not recorded.

    python parts.py PART COUNT

Every part takes a number of steps that is in proportion to COUNT, and plain Python needs the same time for
each of them, however large the object has become.  So must a recorded run: bench/growth.py.
"""

import array
import bisect
import collections
import functools
import operator
import sys


class Plain:
    pass


class Slotted:
    __slots__ = tuple(f"s{number}" for number in range(500))


class Problem(Exception):
    pass


def given(thing):
    """Take something: what a recorded call is given is looked at."""
    return thing


def list_items(count):
    items = []
    for number in range(count):
        bisect.insort(items, number)
        given(items)


def list_moved(count):
    items = list(range(count))
    for _ in range(count // 2):
        del items[-2]
        operator.length_hint(items)
        given(items)


def list_functions(count):
    items = [given] * count
    for _ in range(count):
        operator.length_hint(items)


def dict_keys(count):
    items = {}
    for number in range(count):
        items.setdefault(number, number)
        given(items)


def dict_texts(count):
    items = {}
    for number in range(count):
        items.update({f"k{number}": number})
        given(items)


def dict_gaps(count):
    items = {number: [] for number in range(count)}
    for number in range(count - 1):
        items.pop(number)
    for _ in range(count):
        operator.length_hint([items])
        given(items)


def default_dict(count):
    items = collections.defaultdict(int)
    for number in range(count):
        items[number]
        given(items)


def set_members(count):
    items = set()
    for number in range(count):
        items.update((number,))
        given(items)


def set_gaps(count):
    items = set(range(count))
    for number in range(count - 1):
        items.discard(number)
    for _ in range(count):
        operator.length_hint([items])
        given(items)


def deque_items(count):
    items = collections.deque()
    for number in range(count):
        items.append(number)
        given(items)


def byte_array(count):
    items = bytearray()
    for _ in range(count):
        items.extend(b"0123456789abcdef")
        given(items)


def array_items(count):
    items = array.array("q")
    for number in range(count):
        items.append(number)
        given(items)


def attributes(count):
    thing = Plain()
    for number in range(count):
        setattr(thing, f"a{number}", number)
        given(thing)


def attributes_stored(count):
    thing = Plain()
    for number in range(count):
        setattr(thing, f"a{number}", number)
    for number in range(count):
        thing.latest = number


def attributes_by_vars(count):
    thing = Plain()
    for number in range(count):
        vars(thing).update({f"a{number}": number})
        given(thing)


def attributes_of_exceptions(count):
    thing = Problem()
    for number in range(count):
        setattr(thing, f"a{number}", number)
        given(thing)


def slots(count):
    thing = Slotted()
    for number in range(count):
        setattr(thing, f"s{number % 500}", number)
        given(thing)


def class_attributes(count):
    class Fresh:
        pass

    for number in range(count):
        setattr(Fresh, f"a{number}", number)
        given(Fresh)


def module_globals(count):
    module = sys.modules[__name__]
    for number in range(count):
        setattr(module, f"a{number}", number)
        given(number)


def closure_cells(count):
    def made(number):
        def step():
            nonlocal number
            number += 1
            return number

        return step

    steps = [made(number) for number in range(count)]
    for step in steps:
        functools.reduce(lambda total, each: total + each(), [step, step], 0)


def arguments(count):
    many = tuple(range(count))
    for _ in range(count):
        Problem(*many)


def long_numbers(count):
    thing, number = Plain(), 1 << 30 * count
    for _ in range(count):
        thing.number = number


def numpy_array(count):
    import numpy

    items = numpy.zeros(count)
    for number in range(count):
        numpy.put(items, number, 1.0)
        given(items)


def data_frame(count):
    import pandas

    table = pandas.DataFrame({"a": [0] * count, "b": [1.0] * count})
    for number in range(count // 10):
        table.iat[number, 0] = number
        given(table)


PARTS = {
    function.__name__: function
    for function in (
        list_items, list_moved, list_functions, dict_keys, dict_texts, dict_gaps, default_dict, set_members,
        set_gaps, deque_items, byte_array, array_items, attributes, attributes_stored, attributes_by_vars,
        attributes_of_exceptions, slots, class_attributes, module_globals, closure_cells, arguments, long_numbers,
        numpy_array, data_frame,
    )
}  # fmt: skip

if __name__ == "__main__":
    PARTS[sys.argv[1]](int(sys.argv[2]))
