"""Custom oracle: calls a function of the user with the question's data (`--oracle`)."""

from collections.abc import Mapping
from typing import Any

from sleuth.errors import UsageError
from sleuth.oracles.judge_process import SECONDS, JudgeFailed, Judging, answered
from sleuth.oracles.table import Describe, Settings
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.reader import Trace

NAME = "custom"
_VERDICTS = {each.value: each for each in (Verdict.RIGHT, Verdict.WRONG, Verdict.INADMISSIBLE)}


def made(trace: Trace, settings: Settings) -> "Custom | None":
    """Return the oracle, if there is a function to ask."""
    named = settings.get("oracle", ())
    if len(named) > 1:
        raise UsageError(
            "--oracle can be given only once. Write one function that calls the others."
        )
    return Custom(trace, named[0]) if named else None


class Custom:
    """The oracle."""

    name = NAME

    def __init__(self, trace: Trace, function: str, *, seconds: float = SECONDS) -> None:
        self.remarks: list[str] = []
        self._function = function
        self._describe: Describe | None = None
        if not all(function.partition(":")):
            raise UsageError(f"--oracle {function}: write MODULE:FUNCTION, such as checks:judge")
        try:
            self._judging = Judging(trace, function=function, seconds=seconds)
        except JudgeFailed as problem:
            raise UsageError(f"--oracle {function} can't be used: {problem}.") from None

    def describe_with(self, describe: Describe) -> None:
        """Set the function that makes the data of a question, as in `sleuth ask --json`."""
        self._describe = describe

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it can't say."""
        if self._describe is None:
            return None
        document = dict(self._describe(question))
        try:
            said = self._judging.ask({"do": "ask", "question": document})
        except JudgeFailed as problem:
            self._remark(document, str(problem))
            return None
        verdict = said.get("verdict")
        if verdict in (None, Verdict.UNKNOWN.value):
            return None
        if verdict not in _VERDICTS:
            self._remark(document, f"{verdict!r} is not a verdict")
            return None
        return answered(question, _VERDICTS[verdict], said, by=NAME)

    def _remark(self, document: Mapping[str, Any], why: str) -> None:
        where = f"{document.get('function')} (call {document.get('node')})"
        self.remarks.append(f"{self._function} failed on {where}: {why}")
