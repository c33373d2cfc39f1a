# inflect 7.5.0 -> 7.6.0: groups of two digits are counted from the left
import inflect
found = inflect.engine().number_to_words(123, group=2)
assert found == 'one, twenty-three', found
