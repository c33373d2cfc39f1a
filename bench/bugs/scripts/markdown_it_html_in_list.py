# markdown-it-py 4.2.0 -> 4.3.0: a comment in a list ends at an empty line
from markdown_it import MarkdownIt
found = MarkdownIt().render('- one\n\n  <!-- first\n\n  *second* -->\n\n- two\n')
assert '<em>' not in found, found
