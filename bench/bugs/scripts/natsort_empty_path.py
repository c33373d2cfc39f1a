# natsort 8.0.1 -> 8.0.2: an empty path can't be sorted
from natsort import natsorted, ns
found = natsorted(['b10.txt', 'b2.txt', ''], alg=ns.PATH)
assert found == ['', 'b2.txt', 'b10.txt'], found
