# parse 1.22.1 -> 1.22.2: a negative number is not read as type F
from decimal import Decimal
import parse
found = parse.parse('{:d} is {:F} away', '3 is -1.5 away')
assert found is not None and found.fixed == (3, Decimal('-1.5')), found
