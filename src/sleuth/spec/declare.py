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
    """Whether it is complete: a call that it does not object to is right."""
    says_changes: bool
    """For a model: whether it changes its arguments as the function should."""
    judge: Callable[..., Any]

    @property
    def name(self) -> str:
        """The name of the decorated function."""
        return str(getattr(self.judge, "__qualname__", "a specification"))


SPECIFIED: list[Specified] = []
"""The specifications of the imported modules, in order."""


def model(
    function: str, *, total: bool = False, changes: bool = True
) -> Callable[[_Function], _Function]:
    """Declare a model, which does what the named function should do.

    The model is called with the recorded arguments.  A call with another result or other changes is
    wrong.  A call with the same ones is right if the model is `total`, which means that it covers
    everything that the function should do.  With `changes=False` only the result or the exception
    is compared.
    """
    return _declared("model", function, is_total=total, says_changes=changes)


def predicate(function: str, *, total: bool = False) -> Callable[[_Function], _Function]:
    """Declare a predicate, which judges calls of the named function.

    The predicate gets a Call.  If it returns False or an assert in it fails, the call is wrong.  If
    it returns True, the call is right, provided that the predicate is `total`: nothing else could
    be wrong with the call.  None, or raising CannotSay, is no answer.
    """
    return _declared("predicate", function, is_total=total, says_changes=True)


def _declared(
    kind: str, about: str, *, is_total: bool, says_changes: bool
) -> Callable[[_Function], _Function]:
    if not isinstance(about, str) or not about:
        raise TypeError(f'@{kind} needs the name of a function: @{kind}("module.function")')

    def declare(function: _Function) -> _Function:
        SPECIFIED.append(Specified(kind, about, is_total, says_changes, function))
        return function

    return declare
