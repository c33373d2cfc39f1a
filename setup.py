"""Names the C extensions; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

FLAGS = ["-O3", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra",
         "-Werror=implicit-function-declaration", "-Wno-unused-parameter",
         "-Wno-missing-field-initializers", "-Wno-cast-function-type"]


def extension(name: str) -> Extension:
    """Return the extension whose sources are in the folder of its name."""
    folder = Path("src/sleuth") / name
    return Extension(
        f"sleuth.{name}",
        sources=sorted(str(path) for path in folder.glob("*.c")),
        depends=sorted(str(path) for path in folder.glob("*.h")),
        extra_compile_args=FLAGS,
    )


# _core records and reads events; _flat walks over trees and is never loaded by a recorded program.
setup(ext_modules=[extension("_core"), extension("_flat")])
