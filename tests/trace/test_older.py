"""Traces of older versions can be read, and missing information is reported."""

from pathlib import Path

import pytest

from sleuth.trace.flow.lines import Lines
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from sleuth.views.cli import main
from sleuth.views.drawing.styled import plain
from sleuth.views.words.source import code_lines

VERSION_2 = Path(__file__).parent / "older" / "version-2.trace"
"""The example `shop.py`, recorded before there was a flow table."""


def test_calls_and_values_of_an_older_trace_are_read() -> None:
    trace = Trace(VERSION_2)
    assert trace.call_count == 25
    assert [trace.function(call.function) is not None for call in trace.calls()] == [True] * 25


def test_an_older_trace_does_not_claim_that_a_line_ran() -> None:
    trace = Trace(VERSION_2)
    assert all(ran is None for _, ran in Lines(trace).all())
    call = trace.call(12)
    assert not coverage(trace, call).is_known
    shown = plain(code_lines(trace, call, width=80))
    assert "  The trace does not tell which of these lines ran." in shown
    assert not any(" * " in text for text in shown)


def test_a_bug_is_found_in_an_older_trace_without_lines(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    copy = tmp_path / "shop.trace"
    copy.write_bytes(VERSION_2.read_bytes())
    answers = tmp_path / "answers.txt"
    answers.write_text("\n".join(["n"] * 12))
    main(["ask", str(copy), "--answers", str(answers)])
    shown = capsys.readouterr().out
    assert "Found" in shown
    assert "The trace does not tell which of these lines ran." in shown
