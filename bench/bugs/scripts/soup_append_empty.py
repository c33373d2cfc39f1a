# beautifulsoup4 4.14.3 -> 4.15.0: an empty document cannot be appended
from bs4 import BeautifulSoup
page = BeautifulSoup('<ul><li>one</li><li>two</li></ul>', 'html.parser')
page.ul.append(BeautifulSoup('', 'html.parser'))
page.ul.append(BeautifulSoup('<li>three</li>', 'html.parser'))
found = [each.text for each in page.find_all('li')]
assert found == ['one', 'two', 'three'], found
