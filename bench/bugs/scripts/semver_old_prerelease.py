# semver 3.1.0 -> 3.1.1: the next of rc3 is rc1
from semver import Version
versions = [Version.parse(text) for text in ('1.2.3-rc.1', '1.2.3-rc3', '1.0.0')]
found = [str(each.next_version('prerelease')) for each in sorted(versions)]
assert found == ['1.0.1-rc.1', '1.2.3-rc.2', '1.2.3-rc4'], found
