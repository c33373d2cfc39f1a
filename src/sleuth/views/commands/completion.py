"""`sleuth completion`: scripts that complete commands in bash, zsh and fish.

They are made from the parsers of the commands, so they know every option.  Names of traces are
looked up in `.sleuth/` by the shell itself, which is quicker than starting Sleuth.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from sleuth.help_layout import HelpLayout
from sleuth.oracles.table import ORACLES
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.transformations import TRANSFORMATIONS
from sleuth.views.cli import COMMANDS
from sleuth.views.commands import run, test

_PARSERS = {
    "record": "sleuth.record.launch:parser",
    "strategies": "sleuth.views.commands.ask:strategies_parser",
    "list": "sleuth.views.commands.traces:list_parser",
    "rm": "sleuth.views.commands.traces:rm_parser",
    "doctor": "sleuth.views.commands.traces:doctor_parser",
}
"""Where the parsers are that are not called `parser` beside the command."""
_TRACE, _FILE, _WORDS, _TEXT = "trace", "file", "words", "text"
"""What can stand behind an option, or without one."""
_TRACES = ("TRACE", "OTHER")
_FILES = ("FILE", "FOLDER", "MODULE")
_NAMES = {
    "--strategy": tuple(STRATEGIES),
    "--transform": (*TRANSFORMATIONS, "none"),
    "--without": tuple(ORACLES),
}
_RUNS = ("record", "run", "test")
"""Commands that take a program, or tests, and its arguments."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command."""

    flag: str
    help: str
    takes: str
    """One of the kinds above; empty: no value."""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Completed:
    """A command, and all that can follow it."""

    name: str
    help: str
    options: tuple[Option, ...]
    takes: str
    words: tuple[str, ...] = ()


def main(argv: list[str]) -> int:
    """Carry out the command."""
    shell = parser().parse_args(argv).shell
    print("\n".join(SHELLS[shell](list(commands()))))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth completion",
        description="Print a script that completes commands, options and names of traces. bash: "
        'eval "$(sleuth completion bash)" in ~/.bashrc. zsh: sleuth completion zsh > _sleuth, in '
        "a folder of $fpath. fish: sleuth completion fish > "
        "~/.config/fish/completions/sleuth.fish",
    )
    made.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")
    return made


def commands() -> Iterator[Completed]:
    """Yield every command with its options, from its parser."""
    for name, (home, _, words) in COMMANDS.items():
        module, _, function = _PARSERS.get(name, f"{home}:parser").partition(":")
        made: argparse.ArgumentParser = getattr(import_module(module), function)()
        actions = _actions(made)
        if name == "run":  # its own parser has only those for recording
            actions += [each for each in _actions(test.parser()) if run.takes(each.option_strings)]
        options = [_option(each) for each in actions if each.option_strings]
        unique = tuple({each.flag: each for each in options}.values())
        given = next((each for each in actions if not each.option_strings), None)
        takes = _FILE if name in _RUNS else _taken(given) if given is not None else ""
        choices = tuple(map(str, given.choices)) if given is not None and given.choices else ()
        yield Completed(name, words, unique, takes, choices)


def _actions(made: argparse.ArgumentParser) -> list[argparse.Action]:
    return list(made._actions)  # noqa: SLF001 - argparse has no other list of them


def _option(action: argparse.Action) -> Option:
    flag = action.option_strings[-1]
    words = tuple(map(str, action.choices)) if action.choices else _NAMES.get(flag, ())
    takes = "" if action.nargs == 0 else _WORDS if words else _taken(action)
    return Option(flag, _brief(action.help), takes, words)


def _taken(action: argparse.Action) -> str:
    if action.choices:
        return _WORDS
    metavar = str(action.metavar or "")
    return _TRACE if metavar in _TRACES else _FILE if metavar in _FILES else _TEXT


def _brief(words: str | None) -> str:
    """Return the beginning of a help, without signs that mean something to a shell."""
    start = (words or "").replace("%%", "%").partition(";")[0].partition(" (default")[0]
    return "".join(sign for sign in start if sign not in "'\"`$\\[]:!")


# --- bash ----------------------------------------------------------------------------------------

_LIST = "ls -1 .sleuth 2>/dev/null | grep '\\.trace$'"


def _bash(known: list[Completed]) -> Iterator[str]:
    names = " ".join(each.name for each in known)
    yield "# Completion of sleuth for bash."
    yield "_sleuth() {"
    yield "    local cur prev command options words"
    yield "    cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}"
    yield "    command=${COMP_WORDS[1]}"
    yield "    COMPREPLY=()"
    yield '    if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f"        COMPREPLY=($(compgen -W '{names} --help --version' -- \"$cur\")); return"
    yield "    fi"
    yield '    case "$command $prev" in'
    for each in known:
        for option in each.options:
            if option.takes:
                values = _bash_values(option.takes, option.words)
                yield f"        '{each.name} {option.flag}') {values}; return ;;"
    yield "    esac"
    yield '    case "$command" in'
    for each in known:
        flags = " ".join(option.flag for option in each.options)
        yield f"        {each.name}) options='{flags}'; words='{each.takes}' ;;"
    yield "        *) return ;;"
    yield "    esac"
    yield '    case "$cur" in -*) COMPREPLY=($(compgen -W "$options" -- "$cur")); return ;; esac'
    yield '    case "$words" in'
    yield f"        {_TRACE}) {_bash_values(_TRACE, ())} ;;"
    yield f"        {_FILE}) {_bash_values(_FILE, ())} ;;"
    words = " ".join(word for each in known for word in each.words)
    yield f"        {_WORDS}) {_bash_values(_WORDS, tuple(words.split()))} ;;"
    yield "    esac"
    yield "}"
    yield "complete -o filenames -F _sleuth sleuth"


def _bash_values(takes: str, words: tuple[str, ...]) -> str:
    if takes == _TRACE:
        return f'COMPREPLY=($(compgen -W "$({_LIST})" -- "$cur") $(compgen -f -- "$cur"))'
    if takes == _FILE:
        return 'COMPREPLY=($(compgen -f -- "$cur"))'
    if takes == _WORDS:
        return f"COMPREPLY=($(compgen -W '{' '.join(words)}' -- \"$cur\"))"
    return "COMPREPLY=()"


# --- zsh -----------------------------------------------------------------------------------------


def _zsh(known: list[Completed]) -> Iterator[str]:
    yield "#compdef sleuth"
    yield "# Completion of sleuth for zsh."
    yield "_sleuth_traces() {"
    yield "    local -a traces"
    yield "    traces=(.sleuth/*.trace(N:t))"
    yield "    _describe trace traces"
    yield "    _files"
    yield "}"
    yield "_sleuth() {"
    yield "    if (( CURRENT == 2 )); then"
    yield "        local -a commands"
    described = " ".join(f"'{each.name}:{_brief(each.help)}'" for each in known)
    yield f"        commands=({described})"
    yield "        _describe command commands"
    yield "        return"
    yield "    fi"
    yield "    local command=$words[2]"
    yield "    shift words; (( CURRENT-- ))"
    yield "    case $command in"
    for each in known:
        specs = [_zsh_option(option) for option in each.options]
        if each.takes:
            specs.append(f"'*:{each.takes}:{_zsh_values(each.takes, each.words)}'")
        yield f"        {each.name}) _arguments {' '.join(specs)} ;;"
    yield "    esac"
    yield "}"
    yield 'if [ "$funcstack[1]" = "_sleuth" ]; then _sleuth "$@"; else compdef _sleuth sleuth; fi'


def _zsh_option(option: Option) -> str:
    start = f"*{option.flag}[{option.help}]"
    if not option.takes:
        return f"'{start}'"
    return f"'{start}:{option.takes}:{_zsh_values(option.takes, option.words)}'"


def _zsh_values(takes: str, words: tuple[str, ...]) -> str:
    found = {_TRACE: "_sleuth_traces", _FILE: "_files", _WORDS: f"({' '.join(words)})"}
    return found.get(takes, "")


# --- fish ----------------------------------------------------------------------------------------


def _fish(known: list[Completed]) -> Iterator[str]:
    yield "# Completion of sleuth for fish."
    yield "complete -c sleuth -f"
    for each in known:
        there = f"-n '__fish_seen_subcommand_from {each.name}'"
        yield (
            f"complete -c sleuth -n '__fish_use_subcommand' -a {each.name} -d '{_brief(each.help)}'"
        )
        if each.takes:
            yield f"complete -c sleuth {there} {_fish_values(each.takes, each.words)}"
        for option in each.options:
            value = f" -r {_fish_values(option.takes, option.words)}" if option.takes else ""
            flag = f"-l {option.flag.removeprefix('--')}"
            yield f"complete -c sleuth {there} {flag}{value} -d '{option.help}'"


def _fish_values(takes: str, words: tuple[str, ...]) -> str:
    if takes == _TRACE:
        return "-F -a '(ls .sleuth 2>/dev/null | string match -e .trace)'"
    return {_FILE: "-F", _WORDS: f"-f -a '{' '.join(words)}'"}.get(takes, "-f")


Script: TypeAlias = Callable[[list[Completed]], Iterator[str]]
SHELLS: dict[str, Script] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
