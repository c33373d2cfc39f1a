"""The figures that the papers report, to be compared with ours."""

from typing import NamedTuple


class Balanced(NamedTuple):
    """A row of Table 1 of Balancing, top-down."""

    nodes: int
    before: float
    after: float


class Expanded(NamedTuple):
    """A row of Table 1 of Loops: questions in the plain tree, with loops, compressed, optimised."""

    nodes: int
    plain: float
    loops: float
    always: float
    optimised: float


BALANCING = {
    "num_reader": Balanced(12, 6.46, 6.46),
    "orderings": Balanced(72, 11.47, 8.89),
    "factoricer": Balanced(62, 13.89, 7.90),
    "sedgewick": Balanced(41, 18.79, 7.52),
    "classifier": Balanced(30, 15.52, 6.48),
    "legend_game": Balanced(93, 16.00, 9.70),
    "cues": Balanced(19, 10.40, 8.20),
    "romantic": Balanced(123, 25.06, 16.63),
    "fib_recursive": Balanced(6724, 38.29, 21.47),
    "risk": Balanced(70, 30.69, 10.28),
    "fact_trans": Balanced(198, 18.96, 14.25),
    "rnd_quicksort": Balanced(88, 12.88, 10.40),
    "binary_arrays": Balanced(132, 15.56, 10.58),
    "fib_fact_ana": Balanced(380, 30.13, 29.15),
    "newton_pol": Balanced(46, 23.09, 4.77),
    "regression_test": Balanced(18, 6.84, 6.26),
    "double_fib_arrays": Balanced(214, 12.42, 12.01),
    "complex_numbers": Balanced(68, 20.62, 10.20),
    "stats_mean_fib": Balanced(104, 12.33, 11.00),
    "integral": Balanced(25, 8.38, 3.38),
    "test_math": Balanced(51, 12.77, 11.65),
    "test_math2": Balanced(267, 66.47, 58.33),
    "figures": Balanced(116, 13.78, 12.17),
    "fact_calc": Balanced(105, 19.81, 12.64),
    "space_limits": Balanced(127, 40.85, 29.16),
    "argparser": Balanced(129, 20.78, 12.71),
    "pull_parser": Balanced(1172, 79.61, 28.21),
    "html_cleaner": Balanced(6047, 169.49, 138.85),
}
LOOPS = {
    "factoricer": Expanded(55, 11.62, 8.50, 7.35, 7.35),
    "classifier": Expanded(25, 8.64, 6.19, 6.46, 6.29),
    "legend_game": Expanded(87, 12.81, 8.28, 11.84, 11.84),
    "romantic": Expanded(121, 16.24, 7.74, 10.75, 9.42),
    "fib_recursive": Expanded(5378, 15.64, 12.91, 9.21, 8.00),
    "fact_trans": Expanded(197, 10.75, 7.88, 6.42, 5.08),
    "binary_arrays": Expanded(141, 12.17, 7.76, 7.89, 7.89),
    "fib_fact_ana": Expanded(178, 7.90, 8.29, 8.50, 6.06),
    "regression_test": Expanded(13, 4.77, 7.17, 4.20, 4.20),
    "double_fib_arrays": Expanded(16, 9.31, 8.79, 4.90, 4.90),
    "stats_mean_fib": Expanded(19, 7.79, 8.12, 6.78, 6.48),
    "integral": Expanded(5, 6.80, 5.75, 7.88, 5.88),
    "test_math": Expanded(3, 7.67, 6.00, 9.00, 7.67),
    "test_math2": Expanded(92, 14.70, 11.54, 15.77, 12.77),
    "figures": Expanded(2, 9.00, 7.20, 6.60, 6.60),
    "fact_calc": Expanded(128, 8.45, 7.60, 7.96, 7.96),
    "space_limits": Expanded(95, 36.26, 12.29, 18.46, 14.04),
}
FEWER_BALANCED, FEWER_UNRESTRICTED = 29.9, 42.0
FEWER_LOOPS, FEWER_OPTIMISED = 27.65, 9.72
"""Questions saved, in %: with chains, with any neighbours; by loops and optimised compression
together, by the optimised compression against compressing always."""
