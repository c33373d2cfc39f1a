"""Values of extreme size or number do no harm, and are recorded truthfully."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sleuth import _core
from sleuth.trace.events import EventKind
from sleuth.trace.values import ABSENT, Atom, Constant, Cut, NotKept, Ref
from tests.ready import ran
from tests.record import extremes

FREE_TEXT = 1024
KEPT_INTEGER = 1024


def examined(run):
    """Give what `sleuth doctor` says of the trace."""
    process = ran(["doctor", str(run.path)])
    assert process.returncode == 0
    return process.stdout


def is_sound(run):
    found = examined(run)
    return "is sound" in found and "Recording stopped" not in found


def in_memory(real):
    """Give the bytes of a text in the interpreter's memory, or of bytes."""
    widest = max(map(ord, real), default=0) if isinstance(real, str) else 0
    return len(real) * (1 if widest < 0x100 else 2 if widest < 0x10000 else 4)


def is_true(told, real):
    """Tell whether a recorded atom is true, and complete if it is not too long."""
    if real is None or real is ... or isinstance(real, bool):
        return told == Constant("Ellipsis" if real is ... else repr(real))
    if not isinstance(told, Cut):
        return told == Atom(real)
    if told.kind == "integer":
        is_long = told.length // 8 + 1 > KEPT_INTEGER
        return is_long and (real.bit_length(), real < 0) == (told.length, told.is_negative)
    is_long = in_memory(real) > FREE_TEXT
    return is_long and len(real) == told.length and real.startswith(told.kept)


def items_of(trace, ref, moment, real):
    """Give what is told of a container's items, with what they really are."""
    shape = trace.shape(ref, moment)
    kinds = {dict: "mapping", bytearray: "bytes", SimpleNamespace: "attributes"}
    kind: str = kinds.get(type(real), "sequence")
    expected = real
    part = shape.part(kind)
    if kind == "bytes":
        assert part.full_length == len(real)
        return [(part.items[0], bytes(real))] if part.is_complete else []
    if kind == "attributes":
        expected = vars(real)
    assert part.full_length == len(expected)
    assert part.is_complete or len(part.items) < len(expected)
    if kind == "sequence":
        return list(zip(part.items, expected, strict=part.is_complete))
    keys = list(zip(part.keys, expected, strict=part.is_complete))
    return keys + list(zip(part.items, expected.values(), strict=part.is_complete))


def check_value(trace, told, real, moment):
    if isinstance(told, Ref):
        pairs = items_of(trace, told, moment, real)
        assert all(is_true(*pair) for pair in pairs), [p for p in pairs if not is_true(*p)][:1]
    else:
        assert is_true(told, real), (told, real)


def program(seed, count):
    lines = ["from extremes import rounds\n"]
    for size in extremes.COUNTS:
        names = ", ".join(f"p{index}" for index in range(size))
        lines.append(f"def take_{size}({names}):\n    return p0\n")
    lines.append(
        f"for size, given in rounds({seed}, {count}):\n"
        "    globals()[f'take_{size}'](*given)\n"
        "print('unharmed')\n"
    )
    return "".join(lines)


def write_maker(folder: Path):
    source = Path(extremes.__file__).read_text(encoding="utf-8")
    (folder / "work" / "extremes.py").write_text(source, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_extreme_arguments_are_told_as_they_are(record, tmp_path, seed):
    write_maker(tmp_path)
    count = 120
    run = record(program(seed, count), options=("--exclude", "extremes"))
    assert (run.process.returncode, run.process.stdout) == (0, "unharmed\n")
    trace = run.trace
    calls = [call for name, call in run.calls() if name.startswith("take_")]
    assert len(calls) == count
    for call, (size, given) in zip(calls, extremes.rounds(seed, count), strict=True):
        told = trace.arguments(call)
        assert len(told) == min(size, 255)
        for value, real in zip(told, given, strict=size <= 255):
            check_value(trace, value, real, call.first + 1)
        check_value(trace, trace.result(call), given[0], call.first + 1)
    assert is_sound(run)


def arguments_of(run, name):
    """Give the trace, and for each call of the function the call and what it was given."""
    trace = run.trace
    return trace, [(call, trace.arguments(call)) for each, call in run.calls() if each == name]


def unharmed(run):
    return (run.process.returncode, run.process.stdout) == (0, "unharmed\n") and is_sound(run)


def test_many_long_integers_do_no_harm(record):
    run = record("""
        def take(a, b, c, d, e, f, g, h, i):
            return a
        def take_more(a, b, c, d, e, f, g, h, i, j, k, l):
            return a
        given = [(1 << 8150) + number for number in range(12)]
        for turn in range(800):
            take(*given[:9])
            take_more(*given)
        print("unharmed")
    """)
    assert unharmed(run)
    for name, count in (("take", 9), ("take_more", 12)):
        _, calls = arguments_of(run, name)
        assert len(calls) == 800
        real = tuple(Atom((1 << 8150) + number) for number in range(count))
        assert {told for _, told in calls} == {real}


def test_long_integers_in_exceptions_do_no_harm(record):
    run = record("""
        def fail(given):
            raise ValueError(*given)
        given = [(1 << 8150) + number for number in range(20)]
        for turn in range(500):
            try:
                fail(given)
            except ValueError as error:
                pass
        print("unharmed")
    """)
    assert unharmed(run)
    raised = [event.values for event in run.events() if event.kind is EventKind.RAISE]
    assert len(raised) == 500
    assert {values[1:] for values in raised} == {tuple(Atom((1 << 8150) + n) for n in range(8))}


def test_what_no_segment_can_hold_is_cut_and_says_so(record):
    names = ", ".join(f"p{index}" for index in range(255))
    run = record(
        f"def take({names}):\n"
        "    return p0\n"
        "for turn in range(3):\n"
        "    take(*[f'{index:03} {turn}' + 'é' * 30_000 for index in range(255)])\n"
        "print('unharmed')\n"
    )
    assert unharmed(run)
    _, calls = arguments_of(run, "take")
    assert len(calls) == 3
    for turn, (_, told) in enumerate(calls):
        assert len(told) == 255
        for index, value in enumerate(told):
            assert isinstance(value, Cut)
            assert is_true(value, f"{index:03} {turn}" + "é" * 30_000)


def test_a_list_grows_by_more_than_a_segment_can_hold(record):
    run = record("""
        def grow(items, more):
            items.extend(more)
            return items
        given = [f"{index:04}" + "x" * 2000 for index in range(1000)]
        for turn in range(3):
            grow([turn], given)
        print("unharmed")
    """)
    assert unharmed(run)
    trace, calls = arguments_of(run, "grow")
    for turn, (call, told) in enumerate(calls):
        part = trace.shape(told[0], call.last).part("sequence")
        assert part.full_length == 1001
        assert part.items[0] == Atom(turn)
        for index, item in enumerate(part.items[1:]):
            is_said = isinstance(item, NotKept) and item.reason == "no room"
            assert is_said or is_true(item, f"{index:04}" + "x" * 2000)


def test_types_keep_their_names_when_contents_do_not_fit(record):
    run = record("""
        def take(one):
            return one
        classes = [type(f"Class{number}", (), {}) for number in range(400)]
        made = [each() for each in classes]
        def hold(every):
            return len(every)
        hold({each: "x" * 60_000 + str(at) for at, each in enumerate(made)})
        for each in made:
            take(each)
        print("unharmed")
    """)
    assert unharmed(run)
    _, calls = arguments_of(run, "take")
    names = [told[0].type_name.rpartition(".")[2] for _, told in calls]
    assert names == [f"Class{number}" for number in range(400)]


def test_huge_names_of_types_and_attributes_are_cut_and_say_so(record):
    long = "N" * 5000
    slot = "é" * 1500
    run = record(f"""
        class {long}:
            __slots__ = ("{slot}", "x")
        def take(one):
            return one
        for turn in range(100):
            made = {long}()
            setattr(made, "{slot}", turn)
            made.x = 1 << 8150
            take(made)
        print("unharmed")
    """)
    assert unharmed(run)
    trace, calls = arguments_of(run, "take")
    assert len(calls) == 100
    for turn, (call, (told,)) in enumerate(calls):
        name = told.type_name.rpartition(".")[2]
        assert name.endswith("…")
        assert long.startswith(name[:-1])
        pairs = dict(trace.shape(told, call.last).part("attributes").pairs)
        named = {key.content: value for key, value in pairs.items()}
        assert named.pop("x") == Atom(1 << 8150)
        ((kept, value),) = named.items()
        assert value == Atom(turn)
        assert kept.endswith("…")
        assert len(kept) > 500
        assert slot.startswith(kept[:-1])


@pytest.mark.slow
def test_thousands_of_shared_variables_do_no_harm(record):
    count = 5000
    names = [f"v{index}" for index in range(count)]
    lines = [
        "def share(given):",
        *(f"    {name} = {index}" for index, name in enumerate(names)),
        f"    def inner():\n        return {' + '.join(names[:10])}",
        *(
            f"    use{at} = lambda: ({', '.join(names[at : at + 200])},)"
            for at in range(0, count, 200)
        ),
        "    return inner()",
        "for turn in range(20):",
        "    share(turn)",
        "print('unharmed')",
    ]
    run = record("\n".join(lines))
    assert unharmed(run)
    trace, calls = arguments_of(run, "share")
    assert [told for _, told in calls] == [(Atom(turn),) for turn in range(20)]
    call = calls[-1][0]
    variables = trace.variables(call, call.last)
    assert variables["v0"] == Atom(0)
    assert variables["v4000"] == Atom(4000)


def test_more_parameters_than_are_kept_take_no_other_values(record):
    names = ", ".join(f"p{index}" for index in range(300))
    run = record(
        f"def take({names}):\n"
        "    shared = p0\n"
        "    def inner():\n"
        "        return shared\n"
        "    return inner()\n"
        "take(*range(1000, 1300))\n"
        "print('unharmed')\n"
    )
    assert unharmed(run)
    trace, calls = arguments_of(run, "take")
    call, told = calls[0]
    assert told == tuple(Atom(1000 + index) for index in range(255))
    variables = trace.variables(call, call.last)
    assert variables["p254"] == Atom(1254)
    assert variables.get("p255", ABSENT) == ABSENT
    assert variables["shared"] == Atom(1000)


def test_extreme_items_of_arrays_and_tables_are_told_as_they_are(record):
    pytest.importorskip("numpy")
    run = record("""
        import numpy, pandas
        def take(one):
            return one
        big = (1 << 8150) + 7
        for turn in range(60):
            take(numpy.array([big + turn, "x" * 5000, None] * 80, dtype=object))
            take(numpy.array(["t" * 49, "é" * 120, "u" * 400]))
            take(numpy.array([b"b" * 200, b"c" * 201]))
            take(pandas.DataFrame({big: [1], "l" * 41: [2], "é" * 30: [3]}))
            take(numpy.longdouble(turn))
            take(numpy.float32(turn))
        print("unharmed")
    """)
    assert unharmed(run)
    trace, calls = arguments_of(run, "take")
    assert len(calls) == 360
    for turn in range(60):
        objects, texts, some_bytes, table, long, short = calls[6 * turn : 6 * turn + 6]
        items = trace.shape(objects[1][0], objects[0].last).part("sequence").items
        expected = [(1 << 8150) + 7 + turn, "x" * 5000, None] * 80
        assert all(is_true(*pair) for pair in zip(items, expected, strict=True))
        items = trace.shape(texts[1][0], texts[0].last).part("sequence").items
        assert items[0] == Atom("t" * 49)
        assert items[2] == NotKept("a long text of an array")
        items = trace.shape(some_bytes[1][0], some_bytes[0].last).part("sequence").items
        assert items == (Atom(b"b" * 200), NotKept("long bytes of an array"))
        assert isinstance(table[1][0], Ref)
        assert long[1] == (Atom(float(turn)),)
        assert short[1] == (Atom(float(turn)),)


def test_hidden_values_among_extreme_ones_stay_hidden(record):
    names = ", ".join(f"password{index}, p{index}" for index in range(30))
    run = record(
        f"def take({names}):\n"
        "    return p0\n"
        "given = [1 << 8150, 'x' * 900] * 30\n"
        "for turn in range(300):\n"
        "    take(*given)\n"
        "print('unharmed')\n"
    )
    assert unharmed(run)
    _, calls = arguments_of(run, "take")
    for _, told in calls:
        assert all(value.reason.startswith("hidden int") for value in told[::2])
        assert set(told[1::2]) == {Atom("x" * 900)}


@pytest.mark.skipif(not hasattr(_core, "has_guards"), reason="needs a build with guards")
def test_a_record_that_runs_over_ends_the_recording_not_the_program(record, environment):
    environment["SLEUTH_OVERRUN_AT"] = "100"
    run = record("""
        def take(one):
            return [one]
        for turn in range(100):
            take(turn)
        print("unharmed")
    """)
    assert (run.process.returncode, run.process.stdout) == (0, "unharmed\n")
    assert run.trace.event_count == 101
    assert run.events()[-1].kind is EventKind.STOPPED
    assert "Recording stopped" in examined(run)
    assert "could not write" in examined(run)


def test_the_tool_that_prints_segments_reads_them_by_the_document_alone(record):
    run = record("""
        def take(one):
            raise ValueError(one)
        try:
            take([1 << 8150, "x" * 100, {1: b"y" * 60}])
        except ValueError:
            print("unharmed")
    """)
    tool = Path(__file__).parents[2] / "tools" / "dump_segment.py"
    command = [sys.executable, str(tool), str(run.path)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, process.stdout
    assert "raise" in process.stdout
    assert re.search(r"output 0x05 \d+ 'unharmed'", process.stdout)
