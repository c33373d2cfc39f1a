# markdown2 2.5.2 -> 2.5.3: a table without rows is not a table
import markdown2
found = markdown2.markdown('| a | b |\n|---|---|\n\nend\n', extras=['tables'])
assert '<th>b</th>' in found, found
