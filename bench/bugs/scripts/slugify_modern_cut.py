# python-slugify 9.1.2 -> 9.1.3: of separators in a row one is left where words are cut
from slugify import slugify
found = slugify('one plus two plus three', algorithm='modern', replacement_stage='post',
                replacements=[['plus', '--']], max_length=12, word_boundary=True)
assert found == 'one----two', found
