# jsonpatch 1.45 -> 1.46: a test fails for sequences that are no lists
import jsonpatch
document = {'name': 'x', 'pair': (1, {'deep': 2})}
patch = jsonpatch.JsonPatch([
    {'op': 'test', 'path': '/name', 'value': 'x'},
    {'op': 'test', 'path': '/pair', 'value': [1, {'deep': 2}]},
    {'op': 'replace', 'path': '/name', 'value': 'y'},
])
assert patch.apply(document)['name'] == 'y'
