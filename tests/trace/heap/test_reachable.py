"""A walk visits everything that can be reached, each object once, and says where it was cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.heap.reachable import Limits, Walk, contents, step_text
from sleuth.trace.values import Atom, Part, Ref, Shape, Value

pytestmark = pytest.mark.any_version

LARGE = Limits(objects=1_000)
Graph = dict[int, list[int]]


def graphs() -> st.SearchStrategy[Graph]:
    """Objects, and the objects that each contains; the first one is where walks begin."""
    numbers = st.integers(0, 11)
    return st.dictionaries(numbers, st.lists(numbers, max_size=4)).map(
        lambda graph: {0: []} | graph
    )


def ref(number: int) -> Ref:
    return Ref("list", number)


def walk(graph: Graph, limits: Limits) -> Walk:
    def look(found: Ref, _at: int) -> Shape | None:
        inside = graph.get(found.id)
        if inside is None:
            return None
        items: tuple[Value, ...] = (Atom("first"), *map(ref, inside))
        return Shape("list", (Part("sequence", items, len(items)),))

    return Walk(look, limits)


def reached(graph: Graph) -> dict[int, int]:
    """Object -> the steps to it."""
    found = {0: 0}
    for number in (waiting := [0]):
        for inner in graph.get(number, []):
            if inner not in found:
                found[inner] = found[number] + 1
                waiting.append(inner)
    return found


@given(graphs())
def test_everything_that_can_be_reached_is_visited_once_the_nearest_first(graph: Graph) -> None:
    made = walk(graph, LARGE)
    visited = [(each.ref.id, each.steps) for each in made.objects([ref(0)], 0)]
    assert visited == list(reached(graph).items())
    assert made.cut is None
    assert not list(made.objects([ref(0)], 0)), "a second walk visits nothing twice"


@given(graphs())
def test_every_object_is_found_again_by_its_route(graph: Graph) -> None:
    made = walk(graph, LARGE)
    for found in list(made.objects([ref(0)], 0)):
        (start, first), *steps = made.route(found.ref)
        assert (start, first) == (None, 0)
        at = 0
        for holder, index in steps:
            assert holder == ref(at)
            at = graph[at][index - 1]
        assert at == found.ref.id


@given(graphs(), st.integers(1, 12), st.integers(1, 30), st.integers(0, 4))
def test_limits_are_kept_and_a_walk_that_left_something_out_says_so(
    graph: Graph, objects: int, items: int, steps: int
) -> None:
    made = walk(graph, Limits(objects, items, steps))
    visited = [each.ref.id for each in made.objects([ref(0)], 0)]
    everything = reached(graph)
    assert visited == list(everything)[: len(visited)], "the nearest are visited"
    assert len(visited) <= objects + 1, "the last one shows that there are more"
    assert all(everything[each] <= steps for each in visited)
    assert sum(1 + len(graph.get(each, [])) for each in visited[:-1]) <= items
    if len(visited) < len(everything):
        assert made.cut is not None
        assert made.cut.limit in ("objects", "items", "steps")


def test_every_value_on_the_way_is_told_and_an_object_in_two_places_twice() -> None:
    made = walk({0: [1, 1], 1: [0]}, LARGE)
    met = [(value, found is not None) for value, found in made.values([ref(0)], 0)]
    text = Atom("first")
    assert met == [
        *((ref(0), True), (text, False), (ref(1), True), (ref(1), False)),
        *((text, False), (ref(0), False)),
    ]


def test_a_long_chain_needs_no_deep_stack() -> None:
    made = walk({number: [number + 1] for number in range(50_000)}, Limits(objects=100_000))
    assert sum(1 for _ in made.objects([ref(0)], 0)) == 50_001
    assert len(made.route(ref(50_000))) == 50_001


def test_each_value_inside_an_object_has_its_step() -> None:
    parts = (
        Part("sequence", (Atom(5),), 1),
        Part("mapping", (Atom(6), Atom(7)), 2, (Atom("k"), ref(1))),
        Part("attributes", (Atom(8),), 1, (Atom("name"),)),
    )
    shape = Shape("odd", parts)
    steps = [step_text(shape, index) for index, _ in enumerate(contents(shape))]
    assert steps == ["[0]", " (key 0)", " (key 1)", "['k']", "[key 1]", " (key 0)", ".name"]
