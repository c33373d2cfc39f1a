# toml 0.10.1 -> 0.10.2: of a True with a capital letter it says that it is no date
import toml
try:
    found = toml.loads('[a]\nx = 1\ny = True\n')
except toml.TomlDecodeError as error:
    found = str(error)
assert 'lowercase' in str(found), found
