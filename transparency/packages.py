#!/usr/bin/env python3
"""Checks that the test suites of real packages give the same outcomes when they are recorded.

    packages.py [NAME ...]

Each package's sdist is fetched and unpacked, its tests run plain and recorded (package and tests
included), and the outcomes of every single test are compared, and the exit status of the whole.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import sleuth

# Name, version, extra requirements of the tests, arguments for pytest.
PACKAGES = {
    "boltons": ("24.1.0", ["pytest<8"], ["tests"]),
    "toolz": ("1.0.0", [], ["toolz"]),
    "more-itertools": ("10.5.0", [], ["tests", "--doctest-modules", "more_itertools"]),
    "pluggy": ("1.5.0", [], ["testing", "--ignore=testing/benchmark.py"]),
    "tomlkit": ("0.13.2", ["pytest", "pyyaml"], ["tests"]),
    "cachetools": ("5.5.0", [], ["tests"]),
    "jinja2": ("3.1.4", ["pytest", "markupsafe", "trio"], ["tests"]),
    "werkzeug": ("3.0.6", ["pytest<9", "markupsafe", "ephemeral-port-reserve", "cryptography", "watchdog", "pytest-xprocess", "pytest-timeout"],
                 ["tests", "-p", "xprocess.pytest_xprocess", "-p", "pytest_timeout"]),
    "click": ("8.1.7", ["pytest<9"], ["tests"]),
    "trio": ("0.27.0", ["pytest", "attrs", "outcome", "sortedcontainers", "sniffio", "idna", "trustme",
                        "async_generator", "pyopenssl"], ["src/trio", "-p", "trio._tests.pytest_plugin",
                                                          "--skip-optional-imports"]),
    "anyio": ("4.6.2.post1", ["pytest<8.4", "sniffio", "idna", "trio", "exceptiongroup", "trustme", "psutil", "hypothesis",
                              "pytest-mock", "truststore"], ["-o", "addopts=", "tests", "-p", "anyio.pytest_plugin",
                                                              "-p", "pytest_mock"]),
    "typeguard": ("4.4.1", ["pytest", "typing_extensions"], ["tests", "-k", "not mypy"]),
    "mako": ("1.3.6", ["pytest", "markupsafe"], ["test", "-k", "not babel and not lingua and not beaker and not dogpile"]),
    "beartype": ("0.19.0", ["pytest"], ["beartype_test", "-k", "claw or decor"]),
    "attrs": ("24.2.0", ["pytest", "hypothesis", "cloudpickle"], ["tests", "-k", "not mypy and not pyright"]),
    "sympy": ("1.13.3", ["pytest", "mpmath"], ["--doctest-modules", "sympy/ntheory", "sympy/sets", "sympy/combinatorics/permutations.py"]),
    "ipython": ("8.29.0", ["pytest<8.3", "pytest-asyncio<0.22", "testpath", "decorator", "jedi", "matplotlib-inline", "pexpect", "pickleshare",
                           "prompt_toolkit", "pygments", "stack_data", "traitlets", "typing_extensions"],
                ["IPython/core/tests", "-p", "pytest_asyncio"]),
}


def outcomes(report):
    """Read a report of pytest: {test: outcome}."""
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        found[f"{case.get('classname')}.{case.get('name')}"] = "".join(sorted(kinds)) or "passed"
    return found


def check(name, version, requirements, arguments, folder):
    """Compare one package; tell whether it is the same."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:",
                    "-d", folder, f"{name}=={version}"], check=True, stdout=subprocess.DEVNULL)
    (archive,) = Path(folder).glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (source,) = [path for path in Path(folder).iterdir() if path.is_dir()]
    target = Path(folder, "installed")
    subprocess.run([*pip, "install", "--target", target, *(requirements or ["pytest"])], check=True)
    paths = [str(path) for path in (source / "src", source, target) if path.exists()]
    # (Plugins of this environment may ask for another pytest than the package's tests do.)
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    results = []
    for recorder in ([], ["-m", "sleuth", "record", "--quiet", "--output", f"{folder}/a.trace",
                          "--include", f"{source}/", "--"]):
        report = Path(folder, f"{len(results)}.xml")
        starter = f"import sys; sys.path[:0] = {paths!r}; import pytest; sys.exit(pytest.main(sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, *recorder, "-c", starter, "-q", "-p", "no:cacheprovider",
             "-p", "no:randomly", f"--junitxml={report}", *arguments],
            cwd=source, env=environment, capture_output=True, text=True, check=False)
        if not report.exists():
            print(done.stdout[-2000:], done.stderr[-2000:])
            return False
        results.append(outcomes(report) | {"exit status": str(done.returncode)})
    plain, recorded = results
    differing = {key for key in plain.keys() | recorded.keys() if plain.get(key) != recorded.get(key)}
    trace = sleuth.open(f"{folder}/a.trace").trace
    print(f"{name} {version}: {len(plain) - 1} tests, {len(differing)} differ; "
          f"{trace.call_count:,} calls, {trace.event_count:,} events recorded", flush=True)
    for key in sorted(differing)[:10]:
        print(f"    {key}: plain {plain.get(key)}, recorded {recorded.get(key)}")
    return not differing


def main():
    wanted = sys.argv[1:] or list(PACKAGES)
    same = True
    for name in wanted:
        version, requirements, arguments = PACKAGES[name]
        with tempfile.TemporaryDirectory() as folder:
            same &= check(name, version, requirements, arguments, folder)
    return not same


if __name__ == "__main__":
    sys.exit(main())
