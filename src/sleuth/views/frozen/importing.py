"""Imports of a recorded program's code: names, folders, import statements."""

import keyword
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from sleuth.trace.events import Module
from sleuth.trace.heap.recipe import Unbuildable
from sleuth.trace.reader import Trace

_MAIN = "__main__"
_INNER = "<locals>"


def is_name(text: str) -> bool:
    """Tell whether a text is a name, dotted or not: only names may get into a test."""
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in text.split("."))


def import_name(trace: Trace, module: Module) -> str:
    """Return the name by which a module can be imported; Unbuildable: there is none."""
    name = module.name
    if name == _MAIN:
        argv = [str(word) for word in trace.meta.get("argv", ())]
        is_module = argv[:1] == ["-m"] or (argv and argv[0].startswith("-m"))
        name = str(trace.meta.get("program")) if is_module else PurePath(module.path).stem
    if module.path.startswith("<") or not module.path:
        raise Unbuildable(name, "is not in a file that could be imported")
    if not is_name(name):
        raise Unbuildable(PurePath(module.path).name, "has a name that can't be imported")
    return name


def folder_of(name: str, module: Module) -> Path:
    """Return the folder that must be on the search path to import a module by that name."""
    path = Path(module.path)
    if path.name in ("__init__.py", "__main__.py") and name.rpartition(".")[2] != path.stem:
        path = path.parent
    return path.parents[name.count(".")]


@dataclass(slots=True)
class Imports:
    """The imports of a test file, collected while it is written."""

    trace: Trace
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    """Module and name in it -> name in the test file."""
    _modules: dict[str, Module] = field(default_factory=dict)

    def copy(self) -> "Imports":
        """Return a copy, to try something that may fail."""
        return Imports(self.trace, dict(self._names), dict(self._modules))

    def type_text(self, type_name: str, path: str) -> str:
        """Return the expression for a type, given its full name; Unbuildable: it can't be named."""
        if _INNER in type_name:
            raise Unbuildable(path, f"is a {type_name}, a class that is defined in a function")
        if not is_name(type_name):
            raise Unbuildable(path, f"is a {type_name}, which can't be imported")
        modules = {module.name: module for module in self.trace.modules()}
        parts = type_name.split(".")
        if len(parts) == 1:
            return type_name
        for count in range(len(parts) - 1, 0, -1):
            known = modules.get(".".join(parts[:count]))
            if known is not None:
                return self.text(known, ".".join(parts[count:]))
        return self._called(".".join(parts[:-1]), parts[-1])

    def text(self, module: Module, qualified: str) -> str:
        """Return the expression for an object in a module."""
        name = import_name(self.trace, module)
        if not is_name(qualified):
            raise Unbuildable(qualified, "has a name that can't be imported")
        self._modules[name] = module
        first, dot, rest = qualified.partition(".")
        return f"{self._called(name, first)}{dot}{rest}"

    def module_text(self, module: Module) -> str:
        """Return the expression for a module."""
        name = import_name(self.trace, module)
        self._modules[name] = module
        return self._called(name, "")

    def _called(self, module: str, name: str) -> str:
        if (module, name) not in self._names:
            wanted = name or module.rpartition(".")[2]
            taken = {*self._names.values()}
            called, number = wanted, 2
            while called in taken:
                called, number = f"{wanted}_{number}", number + 1
            self._names[module, name] = called
        return self._names[module, name]

    @property
    def lines(self) -> list[str]:
        """The import statements, sorted."""
        found: dict[str, list[str]] = {}
        for (module, name), called in self._names.items():
            package, _, last = module.rpartition(".")
            source, wanted = (module, name) if name else (package, last)
            renamed = "" if called == wanted else f" as {called}"
            found.setdefault(source, []).append(f"{wanted}{renamed}")
        plain = [f"import {each}" for each in sorted(found.pop("", []))]
        return plain + [
            f"from {source} import {', '.join(sorted(names))}"
            for source, names in sorted(found.items())
        ]

    @property
    def folders(self) -> list[Path]:
        """The folders of the user's own modules that must be on the search path."""
        own = [
            (name, module)
            for name, module in self._modules.items()
            if module.is_recorded and not module.is_foreign
        ]
        return list(dict.fromkeys(folder_of(name, module) for name, module in own))
