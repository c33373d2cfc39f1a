# num2words 0.5.12 -> 0.5.13: in Brazilian Portuguese a thousand with whole hundreds lacks its and
from num2words import num2words
found = [num2words(each, lang='pt_BR') for each in (1100, 2400, 120000, 1200000)]
assert found == ['mil e cem', 'dois mil e quatrocentos', 'cento e vinte mil', 'um milhão e duzentos mil'], found
