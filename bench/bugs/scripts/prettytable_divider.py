# prettytable 3.13.0 -> 3.14.0: a divider between rows is drawn like the lower edge
from prettytable import PrettyTable, TableStyle
table = PrettyTable(['city', 'area'])
table.set_style(TableStyle.SINGLE_BORDER)
table.add_row(['Adelaide', 1295], divider=True)
table.add_row(['Brisbane', 5905])
found = table.get_string().splitlines()
assert found[4] == '├──────────┼──────┤', found[4]
