"""The table of answers, and lines read by it."""

import pytest

from sleuth.views.prompt.grammar import COMMANDS, NotUnderstood, help_lines, understood


@pytest.mark.parametrize(
    ("line", "name", "text"),
    [
        ("y", "right", ""),
        ("  yes ", "right", ""),
        ("YES", "right", ""),
        ("Y", "right", ""),
        ("No", "wrong", ""),
        ("N 49.60", "wrong", "49.60"),
        ("Wrong", "wrong", ""),
        ("wrong c[2]", "part", "c[2]"),
        ("W c[2] = 4", "part", "c[2] = 4"),
        ("D", "unknown", ""),
        ("Don't know", "unknown", ""),
        ("Q", "leave", ""),
        ("quit", "leave", ""),
        ("HELP", "help", ""),
        ("why", "why", ""),
        ("Find tax", "find", "tax"),
        ("A", "alike", ""),
        ("O", "oracles", ""),
        ("n", "wrong", ""),
        ("n 49.60", "wrong", "49.60"),
        ("w self.lines[2].price = 3", "part", "self.lines[2].price = 3"),
        ("t", "trust-function", ""),
        ("T", "trust-module", ""),
        ("u", "undo", ""),
        ("U", "redo", ""),
        ("a", "answers", ""),
        ("a 3 -", "answers", "3 -"),
        ("?", "help", ""),
    ],
)
def test_a_line_is_a_key_and_what_stands_behind_it(line: str, name: str, text: str) -> None:
    typed = understood(line)
    assert (typed.command.name, typed.text) == (name, text)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ye", "Did you mean y (right)?"),
        ("wron", "Did you mean w (this part is wrong"),
        ("forward", "Type x +forward to add it."),
        ("top-down", "Type g top-down to use it."),
        ("xyzzy", "'xyzzy' is not an answer. Type ? for all answers."),
        ("y please", "y takes no argument"),
        ("w", "w needs an argument: w PATH [= VALUE]"),
        ("\x1b[2J", "'\\x1b[2J' is not an answer"),
    ],
)
def test_a_line_that_is_no_answer_gets_a_hint(line: str, words: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        understood(line)
    assert words in str(error.value)


def test_no_two_commands_share_a_key_or_a_word() -> None:
    words = [word for each in COMMANDS for word in (each.key, *each.words)]
    assert len(words) == len(set(words))


def test_the_help_fits_a_terminal() -> None:
    for topic in ("", "tree"):
        assert max(map(len, help_lines(80, topic))) <= 80
        assert len(help_lines(80, topic)) <= 24
    assert len(help_lines(80)) + len(help_lines(80, "tree")) == len(COMMANDS)
    with pytest.raises(NotUnderstood, match="There is no help for 'loops'"):
        help_lines(80, "loops")
    assert help_lines(80, "Tree") == help_lines(80, "tree")
