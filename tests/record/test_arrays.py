"""Arrays of numpy and tables of pandas: contents and changes are recorded without side effects."""

import textwrap

import pytest

from sleuth.trace.heap.arrays import fact, layout
from sleuth.trace.values import Atom, NotKept, Ref

pytest.importorskip("numpy")
pytest.importorskip("pandas")


def entered(run, name):
    for each, call in run.calls():
        if each == name:
            return run.trace, call
    raise AssertionError(run.process.stderr)


def items(trace, ref, at):
    """Return the items of an array by their places."""
    shape = trace.shape(ref, at)
    places, part = layout(shape), shape.part("sequence")
    assert places is not None
    return {
        places.key(number): getattr(item, "content", getattr(item, "name", item))
        for number, item in enumerate(part.items)
    }


ARRAY = [
    "{v}[0, 1] = 9",
    "{v}[-1] = 9",
    "{v}[0] = [7, 8, 9]",
    "{v}[:, 1] = 9",
    "{v}[0:1] = 9",
    "{v}[::2, 0] = 9",
    "{v}[{v} > 2] = 0",
    "{v}[[0, 1], [1, 2]] = 9",
    "{v}[...] = 9",
    "{v} += 1",
    "{v} *= 2",
    "{v} **= 2",
    "{v}.fill(9)",
    "{v}.sort(axis=0)",
    "{v}.partition(0)",
    "{v}.itemset(0, 9) if hasattr({v}, 'itemset') else {v}.fill(8)",
    "{v}.put([0], [9])",
    "{v}.flat[2] = 9",
    "{v}.T[1, 0] = 9",
    "{v}.ravel()[3] = 9",
    "{v}.view()[0, 0] = 9",
    "{v}.setfield(9, {v}.dtype)",
    "{v}.resize((3, 2), refcheck=False)",
    "{v}.byteswap(inplace=True)",
    "{v}.__setitem__((0, 0), 9)",
    "{v}.__iadd__(1)",
    "operator.setitem({v}, (0, 0), 9)",
    "operator.iadd({v}, 1)",
    "np.add({v}, 1, out={v})",
    "np.add({v}, 1, {v})",
    "np.negative({v}, out={v})",
    "np.add.at({v}, 0, 1)",
    "np.copyto({v}, 9)",
    "np.put({v}, 0, 9)",
    "np.putmask({v}, {v} > 2, 0)",
    "np.fill_diagonal({v}, 9)",
    "np.random.default_rng(1).shuffle({v}, axis=1)",
    "np.random.shuffle({v}.reshape(-1))",
    "np.nan_to_num({v}, copy=False, nan=5)",
    "np.clip({v}, 1, 2, out={v})",
    "memoryview({v})[0, 0] = 9",
    "for row in {v}: row[0] = 9",
]
WAYS = {
    "directly": "{s}",
    "through an alias": "w = v\n    {w}",
    "through a view": "w = v[:, :]\n    {w}",
    "by a function that is not recorded": "lib.act(v)",
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_change_an_array_is_seen(record, tmp_path, way):
    """After each call, the trace has the same items as the program itself."""
    sources = ["import lib, operator, random", "import numpy as np"]
    acts = []
    for number, statement in enumerate(ARRAY):
        if way == "through a view" and ("resize" in statement):
            continue
        direct = statement.format(v="v")
        body = WAYS[way].format(s=direct, w=statement.format(v="w"))
        body = body.replace("lib.act(v)", f"lib.act{number}(v)")
        sources.append(f"def change{number}(v):\n    {body}\n")
        sources.append(f"def after{number}(v, before, now, flat): pass\n")
        sources.append(
            f"v = np.array([[5, 1, 3], [2, 8, 4]], dtype=float if {number} % 2 else int)\n"
            "before = repr(v.tolist())\n"
            f"change{number}(v)\n"
            f"after{number}(v, before, repr(v.tolist()), repr(v.ravel().tolist()))\n"
        )
        acts.append(f"import operator\nimport numpy as np\ndef act{number}(v):\n    {direct}\n")
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "lib.py").write_text("\n".join(acts))
    run = record(f"import sys\nsys.path.insert(0, {str(library)!r})\n" + "\n".join(sources))
    assert run.process.returncode == 0, run.process.stderr
    trace = run.trace
    calls = dict(run.calls())
    checked = 0
    for number, statement in enumerate(ARRAY):
        if f"change{number}" not in calls:
            continue
        change, after = calls[f"change{number}"], calls[f"after{number}"]
        ref, before, now, flat = trace.arguments(after)
        found = items(trace, ref, change.last + 1)
        assert repr(list(found.values())) == flat.content, (statement, way)
        difference = trace.changed(change)
        assert ("v" in difference.same) == (before == now), statement
        checked += before != now
    assert checked > 30


def shown(record, source, name="f"):
    """Return what a call changed, in words."""
    run = record(source)
    assert run.process.returncode == 0, run.process.stderr
    trace, call = entered(run, name)
    words = {}
    for change in trace.changed(call).changes:
        old, new = (getattr(each, "content", None) for each in (change.old, change.new))
        words[change.path] = (old, new)
    return words


def test_a_change_is_told_by_its_place(record):
    told = shown(
        record,
        """
        import numpy as np
        def f(a):
            a[1, 2] = 9
        f(np.arange(12.0).reshape(3, 4))
        """,
    )
    assert told == {"a[1, 2]": (6.0, 9.0)}


def test_of_a_large_array_facts_tell_that_it_changed(record):
    told = shown(
        record,
        """
        import numpy as np
        def f(a, b):
            a[500] = -1
            b[500] = 7
        f(np.arange(1000.0), np.arange(1000.0))
        """,
    )
    assert told["a.least"] == (0.0, -1.0)
    assert set(told) == {"a.least", "b.hash"}


def test_many_stores_into_a_small_array_are_told_one_by_one(record):
    run = record(
        """
        import numpy as np
        def f(a):
            for i in range(20_000):
                a[i % 10, i % 20] = i
            a[-1, 0] = np.float32(-2.5)
            a[0, 0] = float('nan')
        f(np.zeros((10, 20)))
        """
    )
    trace, call = entered(run, "f")
    (ref,) = trace.arguments(call)
    shape = trace.shape(ref, call.last)
    expected = {f"{i % 10}, {i % 20}": float(i) for i in range(20_000)}
    expected["9, 0"] = -2.5
    found = items(trace, ref, call.last)
    assert found.pop("0, 0") != found.get("0, 0")
    del expected["0, 0"]
    assert {key: found[key] for key in expected} == expected
    assert shape.is_sure
    told = [fact(shape.part("summary"), name) for name in ("least", "greatest", "nan")]
    assert told == [Atom(-2.5), Atom(19_999.0), Atom(1)]
    assert run.path.stat().st_size < 1_000_000


def test_base_and_views_change_together(record):
    told = shown(
        record,
        """
        import numpy as np
        def f(base, view, other):
            view[0] = 9
        a = np.zeros((2, 2))
        f(a, a[1], a.T)
        """,
    )
    assert told == {
        "base[1, 0]": (0.0, 9.0),
        "view[0]": (0.0, 9.0),
        "other[0, 1]": (0.0, 9.0),
    }


KINDS = {
    "np.array(5)": ("int64", "()", {"()": 5}),
    "np.zeros((0, 3))": ("float64", "(0, 3)", {}),
    "np.array([1 + 2j])": ("complex128", "(1,)", {"0": 1 + 2j}),
    "np.array([True, False])": ("bool", "(2,)", {"0": "True", "1": "False"}),
    "np.array([1, -2], dtype='>i4')": ("int32 big-endian", "(2,)", {"0": 1, "1": -2}),
    "np.array([1.5], dtype='>f8')": ("float64 big-endian", "(1,)", {"0": 1.5}),
    "np.array(['a\\u00e9\\u20ac\\U0001f600', ''])": ("str[4]", "(2,)", {"0": "aé€😀", "1": ""}),
    "np.array([b'x', b'yz'])": ("bytes[2]", "(2,)", {"0": b"x", "1": b"yz"}),
    "np.float16([1.5, -2])": ("float16", "(2,)", {"0": 1.5, "1": -2.0}),
    "np.float32([0.5])": ("float32", "(1,)", {"0": 0.5}),
    "np.longdouble([1.25])": ("longdouble", "(1,)", {"0": 1.25}),
    "np.array([2**64 - 1], dtype='u8')": ("uint64", "(1,)", {"0": 2**64 - 1}),
    "np.array([-(2**63)])": ("int64", "(1,)", {"0": -(2**63)}),
    "np.arange(10)[::-3]": ("int64", "(4,)", {"0": 9, "1": 6, "2": 3, "3": 0}),
    "np.arange(4).reshape(2, 2).T": (
        "int64",
        "(2, 2)",
        {"0, 0": 0, "0, 1": 2, "1, 0": 1, "1, 1": 3},
    ),
    "np.broadcast_to(np.arange(2), (2, 2))": (
        "int64",
        "(2, 2)",
        {"0, 0": 0, "0, 1": 1, "1, 0": 0, "1, 1": 1},
    ),
    "np.array(['2024-02-29T12:30:01.5', 'NaT'], 'M8[ms]')": (
        "datetime64[ms]",
        "(2,)",
        {"0": "2024-02-29T12:30:01.500", "1": "NaT"},
    ),
    "np.array(['1969-12-31', '1600-02-29'], 'M8[D]')": (
        "datetime64[D]",
        "(2,)",
        {"0": "1969-12-31", "1": "1600-02-29"},
    ),
    "np.array([3], 'm8[h]')": ("timedelta64[h]", "(1,)", {"0": "3 * 1 h"}),
    "np.array([1, 'x', None], dtype=object)": ("object", "(3,)", {"0": 1, "1": "x", "2": "None"}),
    "np.array([(1, 2.5), (3, 4.5)], dtype=[('a', 'i4'), ('b', 'f8')])": (
        None,
        "(2,)",
        {"0, 'a'": 1, "0, 'b'": 2.5, "1, 'a'": 3, "1, 'b'": 4.5},
    ),
    "np.matrix([[1, 2]])": ("int64", "(1, 2)", {"0, 0": 1, "0, 1": 2}),
    "np.ma.array([1, 2], mask=[0, 1])": ("int64", "(2,)", {"0": 1, "1": 2}),
    "S(2)": ("float64", "(2,)", None),
}


def test_items_of_every_kind(record):
    calls = "\n".join(f"f({maker})" for maker in KINDS)
    run = record(
        "import numpy as np\nclass S(np.ndarray):\n    __slots__ = ()\ndef f(a): pass\n" + calls
    )
    assert run.process.returncode == 0, run.process.stderr
    trace = run.trace
    made = [call for name, call in run.calls() if name == "f"]
    assert len(made) == len(KINDS)
    for call, (maker, (kind, shape, expected)) in zip(made, KINDS.items(), strict=True):
        (ref,) = trace.arguments(call)
        assert not ref.id & 1, maker
        summary = trace.shape(ref, call.last).part("summary")
        told = fact(summary, "dtype")
        assert told == (kind and Atom(kind)), maker
        assert fact(summary, "shape") == Atom(shape)
        if expected is not None:
            assert items(trace, ref, call.last) == expected, maker


def test_nan_are_counted_and_are_in_no_range(record):
    run = record(
        """
        import numpy as np
        def f(a): pass
        f(np.array([np.nan, 2.0, -1.0, np.nan, np.inf]))
        """
    )
    trace, call = entered(run, "f")
    summary = trace.shape(trace.arguments(call)[0], call.last).part("summary")
    told = [fact(summary, name) for name in ("least", "greatest", "nan")]
    assert told == [Atom(-1.0), Atom(float("inf")), Atom(2)]


def test_what_can_not_be_read_says_so(record):
    run = record(
        """
        import mmap
        import numpy as np
        def f(a, b): pass
        np.arange(10).tofile('numbers')
        f(np.memmap('numbers', dtype=np.int64), np.frombuffer(mmap.mmap(-1, 64), dtype=np.uint8))
        """
    )
    assert run.process.returncode == 0, run.process.stderr
    trace, call = entered(run, "f")
    for ref in trace.arguments(call):
        shape = trace.shape(ref, call.last)
        assert isinstance(fact(shape.part("summary"), "items"), NotKept)
        assert shape.part("sequence") is None
        assert not shape.is_sure


def test_objects_in_an_array_are_references(record):
    told = shown(
        record,
        """
        import numpy as np
        def f(a):
            a[0].append(2)
            a[1] = 'x'
        f(np.array([[1], None], dtype=object))
        """,
    )
    assert told == {"a[0][1]": (None, 2), "a[1]": (None, "x")}


def test_looking_is_never_quadratic(record):
    """Views of a large array cost nothing to make: those too expensive to look at are unsure."""
    run = record(
        """
        import numpy as np
        def f(v): pass
        a = np.zeros(2_000_000)
        for i in range(3000):
            f(a[i:])
        """,
        timeout=30,
    )
    assert run.process.returncode == 0
    trace = run.trace
    last = [call for name, call in run.calls() if name == "f"][-1]
    shape = trace.shape(trace.arguments(last)[0], last.last)
    assert not shape.is_sure
    assert isinstance(fact(shape.part("summary"), "hash"), NotKept)
    assert fact(shape.part("summary"), "shape") == Atom("(1997001,)")


FRAMES = {
    "df.loc[1, 'b'] = 9.5": {"df[1, 'b']": (2.5, 9.5)},
    "df.iloc[0, 0] = 7": {"df[0, 'a']": (1, 7)},
    "df.at[2, 'a'] = 7": {"df[2, 'a']": (3, 7)},
    "df.loc[df.a > 2, 's'] = 'w'": {"df[2, 's']": ("z", "w")},
    "df['a'] = [7, 2, 3]": {"df[0, 'a']": (1, 7)},
    "df['a'] += 1": {"df[0, 'a']": (1, 2), "df[1, 'a']": (2, 3), "df[2, 'a']": (3, 4)},
    "df.insert(0, 'n', 0)": {
        "df[0, 'n']": (None, 0),
        "df[1, 'n']": (None, 0),
        "df[2, 'n']": (None, 0),
        "df.shape": ("(3, 3)", "(3, 4)"),
        "df.'dtype of n'": (None, "int64"),
    },
    "df.pop('b')": {
        "df[0, 'b']": (1.5, None),
        "df[1, 'b']": (2.5, None),
        "df[2, 'b']": (3.5, None),
        "df.shape": ("(3, 3)", "(3, 2)"),
        "df.'dtype of b'": ("float64", None),
    },
    "del df['b'], df['s']": {
        **{f"df[{row}, 'b']": (row + 1.5, None) for row in range(3)},
        **{f"df[{row}, 's']": ("xyz"[row], None) for row in range(3)},
        "df.shape": ("(3, 3)", "(3, 1)"),
        "df.'dtype of b'": ("float64", None),
        "df.'dtype of s'": ("object", None),
    },
    "df.update(other)": {"df[0, 'b']": (1.5, 8.5)},
    "lib.change(df)": {"df[0, 'a']": (1, 7)},
}


def test_every_way_to_change_a_frame_is_seen(record, tmp_path):
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "lib.py").write_text("def change(df):\n    df.iloc[0, 0] = 7\n")
    source = textwrap.dedent(
        f"""
        import sys
        sys.path.insert(0, {str(library)!r})
        import lib
        import pandas as pd
        other = pd.DataFrame({{'b': [8.5]}})
        def made():
            return pd.DataFrame({{
                'a': [1, 2, 3], 'b': [1.5, 2.5, 3.5], 's': pd.Series(['x', 'y', 'z'], dtype=object)
            }})
        """
    )
    for number, statement in enumerate(FRAMES):
        source += f"def f{number}(df):\n    {statement}\nf{number}(made())\n"
    run = record(source)
    assert run.process.returncode == 0, run.process.stderr
    trace = run.trace
    calls = dict(run.calls())
    for number, (statement, expected) in enumerate(FRAMES.items()):
        found = {
            change.path: tuple(getattr(each, "content", None) for each in (change.old, change.new))
            for change in trace.changed(calls[f"f{number}"]).changes
            if change.path.startswith("df")
        }
        assert found == expected, statement


def test_series_and_large_frames(record):
    told = shown(
        record,
        """
        import numpy as np
        import pandas as pd
        def f(s, t):
            s[1] = 20
            t.loc[t.x > 990, 'y'] = -1
        n = np.arange(1000)
        w = n.astype(str).astype(object)
        f(pd.Series([1, 2, 3]), pd.DataFrame({'x': n, 'y': n / 8, 'w': w}))
        """,
    )
    assert told == {
        "s[1]": (2, 20),
        "t.'least of y'": (0.0, -1.0),
        "t.'greatest of y'": (124.875, 123.75),
    }


def test_a_secret_column_is_hidden(record):
    run = record(
        """
        import pandas as pd
        def f(df): pass
        f(pd.DataFrame({'user': ['eva'], 'password': ['hush!']}))
        """
    )
    trace, call = entered(run, "f")
    assert b"hush!" not in run.path.read_bytes()
    part = trace.shape(trace.arguments(call)[0], call.last).part("sequence")
    assert isinstance(part.items[1], NotKept)


def test_identity_is_exact(record):
    """An array at the address of a dead one is a different object."""
    run = record(
        """
        import numpy as np
        def f(a): pass
        for i in range(50):
            f(np.full(3, i))
        """
    )
    trace = run.trace
    refs = [trace.arguments(call)[0] for name, call in run.calls() if name == "f"]
    assert len({ref.id for ref in refs}) == 50
    for number, (ref, (_, call)) in enumerate(
        zip(refs, [each for each in run.calls() if each[0] == "f"], strict=True)
    ):
        assert isinstance(ref, Ref)
        assert not ref.id & 1
        assert items(trace, ref, call.last) == {"0": number, "1": number, "2": number}


def test_the_program_does_not_notice_that_its_arrays_are_read(record, plain):
    """Reference counts, flags and lifetimes are those of a run that is not recorded."""
    run = record(
        """
        import gc, sys, weakref
        import numpy as np
        import pandas as pd
        def seen(a):
            print(sys.getrefcount(a), a.flags.num, a.base is None, weakref.getweakrefcount(a))
            return a
        def died(what):
            print('died', what)
        class S(np.ndarray):
            def __array_finalize__(self, other):
                print('finalize')
            def __array_ufunc__(self, *a, **k):
                print('ufunc')
                return NotImplemented
            def __repr__(self):
                print('repr')
                return ''
            def __getitem__(self, key):
                print('getitem', key)
                return super().__getitem__(key)
        def f():
            a = np.arange(5)
            weakref.finalize(a, died, 'a')
            v = a[1:]
            weakref.finalize(v, died, 'v')
            v[0] = 3
            seen(a); seen(v)
            v.flags.writeable = False
            try:
                v[0] = 2
            except ValueError as error:
                print(error)
            del a
            print('a is kept by v')
            del v
            print('gone')
        f()
        s = np.zeros(3).view(S)
        weakref.finalize(s, died, 's')
        seen(s)
        s = None
        o = np.array([object()], dtype=object)
        print(sys.getrefcount(o[0]))
        df = pd.DataFrame({'a': [1, 2]})
        weakref.finalize(df, died, 'df')
        def g(df):
            df.loc[0, 'a'] = 5
            print(sys.getrefcount(df), sys.getrefcount(df._mgr), sorted(vars(df)))
            refs = getattr(df._mgr.blocks[0], 'refs', None)
            print(refs and refs.has_reference())
        g(df)
        del df
        gc.collect()
        print('end')
        """
    )
    assert run.process.returncode == 0, run.process.stderr
    assert run.process.stdout == plain().stdout
    assert "gone" in run.process.stdout


def test_numbers_of_numpy_are_numbers(record):
    run = record(
        """
        import numpy as np
        def f(*numbers): pass
        a = np.array([1.5, 2.5])
        f(a[0], np.int8(-3), np.uint64(2**64 - 1), np.bool_(True), np.float16(0.5),
          np.float32(0.25), np.complex64(1 + 2j), np.longdouble(4), np.int64(7))
        def g(x): pass
        for x in a:
            g(x)
        """
    )
    trace, call = entered(run, "f")
    shape = trace.shape(trace.arguments(call)[0], call.last)
    told = [getattr(item, "content", getattr(item, "name", None)) for item in shape.parts[0].items]
    assert told == [1.5, -3, 2**64 - 1, "True", 0.5, 0.25, 1 + 2j, 4.0, 7]
    given = [trace.arguments(call)[0] for name, call in run.calls() if name == "g"]
    assert given == [Atom(1.5), Atom(2.5)]


def test_tables_of_other_forms(record):
    """Several levels of labels; items that are not kept are seen to change all the same."""
    run = record(
        """
        import pandas as pd
        def levels(df):
            df.iloc[1, 0] = 9
        labels = pd.MultiIndex.from_tuples([(1, 2), (3, 4)])
        levels(pd.DataFrame({'a': [1, 2]}, index=labels))
        def wide(df):
            df.iloc[0, 1] = 9
        wide(pd.DataFrame([[1, 2]], columns=labels))
        def kinds(df):
            df.iloc[0, 0] = 'y'
        kinds(pd.DataFrame({'c': pd.Categorical(['x', 'y'])}))
        def breaks(df):
            df.iloc[0, 0] = df.iloc[1, 0]
        breaks(pd.DataFrame({'i': pd.arrays.IntervalArray.from_breaks([0, 1, 2])}))
        def missing(s):
            s[0] = None
        missing(pd.Series([1, 2], dtype='Int64'))
        def relabelled(df):
            df.index = ['p', 'q']
        relabelled(pd.DataFrame({'a': [1, 2]}))
        """
    )
    assert run.process.returncode == 0, run.process.stderr
    found = {
        name: {change.path: (change.old, change.new) for change in run.trace.changed(call).changes}
        for name, call in run.calls()
    }
    assert found["levels"] == {"df[1, 'a']": (Atom(2), Atom(9))}
    assert found["wide"] == {"df[0, 1]": (Atom(2), Atom(9))}
    assert list(found["missing"]) == ["s[0]"]
    assert "df.hash" in found["kinds"]
    assert "df.hash" in found["breaks"]
    assert "df.hash" in found["relabelled"]
