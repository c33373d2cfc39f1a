"""Every command, option, answer, strategy and error is documented; links and examples hold."""

import re
import sys
from pathlib import Path

import pytest

from sleuth import errors
from sleuth.search.strategies import STRATEGIES
from sleuth.views.cli import COMMANDS, main
from sleuth.views.prompt import grammar

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


def test_every_answer_is_documented_as_the_help_says_it() -> None:
    said = section("sleuth ask")
    for command in grammar.COMMANDS:
        words = ", ".join(f"`{word}`" for word in command.words)
        assert f"| `{command.typed}` | {words} | {command.help} |" in said, command.name


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
