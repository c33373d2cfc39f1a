# dotmap 1.3.29 -> 1.3.30: the hook for keys is forgotten inside
from dotmap import DotMap
found = DotMap({'a-b': 1, 'c': {'d-e': [{'f-g': 2}]}}, _key_convert_hook=lambda key: key.replace('-', '_'))
assert found.c.d_e[0].f_g == 2, found
