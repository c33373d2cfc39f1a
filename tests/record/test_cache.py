"""Rewritten code is stored under the rewriter that made it."""

import subprocess
import sys
from pathlib import Path

from sleuth.record import cache

LOADED = """
import sleuth.record.rewrite, sys
for name in sorted(sys.modules):
    if name.startswith(("sleuth.record.rewrite", "sleuth.trace.flow")):
        print(sys.modules[name].__file__)
"""


def test_all_code_of_the_rewriter_counts() -> None:
    """Otherwise a newer version of Sleuth would use tables that an older one made."""
    ran = subprocess.run(
        [sys.executable, "-c", LOADED], check=True, capture_output=True, text=True
    ).stdout.split("\n")
    loaded = {Path(line) for line in ran if line}
    assert any(path.parent.name == "flow" for path in loaded)
    assert loaded <= set(cache.sources())
