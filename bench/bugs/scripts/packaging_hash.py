# packaging 26.2 -> 26.3: two requirements that are equal do not count as one
from packaging.requirements import Requirement
wanted = [Requirement('foo==1.0.0'), Requirement('foo==1.0.0.0'), Requirement('bar>=2; python_version < "3.9"')]
assert wanted[0] == wanted[1]
assert len(set(wanted)) == 2, set(wanted)
