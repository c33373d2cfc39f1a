"""The depth of the operand stack before each instruction: probes look at values by their depth."""

import dis

from sleuth.record.rewrite.bytecode import Edit, Instruction

ENDS = frozenset(
    dis.opmap[name]
    for name in (
        "RETURN_VALUE",
        "RETURN_CONST",
        "RAISE_VARARGS",
        "RERAISE",
        "JUMP_FORWARD",
        "JUMP_BACKWARD",
        "JUMP_BACKWARD_NO_INTERRUPT",
    )
    if name in dis.opmap
)
RETURN_GENERATOR = dis.opmap["RETURN_GENERATOR"]


def _effect(instruction: Instruction, *, jump: bool) -> int:
    if instruction.opcode == RETURN_GENERATOR:
        return 1  # the value that starts the generator is pushed; 3.11's table says 0
    arg = instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None
    return dis.stack_effect(instruction.opcode, arg, jump=jump)


def depths(edit: Edit) -> list[int]:
    """Return the depth before each instruction; -1: the instruction can't be reached."""
    found = [-1] * (len(edit.instructions) + 1)
    work = [(0, 0)]
    work += [(handler.target, handler.depth + handler.keeps_place + 1) for handler in edit.handlers]
    while work:
        index, depth = work.pop()
        while index < len(edit.instructions) and found[index] < 0:
            found[index] = depth
            instruction = edit.instructions[index]
            if instruction.target >= 0:
                work.append((instruction.target, depth + _effect(instruction, jump=True)))
            if instruction.opcode in ENDS:
                break
            depth += _effect(instruction, jump=False)
            index += 1
    return found[:-1]
