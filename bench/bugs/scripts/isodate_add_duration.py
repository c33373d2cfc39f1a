# isodate 0.6.0 -> 0.6.1: a duration that was parsed can't be added to a date
from datetime import date
import isodate
duration = isodate.parse_duration('P1Y2M3D')
found = isodate.parse_date('2020-01-30') + duration
assert found == date(2021, 4, 2), found
