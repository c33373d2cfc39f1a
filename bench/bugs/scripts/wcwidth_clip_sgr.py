# wcwidth 0.8.2 -> 0.8.3: colours are not carried on as they are in whole lines
from wcwidth import clip
found = clip('\x1b[1m\x1b[31mhello\x1b[0m \x1b[32mworld\x1b[0m', 2, 8, propagate_sgr=True)
assert found == '\x1b[1;31mllo\x1b[0m \x1b[32mwo\x1b[0m', found
