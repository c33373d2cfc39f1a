"""`sleuth completion`: the scripts are run by the shells themselves."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sleuth.views.cli import COMMANDS, main
from sleuth.views.commands.completion import SHELLS, commands

pytestmark = pytest.mark.one_version


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".sleuth").mkdir()
    for name in ("shop-1.trace", "shop-2.trace", "cart.trace", "shop-1.answers.jsonl"):
        (tmp_path / ".sleuth" / name).touch()
    (tmp_path / "answers.txt").touch()
    return tmp_path


def script(capsys: pytest.CaptureFixture[str], folder: Path, shell: str) -> Path:
    assert main(["completion", shell]) == 0
    path = folder / f"completion.{shell}"
    path.write_text(capsys.readouterr().out)
    return path


def ran(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


def in_bash(path: Path, *words: str) -> set[str]:
    typed = " ".join(f"'{word}'" for word in words)
    run = f". {path}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _sleuth; "
    return set(ran("bash", "-c", run + 'printf "%s\\n" "${COMPREPLY[@]}"').split())


def in_fish(path: Path, *words: str) -> set[str]:
    typed = " ".join(words)
    shown = ran("fish", "--no-config", "-c", f"source {path}; complete -C '{typed}'")
    return {line.partition("\t")[0] for line in shown.splitlines()}


CASES = [
    (("sleuth", "re"), {"record", "report", "replay"}),
    (("sleuth", "report", "--f"), {"--format"}),
    (("sleuth", "report", "--format", ""), {"md", "json", "sarif"}),
    (("sleuth", "ask", "--strategy", "top"), {"top-down"}),
    (("sleuth", "ask", "shop"), {"shop-1.trace", "shop-2.trace"}),
    (("sleuth", "ask", "--reference", "cart"), {"cart.trace"}),
    (("sleuth", "ask", "--answers", "answ"), {"answers.txt"}),
    (("sleuth", "run", "--aga"), {"--against"}),
    (("sleuth", "completion", ""), {"bash", "zsh", "fish"}),
]


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(("words", "found"), CASES)
def test_bash_completes(
    capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...], found: set[str]
) -> None:
    assert in_bash(script(capsys, folder, "bash"), *words) == found


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(("words", "found"), CASES)
def test_fish_completes(
    capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...], found: set[str]
) -> None:
    assert in_fish(script(capsys, folder, "fish"), *words) == found


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_loads_the_script(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    path = script(capsys, folder, "zsh")
    loaded = f"autoload -Uz compinit; compinit -D -u; source {path}; print $_comps[sleuth]"
    assert ran("zsh", "-f", "-c", loaded).strip() == "_sleuth"


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_of_the_help_is_completed(
    capsys: pytest.CaptureFixture[str], shell: str
) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        said = set(
            re.findall(r"^  (?:-\w, )?(--[a-z][a-z-]+)", capsys.readouterr().out, re.MULTILINE)
        )
        known = {option.flag for each in commands() if each.name == name for option in each.options}
        assert said <= known, name
        assert all(flag.removeprefix("--") in text for flag in said)


def test_a_shell_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "choose from" in capsys.readouterr().err
