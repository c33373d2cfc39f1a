# werkzeug 3.1.6 -> 3.1.7: more than two slashes in a row are not merged into one
from werkzeug.routing import Map, RequestRedirect, Rule
adapter = Map([Rule('/shop/<name>/items', endpoint='items')]).bind('example.org')
try:
    found = adapter.match('/shop////pears///items')
except RequestRedirect as redirect:
    found = redirect.new_url
assert found == 'http://example.org/shop/pears/items', found
