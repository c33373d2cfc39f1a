"""Small programs, a question about each, and the origin that is right."""

from typing import NamedTuple

from sleuth.trace.values import ABSENT, Atom, Constant, Value


class Vector(NamedTuple):
    """A program, the path that is asked for, and the answer."""

    source: str
    path: str
    text: str
    """What the text of the operation begins with."""
    line: int
    value: object
    inputs: tuple[object, ...] | None = None
    """The values of the inputs; ...: any; None: any inputs."""
    function: str = ""
    """The path is looked up in the last call of this function; empty: in the program."""
    is_open: bool = False
    """Whether the answer has to say that something is not known."""
    at_line: int = 0
    """The path is looked up before this line sets a variable; 0: at the end."""


def value_of(told: object) -> Value:
    """Return a plain value as one of a trace."""
    if told is ...:
        return ABSENT
    if told is None or isinstance(told, bool):
        return Constant(repr(told))
    assert isinstance(told, int | float | str)
    return Atom(told)


FLOW = {
    "copies": Vector("a=5\nb=7\nc=a\nd=b+1\ne=c+2\nunused=d*2\nprint(e)", "e", "c+2", 5, 7, (5, 2)),
    "default": Vector(
        "def add(x,y):\n  z=x+y\n  return z\ndef scale(v,k=3):\n  w=v*k\n  return w\np=4\nq=9\n"
        "r=scale(p)\ns=scale(q)\nt=add(r,1)\nprint(t)",
        "k",
        "3",
        4,
        3,
        function="scale",
    ),
    "attributes": Vector(
        "class Box:\n  def __init__(self,n,m):\n    self.n=n\n    self.m=m\n  def grow(self):\n"
        "    self.n+=1\nb=Box(10,20)\no=Box(30,40)\no.grow()\nb.grow()\nal=b\nal.m=99\nprint(b.n)",
        "b.n",
        "self.n+=1",
        6,
        11,
        (10, 1),
    ),
    "items": Vector(
        'xs=[1,2,3]\nys=xs\nys[1]=50\nxs[0]=7\ni=1\nk=i\nd={"a":xs[k]}\nd["b"]=4\nprint(d["a"])',
        'd["a"]',
        "50",
        3,
        50,
    ),
    "decisions": Vector(
        "x=5\ny=1\nz=3\nif x>3:\n  y=2\nif z>10:\n  y=8\nw=y\nprint(w)", "w", "2", 5, 2
    ),
    "comprehension": Vector(
        "ns=[1,2,3,4]\nlim=2\noff=10\nzs=[n+off for n in ns if n>lim]\nqs=[n-1 for n in ns]\n"
        "m=zs[0]\nprint(m)",
        "m",
        "n+off",
        4,
        13,
        (3, 10),
    ),
    "generator": Vector(
        "def gen(n,step):\n  v=0\n  for _ in range(n):\n    v+=step\n    yield v\ncnt=3\nst=5\n"
        "acc=0\nnoise=0\nfor g in gen(cnt,st):\n  acc=g\n  noise+=1\nprint(acc)",
        "acc",
        "v+=step",
        4,
        15,
        (10, 5),
    ),
    "closure": Vector(
        "def make(start):\n  count=start\n  other=1\n  def step(by):\n    nonlocal count\n"
        "    count+=by\n    return count\n  def side():\n    nonlocal other\n    other+=1\n"
        "    return other\n  return step,side\ns,t=make(10)\ns(2)\nt()\nr=s(3)\nprint(r)",
        "r",
        "count+=by",
        6,
        15,
        (12, 3),
    ),
    "exception": Vector(
        "def parse(s):\n  n=int(s)\n  if n<0:\n    raise ValueError(n)\n  return n\n"
        'v="-7"\nd=1\n'
        "try:\n  r=parse(v)\nexcept ValueError as e:\n  r=e.args[0]+d\nq=55\nprint(r)",
        "e",
        "raise ValueError(n)",
        4,
        ...,
        at_line=11,
    ),
    "iterator": Vector(
        "xs=[1,2,3]\nit=iter(xs)\nfirst=next(it)\ns=0\nfor x in it:\n  s=x\n  break\nprint(s)",
        "x",
        "",  # the whole head, or since 3.13 the iterator
        5,
        2,
        is_open=True,
    ),
}
"""The vectors of the design."""

OWN = {
    "sorted set comprehension": Vector(
        "s={x*2 for x in [1,2]}\nt=sorted(s)\nr=t[0]", "r", "sorted(s)", 2, 2, is_open=True
    ),
    "dict comprehension": Vector(
        'd={k:v*2 for k,v in [("a",1),("b",2)]}\nr=d["b"]', "r", "v*2", 1, 4, (2, 2)
    ),
    "star in a display": Vector("a=[1,2]\nb=[0,*a,9]\nr=b[2]", "r", "", 1, 2),
    "behind a star": Vector("a=[1,2]\nb=[0,*a,9]\nr=b[3]", "r", "9", 2, 9),
    "nested display returned": Vector(
        'def f(a):\n  return {"k":a+1,"z":[a]}\nr=f(4)', "return['z'][0]", "4", 3, 4, function="f"
    ),
    "display returned": Vector(
        'def f(a):\n  return {"k":a+1,"z":[a]}\nr=f(4)',
        "return['k']",
        "a+1",
        2,
        5,
        (4, 1),
        function="f",
    ),
    "sum of a generator expression": Vector(
        "r=sum(x*x for x in [1,2])", "r", "sum(x*x for x in [1,2])", 1, 5, is_open=True
    ),
    "list of a generator expression": Vector(
        "xs=list(x+1 for x in (1,2))\nr=xs[1]", "r", "list(x+1 for x in (1,2))", 1, 3, is_open=True
    ),
    "collected positions": Vector(
        "def f(*xs):\n  return xs[1]+1\nr=f(5,6)", "xs[1]", "6", 3, 6, function="f"
    ),
    "collected names": Vector('def f(**kw):\n  return kw["b"]\nr=f(a=1,b=2)', "r", "2", 3, 2),
    "tuple from a call": Vector(
        "def f():\n  a=1\n  return a+1,a+2\nx,y=f()", "y", "a+2", 3, 3, (1, 2)
    ),
    "starred target": Vector("u=3\na,*b=[1,2,u]\nr=b[1]", "r", "3", 1, 3),
    "augmented assignment": Vector("x=1\nx+=4", "x", "x+=4", 2, 5, (1, 4)),
    "with": Vector(
        "class C:\n  def __enter__(self):\n    return 7\n  def __exit__(self,*a):\n    pass\n"
        "with C() as v:\n  w=v",
        "w",
        "7",
        3,
        7,
    ),
    "dataclass": Vector(
        "from dataclasses import dataclass\n@dataclass\nclass P:\n  x:int\n  y:int=3\nn=4\n"
        "p=P(n+1)",
        "p.x",
        "P(n+1)",
        7,
        5,
        is_open=True,
    ),
    "default of a dataclass": Vector(
        "from dataclasses import dataclass\n@dataclass\nclass P:\n  x:int\n  y:int=3\np=P(4)",
        "p.y",
        "",
        0,
        3,
        is_open=True,
    ),
    "class attribute": Vector("class A:\n  k=5\na=A()\nr=a.k", "r", "5", 2, 5),
    "property": Vector(
        "class A:\n  def __init__(s):\n    s._x=3\n  @property\n  def x(s):\n    return s._x*2\n"
        "a=A()\nr=a.x",
        "r",
        "s._x*2",
        6,
        6,
        (3, 2),
    ),
    "items of a mapping": Vector('d={"a":1,"b":2}\nfor k,v in d.items():\n  r=v', "r", "2", 1, 2),
    "enumerate": Vector("xs=[5,6]\nfor i,x in enumerate(xs):\n  r=x", "r", "6", 1, 6),
    "zip": Vector("xs=[5,6]\nfor i,x in zip(xs,xs):\n  r=x", "r", "6", 1, 6),
    "walrus": Vector("a=2\nif (n:=3+a)>2:\n  r=n", "r", "3+a", 2, 5, (3, 2)),
    "conditional expression": Vector("c=0\nr=(1 if c else c+2)", "r", "c+2", 2, 2, (0, 2)),
    "or": Vector("a=0\nb=4\nr=a or b", "r", "4", 2, 4),
    "and": Vector("a=0\nb=4\nr=a and b", "r", "0", 1, 0),
    "chained comparison": Vector("a=1\nr=0<a<3", "r", "0<a<3", 2, True),
    "global set elsewhere": Vector(
        "n=0\ndef f():\n  global n\n  n=n+5\nf()\nr=n", "r", "n+5", 4, 5, (0, 5)
    ),
    "recursion": Vector(
        "def f(n):\n  if n==0:\n    return 1\n  return n*f(n-1)\nr=f(3)",
        "r",
        "n*f(n-1)",
        4,
        6,
        (3, 2),
    ),
    "sent value": Vector(
        "def g():\n  x=yield 1\n  yield x+1\nc=g()\nnext(c)\nr=c.send(10)",
        "r",
        "c.send(10)",
        6,
        11,
        is_open=True,
    ),
    "awaited result": Vector(
        "import asyncio\nasync def f(a):\n  return a+1\nasync def main():\n  v=await f(2)\n"
        "  return v\nr=asyncio.run(main())",
        "v",
        "a+1",
        3,
        3,
        (2, 1),
        function="main",
    ),
    "argument of an exception": Vector(
        "try:\n  raise ValueError(5)\nexcept ValueError as e:\n  r=e.args[0]+1",
        "r",
        "e.args[0]+1",
        4,
        6,
        (5, 1),
    ),
    "sequence of arguments": Vector(
        "def f(a,b):\n  return a-b\nn=5\nt=(n,3)\nr=f(*t)", "a", "5", 3, 5, function="f"
    ),
    "append": Vector("xs=[]\nxs.append(3+len(xs))\nr=xs[0]", "r", "xs.append(3+len(xs))", 2, 3),
    "slice": Vector("xs=[1,2,3]\nys=xs[1:]\nr=ys[0]", "r", "[1,2,3]", 1, 2),
    "swap": Vector("a=1\nb=2\na,b=b,a", "a", "2", 2, 2),
    "keyword": Vector("def f(a,*,k):\n  return k\nr=f(1,k=7)", "r", "7", 3, 7),
    "comprehension in another": Vector(
        "m=[[i*j for j in range(3)] for i in range(3)]\nr=m[2][1]", "r", "i*j", 1, 2, (2, 1)
    ),
    "comprehension over two": Vector(
        "xs=[a+b for a in [1,2] for b in [10,20]]\nr=xs[2]", "r", "a+b", 1, 12, (2, 10)
    ),
    "mapping in a display": Vector('a={"x":1}\nb={**a,"y":2}\nr=b["x"]', "r", "1", 1, 1),
    "behind a mapping": Vector('a={"x":1}\nb={**a,"y":2}\nr=b["y"]', "r", "2", 2, 2),
    "formatted text": Vector('n=3\ns=f"{n}!"', "s", 'f"{n}!"', 2, "3!"),
    "sum in a loop": Vector("t=0\nfor x in [1,2,3]:\n  t+=x", "t", "t+=x", 3, 6, (3, 3)),
    "return and finally": Vector(
        "def f():\n  try:\n    return 1\n  finally:\n    pass\nr=f()", "r", "1", 0, 1
    ),
    "no return": Vector("def f():\n  x=1\nr=f()", "r", "end of the function", 2, None),
    "default that is changed": Vector(
        "def f(x,acc=[]):\n  acc.append(x)\n  return acc\nf(1)\nr=f(2)[0]",
        "r",
        "acc.append(x)",
        2,
        1,
    ),
    "lambda": Vector("f=lambda a:a*2\nr=f(4)", "r", "a*2", 1, 8, (4, 2)),
    "callback": Vector(
        "r=list(map(lambda a:a*2,[1,2]))[1]",
        "r",
        "list(map(lambda a:a*2,[1,2]))",
        1,
        4,
        is_open=True,
    ),
    "super": Vector(
        "class A:\n  def __init__(self,n):\n    self.n=n\nclass B(A):\n  def __init__(self,n):\n"
        "    super().__init__(n+1)\nb=B(3)",
        "b.n",
        "n+1",
        6,
        4,
        (3, 1),
    ),
    "output": Vector('a=2\nprint("v",a*3)', "stdout[0]", 'print("v",a*3)', 2, ..., ("v", ...)),
    "while": Vector("n=10\nwhile n>3:\n  n-=4", "n", "n-=4", 3, 2, (6, 4)),
    "setattr": Vector(
        'class A: pass\na=A()\nsetattr(a,"k",5)\nr=a.k', "r", 'setattr(a,"k",5)', 3, 5
    ),
    "named tuple": Vector(
        'from collections import namedtuple\nP=namedtuple("P","x y")\np=P(1,2)\nr=p.y',
        "r",
        "",
        0,
        2,
        is_open=True,
    ),
    "yield from": Vector(
        "def a():\n  yield 1\n  yield 2\ndef b():\n  yield from a()\nfor x in b():\n  r=x",
        "r",
        "2",
        3,
        2,
    ),
    "negative index": Vector("xs=[1,2,3]\nxs[-1]=8\nr=xs[2]", "r", "8", 2, 8),
    "sort": Vector("xs=[3,1]\nxs.sort()\nr=xs[0]", "r", "xs.sort()", 2, 1),
    "match": Vector("n=2\np=(1,n)\nmatch p:\n  case (a,b):\n    r=b", "r", "2", 1, 2),
}
"""Further ones."""
