"""Every construct."""
import asyncio
import contextlib
import functools


def one_line(x):
    if x < 0: return None
    return x


def nested_text(n):
    for i in range(n):
        text = """
column 0
"""
        n = text
    return i


def shorts(a, b, c):
    r = a and b or c
    s = a < b < c
    t = a if b else c
    return (r, s, t, not a)


def chain3(a, b, c, d):
    if a < b < c < d:
        return 1
    elif a > b:
        return 2
    else:
        return 3


def multi_if(a, b, c):
    if (
        a
        and b
        and
        c
    ):
        return "yes"
    x = 1
    if (a or
            b):
        x = 2
    return x


def whiles(n):
    total = 0
    while n:
        n -= 1
        if n == 3:
            continue
        if n == 1:
            break
        total += n
    else:
        total = -total
    while True:
        total += 1
        if total > 3: break
    while 1:
        return total


def fors(xs):
    for x in xs:
        if x == 2: continue
        for y in range(x):
            if y == 3:
                break
        else:
            pass
        if x == 5:
            return x
    else:
        return None
    return -1


def tries(kind):
    log = []
    try:
        log.append("a")
        if kind == 1:
            raise ValueError(1)
        elif kind == 2:
            raise KeyError(2)
        elif kind == 3:
            return "early"
        elif kind == 4:
            {}["x"]
        elif kind == 5:
            1 / 0
    except ValueError as e:
        log.append(e.args)
    except (KeyError, IndexError):
        log.append("key")
        if kind == 4:
            try:
                raise RuntimeError("inner") from None
            except RuntimeError:
                pass
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


def try_finally(kind):
    for i in range(3):
        try:
            if kind == 0:
                continue
            if kind == 1:
                break
            if kind == 2:
                return i
            if kind == 3:
                raise ValueError
            i += 1
        finally:
            if kind == 2 and i > 10:
                return "never"
            kind = kind
    return "end"


def catches(kind):
    try:
        return try_finally(kind)
    except ValueError:
        return "caught"


class Manager:
    """Doc."""

    count = 0

    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        return self

    def __exit__(self, *what):
        return self.swallow


def withs(kind, swallow):
    with Manager(swallow) as m, contextlib.suppress(KeyError):
        m.x = 1
        if kind == 1:
            raise ValueError
        if kind == 2:
            raise KeyError
        if kind == 3:
            return "ret"
    return "after"


def matches(x):
    match x:
        case 0:
            return "zero"
        case [a, b]:
            return a + b
        case {"k": v, **rest}:
            return v
        case str() | bytes() if len(x) > 3:
            return "long"
        case Manager(swallow=True):
            return "m"
        case (1 | 2 | 3) as n:
            r = n
        case _:
            r = None
    return r


def comps(xs):
    a = [x * 2 for x in xs if x > 1 if x < 5]
    b = {x: y for x in xs for y in range(x) if y}
    c = {x for x in xs}
    d = list(x + 1 for x in xs if x)
    e = [[y for y in range(x)] for x in xs]
    f = [x if x > 2 else -x for x in xs if x and x != 4]
    return a, b, c, d, e, f


def comp_raises(xs):
    try:
        return [1 // x for x in xs]
    except ZeroDivisionError:
        return "zero"


def comp_child(xs):
    return [shorts(x, x, 1) for x in xs if one_line(x)]


def gen(n):
    for i in range(n):
        got = yield i
        if got:
            yield got
    return "done"


def delegating(n):
    r = yield from gen(n)
    try:
        yield r
    except ValueError:
        yield "thrown"
    finally:
        n = 0


def use_gens():
    g = delegating(2)
    out = [next(g), g.send("x"), next(g)]
    out.append(next(g))
    out.append(g.throw(ValueError))
    try:
        next(g)
    except StopIteration:
        out.append("stop")
    h = delegating(3)
    next(h)
    h.close()
    k = gen(2)
    next(k)
    try:
        k.throw(KeyError("z"))
    except KeyError:
        pass
    return out


def throw_inner():
    def inner():
        try:
            yield 1
        except ValueError:
            yield 2
        return 3

    def outer():
        v = yield from inner()
        yield v

    g = outer()
    next(g)
    a = g.throw(ValueError)
    b = next(g)
    g2 = outer()
    next(g2)
    try:
        g2.throw(TypeError)
    except TypeError:
        pass
    def inner2():
        try:
            yield 1
        except ValueError:
            return 9
    def outer2():
        w = yield from inner2()
        yield w
    g3 = outer2()
    next(g3)
    c = g3.throw(ValueError)
    return a, b, c


def lambdas():
    f = lambda x: x + 1
    g = lambda x: (
        x
        and f(x)
    )
    return sorted([3, 1], key=lambda v: -v), f(1), g(0), g(2)


def deco(fn):
    @functools.wraps(fn)
    def inner(*args, **kw):
        return fn(*args, **kw)
    return inner


@deco
@deco
def decorated(a, b=2, *, c=3):
    return a + b + c


def closures():
    n = 0
    def inc(k=1):
        nonlocal n
        n += k
        return n
    inc()
    inc(3)
    return n


def globals_():
    global G
    G = 5
    del G
    x = [1, 2, 3]
    del x[0], x[0]
    x[0:1] = [7, 8]
    a, *b = x
    (c, d), e = (1, 2), 3
    x += [1]
    return x, a, b, c, d, e


def asserts(x):
    assert x, "no"
    assert (x
            and x > 1), f"bad {x!r}"
    return x


def assert_fails(x):
    try:
        asserts(x)
    except AssertionError:
        return False
    return True


def walrus(xs):
    if (n := len(xs)) > 2:
        return n
    while (m := n) > 0:
        n -= 1
    return m


def fstrings(x):
    return f"{x!r:>10} {x if x else 'none'}" f"{one_line(3)}"


def raises_deep(n):
    if n == 0:
        raise ValueError("deep")
    return raises_deep(n - 1)


def reraises(kind):
    try:
        try:
            raises_deep(1)
        except ValueError:
            if kind:
                raise
            raise KeyError("k") from None
        finally:
            kind = 0
    except (ValueError, KeyError) as e:
        del e
        return kind


def groups(kind):
    try:
        raise ExceptionGroup("g", [ValueError(1), KeyError(2)] if kind else [TypeError()])
    except* ValueError as e:
        x = e
    except* KeyError:
        x = 2
    except* TypeError:
        x = 3
    return x


def group_part():
    try:
        try:
            raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
        except* ValueError:
            pass
    except ExceptionGroup:
        return 1


class Meta(type):
    def __call__(cls, *a):
        return super().__call__(*a)


class Props(metaclass=Meta):
    x: int = 1
    y: "str"

    @property
    def p(self):
        return self.q

    def __getattr__(self, name):
        if name == "q":
            return 5
        raise AttributeError(name)

    def __eq__(self, other): return True
    def __len__(self):
        return 2
    def __iter__(self):
        yield 1
        yield 2
    def __bool__(self):
        return len(self) > 5


def props():
    p = Props()
    r = [p.p, p == 1, len(p), list(p), bool(p)]
    if p:
        r = 1
    for v in p:
        r.append(v)
    min([p, p], key=len)
    try:
        p.zzz
    except AttributeError:
        r.append(0)
    return r


async def coro(n):
    await asyncio.sleep(0)
    return n


async def agen(n):
    for i in range(n):
        yield await coro(i)


class AM:
    async def __aenter__(self):
        await coro(1)
        return self

    async def __aexit__(self, *a):
        await coro(2)
        return True


async def amain():
    t = 0
    async for x in agen(3):
        t += x
    async with AM() as m:
        t += await coro(2)
        raise ValueError
    r = [y async for y in agen(2)]
    s = [await coro(k) for k in range(2)]
    a = await asyncio.gather(coro(1), coro(2), return_exceptions=True)
    async for z in agen(5):
        if z == 1:
            break
    else:
        t = 99
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError:
        t += 1
    task = asyncio.create_task(asyncio.sleep(5))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        t += 1
    return t, r, s, a


def set_changes():
    s = {1, 2}
    try:
        for x in s:
            s.add(x + 10)
    except RuntimeError as e:
        return str(e)


def nested_return(n):
    for i in range(3):
        for j in range(3):
            while True:
                if i * j == n:
                    return i, j
                break


def finally_loop():
    r = []
    for i in range(2):
        try:
            r.append([k for k in range(i)])
        finally:
            r.append([k * 2 for k in range(i)])
    return r


def star_call(*a, **k):
    return one_line(*a[:1]), dict(**k, z=1), [*a, *a], {**k}, print(*[], end="")


def early(x):
    if x: return 1; x = 2
    y = 3; z = 4
    return y


def empties(x):
    pass
    ...
    "text"
    if x:
        pass
    else:
        pass
    for _ in x:
        pass
    while x:
        x = x[1:]


def recursive_fact(n):
    return 1 if n < 2 else n * recursive_fact(n - 1)


def types_(x: int, y: "str" = "a") -> bool:
    z: int = x
    w: float
    return isinstance(z, int)


def main():
    for v in (-1, 3): one_line(v)
    nested_text(2)
    for t in [(0, 1, 2), (1, 0, 2), (1, 2, 3), (3, 1, 9), (1, 2, 0)]: shorts(*t); multi_if(*t)
    for t in [(1, 2, 3, 4), (1, 2, 3, 0), (1, 2, 0, 9), (2, 1, 0, 0), (1, 1, 1, 1)]: chain3(*t)
    for v in (0, 2, 6): whiles(v)
    for v in ([], [1, 2, 3], [5], [4, 5, 6]): fors(v)
    for v in range(6):
        try:
            tries(v)
        except ZeroDivisionError:
            pass
    for v in range(5): catches(v)
    for v in range(4):
        for s in (True, False):
            try: withs(v, s)
            except ValueError: pass
    for v in (0, [1, 2], {"k": 1, "z": 2}, "ab", b"abcd", Manager(True), Manager(False), 2, None, 9): matches(v)
    comps([1, 2, 3, 4, 5]); comps([]); comp_raises([1, 0]); comp_raises([1]); comp_child([1, -1, 2])
    use_gens(); throw_inner(); lambdas(); decorated(1); decorated(1, 2, c=9); closures(); globals_()
    for v in (0, 1, 2): assert_fails(v)
    walrus([1, 2, 3]); walrus([1]); fstrings(0); fstrings(4)
    reraises(0); reraises(1); groups(0); groups(1); group_part(); props()
    asyncio.run(amain())
    set_changes()
    for v in (0, 1, 4, 7): nested_return(v)
    finally_loop(); star_call(1, 2, k=3); early(0); early(1); empties([]); empties([1, 2])
    recursive_fact(5); types_(1)


main()
