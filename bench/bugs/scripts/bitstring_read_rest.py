# bitstring 4.1.3 -> 4.1.4: a number without a length does not take the rest
from bitstring import ConstBitStream
stream = ConstBitStream('0x12345678')
assert stream.read('uint:8') == 0x12
found = stream.read('uint')
assert found == 0x345678, found
