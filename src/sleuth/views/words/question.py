"""A behaviour as a question of one screen: the call, its inputs, its outcome, its changes."""

from collections.abc import Iterator, Sequence

from sleuth.trace.conventions import purpose
from sleuth.trace.events import Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref
from sleuth.tree.node_kinds import text_at
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Seen
from sleuth.tree.observe.unseen import Unseen, unseen_in
from sleuth.views.drawing.rows import MOST_LINES, MOST_ROWS, Drawing
from sleuth.views.drawing.sections import Section, fitting, folded, is_narrow
from sleuth.views.drawing.styled import Line, Piece, Role, counted, fitted, line, wrapped
from sleuth.views.words.change_rows import ChangeRows, patterns
from sleuth.views.words.expected import Expected
from sleuth.views.words.loop import head_section, members_section, unchanged_section
from sleuth.views.words.moved_items import by_objects
from sleuth.views.words.outcome import outcome_sections
from sleuth.views.words.title import Title
from sleuth.views.words.took import took_sections

HEIGHT = 20
"""Lines of a question; the rest of a screen is for progress and the answer."""
_NARROW_HEIGHT = 32
"""The same on a narrow terminal, where less stands on a line."""
_GROUP_HEIGHT = 6
"""Lines that the calls of a group have in addition, as each of them is judged."""
_LINES = (1, 2, 3, 5, 8)
"""Lines of a value; the largest number with which all sections have room is taken."""
_MOST_LONG = 2
"""Values that may take more than a few lines: a screen of many long ones is not read."""
_ASKED = {
    words.RUN: "Did the program do the right thing?",
    words.CONSTRUCTOR: "Was it built right?",
    words.PROPERTY: "Is that its right value?",
    words.OPERATOR: "Is that the right result?",
    words.GENERATOR: "Are these the right values, in the right order?",
    words.COROUTINE: "Did it do the right thing?",
    words.CLASS_BODY: "Was the class made right?",
    words.MODULE_BODY: "Did the module do the right thing, with all that it called?",
    words.CODE_BODY: "Did this code do the right thing, with all that it called?",
    words.LOOP: "Did the loop do the right thing, as a whole?",
    words.TURNS: "Is that right for these turns?",
    words.TURN: "Is that right for this turn?",
    words.STEP: "Is that the right next value?",
    words.STEPS: "Are these the right values, in the right order?",
    words.GROUP: "Are all of these right?",
}
_ASKED_ENDING = {
    words.RAISED: "Was it right to raise this?",
    words.UNFINISHED: "It never ended. Was it right up to there?",
    words.LOST: "Its end was not seen. Was it right as far as this shows?",
    words.NEVER_STARTED: "It was made and never used. Is that right?",
}
_ASKED_THROWN = "It was made to end. Was what it did until its end right?"
ASKED_INTERRUPTED = "Interrupted while it ran; should it still have been running?"
_ASKED_OF_TAKEN = {
    words.GENERATOR: "Given what it took: are these the right values, in the right order?",
}
_ASKED_STEP = {
    words.STOPPED: "Was it right to stop there?",
    words.CLOSED: "It was told to end. Did it end right?",
}
_BODIES = (words.MODULE_BODY, words.CLASS_BODY, words.CODE_BODY)


def asked(behaviour: Behaviour) -> str:
    """Return the sentence that asks for a verdict."""
    ending = _ASKED_ENDING.get(behaviour.outcome.how)
    if behaviour.outcome.is_thrown:
        return _ASKED_THROWN
    if behaviour.kind == words.STEP:
        ending = _ASKED_STEP.get(behaviour.outcome.how, ending)
    if behaviour.is_set and ending is None:
        return "Was it set right?"
    if ending is None and behaviour.taken:
        return _ASKED_OF_TAKEN.get(behaviour.kind, "Is that right, given what it took?")
    return ending or _ASKED.get(behaviour.kind, "Is that right?")


def question_lines(
    trace: Trace,
    behaviour: Behaviour,
    *,
    width: int,
    height: int | None = None,
    expected: Expected | None = None,
) -> list[Line]:
    """Return a behaviour in words, on a limited number of lines.

    expected: what it should have given, if that is known; the first difference is shown.
    """
    drawn = Drawing(trace, behaviour, width=width)
    title = Title(drawn)
    head = title.lines()

    def ways() -> Iterator[list[Section]]:
        for most in _LINES:
            drawing = Drawing(trace, behaviour, width=width, most=most, pictures=drawn.pictures)
            yield list(all_sections(drawing, title, expected))
            if not drawing.cut or (most >= MOST_LINES and drawing.cut > _MOST_LONG):
                return

    usual = _NARROW_HEIGHT if is_narrow(width) else HEIGHT
    usual += _GROUP_HEIGHT if behaviour.group is not None else 0
    left = (usual if height is None else height) - len(head)
    sections = fitting([*ways()], height=left, width=width)
    return [*head, *folded(sections, height=left, width=width)]


def all_sections(
    drawing: Drawing, title: Title, expected: Expected | None = None
) -> Iterator[Section]:
    """Yield everything below the title, in order."""
    behaviour = drawing.behaviour
    if behaviour.part is not None:
        yield from head_section(drawing, behaviour.part)
        if behaviour.group is not None:
            yield from members_section(drawing, behaviour.group)
        yield from unchanged_section(drawing)
    elif behaviour.group is not None:
        yield from members_section(drawing, behaviour.group)
    else:
        yield from _purpose(drawing)
        yield from _written(drawing)
        yield Section("given", drawing.values(_short(behaviour, title)), "given")
        yield from took_sections(drawing)
    yield from outcome_sections(drawing, expected)
    yield from changed_sections(drawing)
    yield from printed_sections(drawing)
    yield Section("used", drawing.values(behaviour.used), "used")
    yield from _meanwhile(drawing)
    yield from _folded(drawing)
    yield Section("same", drawing.names(_same(behaviour)))
    unseen = unseen_in(drawing.trace, behaviour)
    yield Section("note", [*_aliases(behaviour), *_cached(unseen, drawing.room)])
    yield Section("plain", _plain(drawing, unseen))
    yield Section("not known", list(_gaps(drawing)))


def _purpose(drawing: Drawing) -> Iterator[Section]:
    """Yield the first line of the function's own description."""
    function = drawing.behaviour.function
    if function is not None and drawing.behaviour.kind not in _BODIES:
        source = drawing.trace.source(function.module)
        said = purpose(drawing.conventions, source.splitlines(), function)
        if said:
            yield Section("doc", [line(Piece(fitted(said, drawing.room), Role.DIM))])


def _written(drawing: Drawing) -> Iterator[Section]:
    """Yield the text of the code where the name alone says too little: operators, lambdas."""
    behaviour = drawing.behaviour
    function = behaviour.function
    if function is None or behaviour.kind == words.MODULE_BODY:
        return
    if behaviour.kind == words.OPERATOR:
        form = drawing.conventions.operators.get(function.name, "")
        text = behaviour.written
        if not text or form.format("", "", "").strip() not in text:
            # Code that is not recorded used the operator: a sort, a heap.
            text = form.format(*function.parameters, "", "", "")
        yield Section("written", [line(fitted(text, drawing.room))])
    elif function.name.startswith("<") and behaviour.kind != words.CODE_BODY:
        yield Section("code", [line(fitted(_body(drawing), drawing.room))])


def _body(drawing: Drawing) -> str:
    """Return the text of a function without a name."""
    function = drawing.behaviour.function
    spans = [span for span in function.spans if span.line and span.end_column] if function else []
    if function is None or not spans:
        return ""
    # The two arms of `a if b else c` have no span in common: all spans together are the text.
    line, column = min((span.line, span.column) for span in spans)
    end_line, end_column = max((span.end_line, span.end_column) for span in spans)
    source = drawing.trace.source(function.module)
    return " ".join(text_at(source, Span(line, column, end_line, end_column)).split())


def _short(behaviour: Behaviour, title: Title) -> list[Seen]:
    """Return the arguments that the title did not show whole."""
    is_built = behaviour.kind == words.CONSTRUCTOR
    given = behaviour.given[1:] if is_built else behaviour.given
    return [seen for seen in given if seen.path in title.short]


def changed_sections(drawing: Drawing) -> Iterator[Section]:
    """Yield the changes; for a new object its fields."""
    behaviour = drawing.behaviour
    if behaviour.kind in _BODIES:
        yield from _names_set(drawing)
        return
    changes = by_objects(drawing.trace, behaviour, behaviour.changes)
    if behaviour.kind == words.CONSTRUCTOR and behaviour.given:
        path = behaviour.given[0].path
        made = [
            Seen(change.path, change.new, behaviour.last)
            for change in changes
            if change.kind == "added" and change.path.startswith(f"{path}.")
        ]
        yield Section("made", drawing.values(made), path)
        told = {seen.path for seen in made}
        changes = [change for change in changes if change.path not in told]
    rows = ChangeRows(drawing).rows(changes)
    more = max(len(changes) - MOST_ROWS, 0)
    yield Section("changed", rows, "changed", more, patterns(changes))


def _names_set(drawing: Drawing) -> Iterator[Section]:
    """Yield the variables that a body set: a row for each value, code by name only."""
    data, code = [], []
    for change in drawing.behaviour.changes:
        if drawing.is_code(change.new) or change.path.startswith("__"):
            code.append(change.path)
        elif not isinstance(change.new, Absent):
            data.append(Seen(change.path, change.new, drawing.behaviour.last))
    yield Section("set", drawing.values(data), "changed")
    yield Section("defined", drawing.names(code))


def printed_sections(drawing: Drawing) -> Iterator[Section]:
    """Yield the printed lines."""
    printed = drawing.behaviour.printed
    yield Section("printed", drawing.printed(printed.lines, "stdout"), "printed")
    yield Section("to stderr", drawing.printed(printed.errors, "stderr"), "stderr")
    if not printed.is_whole:
        rest = "not all that it may have printed was looked at"
        yield Section("", [line(Piece(rest, Role.DIM))])


def _same(behaviour: Behaviour) -> list[str]:
    """Return the arguments and used variables that did not change."""
    known = {seen.path for seen in (*behaviour.given, *behaviour.used)}
    return [name for name in behaviour.same if name in known]


def _meanwhile(drawing: Drawing) -> Iterator[Section]:
    changes = drawing.behaviour.meanwhile
    if changes:
        said = line(Piece("by other threads or tasks:", Role.DIM))
        yield Section("meanwhile", [said, *ChangeRows(drawing).rows(changes)], "meanwhile")


def _folded(drawing: Drawing) -> Iterator[Section]:
    """Say how much changed inside objects of the standard library, which means nothing here."""
    count = len(drawing.behaviour.folded)
    if count:
        said = f"{counted(count, 'change')} inside library objects, `o folded` opens them"
        yield Section("folded", [line(Piece(fitted(said, drawing.room), Role.DIM))])


def _aliases(behaviour: Behaviour) -> list[Line]:
    pairs = [pair for pair in behaviour.aliases if pair[0] != "return"]
    return [line(f"{one} and {other} are one and the same object") for one, other in pairs]


def _cached(unseen: Unseen, room: int) -> Iterator[Line]:
    for name in unseen.cached:
        yield line(fitted(f"its call of `{name}` was answered by the cache", room))


def _plain(drawing: Drawing, unseen: Unseen) -> list[Line]:
    said = ran_plain(drawing.behaviour, unseen)
    return [line(each) for each in wrapped(said, drawing.room)] if said else []


def ran_plain(behaviour: Behaviour, unseen: Unseen) -> str:
    """Name the code of the project that ran unrecorded; empty: none is known."""
    is_one, names = len(unseen.plain) == 1, _listed(unseen.plain)
    if behaviour.kind == words.RUN:
        return f"{'module' if is_one else 'modules'} {names} ran unrecorded" if names else ""
    whose = "their" if behaviour.group is not None else "its"
    said = f"{whose} call{'' if is_one else 's'} of {names}" if names else ""
    if unseen.below:
        many = "a call" if len(unseen.below) == 1 else "calls"
        said += f"{' and ' if said else ''}{many} of {_listed(unseen.below)} further below"
    is_one = len(unseen.plain) + len(unseen.below) == 1
    return f"{said} {'was' if is_one else 'were'} not recorded" if said else ""


def _listed(names: Sequence[str]) -> str:
    *most, last = [f"`{name}`" for name in names] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def _not_kept(behaviour: Behaviour) -> Iterator[str]:
    """Name the arguments and used variables that are not kept whole; count the other globals."""
    near = {seen.path for seen in (*behaviour.given, *behaviour.used)}
    far = 0
    for path, kept, full in behaviour.gaps.not_kept:
        if not any(path.startswith(name) and path[len(name) :][:1] in ("", *".[") for name in near):
            far += 1
        elif kept < full:
            yield f"{path}: {kept:,} of {full:,} items are kept"
        else:  # only the parts that were stored while recording are known
            yield f"{path}: it may have more parts than were seen"
    if far:
        yield f"{counted(far, 'object')} in other globals: not kept whole"


def _opaque(drawing: Drawing) -> Iterator[tuple[str, list[str]]]:
    """Yield what is not recorded of futures, iterators and the like, and their paths."""
    behaviour = drawing.behaviour
    seen = [(each.path, each.value) for each in (*behaviour.given, *behaviour.used)]
    seen.append(("return", behaviour.outcome.value))
    known = drawing.conventions
    for what, kinds in (
        ("no result is recorded of such futures", known.unseen_promises),
        ("how far they have gone is not recorded", known.opaque - known.unseen_promises),
    ):
        yield what, [p for p, each in seen if isinstance(each, Ref) and each.type_name in kinds]


def _gaps(drawing: Drawing) -> Iterator[Line]:
    gaps = drawing.behaviour.gaps
    said = list(_not_kept(drawing.behaviour))
    if gaps.unsure:
        by = "may have been changed by code that is not recorded"
        said.append(f"{fitted(', '.join(gaps.unsure), drawing.room - len(by) - 2)}: {by}")
    said += [
        f"{fitted(', '.join(paths), drawing.room - len(what) - 2)}: {what}"
        for what, paths in _opaque(drawing)
        if paths
    ]
    if gaps.hidden:
        said.append(f"{', '.join(gaps.hidden)}: not kept, or hidden as a secret")
    if not gaps.has_contents:
        said.append("what objects contain, and what changed in them")
    if gaps.variables:
        said.append(f"what it used: {', '.join(gaps.variables)}")
    if gaps.closure:
        said.append(f"variables of {gaps.closure} that it may have used")
    if not gaps.is_whole:
        said.append("there was more to compare than was looked at")
    for words_ in said:
        yield line(Piece(fitted(words_, drawing.room), Role.DIM))
