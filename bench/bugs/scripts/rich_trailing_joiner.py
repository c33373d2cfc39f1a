# rich 14.3.1 -> 14.3.2: a text that ends with a joiner can't be measured
from rich.table import Table
from rich.console import Console
console = Console(width=40, record=True, file=open('/dev/null', 'w'), color_system=None)
table = Table('name', 'note')
table.add_row('a', 'woman\u200d')
console.print(table)
assert 'woman' in console.export_text()
