# prettytable 3.15.1 -> 3.16.0: the address of a link counts as part of the width of its cell
from prettytable import PrettyTable
table = PrettyTable(['name', 'link'])
table.add_row(['a', '\033]8;;https://example.com\033\\here and there\033]8;;\033\\'])
found = table.get_string().splitlines()
assert found[0] == '+------+----------------+', found[0]
