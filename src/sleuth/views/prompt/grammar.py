"""The table of the commands that can be typed at the prompt; parser, help and docs follow from it.

A row says everything about a command except what it does: that is in the function of `handlers.py`
or `loop_handlers.py` that is marked with the row's name.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, IntEnum, auto

from sleuth.search.question import Verdict
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.transformations import TRANSFORMATIONS
from sleuth.tree.transformations.outline import Wish
from sleuth.tree.transformations.parameters import name_of
from sleuth.views.drawing.sections import table


class Where(IntEnum):
    """The prompts at which a command can be typed; each value includes those before it."""

    QUESTION = 1
    DIAGNOSIS = 2
    ANYWHERE = 3
    """Also at a contradiction, and when nothing is left to ask."""


class Prompt(Enum):
    """The prompts that end with a short list of keys: `[y n w d i ?]`."""

    QUESTION = auto()
    DIAGNOSIS = auto()
    CONTRADICTION = auto()
    END = auto()
    """Nothing is left to ask."""
    CHANGE = auto()
    """An earlier answer gets another verdict."""


_JUDGING = (Prompt.QUESTION, Prompt.CHANGE)
_AFTER = (Prompt.DIAGNOSIS, Prompt.CONTRADICTION, Prompt.END)


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the prompt."""

    name: str
    key: str
    takes: str
    """The argument; in brackets if it is optional."""
    help: str
    words: tuple[str, ...] = ()
    """Longer words for the key; one with a space is a whole line."""
    is_about_tree: bool = False
    """Whether `? tree` lists it: it is about loops, labels or the shape of the tree."""
    where: Where = Where.QUESTION
    brief: tuple[Prompt, ...] = ()
    """The prompts whose short list of keys names it."""
    verdict: Verdict | None = None
    """The verdict that it gives, if it is an answer."""
    wish: Wish | None = None
    """The change of the tree that it asks for, if any."""

    @property
    def typed(self) -> str:
        """The key with its argument, as the help shows it."""
        return f"{self.key} {self.takes}".strip()


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was understood."""

    command: Command
    text: str
    """The argument."""
    is_part_or_value: bool = False
    """Whether the argument is a path or a value, whichever it fits."""


class NotUnderstood(Exception):
    """A line that is not a command; the message suggests one."""


TREE = "tree"
"""The topic of `? tree`."""
WRONG = "wrong"
"""Alone it is `n`; with an argument it is `w`, or `n` if the argument is not a path."""
COMMANDS = (
    Command(
        "right",
        "y",
        "",
        "right: it did what it should",
        ("yes", "right"),
        brief=_JUDGING,
        verdict=Verdict.RIGHT,
    ),
    Command(
        "wrong",
        "n",
        "[VALUE]",
        "wrong; VALUE is what it should have been, if you like",
        ("no",),
        brief=_JUDGING,
        verdict=Verdict.WRONG,
    ),
    Command(
        "part",
        "w",
        "PATH [= VALUE]",
        "this part is wrong: w return, w self.lines[2].price",
        (WRONG, "part"),
        brief=(Prompt.QUESTION,),
        verdict=Verdict.WRONG,
    ),
    Command(
        "unknown",
        "d",
        "",
        "don't know",
        ("unknown", "don't know", "dont know", "dunno"),
        brief=_JUDGING,
        verdict=Verdict.UNKNOWN,
    ),
    Command(
        "inadmissible",
        "i",
        "[PATH]",
        "bad call: the caller is at fault; PATH is the wrong input",
        ("inadmissible", "bad call"),
        brief=_JUDGING,
        verdict=Verdict.INADMISSIBLE,
    ),
    Command(
        "trust-function",
        "t",
        "",
        "trust this function: never ask about it",
        ("trust",),
        verdict=Verdict.TRUST_FUNCTION,
    ),
    Command(
        "trust-module", "T", "", "trust all functions of this module", verdict=Verdict.TRUST_MODULE
    ),
    Command("skip", "s", "", "another question first", ("skip",), verdict=Verdict.SKIP),
    Command(
        "alike",
        "A",
        "[ANSWER]",
        "give the next answer to all questions equal to this one",
        ("alike",),
    ),
    Command("undo", "u", "", "undo the last answer", ("undo",), where=Where.ANYWHERE, brief=_AFTER),
    Command("redo", "U", "", "redo the answer that was undone", ("redo",), where=Where.ANYWHERE),
    Command("open", "o", "PATH", "open a value: o self.lines", ("open",), where=Where.DIAGNOSIS),
    Command(
        "explain",
        "e",
        "",
        "why this question, and what each answer would rule out",
        ("explain",),
    ),
    Command(
        "code",
        "c",
        "",
        "show the code",
        ("code",),
        where=Where.DIAGNOSIS,
        brief=(Prompt.DIAGNOSIS,),
    ),
    Command(
        "travel",
        "v",
        "",
        "travel: step over the moments of this call; q comes back",
        ("travel",),
        where=Where.ANYWHERE,
    ),
    Command(
        "why",
        "why",
        "[PATH]",
        "the operation that made a value: why self.total; alone: as e",
        where=Where.ANYWHERE,
    ),
    Command(
        "history",
        "hist",
        "PATH",
        "every write to a variable, an attribute or an item",
        ("history",),
        where=Where.ANYWHERE,
    ),
    Command(
        "strategy",
        "g",
        "[NAME]",
        "use another strategy to choose questions; alone: list them",
        ("strategy",),
    ),
    Command(
        "shape",
        "x",
        "[NAME,...]",
        "transform the tree: x loops, x none; alone: list them",
        ("transform",),
        is_about_tree=True,
        where=Where.ANYWHERE,
    ),
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
        where=Where.DIAGNOSIS,
    ),
    Command(
        "name",
        "name",
        "TEXT",
        "of a loop: give it a name; name - removes it",
        is_about_tree=True,
        where=Where.DIAGNOSIS,
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
        "ask last about a call and all it called: fold, fold parse",
        is_about_tree=True,
        wish=Wish.FOLD,
        where=Where.ANYWHERE,
    ),
    Command(
        "unfold",
        "unfold",
        "[WHAT]",
        "undo fold, or split a merged call or a group: unfold all",
        is_about_tree=True,
        wish=Wish.UNFOLD,
        where=Where.ANYWHERE,
    ),
    Command(
        "only",
        "only",
        "[WHAT]",
        "search here first, fold all else: only, only 12",
        is_about_tree=True,
        wish=Wish.ONLY,
        where=Where.ANYWHERE,
    ),
    Command(
        "inline",
        "inline",
        "NAME",
        "count a function as part of its callers: never ask about it",
        is_about_tree=True,
        wish=Wish.INLINE,
        where=Where.ANYWHERE,
    ),
    Command(
        "label",
        "label",
        "CLASS PATHS",
        "show objects of a class by these parts: label Line id, name",
        is_about_tree=True,
        where=Where.ANYWHERE,
    ),
    Command(
        "judge",
        "j",
        "CALL",
        "judge any call now, by its number",
        ("judge",),
        where=Where.ANYWHERE,
        brief=(Prompt.DIAGNOSIS,),
    ),
    Command(
        "find",
        "f",
        "TEXT",
        "find calls by function, argument, value or exception",
        ("find",),
        where=Where.ANYWHERE,
    ),
    Command(
        "answers",
        "a",
        "[N [ANSWER]]",
        "list the answers; a 3 y changes one, a 3 - clears it",
        ("answers",),
        where=Where.ANYWHERE,
        brief=_AFTER,
    ),
    Command(
        "oracles",
        "O",
        "[NAME]",
        "list the oracles; O NAME switches one off, or on again",
        ("oracles",),
        where=Where.ANYWHERE,
    ),
    Command(
        "leave",
        "q",
        "",
        "leave; everything is kept",
        ("quit", "exit"),
        where=Where.ANYWHERE,
        brief=_AFTER,
    ),
    Command(
        "help",
        "?",
        "[tree]",
        "this help; ? tree: for loops, labels and the tree",
        ("help",),
        where=Where.ANYWHERE,
        brief=(Prompt.QUESTION, *_AFTER),
    ),
)
_BY_WORD = {word: each for each in COMMANDS for word in (each.key, *each.words)}
BY_NAME = {each.name: each for each in COMMANDS}


def keys_at(where: Where) -> str:
    """Return the keys of the commands that can be typed at a prompt."""
    return " ".join(each.key for each in COMMANDS if each.where >= where)


def brief_keys(prompt: Prompt) -> str:
    """Return the short list of keys that a prompt ends with."""
    return " ".join(each.key for each in COMMANDS if prompt in each.brief)


def answer_keys() -> str:
    """Return the keys of the answers that can replace an earlier one: `y, n, w, ...`."""
    return ", ".join(each.key for each in COMMANDS if each.verdict not in (None, Verdict.SKIP))


def understood(line: str) -> Typed:
    """Parse a line: the command and its argument; capitals count where a command has them."""
    whole = " ".join(line.split()).lower()
    if " " in whole and whole in _BY_WORD:
        return Typed(_BY_WORD[whole], "")
    word, _, text = line.strip().partition(" ")
    command = _BY_WORD.get(word) or _BY_WORD.get(word.lower())
    if command is None:
        raise NotUnderstood(_unknown(word))
    text = text.strip()
    if word.lower() == WRONG:
        return Typed(command if text else BY_NAME["wrong"], text, is_part_or_value=bool(text))
    if text and not command.takes:
        raise NotUnderstood(f"{command.key} takes no argument. Type ? for help.")
    if not text and command.takes and not command.takes.startswith("["):
        raise NotUnderstood(f"{command.key} needs an argument: {command.typed}")
    return Typed(command, text)


def _unknown(word: str) -> str:
    if name_of(word) in TRANSFORMATIONS:
        return f"{word!r} is a way to transform the tree. Type x +{word} to add it."
    if word in STRATEGIES:
        return f"{word!r} is a strategy. Type g {word} to use it."
    near = get_close_matches(word.lower(), [each for each in _BY_WORD if len(each) > 1], n=1)
    meant = _BY_WORD.get(near[0]) if near else None
    hint = f" Did you mean {meant.key} ({meant.help.partition(':')[0]})?" if meant else ""
    return f"{word!r} is not an answer.{hint} Type ? for all answers."


def help_lines(width: int, topic: str = "") -> list[str]:
    """Return the table for the screen, or the part that is about the tree."""
    topic = topic.lower()
    if topic not in ("", TREE):
        raise NotUnderstood(f"There is no help for {topic!r}. Type ? or ? {TREE}.")
    shown = [each for each in COMMANDS if each.is_about_tree == (topic == TREE)]
    return list(table([(each.typed, each.help) for each in shown], width))
