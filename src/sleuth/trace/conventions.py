"""What a language's names say of a function: which make an object, which stand for an operator.

A recorder names its language in `meta.language`.  Of a language that has no row here a function is
just a function: nothing is guessed.
"""

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sleuth.trace.events import Function

_LONGEST_HEAD = 20


@dataclass(frozen=True, slots=True)
class Conventions:
    """The names of one language."""

    receivers: frozenset[str] = frozenset()
    """How the first parameter of a method is called."""
    constructors: frozenset[str] = frozenset()
    operators: Mapping[str, str] = field(default_factory=dict)
    """Function's name -> how it is written where it is used: `{0} + {1}`."""
    closing: frozenset[str] = frozenset()
    """Exceptions that end a stream from outside: nobody wants more of it."""
    code: frozenset[str] = frozenset()
    """Types of values that are code: functions, types, modules."""
    nothing: frozenset[str] = frozenset()
    """Constants that stand for no value."""
    implicit: str = "\0"
    """How the names of parameters begin that no program writes."""
    quotes: tuple[str, ...] = ()
    """How a text begins that stands behind the head of a function and says what it is for."""
    activations: frozenset[str] = frozenset()
    """Types of values that are calls which can go on: generators, coroutines."""
    promises: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Types of values that stand for a later one -> the fields for that, and for its exception."""
    opaque: frozenset[str] = frozenset()
    """Types of values with a state that is not recorded: how far an iterator has gone."""
    notations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Types of values that are written like a call of them -> their fields, as arguments; `*` and
    `**`: what a field holds; `?`: only if it is there; `=` behind it: with its name."""
    views: frozenset[str] = frozenset()
    """Types of values that show what another one has, now and later."""
    unmade: frozenset[str] = frozenset()
    """Types of values whose fields say what they are, but not how to make them again."""
    standing: frozenset[str] = frozenset()
    """Fields of values that stand for another one, which is what they are told by."""
    builtin: frozenset[str] = frozenset()
    """Functions of the language itself; of what they are given they may call anything."""
    runs_text: frozenset[str] = frozenset()
    """Those of them that run code which they are given as a text, or ready made."""
    caches: frozenset[str] = frozenset()
    """Types of values that stand before a function and answer for it what they know already."""
    callers: frozenset[str] = frozenset()
    """Methods that run when an object is called as a function."""
    nameless: frozenset[str] = frozenset()
    """Names that say nothing: what has one is known by something else."""
    body: str = ""
    """How the body of a module is called."""
    package: str = "\0"
    """The file of a module that others stand in, without its folder."""
    inner: str = "."
    """What stands between the names of a function and of one that is defined in it."""


def _binary(**signs: str) -> dict[str, str]:
    found = {}
    for name, sign in signs.items():
        found[f"__{name}__"] = f"{{0}} {sign} {{1}}"
        found[f"__r{name}__"] = f"{{1}} {sign} {{0}}"
        found[f"__i{name}__"] = f"{{0}} {sign}= {{1}}"
    return found


_ITERTOOLS = (
    "accumulate",
    "batched",
    "chain",
    "combinations",
    "combinations_with_replacement",
    "compress",
    "count",
    "cycle",
    "dropwhile",
    "filterfalse",
    "groupby",
    "islice",
    "pairwise",
    "permutations",
    "product",
    "repeat",
    "starmap",
    "takewhile",
    "zip_longest",
)
_CLOCK = ("hour", "minute", "second", "microsecond")
_PYTHON = Conventions(
    receivers=frozenset({"self", "cls"}),
    constructors=frozenset({"__init__"}),
    operators={
        **_binary(add="+", sub="-", mul="*", matmul="@", truediv="/", floordiv="//", mod="%"),
        **_binary(pow="**", lshift="<<", rshift=">>", xor="^"),
        **_binary(**{"and": "&", "or": "|"}),
        "__eq__": "{0} == {1}",
        "__ne__": "{0} != {1}",
        "__lt__": "{0} < {1}",
        "__le__": "{0} <= {1}",
        "__gt__": "{0} > {1}",
        "__ge__": "{0} >= {1}",
        "__neg__": "-{0}",
        "__pos__": "+{0}",
        "__invert__": "~{0}",
        "__contains__": "{1} in {0}",
        "__getitem__": "{0}[{1}]",
        "__setitem__": "{0}[{1}] = {2}",
        "__delitem__": "del {0}[{1}]",
        "__len__": "len({0})",
        "__bool__": "bool({0})",
        "__iter__": "iter({0})",
        "__next__": "next({0})",
        "__hash__": "hash({0})",
        "__str__": "str({0})",
        "__repr__": "repr({0})",
        "__enter__": "with {0}",
        "__exit__": "end of with {0}",
    },
    closing=frozenset({"GeneratorExit", "builtins.GeneratorExit"}),
    code=frozenset(
        {
            "function",
            "type",
            "module",
            "builtin_function_or_method",
            "abc.ABCMeta",
            "enum.EnumType",
            "enum.EnumMeta",
            "EnumType",
            "functools._lru_cache_wrapper",
        }
    ),
    nothing=frozenset({"None"}),
    implicit=".",
    quotes=('"""', "'''", 'r"""', '"', "'"),
    activations=frozenset({"generator", "coroutine", "async_generator"}),
    promises={
        "concurrent.futures._base.Future": ("_result", "_exception"),
        "asyncio.futures.Future": ("_result", "_exception"),
        "asyncio.tasks.Task": ("_result", "_exception"),
    },
    opaque=frozenset(
        {
            "_asyncio.Future",
            "_asyncio.Task",
            "bytearray_iterator",
            "bytes_iterator",
            "callable_iterator",
            "dict_itemiterator",
            "dict_keyiterator",
            "dict_reverseitemiterator",
            "dict_reversekeyiterator",
            "dict_reversevalueiterator",
            "dict_valueiterator",
            "enumerate",
            "filter",
            "iterator",
            "list_iterator",
            "list_reverseiterator",
            "longrange_iterator",
            "map",
            "random.Random",
            "range_iterator",
            "reversed",
            "set_iterator",
            "str_ascii_iterator",
            "str_iterator",
            "tuple_iterator",
            "zip",
            *(f"itertools.{name}" for name in _ITERTOOLS),
        }
    ),
    views=frozenset({"dict_items", "dict_keys", "dict_values", "mappingproxy"}),
    unmade=frozenset({"operator.attrgetter", "operator.itemgetter", "re.Match"}),
    standing=frozenset({"of", "over"}),
    notations={
        "range": ("start", "stop", "step"),
        "slice": ("start", "stop", "step"),
        "functools.partial": ("func", "*args", "**keywords"),
        "re.Pattern": ("pattern", "flags"),
        "datetime.date": ("year", "month", "day"),
        "datetime.datetime": ("year", "month", "day", *_CLOCK, "?tzinfo", "?fold="),
        "datetime.time": (*_CLOCK, "?tzinfo", "?fold="),
        "datetime.timedelta": ("days", "seconds", "microseconds"),
        "datetime.timezone": ("offset", "?name"),
        "zoneinfo.ZoneInfo": ("key",),
        "decimal.Decimal": ("value",),
    },
    builtin=frozenset(dir(builtins)),
    runs_text=frozenset({"exec", "eval"}),
    caches=frozenset({"functools._lru_cache_wrapper"}),
    callers=frozenset({"__call__"}),
    nameless=frozenset({"_"}),
    body="<module>",
    package="__init__.py",
    inner=".<locals>.",
)
_NONE = Conventions(nothing=frozenset({"nil", "null", "None"}))
_LANGUAGES = {"python": _PYTHON}


def of(language: object) -> Conventions:
    """Return the names of a language."""
    return _LANGUAGES.get(language.lower(), _NONE) if isinstance(language, str) else _NONE


def role(conventions: Conventions, function: Function) -> str:
    """Return constructor, operator, method, or nothing: what the names alone say."""
    if function.name in conventions.constructors:
        return "constructor"
    if not function.parameters or function.parameters[0] not in conventions.receivers:
        return ""
    return "operator" if function.name in conventions.operators else "method"


def purpose(conventions: Conventions, lines: Sequence[str], function: Function) -> str:
    """Return the first line of the text in which a function says what it is for; or nothing."""
    head_ended, quote = False, ""
    for line in lines[function.first_line - 1 : function.first_line - 1 + _LONGEST_HEAD]:
        words = line.strip()
        if head_ended and not quote:
            quote = next((each for each in conventions.quotes if words.startswith(each)), "")
            if not quote:
                return ""
            words, quote = words[len(quote) :], quote.lstrip("r")
        if quote:  # it may begin on a line of its own
            inside, end, _ = words.partition(quote)
            said = inside.strip().removesuffix("\\").strip()
            if said or end:
                return said
        head_ended = head_ended or words.endswith(":")
    return ""
