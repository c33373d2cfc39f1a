# voluptuous 0.15.1 -> 0.15.2: an extra key is refused although extra keys are allowed
import voluptuous as v
schema = v.Schema({v.Required('name'): str, v.All(str, v.Length(max=4)): int}, extra=v.ALLOW_EXTRA)
found = schema({'name': 'n', 'abc': 1, 'longer': 'x'})
assert found == {'name': 'n', 'abc': 1, 'longer': 'x'}, found
