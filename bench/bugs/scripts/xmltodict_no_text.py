# xmltodict 1.0.2 -> 1.0.3: no text and no attribute are written as None
import xmltodict
tree = {'list': {'item': [{'@id': '1', '#text': 'one'}, {'@id': None, '#text': None}], 'last': {'a': 'b'}}}
text = xmltodict.unparse(tree, full_document=False)
assert 'None' not in text, text
