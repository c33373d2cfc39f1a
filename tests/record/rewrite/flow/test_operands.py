"""The table of what instructions take from the operand stack and put there is right."""

import dis

from sleuth.record.rewrite import bytecode
from sleuth.record.rewrite.flow.opcodes import Rule, rules_of
from tests.record.rewrite.library import codes, compiled, some_of_the_library


def sum_of(rule: Rule, *, jump: bool) -> int:
    takes, gives = rule.jump if jump and rule.jump is not None else (rule.takes, rule.gives)
    return len(gives) - takes


def effect_of(name: str, arg: int, *, jump: bool) -> int:
    if name == "RETURN_GENERATOR":
        return 1  # what is sent first lies there; the table of some versions leaves it out
    op = dis.opmap[name]
    found = dis.stack_effect(op, arg if op >= dis.HAVE_ARGUMENT else None, jump=jump)
    if name == "CALL" and "PRECALL" in dis.opmap:
        return found + dis.stack_effect(dis.opmap["PRECALL"], arg)
    return found


def test_what_is_taken_and_given_agrees_with_the_interpreter() -> None:
    seen = {
        (each.name, each.arg if each.target < 0 else 1)
        for path, source in some_of_the_library()
        for code in codes(compiled(source, path))
        for each in bytecode.take_apart(code).instructions
    }
    wrong = [
        (name, arg, jump)
        for name, arg in sorted(seen)
        if name not in ("KW_NAMES", "PRECALL", "CACHE")
        for jump in (False, True)
        if sum(sum_of(rule, jump=jump) for _, rule in rules_of(name, arg))
        != effect_of(name, arg, jump=jump)
    ]
    assert wrong == []
    assert len({name for name, _ in seen}) > 80
