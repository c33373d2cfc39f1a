# pyrsistent 0.19.1 -> 0.19.2: a key that is set as a map grows is lost
from pyrsistent import pmap
evolver = pmap({0: 'a'}, pre_size=8).evolver()
for key in (*range(8, 104, 8), 9):
    evolver.set(key, str(key))
found = evolver.persistent()
assert found.get(9) == '9', found
