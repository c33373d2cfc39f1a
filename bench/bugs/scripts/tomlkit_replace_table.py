# tomlkit 0.12.2 -> 0.12.3: a table that replaces one loses the empty line behind it
import tomlkit
doc = tomlkit.parse('[a]\nx = 1\n\n[b]\ny = 2\n\n')
table = tomlkit.table()
table.add('y', 3)
doc['b'] = table
assert tomlkit.dumps(doc) == '[a]\nx = 1\n\n[b]\ny = 3\n\n', tomlkit.dumps(doc)
