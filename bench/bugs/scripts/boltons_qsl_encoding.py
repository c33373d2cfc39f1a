# boltons 26.1.0 -> 26.2.0: parse_qsl ignores the encoding
from boltons.urlutils import parse_qsl
pairs = parse_qsl('name=caf%E9&size=2', encoding='latin-1')
assert pairs == [('name', 'caf\xe9'), ('size', '2')], pairs
