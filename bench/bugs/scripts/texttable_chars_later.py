# texttable 1.7.0 -> 1.7.1: lines that were drawn once keep their old characters
from texttable import Texttable
table = Texttable()
table.add_rows([['name', 'age'], ['Ana', 3], ['Ben', 4]])
table.draw()
table.set_chars(['=', '!', '#', '~'])
found = table.draw().splitlines()
assert found[0] == '#======#=====#', found[0]
