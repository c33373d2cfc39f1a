"""Parameters of transformations, as the user types them: `balance:min=8:max=100`."""

from collections.abc import Sequence
from typing import NamedTuple

from sleuth.errors import UsageError


class Parameter(NamedTuple):
    """A number that can be set."""

    name: str
    keyword: str
    """Its keyword argument of the transformation."""
    least: int
    what: str


def name_of(word: str) -> str:
    """Return the transformation's name alone."""
    return word.partition(":")[0]


def settings_of(word: str, parameters: Sequence[Parameter]) -> dict[str, int]:
    """Return the parameters in a word by keyword; UsageError: they are not understood."""
    name, _, rest = word.partition(":")
    found: dict[str, int] = {}
    for setting in rest.split(":") if rest else ():
        wanted, _, number = (part.strip() for part in setting.partition("="))
        parameter = next((each for each in parameters if each.name == wanted), None)
        if parameter is None:
            raise UsageError(f"{name} has no parameter {wanted!r}. {_known(name, parameters)}")
        if not (number.isascii() and number.isdigit()) or int(number) < parameter.least:
            raise UsageError(
                f"{wanted} of {name} is a number, at least {parameter.least}: "
                f"{name}:{wanted}={max(parameter.least, 4)}."
            )
        found[parameter.keyword] = int(number)
    if found.get("most", 0) and found["most"] < found.get("fewest", 0):
        raise UsageError(f"max of {name} is less than min: {word}.")
    return found


def _known(name: str, parameters: Sequence[Parameter]) -> str:
    if not parameters:
        return "It has none."
    names = ", ".join(each.name for each in parameters)
    return f"It has: {names}, as in {name}:{parameters[0].name}=4."
