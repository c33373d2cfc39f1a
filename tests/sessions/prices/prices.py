"""Prices of an order: classes, properties and comprehensions."""


class Article:
    def __init__(self, name, price, stock):
        self._name = name
        self._price = price
        self._stock = stock

    @property
    def name(self):
        return self._name

    @property
    def price(self):
        return self._price

    @property
    def is_there(self):
        return self._stock > 0


class Order:
    def __init__(self, articles):
        self.articles = articles
        self.notes = []

    def check(self):
        for article in self.articles: self.note(article)

    def note(self, article):
        if not article.is_there:
            self.notes.append(article.name)

    def prices(self):
        return [article.price for article in self.articles if not article.is_there]

    def log(self):
        pass

    def total(self):
        self.log()
        return sum(self.prices())


def main():
    order = Order([Article("pen", 2, 3), Article("book", 10, 0), Article("case", 7, 1)])
    order.check()
    print(order.total(), "expected: 9")


main()
