"""Names the C extensions; everything else is in pyproject.toml.

The variable SLEUTH_BUILD chooses the kind of build:

not set    for users; warnings of the compiler are no errors
strict     for `make`; warnings are errors
debug      with symbols, and an inaccessible page behind each segment of the ring
sanitize   like `debug`, with the compiler's checks of addresses and undefined behaviour
"""

import os
from pathlib import Path

from setuptools import Extension, setup

FLAGS = [
    "-O3",
    "-std=c11",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Werror=implicit-function-declaration",
    "-Wno-unused-parameter",
    "-Wno-missing-field-initializers",
    "-Wno-cast-function-type",
]
DEBUG = ["-Werror", "-Og", "-g3", "-fno-omit-frame-pointer", "-UNDEBUG", "-DSLEUTH_GUARDS"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
COMPILE = {"": [], "strict": ["-Werror"], "debug": DEBUG, "sanitize": [*DEBUG, "-O1", *SANITIZE]}
LINK = {"sanitize": SANITIZE}

build = os.environ.get("SLEUTH_BUILD", "")
if build not in COMPILE:
    raise SystemExit(f"SLEUTH_BUILD={build} is none of: {', '.join(filter(None, COMPILE))}")


def extension(name: str) -> Extension:
    """Return the extension whose sources are in the folder of its name and its subfolders."""
    folder = Path("src/sleuth") / name
    return Extension(
        f"sleuth.{name}",
        sources=sorted(str(path) for path in folder.rglob("*.c")),
        depends=sorted(str(path) for path in folder.rglob("*.h")),
        include_dirs=sorted({str(path.parent) for path in folder.rglob("*.h")}),
        extra_compile_args=[*FLAGS, *COMPILE[build]],
        extra_link_args=LINK.get(build, []),
    )


# _core records and reads events; _flat walks over trees and is never loaded by a recorded program.
setup(ext_modules=[extension("_core"), extension("_flat")])
