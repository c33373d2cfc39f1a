"""Values under the names of secrets never reach the trace, however the name is written."""

import pytest

from sleuth.errors import UsageError
from sleuth.record.keeping import Keeping, from_settings

SECRET = [
    "password", "PASSWORD", "PassWord", "user_password", "userPassword", "dbpassword2", "passwords",
    "api_key", "apiKey", "APIKey", "X-Api-Key", "api key", "api.key", "api__key", "apikey",
    "myAPIKEY",
    "access_token", "accessToken", "ACCESS_TOKEN", "refresh_token", "refreshTokens",
    "Refresh-Token",
    "privateKey", "credential", "Credentials", "aws_credentials", "Set-Cookie", "_secret__",
    "pwd", "PWD", "pwds", "pwd2", "db_pwd", "userPwd", "DBPwd", "pwdHash", "old-pwd",
    "\u7528\u6237pwd",
    "x" * 5000 + "_password", "\u043c\u043e\u0439_password", "na\u00efvePassword",
]  # fmt: skip
"""Names that contain one of the usual secrets."""
PLAIN = [
    "", "_", "name", "token", "tokens", "next_token", "tokenizer", "key", "api",
    "api_monkey", "msec_retry", "pass_words", "pwdx", "xpwd", "upwards", "cwdpwdx",
    "x" * 5000, "\u0442\u043e\u043a\u0435\u043d", "refresh", "refresh_the_token",
]  # fmt: skip


def test_names_are_compared_word_by_word_in_any_case():
    keeping = Keeping()
    assert [name for name in SECRET if not keeping.hides(name)] == []
    assert [name for name in PLAIN if keeping.hides(name)] == []


SCRIPTS = [
    # Cyrillic
    ("\u043f\u0430\u0440\u043e\u043b\u044c",
     "X\u041f\u0410\u0420\u041e\u041b\u042c", "\u043f\u0430\u0440\u043e\u043b"),
    # Greek, which has two small forms of a letter
    ("\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2",
     "\u039a\u03a9\u0394\u0399\u039a\u038c\u03a3", "\u03ba\u03c9\u03b4\u03b9\u03ba"),
    # Turkish, with a dotted capital
    ("\u015fifre", "\u015e\u0130FRE", "sifre"),
    # Chinese, without spaces
    ("\u5bc6\u7801", "\u7528\u6237\u5bc6\u7801", "\u5bc6"),
    ("Clef-Priv\u00e9e", "MA_CLEF_PRIV\u00c9E", "clef_privee"),
    ("pin", "user_pin", "spinner"),
    ("MyKey", "mykey", "my_kex"),
]  # fmt: skip
"""A secret, a name that contains it, one that does not."""


@pytest.mark.parametrize(("secret", "hidden", "plain"), SCRIPTS)
def test_names_of_any_script_can_be_secrets(secret, hidden, plain):
    keeping = from_settings({"secrets": [secret]})
    assert keeping.hides(secret)
    assert keeping.hides(hidden)
    assert not keeping.hides(plain)


def test_the_recorded_program_follows_the_same_rule(record, tmp_path):
    names = [*SECRET, *PLAIN, "\u041f\u0430\u0440\u043e\u043b\u044c", "\u7528\u6237\u5bc6\u7801"]
    secrets = [*Keeping().secrets, "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801"]
    settings = f"[tool.sleuth]\nsecrets = {secrets!r}\n"
    (tmp_path / "work" / "pyproject.toml").write_text(settings, encoding="utf-8")
    run = record(f"""
        class Thing: pass
        class Text(str):
            def __hash__(self): raise RuntimeError
        def f(keys, encoded, attributes): pass
        names = {names!r}
        keys = {{name: f"<key {{at}}>" for at, name in enumerate(names)}}
        encoded = {{name.encode(): f"<bytes {{at}}>" for at, name in enumerate(names)}}
        thing = Thing()
        for at, name in enumerate(names):
            setattr(thing, name, f"<attribute {{at}}>")
        f(keys, encoded, thing)
    """)
    assert run.process.returncode == 0, run.process.stderr
    trace = run.trace
    keeping = from_settings({"secrets": secrets})
    call = next(call for name, call in run.calls() if name == "f")
    for ref in trace.arguments(call):
        shape = trace.shape(ref, call.first)
        part = shape.parts[-1]
        shown = {
            (key.content.decode() if isinstance(key.content, bytes) else key.content)
            for key, value in part.pairs
            if hasattr(value, "content")
        }
        assert shown == {name for name in names if not keeping.hides(name)}


def test_a_secret_is_hidden_wherever_its_name_stands(record):
    many = ", ".join(f"a{number}" for number in range(70))
    run = record(f"""
        import collections, os
        class Slots:
            __slots__ = "refresh_token"
        Login = collections.namedtuple("Login", "user pwd more")
        class Named(str): pass
        class Box: pass
        def many({many}, credentials): pass
        def given(*args, **options): return args, options
        def secret(text): return ["hunter2", text]
        many(*range(70), credentials=secret("of an argument"))
        given(Login("eva", "hunter2", 1), db_pwd="hunter2", access_token=secret("of an option"))
        slots = Slots()
        slots.refresh_token = "hunter2"
        given(slots)
        table = {{}}
        table["accessToken"] = secret("of a key")
        table[Named("pwd")] = "hunter2"
        box = Box()
        box.userPwd = secret("of an attribute")
        given(table, box)
        os.environ["MY_API_KEY"] = "hunter2"
        given(os.environ)
        token = "visible"
    """)
    assert run.process.returncode == 0, run.process.stderr
    trace = run.trace
    texts = []
    for event in run.events():
        if event.kind.name != "RETURN":  # what a function returns has no name
            texts += [repr(value) for value in event.values]
    for name, call in run.calls():
        if name in ("given", "many"):
            for value in trace.arguments(call):
                texts += deep(trace, value, call.last)
    assert "hunter2" not in " ".join(texts)
    assert "visible" in " ".join(texts)


def deep(trace, value, moment, depth=4):
    """Say a value with all that it leads to."""
    if not hasattr(value, "id") or not depth:
        return [repr(value)]
    shape = trace.shape(value, moment)
    return [
        text
        for part in (shape.parts if shape else ())
        for item in part.items
        for text in deep(trace, item, moment, depth - 1)
    ]


def test_a_list_of_secrets_that_is_too_long_is_refused():
    fits = [f"{number:039}" for number in range(102)]
    assert len(from_settings({"secrets": fits}).secrets) == 102
    with pytest.raises(UsageError, match="4,121 bytes, but there is room for 4,096"):
        from_settings({"secrets": [*fits, "x" * 39]})
    with pytest.raises(UsageError, match="has no letter"):
        from_settings({"secrets": ["_"]})


def test_the_whole_list_of_secrets_reaches_the_program(record, tmp_path):
    names = [f"name_{number:034}" for number in range(102)]
    settings = f"[tool.sleuth]\nsecrets = {names!r}\n"
    (tmp_path / "work" / "pyproject.toml").write_text(settings, encoding="utf-8")
    run = record(f"""
        def f(password, {names[-1]}): pass
        f("seen", "hidden")
    """)
    call = next(call for name, call in run.calls() if name == "f")
    password, last = run.trace.arguments(call)
    assert password.content == "seen"
    assert "hidden str" in last.reason
