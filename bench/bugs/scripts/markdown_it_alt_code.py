# markdown-it-py 4.2.0 -> 4.3.0: code in the description of an image is lost
from markdown_it import MarkdownIt
found = MarkdownIt().render('# Title\n\nSee ![the `code` *here*](/picture.png) there.\n')
assert 'alt="the code here"' in found, found
