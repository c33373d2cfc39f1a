"""Every command, option, answer, strategy and error is documented; links and examples hold."""

import os
import re
import shutil
import subprocess
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


def test_the_tutorial_shows_what_is_really_shown(tmp_path: Path) -> None:
    """Run the command of the tutorial, and compare its blocks with the screen, line by line."""
    shutil.copy(ROOT / "examples/shop.py", tmp_path)
    shutil.copy(ROOT / "tests/sessions/shop-tutorial/answers.txt", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "sleuth", "run", "--answers", "answers.txt", "shop.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80"},
    )
    screen = [_timeless(each) for each in steady(done.stdout)]
    at = 0
    for block in blocks(ROOT / "docs/tutorial.md"):
        at = found_from(screen, at, [_timeless(each) for each in steady(block)])
    assert "Not judged" not in done.stdout, "the first success is no warning"


def blocks(page: Path) -> list[str]:
    """Return the indented blocks of a page, without the commands of the shell."""
    text = re.sub(r"^    \$.*\n", "", page.read_text(), flags=re.MULTILINE)
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", text, re.MULTILINE)
    return [re.sub(r"^    ", "", each, flags=re.MULTILINE).strip("\n") for each in found]


def found_from(screen: list[str], at: int, block: list[str]) -> int:
    """Find a block on the screen and return where it ends; `...` stands for any lines."""
    is_open = True  # whether other lines may come before the next one
    for words in block:
        if words.strip() == "...":
            is_open = True
            continue
        end = len(screen) if is_open else at + 1
        at = next((n for n in range(at, end) if _is_same(screen[n], words)), -1) + 1
        assert at, words
        is_open = False
    # The last line may be a prompt that the next block shows again, with the answer.
    return at - 1


def _is_same(shown: str, words: str) -> bool:
    return shown == words or (words.endswith("?]") and shown.startswith(words))


def _timeless(words: str) -> str:
    """Return a line without the time that it took and the name of the trace."""
    return re.sub(r"\d\.\d s ->", "N s ->", re.sub(r"shop-\d+-\d+", "shop-N", words))


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
