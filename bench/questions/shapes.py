"""The shapes that are compared: sets of transformations, and the strategies they are meant for."""

from sleuth.tree.transformations import DEFAULT_SHAPE

PLAIN, ALL, OF_SESSIONS = "plain", "all", "default"

SHAPES: dict[str, tuple[str, ...]] = {
    PLAIN: (),
    "loops": ("loops",),
    "compress": ("compress-all",),
    "optimised compress": ("compress",),
    "loops + optimised compress": ("loops", "compress"),
    "balance": ("collapse", "balance-chains"),
    "balance unrestricted": ("collapse", "balance"),
    ALL: ("loops", "streams", "forward", "compress", "collapse", "balance"),
    OF_SESSIONS: DEFAULT_SHAPE,
}
ALSO_PUBLISHED: dict[str, tuple[str, ...]] = {"loops + compress": ("loops", "compress-all")}
"""Further shapes that the paper on loops compares."""
MEANT_FOR: dict[str, tuple[str, ...]] = {
    "loops": ("bisection",),
    "optimised compress": ("heaviest-first", "bisection"),
    "loops + optimised compress": ("bisection",),
    "balance": ("bisection", "top-down"),
    "balance unrestricted": ("bisection", "top-down"),
    ALL: ("bisection",),
    OF_SESSIONS: ("bisection",),
}
"""Strategies with which a shape must not cost more questions.  Compressing everything has none: it
is there to be compared with the optimised compression, which assumes heaviest child first."""
