"""The first code in the program's process: it loads the recorder and hands over to it.

Runs as the main script of a fresh interpreter and imports nothing that it does not have already.
Arguments: the recorder's file, the number of the shared memory's descriptor, quiet or not, how the
program is given, the program, its first entry of the module search path ("=..." in place of this
script's, "+..." before all, "-" none), the count of the original arguments, these, and the
program's arguments.
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
