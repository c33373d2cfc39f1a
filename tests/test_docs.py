"""Every command, option, answer, strategy and error is documented; links and examples hold."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sleuth import errors
from sleuth.search.strategies import STRATEGIES
from sleuth.views.cli import COMMANDS, main
from sleuth.views.prompt import grammar, handlers, registry
from sleuth.views.prompt.grammar import Command, Where, help_lines

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.steady import steady

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
REFERENCE = (ROOT / "docs/reference/commands.md").read_text()


def section(name: str) -> str:
    found = re.search(
        rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", REFERENCE, re.MULTILINE | re.DOTALL
    )
    assert found, f"docs/reference/commands.md has no section {name}"
    return found[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    said = section(f"sleuth {name}")
    if "are those of `ask`" in said:
        said += section("sleuth ask")
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", shown)) - {"--help"}:
        assert option in said, option


def documented(commands: Sequence[Command]) -> str:
    """Return the table of commands as the reference has it."""
    rows = [
        f"| `{each.typed}` | {', '.join(f'`{word}`' for word in each.words)} | {each.help} |\n"
        for each in commands
    ]
    return "".join(["| key | words for it | meaning |\n", "|---|---|---|\n", *rows])


def test_the_reference_has_the_table_of_commands() -> None:
    if os.environ.get("WRITE_TRANSCRIPTS"):
        page = re.sub(
            r"^\| key \| words for it .*?\n\n",
            lambda _: documented(grammar.COMMANDS) + "\n",
            REFERENCE,
            flags=re.MULTILINE | re.DOTALL,
        )
        (ROOT / "docs/reference/commands.md").write_text(page)
    assert documented(grammar.COMMANDS) + "\n" in section("sleuth ask")


@pytest.mark.parametrize("where", [Where.DIAGNOSIS, Where.ANYWHERE])
def test_the_reference_says_what_can_be_typed_where(where: Where) -> None:
    assert f"`{grammar.keys_at(where)}`" in section("sleuth ask")


def test_a_new_row_of_the_table_is_in_the_help_and_has_to_be_in_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = Command("sing", "S", "[SONG]", "sing a song", ("sing",), where=Where.ANYWHERE)
    monkeypatch.setattr(grammar, "COMMANDS", (*grammar.COMMANDS, row))
    assert any(line.split() == ["S", "[SONG]", "sing", "a", "song"] for line in help_lines(80))
    assert "| `S [SONG]` | `sing` | sing a song |" in documented(grammar.COMMANDS)
    assert documented(grammar.COMMANDS) not in section("sleuth ask")
    assert grammar.keys_at(Where.ANYWHERE).endswith(" S")


def test_every_row_of_the_table_is_an_answer_a_wish_or_has_a_handler() -> None:
    assert handlers.__doc__, "importing them registers them"
    for each in grammar.COMMANDS:
        ways = [each.verdict is not None, each.wish is not None, each.name in registry.HANDLERS]
        assert sum(ways) == 1, each.name


def test_every_strategy_is_documented() -> None:
    said = section("sleuth strategies")
    for name, described in STRATEGIES.items():
        assert f"| `{name}` | {described.when} |" in said, name


def test_every_error_has_its_paragraph() -> None:
    page = (ROOT / "docs/messages.md").read_text()
    for name in vars(errors).values():
        if isinstance(name, type) and issubclass(name, errors.SleuthError):
            assert f"\n## {name.slug}\n" in page, name


def anchors(page: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith(("http:", "https:")):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text()), link


def test_the_tutorial_shows_what_is_really_shown() -> None:
    session = ROOT / "tests/sessions/shop-tutorial/transcript.txt"
    known = set(steady(session.read_text()))
    tutorial = (ROOT / "docs/tutorial.md").read_text()
    for line in re.findall(r"^    (.*)$", tutorial, re.MULTILINE):
        (words,) = steady(line) or [""]
        if words.strip() in ("", "...") or words.startswith(("$", "sleuth: ")):
            continue
        prompt = words.endswith("?]") and any(each.startswith(words) for each in known)
        assert words in known or prompt, words


def test_the_first_screen_of_the_readme_shows_what_is_really_shown() -> None:
    session = ROOT / "tests/sessions/shop-tutorial/transcript.txt"
    known = set(steady(session.read_text()))
    readme = (ROOT / "README.md").read_text()
    shown = re.search(r"```\n(\$ sleuth run.*?)```", readme, re.DOTALL)
    assert shown
    for line in shown[1].splitlines():
        if line.strip() not in ("", "...") and not line.startswith(("$", "sleuth: ")):
            assert steady(line)[0] in known, line


def test_python_sees_the_names_that_are_promised() -> None:
    import sleuth  # noqa: PLC0415

    assert sorted(sleuth.__all__) == list(sleuth.__all__)
    assert all(hasattr(sleuth, name) for name in sleuth.__all__)
    assert "sleuth" in sys.modules
