"""What the functions of merge_sort.py should do.

    sleuth ask --spec specs/merge_sort_spec.py --unattended
"""

from sleuth.spec import model, predicate


@model("merge", total=True)
def merge(a, left_a, right_a, b, left_b, right_b, c, left_c):
    """The same without any of its loops."""
    merged = sorted(a[left_a:right_a] + b[left_b:right_b])
    c[left_c : left_c + len(merged)] = merged


@predicate("distribute")
def distribute_loses_nothing(call):
    half = len(call.inputs.a) // 2
    return sorted(call.after.b[:half] + call.after.c[:half]) == sorted(call.inputs.a)


@predicate("sort")
def sort_sorts(call):
    assert call.after.a == sorted(call.inputs.a), "it is not sorted"
    return True
