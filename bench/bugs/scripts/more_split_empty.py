# more-itertools 11.1.0 -> 11.2.0: nothing, split at most zero times, gives an empty list
from more_itertools import split_before
found = [list(split_before(text, lambda letter: letter == 'b', count)) for text in ('abcbd', '') for count in (-1, 1, 0)]
assert found == [
    [['a'], ['b', 'c'], ['b', 'd']], [['a'], ['b', 'c', 'b', 'd']], [['a', 'b', 'c', 'b', 'd']], [], [], [],
], found
