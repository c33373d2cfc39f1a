"""Commands that run in the ready process are independent of each other."""

from pathlib import Path

import pytest

from tests.ready import ran


def test_a_command_after_one_that_took_too_long_has_its_own_status(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "hangs.py").write_text("import time\nprint('now', flush=True)\ntime.sleep(60)\n")
    with pytest.raises(AssertionError, match=r"takes too long.*now"):
        ran(["record", "--", "hangs.py"], cwd=tmp_path, timeout=1)
    assert ran(["record", "--", "fails.py"], cwd=tmp_path).returncode == 3
    assert ran(["--version"], cwd=tmp_path).returncode == 0


def test_a_command_after_one_that_printed_no_text_has_its_own_status(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text("import os\nos.write(1, b'\\xff')\n")
    with pytest.raises(UnicodeDecodeError):
        ran(["record", "--quiet", "--", "prints.py"], cwd=tmp_path)
    assert ran(["--version"], cwd=tmp_path).returncode == 0
