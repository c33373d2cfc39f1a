# humanize 4.14.0 -> 4.15.0: an hour and 59 minutes is called an hour
import datetime as dt
import humanize
now = dt.datetime(2025, 1, 1, 12)
found = [humanize.naturaltime(now - dt.timedelta(minutes=m), when=now) for m in (1, 30, 119)]
assert found == ['a minute ago', '30 minutes ago', '2 hours ago'], found
