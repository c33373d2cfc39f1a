"""The first code in the program's process: it loads the C core and hands over to it.

Runs as the main script of a fresh interpreter and imports only modules that are loaded already.
Arguments: the file of the C core, the descriptor of the shared memory, quiet (0 or 1), the kind of
program (`Program.kind`), the program, the program's first entry of the module search path ("=..."
replaces this script's entry, "+..." goes before it, "-" none), the number of original arguments,
the original arguments, and the program's arguments.
"""

import _imp
import sys

core_path, fd, quiet, kind, target, first_path, count = sys.argv[1:8]
rest = sys.argv[8:]
spec = type(sys.implementation)(name="_core", origin=core_path)  # type: ignore[call-arg]
core = _imp.create_dynamic(spec)  # type: ignore[arg-type]
_imp.exec_dynamic(core)
if first_path != "-":
    sys.path[: first_path[0] == "="] = [first_path[1:]]
core.run(int(fd), int(quiet), kind, target, rest[int(count) :], rest[: int(count)])
