# jinja2 3.1.4 -> 3.1.5: the filter int fails with an infinite number
import jinja2
template = jinja2.Environment().from_string('{% for n in ns %}{{ n|int(-1) }} {% endfor %}')
found = template.render(ns=[1.5, '3', '1e400', 'x'])
assert found == '1 3 -1 -1 ', found
