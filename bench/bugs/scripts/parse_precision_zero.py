# parse 1.22.0 -> 1.22.1: a float of precision 0 is written without a point, and not read
import parse
found = parse.parse('{:d} of {:.0f}', '3 of 20')
assert found is not None and found.fixed == (3, 20.0), found
