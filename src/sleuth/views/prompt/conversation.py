"""The conversation: shows what is pending, reads a line and carries it out, until the end.

`typed_lines.py` supplies the lines, and the session the questions.  `grammar.py` has the table of
commands; `handlers.py` carries them out.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sleuth.errors import UsageError
from sleuth.search.question import Contradiction, Diagnosis, NoBug, Question
from sleuth.trace.values import escaped
from sleuth.views.drawing.screen import Screen
from sleuth.views.drawing.styled import Line, width, wrapped
from sleuth.views.prompt import answer_list, grammar, handlers, messages
from sleuth.views.prompt.grammar import NotUnderstood, Prompt
from sleuth.views.prompt.inquiry import Ended, Inquiry
from sleuth.views.prompt.typed_lines import FileLines, Lines


class DoesNotFit(UsageError):
    """A line of an answers file does not answer the question at that point."""


@dataclass(slots=True)
class Conversation:
    """Asks until one node is found, no question is left, or the user leaves."""

    inquiry: Inquiry
    lines: Lines
    screen: Screen
    wanted: int | None = None
    """A node that the user wants to judge now, whatever the strategy says."""
    is_for_all: bool = False
    """Whether the next answer holds for all equal questions."""
    is_over: bool = False
    """Whether the user wants to leave."""
    search: handlers.Search | None = None
    """A stopped search for calls, which `f` can resume."""
    _shown: object = field(default=None)

    # --- The loop --------------------------------------------------------------------------------

    def run(self) -> Ended:
        """Run the conversation to its end."""
        if self.inquiry.just_confirmed:
            self.say(messages.found_before(self.inquiry, self.width))
            if not self._goes_on():
                return Ended.FOUND
        while True:
            try:
                ended = self._step()
            except KeyboardInterrupt:
                ended = self._leave()
            if ended is not None:
                self._mention_unused()
                return ended

    def _step(self) -> Ended | None:
        pending = self.inquiry.session.pending
        self.say(answer_list.news(self.inquiry))
        if self.wanted is not None:
            return self._ask(self.inquiry.session.question(self.wanted))
        match pending:
            case Question():
                return self._ask(pending)
            case Diagnosis():
                return self._confirm(pending)
            case Contradiction():
                return self._settle(pending)
            case NoBug():
                calls, is_trusting = self.inquiry.trace.call_count, self.inquiry.are_tests_trusted
                self.say(messages.no_bug(pending, calls, are_tests_trusted=is_trusting))
                return self._after_all()

    def _ask(self, question: Question) -> Ended | None:
        self._show_once(question, messages.question(self.inquiry, question, self.width))
        line = self.lines.read(self.prompt(messages.prompt(self.inquiry, question)))
        if line is None:
            return self._leave()
        if not line.strip():
            self.say(["Type y if it is right, n if it is wrong, ? for all answers."])
            return None
        self._reply(lambda: handlers.reply(self, question, grammar.understood(line)))
        return self._leave() if self.is_over else None

    def _confirm(self, diagnosis: Diagnosis) -> Ended | None:
        self._show_once(diagnosis, messages.diagnosis(self.inquiry, diagnosis, self.width))
        line = self.lines.read(self.prompt(messages.diagnosis_prompt(diagnosis)))
        if line is None:
            return self._leave()
        before = self.inquiry.session
        self._reply(lambda: handlers.reply_to_diagnosis(self, diagnosis, line))
        if self.inquiry.session is not before and self.inquiry.just_confirmed:
            self.say(messages.confirmed(self.inquiry))
            return None if self._goes_on() else Ended.FOUND
        return self._leave() if self.is_over else None

    def _settle(self, clash: Contradiction) -> Ended | None:
        self._show_once(clash, answer_list.contradiction(self.inquiry, clash, self.width))
        numbers = " ".join(map(str, clash.answers))
        keys = grammar.brief_keys(Prompt.CONTRADICTION)
        line = self.lines.read(self.prompt(f"Which one is not true? [{numbers} {keys}] "))
        if line is None:
            return self._leave()
        self._reply(lambda: handlers.reply_to_contradiction(self, clash, line))
        return self._leave() if self.is_over else None

    def _after_all(self) -> Ended | None:
        """Let the user change earlier answers when no question is left."""
        if not self.inquiry.session.entries:
            return self.inquiry.ended
        keys = grammar.brief_keys(Prompt.END)
        line = self.lines.read(self.prompt(f"Leave, or change an answer? [{keys}] "))
        if line is None:
            return self.inquiry.ended
        self._shown = None
        self._reply(lambda: handlers.reply_to_the_end(self, line))
        return self.inquiry.ended if self.is_over else None

    def _goes_on(self) -> bool:
        """Ask whether to look for another bug; `u` takes the confirmation back."""
        prompt = "Look for another bug in this run? Your answers are kept. [y n u] "
        while True:
            line = self.lines.read(self.prompt(prompt))
            word = (line or "n").strip().lower()
            if word in ("y", "yes"):
                return True
            if word in ("", "n", "no", "q", "quit", "exit"):
                return False
            if word in ("u", "undo"):
                self.inquiry.undo()
                self.show_again()
                self.say(["Taken back: the bug is not confirmed."])
                return True
            self._misfit(
                UsageError(
                    f"{line!r} is none of these: y looks for another bug, n leaves, u takes "
                    "back that this is the bug."
                )
            )

    # --- Saying ----------------------------------------------------------------------------------

    def say(self, lines: Iterable[str | Line]) -> None:
        """Write lines."""
        self.screen.write(lines)

    @property
    def width(self) -> int:
        """The columns of the terminal at this moment."""
        return self.screen.width

    def prompt(self, words: str) -> str:
        """Return a prompt; the first lines of a long one are written at once."""
        if width(words) > self.width:
            sentence, _, keys = words.strip().rpartition(" [")
            *above, last = [*wrapped(sentence, self.width), *wrapped(f"[{keys}", self.width)]
            self.say(above)
            words = f"{last} "
        return self.screen.prompt(words)

    def show_again(self) -> None:
        """Show what is pending once more, before the next line is read."""
        self._shown = None

    def _show_once(self, pending: object, lines: Iterable[str | Line]) -> None:
        """Show what comes next, unless it is still the same as before."""
        if self._shown != pending:
            self._shown = pending
            self.say(lines)

    # --- Inside ----------------------------------------------------------------------------------

    def _reply(self, act: handlers.Act) -> None:
        try:
            act()
        except (NotUnderstood, UsageError) as problem:
            self._misfit(problem)
        except KeyboardInterrupt:
            self.say(["Stopped."])

    def _misfit(self, problem: Exception) -> None:
        """Report a line that does not fit; a file of answers is not read any further."""
        if isinstance(self.lines, FileLines):
            where = f"{escaped(str(self.lines.path))}, line {self.lines.number}"
            words = f"{problem}" if str(problem).endswith((".", "?")) else f"{problem}."
            raise DoesNotFit(f"{where}: {words} The answers up to there are kept.") from None
        self.say([str(problem)])

    def _mention_unused(self) -> None:
        if isinstance(self.lines, FileLines) and (rest := self.lines.unused()):
            noun = "line" if rest == 1 else "lines"
            self.say([f"({rest} more {noun} of {escaped(str(self.lines.path))} not needed)"])

    def _leave(self) -> Ended:
        self.say(messages.left(self.inquiry))
        return self.inquiry.ended
