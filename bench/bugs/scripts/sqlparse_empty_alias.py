# sqlparse 0.6.0 -> 0.6.1: brackets around a lone keyword become part of an identifier
import sqlparse
found = sqlparse.format('select ( as ) from t', strip_whitespace=True)
assert found.startswith('select (as'), found
