# pydash 8.0.6 -> 8.1.0: an empty name in a path is lost
import pydash
data = {'a': {'': {'b': 3}, 'b': 4}}
found = [pydash.get(data, path) for path in ('a.b', 'a..b')]
assert found == [4, 3], found
