# jinja2 3.1.5 -> 3.1.6: the filter attr gets str.format past the sandbox
from jinja2.sandbox import SandboxedEnvironment
template = SandboxedEnvironment().from_string("{{ ('a{0.__class__}b'|attr('format'))(1) }}")
assert template.render() == 'ab', template.render()
