# mistune 3.1.3 -> 3.1.4: spaces of other scripts are stripped from headings
import mistune
html = mistune.html('# \u3000title\n\nwith *text* and `code`\n')
assert html.startswith('<h1>\u3000title</h1>'), html
