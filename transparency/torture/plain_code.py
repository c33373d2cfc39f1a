import ast, dis, inspect, io, marshal, sys, traceback, types

def loops(a, b=2, *rest, k=None):
    found = [i * 2 for i in a if i]
    while b:
        b -= 1
        if b == 1:
            continue
        elif k and b:
            found += [b]
    else:
        found.append(b)
    for x, y in zip(a, found):
        if x: y = x or k
    try:
        found.append(1 / b)
    except ZeroDivisionError as e:
        found.append(where(e.__traceback__))
    except (KeyError, ValueError):
        raise
    finally:
        b = None
    def inner():
        nonlocal b
        b = found, "text", 2.5, -0.0, (1, 2)
        return b
    with io.StringIO() as f:
        f.write("x")
    return inner if a and b is None else (lambda: a)

def steps(n):
    for i in range(n):
        got = yield i
        if got:
            yield from [got]
    return where(None)

async def waits(x):
    async with x: pass
    async for y in x: await y
    return [z async for z in x]

def exits(x):
    if x == 1:
        return x
    if x == 2:
        raise KeyError(x)
    while x > 10:
        x -= 3
        if x == 20: break
    return (x +
            x.missing)

def matches(v):
    match v:
        case [a, b]: return a
        case {"k": c}: return c
        case str() | int(): return v
    assert v, "nothing"

def where(tb):
    frame = sys._getframe(1)
    return frame.f_lasti, tb and (tb.tb_lasti, tb.tb_frame.f_lasti), inspect.getframeinfo(frame).positions

class Holder:
    size = 3
    def method(self): return super().__repr__()

FUNCTIONS = loops, steps, waits, exits, matches, where, Holder.method
HERE = sys._getframe().f_code

def codes(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from codes(const)

# What a reader of bytecode sees.
for function in FUNCTIONS:
    dis.dis(function)
for code in codes(HERE):
    print(code.co_name, code.co_stacksize, code.co_nlocals, code.co_flags, code.co_names, sys.getsizeof(code) - sys.getsizeof(1))
    print(code.co_code, code.co_linetable, code.co_exceptiontable)
    print([const for const in code.co_consts if not isinstance(const, types.CodeType)], len(code.co_consts))
    print(list(code.co_positions()) == [i.positions and tuple(i.positions) for i in dis.get_instructions(code, show_caches=True)], list(code.co_lines()))
    print(types.CodeType.co_consts.__get__(code) is code.co_consts, code.co_code is code.co_code, type(type(code).__dict__["co_consts"]))

# Equality, with the same source compiled again.
with open(__file__) as file:
    again = compile(file.read(), __file__, "exec")
print(again == HERE, HERE == again, again != HERE, HERE.__eq__(again), hash(again) == hash(HERE), HERE.__hash__() == hash(again), {again: 1}[HERE])
print([one == other for one, other in zip(codes(again), codes(HERE))])
print(loops.__code__ == steps.__code__, HERE == 1)

# Identity.
inner = loops([1, 0, 3])
print(inner.__code__ in loops.__code__.co_consts, any(inner.__code__ is const for const in loops.__code__.co_consts))
print(any(inner()[1] is const for const in inner.__code__.co_consts), where.__code__ is where(None) or sys._getframe().f_code is HERE)

# Where frames and tracebacks stand.
print(loops([1, 2], 4, k=True)(), loops([], 0)())
walk = steps(3)
print(walk.gi_frame.f_lasti, next(walk), walk.gi_frame.f_lasti, walk.send("z"), walk.gi_frame.f_lasti, list(walk))
for x in 1, 2, 25, 31:
    try: print(exits(x))
    except Exception as e:
        tb = e.__traceback__.tb_next
        print(tb.tb_lasti, tb.tb_frame.f_lasti, list(tb.tb_frame.f_code.co_positions())[tb.tb_lasti // 2])
        made = types.TracebackType(None, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
        print(made.tb_lasti == tb.tb_lasti, made.tb_lineno == tb.tb_lineno)
        traceback.print_tb(made)
        dis.disco(tb.tb_frame.f_code, tb.tb_lasti)
for v in [1, 2], {"k": 1}, "s", 0, None:
    try: print(matches(v))
    except AssertionError: traceback.print_exc()

# Copies.
renamed = exits.__code__.replace(co_name="renamed", co_firstlineno=1)
print(renamed.co_name, renamed.co_code == exits.__code__.co_code, renamed == exits.__code__, types.FunctionType(renamed, globals())(1))
changed = exits.__code__.replace(co_consts=exits.__code__.co_consts + ("more",))
print(changed.co_consts, types.FunctionType(changed, globals())(1))
code = loops.__code__
rebuilt = types.CodeType(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize,
                         code.co_flags, code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_filename, code.co_name,
                         code.co_qualname, code.co_firstlineno, code.co_linetable, code.co_exceptiontable, code.co_freevars, code.co_cellvars)
print(rebuilt == code, types.FunctionType(rebuilt, globals(), argdefs=(1,))([5], k=0)()[0][0])
for value in HERE, [steps.__code__, {"k": (exits.__code__, 1)}], exits.__code__:
    copy = marshal.loads(marshal.dumps(value))
    print(copy == value, type(copy))
print(list(types.FunctionType(marshal.loads(marshal.dumps(steps.__code__)), globals())(2))[:2])
def before(): return "before"
before.__code__ = (lambda: "after").__code__
print(before(), before.__code__.co_name)

# Events of single instructions.
def straight(x, y=1):
    items = [x + y, {}]
    for item in items[:1]:
        items[1][item] = y
    items += [str(item) for item in items]
    try:
        return x.missing
    except AttributeError:
        x = len(items)
    return (yield x), x / (y - 1)

def run():
    walk = straight(1)
    next(walk)
    try: walk.send(2)
    except ZeroDivisionError: pass

CHILDREN = tuple(codes(straight.__code__))
seen = []
def trace(frame, event, arg):
    if frame.f_code in CHILDREN:
        frame.f_trace_opcodes = True
        seen.append((event, frame.f_lasti, frame.f_lineno))
        return trace
sys.settrace(trace)
run()
sys.settrace(None)
print(seen)
if hasattr(sys, "monitoring"):
    mon, got = sys.monitoring, []
    names = [name for name in dir(mon.events) if name.isupper() and name != "NO_EVENTS"]
    mon.use_tool_id(3, "torture")
    for name in names:
        def note(code, *args, name=name):
            if code in CHILDREN:
                got.append((name, *[arg for arg in args if isinstance(arg, int) and name != "PY_UNWIND"]))
        print(mon.register_callback(3, getattr(mon.events, name), note), mon.register_callback(3, getattr(mon.events, name), note) is note, end=" ")
    mon.set_events(3, sum(getattr(mon.events, name) for name in names if name not in ("C_RETURN", "C_RAISE")))
    run()
    mon.set_events(3, 0)
    mon.free_tool_id(3)
    print(got)
