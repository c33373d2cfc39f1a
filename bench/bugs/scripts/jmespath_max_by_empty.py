# jmespath 0.9.3 -> 0.9.4: the greatest of nothing fails
import jmespath
found = jmespath.search('max_by(people[?age > `20`], &age).name', {'people': [{'age': 3, 'name': 'a'}]})
assert found is None, found
