"""Tables of turns, and members of groups, as JSON.  Fields: docs/reference/asking.schema.json."""

from collections.abc import Sequence
from typing import Any

from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.loops.turns import TurnTable
from sleuth.tree.node import Key
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.drawing.places import file_of
from sleuth.views.wire.questions import claims, question_id


def calls(trace: Trace, first: int, members: Sequence[Call], count: int) -> dict[str, Any]:
    """Convert some members of a group."""
    return {
        "type": "calls",
        "first": first,
        "last": first + len(members) - 1,
        "count": count,
        "rows": [
            {
                "call": call.id,
                "id": question_id(Key(call.id, call.first, -1 if call.last is None else call.last)),
                "function": function.qualified_name if function else None,
                **claims(trace, behaviour_of(trace, call)),
            }
            for call in members
            for function in [trace.function(call.function)]
        ],
    }


def turns(trace: Trace, table: TurnTable) -> dict[str, Any]:
    """Convert some turns of a loop."""
    part, function = table.part, table.behaviour.function
    return {
        "type": "turns",
        "head": part.head,
        "function": function.qualified_name if function else None,
        "file": file_of(trace, function) if function else None,
        "line": part.site.span.line,
        "variables": list(part.names),
        "first": part.first,
        "last": part.last,
        "turns": part.count,
        "rows": [
            {"turn": row.first, "id": question_id(key), **claims(trace, behaviour)}
            for key, row, behaviour in table.rows
        ],
        "courses": [
            {"path": each.path, "turns": list(each.turns), "values": list(each.values)}
            for each in table.courses
        ],
    }
