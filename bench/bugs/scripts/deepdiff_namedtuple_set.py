# deepdiff 9.0.0 -> 9.1.0: a set inside of a named tuple that a delta changes loses what is around it
from collections import namedtuple
from deepdiff import DeepDiff, Delta
Box = namedtuple('Box', 'label things')
one = {'box': Box('a', {1, 2}), 'other': [1, 2]}
two = {'box': Box('a', {1, 2, 3}), 'other': [1, 2, 4]}
found = one + Delta(DeepDiff(one, two), raise_errors=True)
assert found == two, found
