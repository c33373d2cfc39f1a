"""Taking code apart and putting it together changes nothing but the inserted probes."""

import warnings

import pytest

from sleuth.record.rewrite import rewrite
from sleuth.record.rewrite.bytecode import put_together, take_apart
from sleuth.record.rewrite.stack import depths
from tests.record.rewrite.library import LIBRARY, codes, library_files


@pytest.mark.slow
def test_the_identity_rewrite_changes_no_code_object_of_the_standard_library():
    count = 0
    for path in library_files():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        for code in codes(module):
            again = put_together(take_apart(code), code.co_consts, code.co_stacksize)
            assert again == code
            assert again.co_code == code.co_code
            assert again.co_linetable == code.co_linetable
            assert again.co_exceptiontable == code.co_exceptiontable
            assert max(depths(take_apart(code))) <= code.co_stacksize
            count += 1
    assert count > 10_000


def own(code):
    """The instructions of a code object without those of probes, and where they stand."""
    marks = {
        index
        for index, const in enumerate(code.co_consts)
        if isinstance(const, str) and const.startswith("\0sleuth:")
    }
    instructions = take_apart(code).instructions
    kept = []
    position = 0
    while position < len(instructions):
        each = instructions[position]
        if each.name == "LOAD_CONST" and each.arg in marks:
            position += 3
            continue
        kept.append((each.name, each.location))
        position += 1
    return kept


@pytest.mark.parametrize(
    "name",
    [
        "json/decoder.py",
        "dataclasses.py",
        "asyncio/tasks.py",
        "argparse.py",
        "contextlib.py",
        "enum.py",
    ],
)
def test_calls_only_keeps_every_instruction_its_order_and_its_position(name):
    path = LIBRARY / name
    source = path.read_bytes()
    plain = compile(source, name, "exec", dont_inherit=True)
    made = rewrite(source, name, source.decode(), full=False)
    for before, after in zip(codes(plain), codes(made.code), strict=True):
        assert own(after)[: len(own(before))] == own(before)
        assert [each for each, _ in own(after)[len(own(before)) :]] == ["RERAISE"]
        for attribute in (
            "co_names",
            "co_varnames",
            "co_freevars",
            "co_cellvars",
            "co_flags",
            "co_argcount",
            "co_name",
            "co_qualname",
            "co_firstlineno",
        ):
            assert getattr(before, attribute) == getattr(after, attribute)
