# werkzeug 3.1.8 -> 3.1.9: a part of a rule with ten converters gives the values to the wrong names
from werkzeug.routing import Map, Rule
names = 'abcdefghijkl'
rule = Rule('/' + '-'.join(f'<int:{name}>' for name in names), endpoint='numbers')
adapter = Map([Rule('/', endpoint='start'), rule]).bind('example.org')
endpoint, found = adapter.match('/' + '-'.join(str(each) for each in range(12)))
assert endpoint == 'numbers', endpoint
assert found == {name: at for at, name in enumerate(names)}, found
