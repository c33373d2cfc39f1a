"""Write the header of the numbers that the C core shares with Python.

A test fails if the header differs from the output of this script.
"""

from collections.abc import Mapping
from pathlib import Path

from sleuth.record import memory
from sleuth.record.rewrite import probes
from sleuth.trace import numbers
from sleuth.trace.columns import Touch
from sleuth.trace.events import EventKind, Outcome
from sleuth.trace.values import PART_KINDS

HEADER = Path(__file__).parents[1] / "src" / "sleuth" / "_core" / "shared_numbers.h"
GROUPS: list[tuple[str, str, Mapping[str, int]]] = [
    ("Kinds of records", "KIND", {each.name: each for each in [*numbers.Definition, *EventKind]}),
    ("What a record gives a name to", "NAME_OF", numbers.Named.__members__),
    ("Flags of the beginning of a call", "ENTER", numbers.EnterFlag.__members__),
    ("Flags of a call beside these", "CALL", numbers.CallFlag.__members__),
    ("Flags of a suspension", "SUSPEND", numbers.SuspendFlag.__members__),
    ("Beside the number of a stream", "OUTPUT", numbers.OutputFlag.__members__),
    ("How calls end", "OUTCOME", {each.name: at for at, each in enumerate(Outcome)}),
    ("Parts of objects", "PART", {each.upper(): at for at, each in enumerate(PART_KINDS) if each}),
    ("Flags of parts", "PART_IS", numbers.PartFlag.__members__),
    ("How a change was noticed", "CAUSE", numbers.Cause.__members__),
    ("What events touch", "TOUCH", Touch.__members__),
    ("Kinds of probes", "OP", {**probes.Op.__members__, "COUNT": len(probes.Op) + 1}),
    ("Flags of probes", "FLAG", probes.FLAGS),
    ("Questions to the collector", "MAIL", memory.Mail.__members__),
    ("States of the mailbox", "MAILBOX", memory.Mailbox.__members__),
    ("How the program ends", "ENDING", memory.Ending.__members__),
    ("Offsets of fields of the shared memory", "AT", memory.Field.__members__),
    ("Sizes", "SIZE_OF", {"CALL": numbers.CALL_SIZE, "END": numbers.END_SIZE}),
    ("Distances", "DISTANCE_OF", {"ASKED": numbers.ASKED_DISTANCE}),
]


def text() -> str:
    """Return the header."""
    lines = [
        "/* Numbers that the C core shares with Python.",
        " * Made by tools/write_core_numbers.py: do not edit. */",
        "#ifndef SLEUTH_SHARED_NUMBERS_H",
        "#define SLEUTH_SHARED_NUMBERS_H",
    ]
    for what, prefix, members in GROUPS:
        lines += ["", f"/* {what} */", "enum {"]
        lines += [f"    {prefix}_{name} = {int(number)}," for name, number in members.items()]
        lines.append("};")
    return "\n".join([*lines, "", "#endif", ""])


if __name__ == "__main__":
    HEADER.write_text(text())
