# arrow 1.3.0 -> 1.4.0: two months are told as one
import arrow
start = arrow.get('2024-01-01T00:00:00')
found = [start.shift(days=days).humanize(start) for days in (10, 30, 60)]
assert found == ['in a week', 'in a month', 'in 2 months'], found
