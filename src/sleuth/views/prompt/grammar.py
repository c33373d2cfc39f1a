"""What can be answered to a question: one table, from which the help and the docs come."""

from dataclasses import dataclass
from difflib import get_close_matches

from sleuth.search.strategies import STRATEGIES
from sleuth.tree.transformations import TRANSFORMATIONS
from sleuth.tree.transformations.parameters import name_of


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that can be typed at a question."""

    name: str
    key: str
    takes: str
    """What may stand behind the key; in brackets: it need not."""
    help: str
    words: tuple[str, ...] = ()
    """Longer words for the same."""
    is_about_tree: bool = False
    """Whether it is about loops and the shape of the tree: these have a help of their own."""

    @property
    def typed(self) -> str:
        """How it is typed, for the help."""
        return f"{self.key} {self.takes}".strip()


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was understood."""

    command: Command
    text: str
    """What stood behind the key."""


class NotUnderstood(Exception):
    """A line that is no answer, with what it may have meant."""


TREE = "tree"
"""What has a help of its own."""
COMMANDS = (
    Command("right", "y", "", "right: it did what it should", ("yes", "right")),
    Command(
        "wrong",
        "n",
        "[VALUE]",
        "wrong; VALUE is what it should have been, if you like",
        ("no", "wrong"),
    ),
    Command(
        "part",
        "w",
        "PATH [= VALUE]",
        "this part is wrong: w return, w self.lines[2].price",
    ),
    Command("unknown", "d", "", "don't know", ("unknown",)),
    Command(
        "inadmissible",
        "i",
        "",
        "inadmissible: it should not have been called like that",
        ("inadmissible",),
    ),
    Command("trust-function", "t", "", "trust this function: never ask about it", ("trust",)),
    Command("trust-module", "T", "", "trust all functions of this module"),
    Command("skip", "s", "", "another question first", ("skip",)),
    Command("alike", "A", "[ANSWER]", "the next answer holds for all questions equal to this one"),
    Command("undo", "u", "", "undo the last answer", ("undo",)),
    Command("redo", "U", "", "redo what was undone", ("redo",)),
    Command("open", "o", "PATH", "open a value: o self.lines", ("open",)),
    Command("explain", "e", "", "why this question, and what each answer would rule out"),
    Command("code", "c", "", "show the code", ("code",)),
    Command("strategy", "g", "[NAME]", "choose questions by another strategy; alone: list them"),
    Command("shape", "x", "[NAME,...]", "transform the tree: x loops, x none; alone: list them"),
    Command(
        "first",
        "first",
        "TURN",
        "of a loop: this turn is the first wrong one: first 37",
        is_about_tree=True,
    ),
    Command(
        "turns",
        "turns",
        "[FROM [TO]]",
        "of a loop: its turns as a table: turns 1 100",
        is_about_tree=True,
    ),
    Command(
        "name",
        "name",
        "TEXT",
        "of a loop: call it so from here on; name - takes that back",
        is_about_tree=True,
    ),
    Command(
        "calls",
        "calls",
        "[FROM [TO]]",
        "of a group: list its calls, all or some: calls 41 80",
        is_about_tree=True,
    ),
    Command(
        "fold",
        "fold",
        "[WHAT]",
        "one node with all it called, asked last: fold, fold parse",
        is_about_tree=True,
    ),
    Command(
        "unfold",
        "unfold",
        "[WHAT]",
        "take apart what is folded or merged; unfold all",
        is_about_tree=True,
    ),
    Command(
        "only",
        "only",
        "[WHAT]",
        "search here first, fold all else: only, only 12",
        is_about_tree=True,
    ),
    Command(
        "inline",
        "inline",
        "NAME",
        "this function's code is its callers': don't ask about it",
        is_about_tree=True,
    ),
    Command("judge", "j", "CALL", "judge any call now, by its number"),
    Command("find", "f", "TEXT", "find calls by function, argument, value or exception"),
    Command(
        "answers",
        "a",
        "[N [ANSWER]]",
        "list the answers; a 3 y changes one, a 3 - clears it",
    ),
    Command(
        "oracles",
        "O",
        "[NAME]",
        "who else answers; O NAME switches one off, or on again",
        ("oracles",),
    ),
    Command("leave", "q", "", "leave; everything is kept", ("quit", "exit")),
    Command("help", "?", "[tree]", "this help; ? tree: for loops and the tree", ("help",)),
)
_BY_WORD = {word: each for each in COMMANDS for word in (each.key, *each.words)}
BY_NAME = {each.name: each for each in COMMANDS}


def understood(line: str) -> Typed:
    """Return what a line means."""
    word, _, text = line.strip().partition(" ")
    command = _BY_WORD.get(word) or _BY_WORD.get(word.lower() if len(word) > 1 else word)
    if command is None:
        raise NotUnderstood(_unknown(word))
    text = text.strip()
    if text and not command.takes:
        raise NotUnderstood(
            f"{command.key} stands alone; nothing belongs behind it. Type ? for help."
        )
    if not text and command.takes and not command.takes.startswith("["):
        raise NotUnderstood(f"{command.key} needs something behind it: {command.typed}")
    return Typed(command, text)


def _unknown(word: str) -> str:
    if name_of(word) in TRANSFORMATIONS:
        return f"{word!r} is a way to transform the tree. Type x +{word} to add it."
    if word in STRATEGIES:
        return f"{word!r} is a strategy. Type g {word} to use it."
    near = get_close_matches(word.lower(), [each for each in _BY_WORD if len(each) > 1], n=1)
    other = word.swapcase() if word.swapcase() in _BY_WORD else ""
    meant = _BY_WORD.get(near[0] if near else other)
    hint = f" Did you mean {meant.key} ({meant.help.partition(':')[0]})?" if meant else ""
    return f"{word!r} is no answer.{hint} Type ? for all answers."


def help_lines(topic: str = "") -> list[str]:
    """Return the table for the screen, or the part that is about the tree."""
    if topic not in ("", TREE):
        raise NotUnderstood(f"There is no help for {topic!r}: there is ?, and ? {TREE}.")
    shown = [each for each in COMMANDS if each.is_about_tree == (topic == TREE)]
    width = max(len(each.typed) for each in shown)
    return [f"  {each.typed:<{width}}  {each.help}" for each in shown]
