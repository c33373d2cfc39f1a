"""What a call ran between two of its own events."""

from pathlib import Path

from sleuth.trace.flow.segments import instances, stretches
from tests.recorded import recorded

_PROGRAM = """\
def double(x):
    return 2 * x

total = 0
for n in [1, 2, 3]:
    if n > 1:
        total += double(n)
print(total)
"""


def test_windows_of_a_call_have_what_the_whole_call_has(tmp_path: Path) -> None:
    trace = recorded(tmp_path, _PROGRAM)
    body = trace.call(0)
    whole = {each.moment: each for each in stretches(trace, body, 0, trace.event_count) or ()}
    for first in sorted(whole):
        for last in range(first, trace.event_count, 3):
            window = stretches(trace, body, first, last)
            assert window is not None
            for each in window:
                assert each.ran == whole[each.moment].ran


def test_no_operation_runs_twice_between_two_events(tmp_path: Path) -> None:
    trace = recorded(tmp_path, _PROGRAM)
    for call in trace.calls():
        found = list(instances(trace, call, call.first, trace.event_count))
        assert len(set(found)) == len(found) > 0
