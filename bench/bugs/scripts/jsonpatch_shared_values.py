# jsonpatch 1.42 -> 1.43: a patch changes with the document that it was made from
import jsonpatch
source, target = {'a': 1, 'keep': [1, 2]}, {'a': {'b': [1]}, 'keep': [1, 3]}
patch = jsonpatch.make_patch(source, target)
target['a']['b'].append(2)
assert patch.apply(source) == {'a': {'b': [1]}, 'keep': [1, 3]}, patch
