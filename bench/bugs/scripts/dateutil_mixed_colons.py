# python-dateutil 2.8.1 -> 2.8.2: a time with one colon of two is taken for a time
from dateutil.parser import isoparse
assert isoparse('2018-01-01T12:34:56').second == 56
try:
    found = isoparse('2018-01-01T12:3456')
except ValueError:
    found = None
assert found is None, found
