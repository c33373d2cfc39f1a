# sqlparse 0.5.4 -> 0.5.5: what follows BEGIN TRANSACTION is not split any more
import sqlparse
sql = 'BEGIN TRANSACTION;\nUPDATE a SET b = 1;\nCOMMIT;\n'
found = sqlparse.split(sql)
assert found == ['BEGIN TRANSACTION;', 'UPDATE a SET b = 1;', 'COMMIT;'], found
