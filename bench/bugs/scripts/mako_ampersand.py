# mako 1.3.5 -> 1.3.6: an ampersand behind a less-than sign ends the text
from mako.template import Template
found = Template('1 <& 2 and ${3 + 4}').render()
assert found == '1 <& 2 and 7', found
