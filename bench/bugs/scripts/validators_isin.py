# validators 0.35.0 -> 0.36.0: the last digit of a number of a security is not checked
import validators
found = [bool(validators.isin(text)) for text in ('US0378331005', 'US0378331004', 'XX')]
assert found == [True, False, False], found
