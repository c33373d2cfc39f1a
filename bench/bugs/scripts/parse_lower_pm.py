# parse 1.22.3 -> 1.22.4: a lower-case pm is matched but not counted
import parse
found = parse.parse('at {:tg} by {}', 'at 10/1/2011 11:00 pm by me')
assert found[0].hour == 23, found
