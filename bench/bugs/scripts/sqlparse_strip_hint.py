# sqlparse 0.5.1 -> 0.5.2: a hint to the optimizer is stripped as if it were a comment
import sqlparse
sql = 'select /*+ PARALLEL(2) */ a, b /* both */ from t'
found = sqlparse.format(sql, strip_comments=True)
assert found == 'select /*+ PARALLEL(2) */ a, b   from t', found
