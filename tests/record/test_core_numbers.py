"""The numbers that the C core shares with Python."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tools import write_core_numbers


def test_the_header_is_what_the_python_side_says() -> None:
    assert write_core_numbers.HEADER.read_text() == write_core_numbers.text()
