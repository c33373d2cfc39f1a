# wtforms 3.1.1 -> 3.1.2: choices of another type than the data are not valid
from wtforms import Form, SelectMultipleField
class Colours(Form):
    colours = SelectMultipleField(choices=[('1', 'red'), ('2', 'green')], coerce=int)
class Posted(dict):
    def getlist(self, name):
        return self[name]
form = Colours(Posted(colours=['1']))
assert form.validate(), form.errors
