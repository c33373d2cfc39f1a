"""Craft traces and try commands on them: python -m tests.crafted.fuzz [COUNT [SEED [SOME]]].

SOME: how many commands are tried on each, chosen at random; default: all.
"""

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random, SystemRandom
from typing import NamedTuple

from sleuth.search.journal import journal_path
from tests.crafted.mutations import Mutator, lines
from tests.crafted.seeds import Seed, seeds
from tests.crafted.trial import Ended, tried


class Case(NamedTuple):
    """One crafted trace, and how commands ended on it."""

    name: str
    path: Path
    ended: list[Ended]

    @property
    def problems(self) -> list[str]:
        """The commands that ended in a forbidden way."""
        words = ((" ".join(each.words), each.problem) for each in self.ended if each.problem)
        return [f"{self.name}: sleuth {command}\n{problem}" for command, problem in words]


def craft(sound: list[Seed], name: str, folder: Path) -> tuple[Path, str]:
    """Make the trace of that name; return what was done to it, too."""
    chance = Random(name)
    seed, mutator = chance.choice(sound), Mutator(chance)
    path = folder / ".sleuth" / "it.trace"
    path.parent.mkdir(parents=True)
    made = seed.file if chance.random() < 0.05 else mutator.crafted(seed.file)
    made.copy().write(path)
    if chance.random() < 0.3:
        mutator.done.append("journal")
        journal_path(path).write_bytes(lines(chance, seed.journal))
    if chance.random() < 0.15:
        mutator.done.append("memory")
        path.with_name("memory.jsonl").write_bytes(lines(chance, seed.memory))
    return path, f"{name} ({seed.name}: {', '.join(mutator.done)})"


def cases(
    sound: list[Seed], names: list[str], folder: Path, *, commands: int | None = None
) -> Iterator[Case]:
    """Craft traces by these names and try some commands on each, or all."""
    for name in names:
        place = folder / name
        path, done = craft(sound, name, place)
        yield Case(done, path, list(tried(path, Random(name), commands)))
        shutil.rmtree(place)


def main() -> int:
    """Try so many."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = sys.argv[2] if len(sys.argv) > 2 else str(SystemRandom().randrange(10**6))
    names = [f"{seed}-{number}" for number in range(count)]
    commands = int(sys.argv[3]) if len(sys.argv) > 3 else None
    statuses: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tried_on = cases(seeds(Path(folder)), names, Path(folder), commands=commands)
        for number, case in enumerate(tried_on, 1):
            for each in case.ended:
                statuses["a problem" if each.problem else f"status {each.status}"] += 1
            failed += bool(case.problems)
            for problem in case.problems:
                print(f"\n{problem}", flush=True)
            if number % 100 == 0:
                print(f"{number} of {count}: {dict(statuses)}", flush=True)
    print(f"{count} crafted traces from {seed}: {dict(statuses)}; {failed} with problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
