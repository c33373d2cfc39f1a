"""Any typed lines: no crash, all answers are kept, every line of output fits."""

import contextlib
import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.search.strategies import STRATEGIES
from sleuth.views.commands.report import lines as reported
from sleuth.views.drawing.screen import Screen
from sleuth.views.prompt.conversation import Conversation
from sleuth.views.prompt.inquiry import opened

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import toy
from tests.effort import examples

LINES = st.one_of(
    st.sampled_from(
        ["y", "n", "d", "i", "s", "u", "U", "t", "T", "A", "A y", "a", "e", "c", "?", ""]
    ),
    st.sampled_from(
        ["w return", "w a0 = 3", "o return", "o a0", "o given", "f a0", "f 1", "g", "="]
    ),
    st.builds("j {}".format, st.integers(0, 9)),
    st.builds("a {} {}".format, st.integers(1, 5), st.sampled_from(["y", "n", "-", "=", ""])),
    st.builds("g {}".format, st.sampled_from([*STRATEGIES])),
    st.integers(1, 9).map(str),
    st.text(max_size=6),
)


class Typed:
    """Lines that are typed one after the other."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = iter(lines)

    def read(self, prompt: str) -> str | None:
        return next(self._lines, None)


@settings(max_examples=examples(60))
@given(st.lists(LINES, max_size=25))
def test_any_lines_can_be_typed(lines: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = toy.record(Path(folder) / "run.trace", toy.FACTORIAL, [])
        shown = io.StringIO()
        with opened(path) as inquiry, contextlib.redirect_stdout(shown):
            Conversation(inquiry, Typed(lines), Screen(has_colour=False, can_move=False)).run()
            for form in ("md", "json", "sarif"):
                assert list(reported(inquiry.trace, inquiry.session, form))
            session = inquiry.session
        text = shown.getvalue()
        assert all(len(line) <= 80 for line in text.splitlines() if folder not in line)
        assert "\x1b" not in text
        with opened(path) as again:
            assert again.session.entries == session.entries
            assert again.session.undone_entries == session.undone_entries
            assert again.session.strategy == session.strategy
            assert again.session.pending == session.pending
