"""Names the C extension; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("src/sleuth/_core")

setup(
    ext_modules=[
        Extension(
            "sleuth._core",
            sources=sorted(str(path) for path in CORE.glob("*.c")),
            depends=sorted(str(path) for path in CORE.glob("*.h")),
            extra_compile_args=["-O3", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra",
                                "-Wno-unused-parameter", "-Wno-missing-field-initializers",
                                "-Wno-cast-function-type"],
        ),
    ],
)
