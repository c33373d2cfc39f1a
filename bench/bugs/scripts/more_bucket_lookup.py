# more-itertools 11.1.0 -> 11.2.0: a key that is only looked for becomes one of the bucket's
from more_itertools import bucket
words = bucket(['one', 'two', 'three', 'four', 'five', 'six'], key=len)
found = [list(words[7]), sorted(words), list(words[3])]
assert found == [[], [3, 4, 5], ['one', 'two', 'six']], found
