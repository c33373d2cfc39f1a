"""Objects of Python's standard library: what they mean to a person who did not write them.

A queue means its items, a lock whether it is held.  What else the library keeps in them is folded:
it is left out where a value or a change is shown, but a path still leads to it.  Attributes that
the library does not know, and so the program has set, are shown.

Objects of classes of the program that are derived from such a class are not folded, but for a few
classes that programs are made to derive from: a test case, a thread.  They are known by the
attributes that every one of their objects has.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

_ANY = "*"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is shown of an object of a class, and what is folded."""

    items: str = ""
    """The attribute whose items are shown."""
    state: str = ""
    """The attributes that lead to its state: `_lock.locked`."""
    said: Mapping[str, str] = field(default_factory=dict)
    """Value of the state -> the words for it; `*` stands for any other value."""
    fields: tuple[str, ...] = ()
    """Attributes that are shown with their values, unless these are zero, empty or None."""
    inner: tuple[str, ...] = ()
    """Attributes that are folded although their names don't begin with an underscore."""

    def folds(self, name: str) -> bool:
        """Tell whether an attribute is folded."""
        if name in (self.items, self.state.partition(".")[0], *self.fields):
            return False
        return name.startswith("_") or name in self.inner

    def words(self, state: str) -> str:
        """Return the words for a state, which is given as it is shown."""
        return self.said.get(state, self.said.get(_ANY, "")).format(state)


NOTHING = Meaning()
"""Of such an object only its class is shown."""
_HELD = {"True": "held", "1": "held", "False": "free", "0": "free"}
_SET = {"True": "set", "False": "not set"}
_CLOSED = {"True": "closed", "False": ""}
_SHUT = {"True": "shut down", "False": ""}
_LEFT = {_ANY: "{} left"}
_WAITING = {_ANY: "{} waiting"}
_FUTURE = Meaning(fields=("_state", "_result", "_exception"))
_QUEUES = ("Queue", "LifoQueue", "PriorityQueue")
_QUEUED = (
    "mutex",
    "not_empty",
    "not_full",
    "all_tasks_done",
    "unfinished_tasks",
    "is_shutdown",
)
_SEMAPHORES = ("Semaphore", "BoundedSemaphore")
_LOOPS = ("unix_events._UnixSelectorEventLoop", "selector_events.BaseSelectorEventLoop")
_POOLS = ("thread.ThreadPoolExecutor", "process.ProcessPoolExecutor")
_PATHS = ("PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath", "Path", "PurePath")
_HANDLERS = ("Handler", "StreamHandler", "FileHandler", "NullHandler", "_StderrHandler")
_LOGGER = Meaning(
    fields=("name", "level"),
    inner=("parent", "propagate", "handlers", "disabled", "manager", "filters", "root"),
)
_IN_A_HANDLER = ("filters", "formatter", "lock", "stream")
_MOCKS = ("Mock", "MagicMock", "AsyncMock", "NonCallableMock", "NonCallableMagicMock")

LIBRARY: Mapping[str, Meaning] = {
    # asyncio
    **{f"asyncio.queues.{name}": Meaning("_queue", fields=("_maxsize",)) for name in _QUEUES},
    "asyncio.locks.Lock": Meaning(state="_locked", said=_HELD),
    "asyncio.locks.Event": Meaning(state="_value", said=_SET),
    "asyncio.locks.Condition": Meaning(state="_lock._locked", said=_HELD),
    **{f"asyncio.locks.{name}": Meaning(state="_value", said=_LEFT) for name in _SEMAPHORES},
    "asyncio.locks.Barrier": Meaning(state="_count", said=_WAITING),
    **{f"asyncio.{name}": Meaning(state="_closed", said=_CLOSED) for name in _LOOPS},
    "asyncio.futures.Future": _FUTURE,
    "asyncio.tasks.Task": _FUTURE,
    "asyncio.taskgroups.TaskGroup": Meaning("_tasks"),
    "asyncio.timeouts.Timeout": Meaning(fields=("_when",)),
    "asyncio.events.Handle": Meaning(fields=("_callback",)),
    "asyncio.events.TimerHandle": Meaning(fields=("_callback", "_when")),
    "asyncio.runners.Runner": NOTHING,
    "asyncio.streams.StreamReader": Meaning(fields=("_buffer", "_eof")),
    "asyncio.streams.StreamWriter": NOTHING,
    # Threads and processes
    **{f"queue.{name}": Meaning("queue", fields=("maxsize",), inner=_QUEUED) for name in _QUEUES},
    "threading.Event": Meaning(state="_flag", said=_SET),
    "threading.Condition": Meaning(inner=("acquire", "release")),
    **{f"threading.{name}": Meaning(state="_value", said=_LEFT) for name in _SEMAPHORES},
    "threading.Barrier": Meaning(state="_count", said=_WAITING),
    **{
        f"threading.{name}": Meaning(fields=("_name",))
        for name in ("Thread", "_MainThread", "_DummyThread")
    },
    "threading.Timer": Meaning(fields=("_name", "interval", "function"), inner=("finished",)),
    "concurrent.futures._base.Future": _FUTURE,
    **{
        f"concurrent.futures.{name}": Meaning(
            state="_shutdown", said=_SHUT, fields=("_max_workers",)
        )
        for name in _POOLS
    },
    # Contexts
    "contextlib.ExitStack": Meaning("_exit_callbacks"),
    "contextlib.AsyncExitStack": Meaning("_exit_callbacks"),
    "contextlib._GeneratorContextManager": Meaning(fields=("gen",)),
    "contextlib._AsyncGeneratorContextManager": Meaning(fields=("gen",)),
    # Logs
    "logging.Logger": _LOGGER,
    "logging.RootLogger": _LOGGER,
    "logging.LoggerAdapter": Meaning(fields=("logger", "extra")),
    "logging.Manager": Meaning(inner=("root", "disable", "loggerDict", "emittedNoHandlerWarning")),
    "logging.Formatter": Meaning(fields=("_fmt",), inner=("datefmt",)),
    **{
        f"logging.{name}": Meaning(fields=("_name", "level"), inner=_IN_A_HANDLER)
        for name in _HANDLERS
    },
    # Others
    "random.Random": Meaning(inner=("gauss_next",)),
    "random.SystemRandom": Meaning(inner=("gauss_next",)),
    **{f"{module}.{name}": NOTHING for module in ("pathlib", "pathlib._local") for name in _PATHS},
    "weakref.WeakKeyDictionary": Meaning("data"),
    "weakref.WeakValueDictionary": Meaning("data"),
    "_weakrefset.WeakSet": Meaning("data"),
    "weakref.WeakSet": Meaning("data"),
    "tempfile._TemporaryFileWrapper": Meaning(fields=("name",), inner=("file", "delete")),
    "tempfile.TemporaryDirectory": Meaning(fields=("name",)),
    "configparser.ConfigParser": Meaning("_sections"),
    "string.Formatter": NOTHING,
    **{
        f"unittest.mock.{name}": Meaning(
            "_mock_mock_calls", fields=("_mock_name",), inner=("method_calls",)
        )
        for name in _MOCKS
    },
}
"""By type name; what is not here is shown with all its attributes."""
_TEST_CASE = ("_testMethodName", "_testMethodDoc", "_outcome", "_cleanups", "_subtest")
_THREAD = ("_daemonic", "_ident", "_native_id", "_started", "_stderr", "_invoke_excepthook")
_MORE_OF_A_THREAD = ("_initialized", "_is_stopped", "_tstate_lock", "_handle", "_context")
_WORK_OF_A_THREAD = ("_target", "_args", "_kwargs")
INHERITED: Mapping[frozenset[str], frozenset[str]] = {
    frozenset(_TEST_CASE): frozenset((*_TEST_CASE[1:], "_type_equality_funcs")),
    frozenset(_THREAD): frozenset((*_THREAD, *_MORE_OF_A_THREAD, *_WORK_OF_A_THREAD)),
}
"""Attributes by which the base of a class is known -> attributes of that base that are folded."""
MODULES = frozenset(sys.stdlib_module_names)
"""The modules of the standard library, by their first name."""
_STARLETTE = ("Response", "JSONResponse", "PlainTextResponse", "HTMLResponse", "RedirectResponse")
_DJANGO = ("HttpResponse", "JsonResponse", "HttpResponseRedirect", "HttpResponseNotFound")
LABELS: Mapping[str, str] = {
    **{f"{module}.Response": "_status_code, response[*]" for module in ("flask", "werkzeug")},
    "flask.Request": "method, path, query_string",
    "werkzeug.Request": "method, path, query_string",
    "werkzeug.test.TestResponse": "_status_code, response[*]",
    **{f"starlette.responses.{name}": "status_code, body" for name in _STARLETTE},
    "starlette.requests.Request": "scope['method'], scope['path'], scope['query_string'], _body",
    "httpx.Response": "status_code, _content",
    "httpx.Request": "method, url._uri_reference.path, _content",
    "requests.Response": "status_code, _content",
    "requests.PreparedRequest": "method, url, body",
    **{f"django.{name}": "status_code, _container[*]" for name in _DJANGO},
    "django.WSGIRequest": "method, path",
}
"""By class: what tells an object of a well-known library from others, written like a user's label.

A response is known by its status and its body, a request by what it asks for.
"""
