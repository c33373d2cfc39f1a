"""Naming conventions of a language: which names are constructors, operators, receivers ...

A recorder names its language in `meta.language`.  For a language without a row here nothing is
guessed: a function is just a function.
"""

import builtins
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from sleuth.trace.events import Function
from sleuth.trace.library import INHERITED, LIBRARY, MODULES, Meaning

_LONGEST_HEAD = 20


@dataclass(frozen=True, slots=True)
class Conventions:
    """The conventions of one language."""

    receivers: frozenset[str] = frozenset()
    """Names of the first parameter of a method."""
    constructors: frozenset[str] = frozenset()
    operators: Mapping[str, str] = field(default_factory=dict)
    """Name of the function -> how a call of it is written: `{0} + {1}`."""
    comparing: frozenset[str] = frozenset()
    """Methods that the language itself calls to compare, hash or measure objects."""
    closing: frozenset[str] = frozenset()
    """Exceptions that close a generator from outside."""
    cancelling: frozenset[str] = frozenset()
    """Types of exceptions by which a coroutine is told to end."""
    code: frozenset[str] = frozenset()
    """Types of values that are code: functions, types, modules."""
    nothing: frozenset[str] = frozenset()
    """Constants that stand for no value."""
    implicit: str = "\0"
    """Prefix of parameters that the compiler invents and no program writes."""
    quotes: tuple[str, ...] = ()
    """Opening quotes of a docstring."""
    entering: frozenset[str] = frozenset()
    """Methods that run when a context is entered; their result is that of entering it."""
    accessors: Mapping[str, frozenset[str]] = field(default_factory=lambda: defaultdict(frozenset))
    """Kind of a read -> methods that run instead of it."""
    containers: frozenset[str] = frozenset()
    """Types of plain containers: what is read of them is what they contain."""
    shifts: Mapping[str, int] = field(default_factory=dict)
    """Types of what is called -> how many arguments it adds in front: 1 for a bound method."""
    yields: Mapping[str, str] = field(default_factory=dict)
    """Types that are iterated over -> what a turn is given: items; values, or pairs of keys and
    values, of the mapping that they view; numbered or parallel items of what they were made of."""
    activations: frozenset[str] = frozenset()
    """Types of values that are suspended calls: generators, coroutines."""
    promises: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Types of futures -> the fields that hold the result and the exception."""
    unseen_promises: frozenset[str] = frozenset()
    """Types of futures whose results are not recorded."""
    opaque: frozenset[str] = frozenset()
    """Types of values with unrecorded state, such as the position of an iterator."""
    notations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Types of values shown as a call of their type -> the fields shown as arguments.  `*` and `**`
    unpack a field, `?` leaves it out if it is missing, `=` at the end shows it with its name."""
    views: frozenset[str] = frozenset()
    """Types of live views of another value, such as `dict_keys`."""
    unmade: frozenset[str] = frozenset()
    """Types of values that can't be built again from their fields."""
    standing: frozenset[str] = frozenset()
    """Fields that hold the value which their owner stands for; the owner is described by it."""
    builtin: frozenset[str] = frozenset()
    """Functions of the language itself; they may call any method of their arguments."""
    runs_text: frozenset[str] = frozenset()
    """The builtin functions that run code given as text or as a code object."""
    runs_kind: Mapping[str, str] = field(default_factory=dict)
    """Kind of such code -> the function of the language that runs it."""
    unnamed_files: frozenset[str] = frozenset()
    """Names of files that stand for code which was given none."""
    caches: frozenset[str] = frozenset()
    """Types of wrappers that cache the results of a function."""
    callers: frozenset[str] = frozenset()
    """Methods that run when an object is called like a function."""
    interrupts: frozenset[str] = frozenset()
    """Exceptions by which a user stops a program: Ctrl-C."""
    nameless: frozenset[str] = frozenset()
    """Names without a meaning, such as `_`: their owner is known by another name."""
    library: Mapping[str, Meaning] = field(default_factory=dict)
    """Types of the language's own library -> what their objects mean; the rest is folded."""
    inherited: Mapping[frozenset[str], frozenset[str]] = field(default_factory=dict)
    """Attributes that show from which class of that library a class of the program is derived ->
    attributes that are folded."""
    modules: frozenset[str] = frozenset()
    """The modules of that library, by their first names."""
    body: str = ""
    """The name of the body of a module."""
    package: str = "\0"
    """The name of the file that makes a folder a package."""
    inner: str = "."
    """The separator between the names of a function and of one nested in it."""


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
    comparing=frozenset(
        f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "hash", "len", "bool")
    ),
    closing=frozenset({"GeneratorExit", "builtins.GeneratorExit"}),
    cancelling=frozenset({"asyncio.exceptions.CancelledError", "trio.Cancelled"}),
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
    entering=frozenset({"__enter__", "__aenter__"}),
    accessors={
        "attribute": frozenset({"__getattr__", "__getattribute__"}),
        "item": frozenset({"__getitem__"}),
    },
    containers=frozenset({"list", "tuple", "dict", "set", "frozenset", "bytearray"}),
    shifts={"function": 0, "method": 1},
    yields={
        "list": "items",
        "tuple": "items",
        "dict_items": "pairs",
        "dict_values": "values",
        "enumerate": "numbered",
        "zip": "parallel",
    },
    activations=frozenset({"generator", "coroutine", "async_generator"}),
    promises={
        "concurrent.futures._base.Future": ("_result", "_exception"),
        "asyncio.futures.Future": ("_result", "_exception"),
        "asyncio.tasks.Task": ("_result", "_exception"),
    },
    unseen_promises=frozenset({"_asyncio.Future", "_asyncio.Task"}),
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
    runs_kind={"code body": "exec", "expression": "eval"},
    unnamed_files=frozenset({"<string>"}),
    caches=frozenset({"functools._lru_cache_wrapper"}),
    callers=frozenset({"__call__"}),
    interrupts=frozenset({"KeyboardInterrupt"}),
    nameless=frozenset({"_"}),
    library=LIBRARY,
    inherited=INHERITED,
    modules=MODULES,
    body="<module>",
    package="__init__.py",
    inner=".<locals>.",
)
_NONE = Conventions(nothing=frozenset({"nil", "null", "None"}))
_LANGUAGES = {"python": _PYTHON}


def of(language: object) -> Conventions:
    """Return the conventions of a language."""
    return _LANGUAGES.get(language.lower(), _NONE) if isinstance(language, str) else _NONE


def role(conventions: Conventions, function: Function) -> str:
    """Return "constructor", "operator", "method" or "", judged by names alone."""
    if function.name in conventions.constructors:
        return "constructor"
    if not function.parameters or function.parameters[0] not in conventions.receivers:
        return ""
    return "operator" if function.name in conventions.operators else "method"


def purpose(conventions: Conventions, lines: Sequence[str], function: Function) -> str:
    """Return the first line of a function's docstring, or ""."""
    head_ended, quote = False, ""
    for line in lines[function.first_line - 1 : function.first_line - 1 + _LONGEST_HEAD]:
        words = line.strip()
        if head_ended and not quote:
            quote = next((each for each in conventions.quotes if words.startswith(each)), "")
            if not quote:
                return ""
            words, quote = words[len(quote) :], quote.lstrip("r")
        if quote:  # the text may begin on the next line
            inside, end, _ = words.partition(quote)
            said = inside.strip().removesuffix("\\").strip()
            if said or end:
                return said
        head_ended = head_ended or words.endswith(":")
    return ""


def folded(conventions: Conventions, type_name: str, names: AbstractSet[str]) -> AbstractSet[str]:
    """Return the attributes of an object that only the language's own library understands."""
    meaning = conventions.library.get(type_name)
    if meaning is not None:
        return {name for name in names if meaning.folds(name)}
    for known_by, inside in conventions.inherited.items():
        if known_by <= names:
            return inside & names
    return frozenset()


def is_of_library(conventions: Conventions, type_name: str) -> bool:
    """Tell whether a class is built in or of the language's own library."""
    first, dot, _ = type_name.partition(".")
    return not dot or first in conventions.modules
