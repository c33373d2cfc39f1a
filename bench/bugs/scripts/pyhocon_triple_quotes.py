# pyhocon 0.3.60 -> 0.3.61: a key in three quotes is not a key
from pyhocon import ConfigFactory
found = ConfigFactory.parse_string('a { """b.c""" = 1, d = 2 }')
assert found['a']['d'] == 2 and '"""b.c"""' in found['a'], found
