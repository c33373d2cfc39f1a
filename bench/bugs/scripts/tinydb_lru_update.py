# tinydb 4.8.1 -> 4.8.2: a key of a cache that is set again keeps its old value
from tinydb.utils import LRUCache
cache = LRUCache(capacity=3)
for number in range(4):
    cache[number] = number + 10
cache[2] = 20
cache[3] = 30
assert [cache.get(each) for each in range(4)] == [None, 11, 20, 30], cache.cache
