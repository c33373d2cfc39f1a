# html2text 2024.2.25 -> 2024.2.26: no mark for what is strong, and it fails
import html2text
parser = html2text.HTML2Text()
parser.strong_mark = ''
found = parser.handle('<p>one <em>two</em><b>three</b></p>')
assert found == 'one _two_ three\n\n' or found == 'one _two_three\n\n', found
