# texttable 1.6.7 -> 1.7.0: true and false are shown as numbers
from texttable import Texttable
table = Texttable()
table.add_rows([['name', 'old', 'age'], ['Ana', True, 3.0], ['Ben', False, 4.5]])
found = table.draw()
assert 'True' in found, found
