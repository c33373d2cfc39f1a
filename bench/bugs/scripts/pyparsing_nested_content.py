# pyparsing 3.2.2 -> 3.2.3: nested_expr takes the parse action of the content that it is given
import pyparsing as pp
number = pp.Word(pp.nums).set_parse_action(lambda t: int(t[0]))
nested = pp.nested_expr('(', ')', content=number)
assert nested.parse_string('(1 (2 3) 4)').as_list() == [[1, [2, 3], 4]]
