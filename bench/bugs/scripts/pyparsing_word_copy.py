# pyparsing 3.2.4 -> 3.2.5: a word of which no regular expression is made can't be copied
import pyparsing as pp
phrase = pp.Word(pp.alphas + ' ')
both = phrase('left') + pp.Suppress('=') + phrase('right')
assert both.parse_string('some words=other words').as_list() == ['some words', 'other words']
