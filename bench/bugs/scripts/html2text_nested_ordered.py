# html2text 2024.2.26 -> 2025.4.15: an ordered list in an ordered list is not indented enough
import html2text
found = html2text.html2text('<ol><li>a<ol><li>b</li></ol></li><li>c</li></ol>')
assert '\n     1. b\n' in found, found
