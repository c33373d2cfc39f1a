"""`sleuth ask --json`: the conversation for programs, as JSON objects, one a line.

It writes questions, contradictions and errors, and at the end a report; it reads answers.  The
fields are in docs/reference/json.md.
"""

import json
from difflib import get_close_matches
from typing import Any, TextIO

from sleuth.errors import UsageError
from sleuth.search.question import Answer, Contradiction, Question, Verdict
from sleuth.tree.node import Key
from sleuth.tree.transformations.outline import Wish
from sleuth.views.prompt import loop_views, name_lookup
from sleuth.views.prompt.inquiry import Ended, Inquiry
from sleuth.views.prompt.wishes import WISHES, wished
from sleuth.views.wire import recordings, reports, turn_tables
from sleuth.views.wire.contrasts import expected_value
from sleuth.views.wire.questions import key_of, question
from sleuth.views.words.expected import drawn, expectation
from sleuth.views.words.failure import checked

_FIRST, _NAME = "first", "name"
_WORDS = ("undo", "redo", _FIRST, _NAME, *WISHES)
_CHANGES = {"transform", "strategy"}
"""The verdicts that are commands, not answers."""
_SHOWN = ("turns", "calls")
_WIDE = 400
"""The most characters of a value in a failed check."""
_VERDICTS = {
    each.value: each
    for each in (
        Verdict.RIGHT,
        Verdict.WRONG,
        Verdict.UNKNOWN,
        Verdict.INADMISSIBLE,
        Verdict.TRUST_FUNCTION,
        Verdict.TRUST_MODULE,
        Verdict.DOUBT_FUNCTION,
        Verdict.DOUBT_MODULE,
        Verdict.SKIP,
    )
}


def ended(inquiry: Inquiry, sink: TextIO) -> Ended:
    """Write the report of an unattended inquiry."""
    _Machine(inquiry, sink).report()
    return inquiry.ended


def loop(inquiry: Inquiry, source: TextIO, sink: TextIO) -> Ended:
    """Ask and take answers until the search or the input ends."""
    machine = _Machine(inquiry, sink)
    try:
        while machine.ask():
            line = source.readline()
            while line and not machine.take(line):
                line = source.readline()
            if not line:
                break
    except KeyboardInterrupt:
        pass
    machine.report()
    return inquiry.ended


class _Machine:
    """The conversation with a program."""

    def __init__(self, inquiry: Inquiry, sink: TextIO) -> None:
        self._inquiry = inquiry
        self._sink = sink

    def say(self, document: dict[str, Any]) -> None:
        """Write a line."""
        print(recordings.line(document), file=self._sink, flush=True)

    def report(self) -> None:
        """Write the report, with the remarks of oracles that had to abstain."""
        inquiry = self._inquiry
        found = reports.report(inquiry.trace, inquiry.session, inquiry.failure)
        self.say(found | {"remarks": self._inquiry.helpers.remarks})

    def ask(self) -> bool:
        """Write what is pending; False: it needs no answer."""
        match self._inquiry.session.pending:
            case Question() as pending:
                self.say(self._question(pending))
                return True
            case Contradiction() as pending:
                self.say(self._contradiction(pending))
                return True
        return False

    def _question(self, pending: Question) -> dict[str, Any]:
        inquiry, node = self._inquiry, pending.node
        asked = question(inquiry.trace, inquiry.behaviour(node), pending.about)
        merged = len(inquiry.tree.calls_in(node)) if inquiry.tree.is_merged(node) else 0
        hints = list(inquiry.hints(node).values())
        more: dict[str, Any] = {"merged": merged} if merged else {}
        more |= expected_value(inquiry.trace, inquiry.behaviour(node), inquiry.expected(node))
        return asked | more | ({"hints": hints} if hints else {}) | self._test(node)

    def _test(self, node: int) -> dict[str, Any]:
        """Convert the reason why the recorded test failed, if it did."""
        trace, failure = self._inquiry.trace, self._inquiry.failure
        if failure is None:
            return {}
        about = trace.meta.get("test")
        actual = failure.actual
        return {
            "test": {
                "id": about.get("id") if isinstance(about, dict) else None,
                "call": failure.call,
                "line": failure.place.line if failure.place else None,
                "check": checked(failure) if failure.check else None,
                "actual": drawn(trace, actual, _WIDE) if actual else None,
                "expected": expectation(trace, failure) or None,
                "about_this": self._inquiry.is_tested(node),
                "compared": [drawn(trace, each, _WIDE) for each in failure.compared or ()],
            }
        }

    def _contradiction(self, clash: Contradiction) -> dict[str, Any]:
        return {
            "type": "contradiction",
            "clash": clash.clash.value,
            "answers": [
                reports.answer(given)
                for given in self._inquiry.session.answers
                if given.number in clash.answers
            ],
        }

    def take(self, line: str) -> bool:
        """Take an answer; report an error and return False if it can't be taken."""
        if not line.strip():
            return False
        try:
            self._taken(_document(line))
        except UsageError as error:
            self.say({"type": "error", "message": str(error)})
            return False
        return True

    def _taken(self, document: dict[str, Any]) -> None:
        verdict = document.get("verdict")
        if "show" in document:
            self._show(document)
        elif verdict is None and not _CHANGES.isdisjoint(document):
            self._change(document)
        elif verdict == "undo":
            self._inquiry.undo()
        elif verdict == "redo":
            self._inquiry.redo()
        elif verdict == _NAME:
            loop_views.name(self._inquiry, self._node(document), _text(document, "name").strip())
        elif isinstance(verdict, str) and verdict in WISHES:
            self._wished(document, WISHES[verdict])
        elif verdict == _FIRST:
            loop_views.first_wrong(self._inquiry, self._node(document), _turn(document))
        else:
            self._answered(document, _verdict(verdict))

    def _change(self, document: dict[str, Any]) -> None:
        """Change the shape of the tree, or the strategy."""
        if "transform" in document:
            names = document["transform"]
            is_list = isinstance(names, list)
            words = ",".join(map(str, names)) if is_list else _text(document, "transform")
            self._inquiry.reshape(words)
        if "strategy" in document:
            self._inquiry.use(name_lookup.strategy(_text(document, "strategy")))

    def _wished(self, document: dict[str, Any], wish: Wish) -> None:
        """Fold, unfold, search first or inline a function, or the node with an id."""
        name = _text(document, "function")
        about = None if name else self._about(document)
        wished(self._inquiry, wish, name, about)

    def _answered(self, document: dict[str, Any], verdict: Verdict) -> None:
        about = self._about(document)
        path = _text(document, "path")
        if path:
            about = self._inquiry.about(self._inquiry.question_about(about).node, path)
        expected = _text(document, "expected")
        if verdict is Verdict.WRONG and not path and not expected:
            node = self._inquiry.question_about(about).node
            expected = self._inquiry.expected_by_test(node)
        answer = Answer(
            about,
            verdict,
            path=path,
            expected=expected,
            note=_text(document, "note"),
        )
        pending = self._inquiry.session.pending
        is_asked = isinstance(pending, Question) and pending.about == about
        earlier = [each for each in self._inquiry.session.answers if each.answer.about == about]
        if earlier and not is_asked:
            self._inquiry.change(earlier[-1].number, answer)
        else:
            self._inquiry.give(answer)

    def _show(self, document: dict[str, Any]) -> None:
        """Write the requested table; the question follows again."""
        if document["show"] not in _SHOWN:
            known = ", ".join(_SHOWN)
            raise UsageError(f"show takes one of these: {known}.")
        wanted = loop_views.Wanted(_number(document, "from"), _number(document, "to"))
        node = self._node(document)
        if document["show"] == "calls":
            self.say(
                turn_tables.calls(
                    self._inquiry.trace, *loop_views.members(self._inquiry, node, wanted)
                )
            )
            return
        for table in loop_views.tables(self._inquiry, node, wanted):
            self.say(turn_tables.turns(self._inquiry.trace, table))

    def _node(self, document: dict[str, Any]) -> int:
        about = self._about(document)
        node = self._inquiry.session.problem.find(about)
        if node is None:
            raise UsageError(
                f"This tree has no node with the id {document['id']}. Use the id of a question."
            )
        return node

    def _about(self, document: dict[str, Any]) -> Key:
        wanted = document.get("id")
        if wanted is not None:
            return key_of(str(wanted))
        pending = self._inquiry.session.pending
        if isinstance(pending, Question):
            return pending.about
        raise UsageError("No question is pending, so the answer needs the id of an earlier one.")


def _document(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"This is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError("An answer must be a JSON object with verdict, and perhaps id.")
    return found


def _verdict(word: object) -> Verdict:
    found = _VERDICTS.get(word) if isinstance(word, str) else None
    if found is None:
        near = get_close_matches(str(word), [*_VERDICTS, *_WORDS], n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        known = ", ".join([*_VERDICTS, *_WORDS])
        raise UsageError(f"There is no verdict {json.dumps(word)}.{hint} There are: {known}.")
    return found


def _turn(document: dict[str, Any]) -> int:
    found = document.get("turn")
    if type(found) is not int:
        raise UsageError('first needs the number of a turn, for example "turn": 37.')
    return found


def _number(document: dict[str, Any], name: str) -> int | None:
    found = document.get(name)
    if found is not None and type(found) is not int:
        raise UsageError(f"{name} must be a number from 1 on.")
    return found


def _text(document: dict[str, Any], name: str) -> str:
    """Return a field as text; `expected` may be any JSON value."""
    value = document.get(name)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
