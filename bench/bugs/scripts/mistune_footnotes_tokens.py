# mistune 3.1.1 -> 3.1.2: footnotes fail where tokens are wanted and no HTML
import mistune
md = mistune.create_markdown(renderer=None, plugins=['footnotes'])
tokens = md('a note[^1] and *more*\n\n[^1]: what it says\n')
assert [each['type'] for each in tokens if each['type'] != 'blank_line'] == ['paragraph', 'footnotes'], tokens
