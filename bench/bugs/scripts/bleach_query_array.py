# bleach 6.0.0 -> 6.1.0: a link ends at the bracket of a query
import bleach
found = bleach.linkify('see http://example.com/list?ids[]=3&ids[]=4 there', callbacks=[])
assert found == (
    'see <a href="http://example.com/list?ids[]=3&amp;ids[]=4">'
    'http://example.com/list?ids[]=3&amp;ids[]=4</a> there'
), found
