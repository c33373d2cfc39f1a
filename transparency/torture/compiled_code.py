"""exec, eval and compile: namespaces, flags, code objects, tracebacks, events."""
import __future__
import ast
import builtins
import dis
import inspect
import pickle
import sys
import traceback
import types
import warnings

# The functions themselves.
print(exec, eval, compile, exec.__self__, eval.__module__, builtins.exec is exec)
print(exec.__doc__ == builtins.exec.__doc__, pickle.loads(pickle.dumps(eval)) is eval)
print(inspect.signature(compile), inspect.signature(eval), inspect.signature(exec))

# Namespaces.
class Logging(dict):
    def __getitem__(self, key):
        print("get", key)
        return super().__getitem__(key)
    def __setitem__(self, key, value):
        print("set", key)
        super().__setitem__(key, value)
    def __delitem__(self, key):
        print("del", key)
        super().__delitem__(key)
    def __missing__(self, key):
        print("missing", key)
        if key == "wanted":
            return 5
        raise KeyError(key)

class Mapping:
    def __getitem__(self, key):
        print("map get", key)
        raise KeyError(key)
    def __setitem__(self, key, value):
        print("map set", key, value)

log = Logging(a=1)
exec("b = a + wanted\nfor i in range(2):\n    c = i\ndel c\ndef f(x):\n    global g\n    g = x\n    return a\n", {}, log)
print(sorted(log), log["f"].__globals__.keys())
globs = Logging(a=1)
exec("b = a\ndef f(x):\n    global g\n    g = x\n    return b\nprint(f(3), g)", globs)
print(sorted(k for k in globs if k != "__builtins__"))
print(eval("wanted + 1", {}, log))
exec("z = len('abc')", {}, Mapping())
ns = {}
try:
    exec("x = (", ns)
except SyntaxError as error:
    print(list(ns), error.filename, error.lineno, error.offset, error.text, error.msg)
try:
    eval("1 +", ns)
except SyntaxError as error:
    print(error.filename, error.lineno, error.offset, error.text, error.msg)
own = {"__builtins__": {"len": lambda x: 42}}
print(eval("len('a')", own))
try:
    exec("print(1)", own)
except NameError as error:
    print(error)
def local():
    v = 1
    exec("v = 2; w = 3")
    return v, sorted(locals()), eval("v + 1"), eval("[v for _ in (1, 2)]", {"v": 9})
print(local())
for bad in (lambda: exec("1", []), lambda: eval("1", {}, 3), lambda: exec(3), lambda: eval("a\0b"),
            lambda: exec("1", {}, {}, 4), lambda: exec(), lambda: eval(b"1", None, None, None),
            lambda: compile("1", "f", "other"), lambda: compile("1", 3.5, "exec"),
            lambda: exec("x", closure=()), lambda: compile("a = 1", "f", "eval"),
            lambda: compile("1", "f", "exec", flags=1 << 29), lambda: eval("x" * 3)):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, error)
print(eval(b"# coding: latin-1\n'\xe9'"), eval("  \t 1"), eval(bytearray(b"2")), eval(memoryview(b"3")))
exec(b"# coding: latin-1\nprint('\xe9')")
exec("# coding: latin-1\nprint('\u00e9')")

# Code objects that are compared, read and run.
text = "def f(a, *b, c=1, **d):\n    if a:\n        return [i for i in b]\n    while c:\n        c -= 1\nx = f(0)\n"
one, two = compile(text, "file.py", "exec"), compile(text, "file.py", "exec")
print(one == two, one is two, hash(one) == hash(two), one.co_filename, one.co_name, one.co_flags)
print(one.co_consts[0] if False else [type(c).__name__ for c in one.co_consts], one.co_names)
dis.dis(one)
print(one.replace(co_filename="g.py").co_filename, list(one.co_lines())[:3])
function = types.FunctionType(next(c for c in one.co_consts if isinstance(c, types.CodeType)), {})
print(function(1, 2, 3, c=0), function.__code__.co_varnames)
def target(a):
    return "old"
target.__code__ = compile("def target(a):\n    return 'new', a\n", "<new>", "exec").co_consts[0]
print(target(3), target.__code__.co_filename)

# Frames.
exec("import sys\nf = sys._getframe()\nprint(f.f_code.co_name, f.f_code.co_filename, f.f_lineno, f.f_back.f_code.co_name)")
code = compile("f = sys._getframe().f_code", "<frame>", "exec")
exec(code)
print(f is code)
print(eval("sys._getframe().f_lasti >= 0 and sys._getframe().f_locals is globals()"))

# Flags.
def annotated():
    return compile("def f(x: y): pass\n", "<f>", "exec").co_flags
print(annotated(), compile("def f(x: y): pass", "<f>", "exec", __future__.annotations.compiler_flag).co_flags)
ns = {}
exec("from __future__ import annotations\nexec('def f(x: undefined): pass')\nprint(f.__annotations__)", ns)
print(type(compile("1", "<a>", "eval", ast.PyCF_ONLY_AST)), ast.dump(ast.parse("a = 1")))
awaiting = compile("await thing()\nawait thing()", "<await>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
print(awaiting.co_flags & inspect.CO_COROUTINE)
async def thing():
    print("thing")
try:
    eval(awaiting).send(None)
except StopIteration as stop:
    print("stopped", stop.value)
exec(compile("1 + 1\nNone\n'text'", "<single>", "exec"))
exec(compile("1 + 1", "<single>", "single"))
exec(compile("for i in range(2): i\n", "<single>", "single"))
print(compile("assert 0", "<o>", "exec", optimize=1) == compile("", "<o>", "exec"))
exec(compile("'doc'\nassert 0\ndef f():\n    'doc'\n", "<o>", "exec", optimize=2), ns)
print(ns.get("__doc__"), ns["f"].__doc__)

# Trees.
tree = ast.parse("def double(x):\n    return x * 2\nprint(double(4))\n")
exec(compile(tree, "<tree>", "exec"))
tree = ast.Expression(ast.BinOp(ast.Constant(20), ast.Add(), ast.Constant(1.5)))
print(eval(compile(ast.fix_missing_locations(tree), "<tree>", "eval")))

# Exceptions and warnings.
for text in ("def f():\n    return 1 / 0\nf()", "x = [\n  1 / 0\n]", "raise KeyError('k') from ValueError()"):
    try:
        exec(text)
    except Exception:
        traceback.print_exc(file=sys.stdout)
try:
    eval("1 /\\\n 0")
except ZeroDivisionError:
    traceback.print_exc(file=sys.stdout)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    exec("x = 1 is 1\n" * 2)
    eval("'a' is 'b'")
    compile("()()", "<w>", "exec")
    print([(str(w.message), w.filename, w.lineno) for w in seen])

# Tracing functions.
events = []
def tracer(frame, event, arg):
    if frame.f_code.co_filename in ("<string>", "<traced>"):
        events.append((event, frame.f_code.co_name, frame.f_lineno))
        return tracer
sys.settrace(tracer)
exec("a = 1\ndef f(n):\n    if n:\n        return n\n    return 0\nb = f(0) + f(1)\n")
eval("f(2)")
exec(compile("while b:\n    b -= 1\n", "<traced>", "exec"))
sys.settrace(None)
print(events)

# Audit events.
heard = []
def hook(event, args):
    if event in ("compile", "exec") and heard is not None:
        heard.append((event, [a if isinstance(a, (str, bytes, type(None))) else type(a).__name__ for a in args]))
sys.addaudithook(hook)
exec("a = 1")
eval("a")
exec(compile("a = 2", "<audit>", "exec"))
compile(ast.parse("a"), "<audit>", "exec")
print(heard)
heard = None
