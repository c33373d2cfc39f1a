# inflect 7.5.0 -> 7.6.0: the end of a word with an irregular head is lost
import inflect
engine = inflect.engine()
found = [engine.plural_noun(word) for word in ('cat', 'brother-in-law', 'attorney')]
assert found == ['cats', 'brothers-in-law', 'attorneys'], found
