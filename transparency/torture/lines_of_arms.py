# A tracing function sees each line as often as it does plain, also of conditions over several lines.
import sys, itertools
logl=[]
def tr(frame, ev, arg):
    if frame.f_code.co_filename!=__file__: return None
    logl.append((ev, frame.f_code.co_name, frame.f_lineno)); return tr
def z1(a,b,c):
    if (a and
        b):
        x=1
    y=2
    while (a and
           b):
        a=0
    for i in [a,
              b]:
        if (i
            or c):
            pass
    for i in range(2):
        if (a
            and b):
            continue
    return y
def z2(a,b,c):
    if (a or
        b):
        x=1
def z3(a,b,c):
    if (a
        if b
        else c):
        x=1
    elif (not
          a):
        x=2
def z4(a,b,c):
    while (not
           a):
        a=1
        if (b
            and c): break
    else:
        x=3
def z5(a,b,c):
    x = (a
         and b
         or c)
    x = (a if
         b else
         c)
    assert (a or
            b or c or
            True), "x"
    return [i
            for i in (a,b,c)
            if (i and
                a)]
def z6(a,b,c):
    match (a,
           b):
        case (0,
              0): x=1
        case (1, _) if (b
                        and c):
            x=2
        case _:
            x=3
    try:
        if (a and
            b): raise ValueError
    except (ValueError,
            KeyError) as e:
        x=5
    finally:
        if (a
            or b):
            y=1
    with open("/dev/null") as f, \
         open("/dev/null") as g:
        if (a
            and c):
            return 1
def z7(a,b,c):
    for i in range(2):
        try:
            if (a
                and b):
                continue
            if (b
                or c):
                break
        finally:
            if (c and
                a): x=1
def z8(a,b,c):
    if a:
        pass
    elif (b and
          c):
        pass
    if a: pass
    else:
        if (b and
            c): pass
def z9(a,b,c):
    def g():
        if (a and
            b): yield 1
        yield (2 if
               a else 3)
    return list(g())
class K:
    if (sys and
        not sys): x=1
def z10(a,b,c):
    if not (a and
            b):
        if (c):
            return 5
    if a: return 1
    if b: x=1
    if (a < b
        < c): x=2
    if (a or b) and (b or
        c): x=3
    return lambda: (a
        and b)
def z11(a,b,c):
    while True:
        if (a and
            b): return 1
        if (b and
            c): continue_=1
        if a: break
        a=1
def z12(a,b,c):
    while a:
        if (b and
            c): b=0
        else:
            a=0
    if a: x=1
    elif b: x=2
    elif (c and
          b): x=3
    del a
    if (b and
        c): del b
def z13(a,b,c):
    if a and b:
        x=1
    if (
        a
        and b
    ):
        return 1
    elif (
        b
    ):
        return 2
def z14(a,b,c):
    x = (a
         <= b
         <= c
         < 5)
    while (a
           < b
           < c): a=b
    x = [i for i in (a,b,c)
         if i
         if (i <
             2 <
             3)
         if not a]
    assert (0 <= a
            < 9
            < 10)
    return {i: j for i in (a,b)
            if i >= 0
            if i < 3 for j in (b,c)
            if j
            if j > 0}
for fn in (z1,z2,z3,z4,z5,z6,z7,z8,z9,z10,z11,z12,z13,z14):
    for args in itertools.product((0,1),repeat=3):
        logl.append((fn.__name__,args))
        sys.settrace(tr)
        try: fn(*args)
        except Exception as e: logl.append(repr(e))
        finally: sys.settrace(None)
sys.settrace(tr)
class K2:
    if (sys and
        not sys): x=1
sys.settrace(None)
for l in logl: print(l)
