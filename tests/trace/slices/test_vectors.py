"""Slices of small programs, line by line."""

import textwrap
from pathlib import Path

import pytest

from sleuth.trace.path import PathError
from sleuth.trace.slices.slice import relevant_calls, sliced
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

VECTORS = {
    "copies": ("a=5\nb=7\nc=a\nd=b+1\ne=c+2\nunused=d*2\nprint(e)", [1, 3, 5, 7]),
    "calls and defaults": (
        (
            "def add(x,y):\n  z=x+y\n  return z\ndef scale(v,k=3):\n  w=v*k\n  return w\np=4\nq=9\n"
            "r=scale(p)\ns=scale(q)\nt=add(r,1)\nprint(t)"
        ),
        [2, 3, 4, 5, 6, 7, 9, 11, 12],
    ),
    "attributes of two objects": (
        (
            "class Box:\n  def __init__(self,n,m):\n    self.n=n\n    self.m=m\n  def grow(self):\n"
            "    self.n+=1\nb=Box(10,20)\n"
            "o=Box(30,40)\no.grow()\nb.grow()\nal=b\nal.m=99\nprint(b.n)"
        ),
        [3, 6, 7, 10, 13],
    ),
    "items and keys": (
        'xs=[1,2,3]\nys=xs\nys[1]=50\nxs[0]=7\ni=1\nk=i\nd={"a":xs[k]}\nd["b"]=4\nprint(d["a"])',
        [1, 2, 3, 5, 6, 7, 9],
    ),
    "decisions": (
        "x=5\ny=1\nz=3\nif x>3:\n  y=2\nif z>10:\n  y=8\nw=y\nprint(w)",
        [1, 4, 5, 8, 9],
    ),
    "comprehensions": (
        (
            "ns=[1,2,3,4]\nlim=2\noff=10\nzs=[n+off for n in ns if n>lim]\nqs=[n-1 for n in ns]\n"
            "m=zs[0]\nprint(m)"
        ),
        [1, 2, 3, 4, 6, 7],
    ),
    "generators": (
        (
            "def gen(n,step):\n  v=0\n  for _ in range(n):\n    v+=step\n    yield v\ncnt=3\nst=5\n"
            "acc=0\nnoise=0\nfor g in gen(cnt,st):\n  acc=g\n  noise+=1\nprint(acc)"
        ),
        [2, 3, 4, 5, 6, 7, 10, 11, 13],
    ),
    "closures": (
        (
            "def make(start):\n  count=start\n  other=1\n  def step(by):\n    nonlocal count\n"
            "    count+=by\n    return count\n  def side():\n    nonlocal other\n    other+=1\n"
            "    return other\n  return step,side\ns,t=make(10)\ns(2)\nt()\nr=s(3)\nprint(r)"
        ),
        [2, 6, 7, 13, 14, 16, 17],
    ),
    "exceptions": (
        (
            "def parse(s):\n  n=int(s)\n  if n<0:\n    raise ValueError(n)\n  return n\n"
            'v="-7"\nd=1\n'
            "try:\n  r=parse(v)\nexcept ValueError as e:\n  r=e.args[0]+d\nq=55\nprint(r)"
        ),
        [2, 3, 4, 6, 7, 9, 10, 11, 13],
    ),
    "iterators": (
        "xs=[1,2,3]\nit=iter(xs)\nfirst=next(it)\ns=0\nfor x in it:\n  s=x\n  break\nprint(s)",
        [1, 2, 3, 5, 6, 8],
    ),
}


def _lines(folder: Path, source: str, path: str = "stdout[0]", **asked: bool) -> list[int]:
    trace = recorded(folder, source + "\n")
    found = sliced(trace, path, trace.call(0), **asked)  # type: ignore[arg-type]
    return [line for lines in found.lines.values() for line in lines]


@pytest.mark.parametrize("name", VECTORS)
def test_a_slice_has_exactly_the_lines_that_count(tmp_path: Path, name: str) -> None:
    source, lines = VECTORS[name]
    assert _lines(tmp_path, source) == lines


def test_a_relevant_slice_has_decisions_that_went_the_other_way(tmp_path: Path) -> None:
    source, lines = VECTORS["decisions"]
    assert _lines(tmp_path, source, is_relevant=True) == sorted([*lines, 3, 6])


def test_a_slice_has_the_calls_that_ran_its_lines(tmp_path: Path) -> None:
    trace = recorded(tmp_path, VECTORS["calls and defaults"][0] + "\n")
    names = {
        function.name
        for call in sliced(trace, "t", trace.call(0)).calls
        if (function := trace.function(trace.call(call).function))
    }
    assert names == {"<module>", "add", "scale"}
    assert len(sliced(trace, "t", trace.call(0)).calls) == 3


def test_the_search_gets_the_calls_as_bytes(tmp_path: Path) -> None:
    trace = recorded(tmp_path, VECTORS["calls and defaults"][0] + "\n")
    found = relevant_calls(trace, "t", trace.call(0), seconds=60)
    assert found is not None
    assert [*found] == [1, 1, 0, 1]
    assert relevant_calls(trace, "nothing", trace.call(0)) is None
    assert relevant_calls(trace, "t", trace.call(0), seconds=-1) is None


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "a = 1\nprint(a)\n")
    for path in ("b", "a.x", "stdout[3]", 'text:"nothing"', "raised", "global:none.a"):
        with pytest.raises(PathError):
            sliced(trace, path, trace.call(0))


def test_a_chop_lies_between_two_values(tmp_path: Path) -> None:
    source = textwrap.dedent("""
        a = 1
        b = 2
        c = a + 1
        d = c + b
        print(d)
        """).lstrip()
    trace = recorded(tmp_path, source)
    found = sliced(trace, "d", trace.call(0), start="a")
    assert [*found.lines.values()] == [(1, 3, 4)]
