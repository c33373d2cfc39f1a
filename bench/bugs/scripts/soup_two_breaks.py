# beautifulsoup4 4.14.3 -> 4.15.0: after a break with a slash, one without it goes wrong
from bs4 import BeautifulSoup
found = str(BeautifulSoup('<p>a<br>b<br/>c<br></br>d</p><p>e<br/>f<br>g</p>', 'html.parser'))
other = str(BeautifulSoup('<p>a<br/>b<br>c</br>d</p>', 'html.parser'))
assert found == '<p>a<br/>b<br/>c<br/>d</p><p>e<br/>f<br/>g</p>', found
assert other == '<p>a<br/>b<br/>cd</p>', other
