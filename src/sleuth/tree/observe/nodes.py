"""Behaviours of nodes of every kind: calls, the run, loops, turns, groups of calls."""

from dataclasses import replace

from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.loops.parts import part_behaviour, part_of
from sleuth.tree.node import ExecutionTree, Key
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.group import group_behaviour, group_of, group_with, members_in
from sleuth.tree.observe.taken import taken_by
from sleuth.tree.observe.whole_run import run_behaviour


def behaviour_in(trace: Trace, tree: ExecutionTree, node: int) -> Behaviour:
    """Return what a node of a tree did.

    The tree knows which calls are in a group: some of them may have been inlined.
    """
    members = members_in(tree, node)
    if members is None:
        return behaviour_for(trace, tree.key(node))
    return group_behaviour(trace, tree.key(node), group_with(trace, members))


def behaviour_at(trace: Trace, call: int) -> Behaviour:
    """Return what a call did; a number below 0 stands for the whole run."""
    if call < 0:
        return run_behaviour(trace)
    made = trace.call(call)
    return replace(behaviour_of(trace, made), taken=taken_by(trace, made))


def behaviour_for(trace: Trace, key: Key) -> Behaviour:
    """Return what a node did, by its key alone, without a tree."""
    group = group_of(trace, key)
    if group is not None:
        return group_behaviour(trace, key, group)
    part = part_of(trace, key)
    return behaviour_at(trace, key.call) if part is None else part_behaviour(trace, key, part)


def call_at(trace: Trace, key: Key) -> Call | None:
    """Return the call that a node is; None: it is the run, or a part of a call."""
    if not 0 <= key.call < trace.call_count:
        return None
    call = trace.call(key.call)
    is_whole = (key.first, key.last) == (call.first, -1 if call.last is None else call.last)
    return call if is_whole else None
