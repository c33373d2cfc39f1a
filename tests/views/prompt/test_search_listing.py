"""A search for calls shows its progress and stops after a while; not with played lines."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from sleuth.trace.events import CallId
from sleuth.views.cli import main
from sleuth.views.drawing import screen
from sleuth.views.drawing.screen import Waiting
from sleuth.views.prompt import search_listing
from sleuth.views.prompt.call_search import Found, Searched
from tests.recorded import recorded


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an hour pass whenever somebody looks at the clock."""
    passing = count(0, 3600)
    clock = SimpleNamespace(monotonic=lambda: float(next(passing)))
    for module in (search_listing, screen):
        monkeypatch.setattr(module, "time", clock)


@pytest.mark.usefixtures("hours")
def test_a_slow_search_tells_how_far_it_is_and_stops(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Found | Searched] = [Found(CallId(1), "x"), Searched(40), Found(CallId(2), "x")]
    search = iter(steps)
    found, at = search_listing.searched(search, Waiting(), 100, most=9, seconds=3)
    assert ([each.call for each in found], at) == ([1], 40)
    assert "searching: 40%" in capsys.readouterr().err


@pytest.mark.usefixtures("hours")
def test_played_lines_show_the_same_on_a_machine_that_is_slow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(
        tmp_path,
        """
        def twice(x):
            return 2 * x
        for number in range(40):
            twice(number)
        """,
    )
    answers = tmp_path / "answers.txt"
    answers.write_text("f x=39\nq\n", encoding="utf-8")
    main(["ask", str(trace.path), "--transform", "none", "--answers", str(answers)])
    out, errors = capsys.readouterr()
    assert "twice(x=39) -> 78" in out
    assert "Stopped" not in out
    assert "searching" not in errors
