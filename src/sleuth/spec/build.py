"""Builds plain Python data from recorded values; the inverse of `oracles/behaviour_json.py`."""

import builtins
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from sleuth.spec.call import Record

_TYPES: dict[str, type[Record]] = {}


def record_type(name: str) -> type[Record]:
    """Return the subclass of Record that stands for a class of the program."""
    if name not in _TYPES:
        short = name.rpartition(".")[2]
        _TYPES[name] = type(short, (Record,), {"__module__": name.rpartition(".")[0]})
    return _TYPES[name]


def built(parcel: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by name; shared and cyclic objects are shared and cyclic again."""
    builder = _Builder(parcel["objects"])
    return {name: builder.value(value) for name, value in parcel["values"].items()}


class _Builder:
    """Builds contents before containers, except in cycles."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        self._objects = objects
        self._built: dict[str, Any] = {}

    def value(self, value: Any) -> Any:
        """Build one value."""
        if value[0] != "object":
            return _atom(value)
        start = str(value[1])
        stack = [(False, start)]
        entered: set[str] = set()
        while stack:
            is_left, number = stack.pop()
            if is_left:
                self._finish(number)
            elif number not in entered and number not in self._built:
                entered.add(number)
                self._begin(number)
                stack.append((True, number))
                stack.extend((False, each) for each in reversed(self._inside(number)))
        return self._built[start]

    def _inside(self, number: str) -> list[str]:
        told = self._objects[number]
        named = [*told["items"], *told["keys"], *(item for _, item in told["attributes"])]
        return [str(each[1]) for each in named if each[0] == "object"]

    def _begin(self, number: str) -> None:
        """Make an empty container that is filled later."""
        told = self._objects[number]
        make = _FILLED.get(told["make"])
        if make is not None:
            self._built[number] = make()
        elif told["make"] == "record":
            self._built[number] = record_type(told["type"])()

    def _finish(self, number: str) -> None:
        told = self._objects[number]
        items = [self._done(each) for each in told["items"]]
        keys = [self._done(each) for each in told["keys"]]
        match told["make"]:
            case "list" | "deque":
                self._built[number].extend(items)
            case "dict" | "OrderedDict":
                self._built[number].update(zip(keys, items, strict=True))
            case "Counter":  # which would count the pairs
                dict.update(self._built[number], zip(keys, items, strict=True))
            case "set":
                self._built[number].update(items)
            case "record":
                attributes = {name: self._done(each) for name, each in told["attributes"]}
                vars(self._built[number]).update(attributes)
            case "tuple":
                self._built[number] = tuple(items)
            case "frozenset":
                self._built[number] = frozenset(items)
            case "bytearray":
                self._built[number] = bytearray(items[0] if items else b"")
            case "call":
                named = {name: self._done(each) for name, each in told["attributes"]}
                self._built[number] = _maker(told["type"])(*items, **named)

    def _done(self, value: Any) -> Any:
        return self._built[str(value[1])] if value[0] == "object" else _atom(value)


_CALLED: dict[str, Callable[..., Any]] = {"range": range, "slice": slice, "re.Pattern": re.compile}
_MODULES = ("datetime", "decimal", "fractions", "uuid", "zoneinfo")
_FILLED: dict[str, Any] = {
    "list": list,
    "dict": dict,
    "set": set,
    "deque": deque,
    "OrderedDict": OrderedDict,
    "Counter": Counter,
}


def _maker(type_name: str) -> Callable[..., Any]:
    """Return the callable that makes values of a type of the standard library."""
    if type_name in _CALLED:
        return _CALLED[type_name]
    module, _, name = type_name.rpartition(".")
    if module not in _MODULES:
        raise ValueError(f"unknown type {type_name!r}")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def _atom(value: Any) -> Any:
    match value:
        case ["integer", digits]:
            return int(digits, 16)
        case ["float", text]:
            return float.fromhex(text)
        case ["complex", real, imaginary]:
            return complex(float.fromhex(real), float.fromhex(imaginary))
        case ["text", text]:
            return text
        case ["bytes", text]:
            return bytes.fromhex(text)
        case ["constant", name]:
            return getattr(builtins, name)
    raise ValueError(f"unknown value {value!r}")
