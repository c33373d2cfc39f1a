"""The decorators `model` and `predicate`, which declare specifications."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Specified:
    """One model or predicate."""

    kind: str
    """model or predicate"""
    about: str
    """The function: `merge`, `Cart.total`, `shop.cart.Cart.total`."""
    is_total: bool
    """Whether it knows all: what it does not object to is right."""
    says_changes: bool
    """Of a model: whether it changes its arguments as the function should."""
    judge: Callable[..., Any]

    @property
    def name(self) -> str:
        """What it is called."""
        return str(getattr(self.judge, "__qualname__", "a specification"))


SPECIFIED: list[Specified] = []
"""What the imported modules declare, in order."""


def model(
    function: str, *, total: bool = False, changes: bool = True
) -> Callable[[_Function], _Function]:
    """Say that this does what a function should: the same result, and the same changes.

    It is called with the arguments that were recorded.  Where the call did something else, the call
    is wrong; where it did the same, it is right if the model is `total`: if it says all there is to
    say of the function.  With `changes=False` it only says what is returned or raised.
    """
    return _declared("model", function, is_total=total, says_changes=changes)


def predicate(function: str, *, total: bool = False) -> Callable[[_Function], _Function]:
    """Say that this tells whether a call of a function was as it should be.

    It gets a Call.  False, or an AssertionError: the call is wrong.  True: it is right if the
    predicate is `total`: if nothing else could be wrong.  None, or CannotSay: no answer.
    """
    return _declared("predicate", function, is_total=total, says_changes=True)


def _declared(
    kind: str, about: str, *, is_total: bool, says_changes: bool
) -> Callable[[_Function], _Function]:
    if not isinstance(about, str) or not about:
        raise TypeError(f'name the function that it is about: @{kind}("module.function")')

    def declare(function: _Function) -> _Function:
        SPECIFIED.append(Specified(kind, about, is_total, says_changes, function))
        return function

    return declare
