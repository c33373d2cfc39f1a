# pydash 8.0.6 -> 8.1.0: the last index of something that stands at the very start is not found
import pydash
rows = pydash.chain([['a', 'b', 'c'], ['b', 'a', 'a'], ['c']])
found = rows.map_(lambda row: pydash.last_index_of(row, 'a')).value()
assert found == [0, 2, -1], found
