"""The names by which a function is known: `apply`, `Cart.apply`, `shop.Cart.apply`."""

from sleuth.trace.events import Function


def names_of(function: Function) -> tuple[str, ...]:
    """Return the names of a function, each once."""
    whole = f"{function.module.name}.{function.qualified_name}"
    return tuple(dict.fromkeys((function.qualified_name, function.name, whole)))
