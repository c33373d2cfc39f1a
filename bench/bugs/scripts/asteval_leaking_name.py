# asteval 1.0.9 -> 1.0.10: the variable of a comprehension stays after it
from asteval import Interpreter
interpreter = Interpreter(use_numpy=False)
interpreter('squares = [each * each for each in (1, 2, 3)]')
assert interpreter.symtable['squares'] == [1, 4, 9]
assert 'each' not in interpreter.symtable, interpreter.symtable['each']
