"""Figures: shapes with areas and borders, moved, scaled and compared."""

import math


class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)

    def distance(self, other):
        return math.hypot(self.x - other.x, self.y - other.y)


class Figure:
    def is_larger(self, other):
        return self.area() > other.area()

    def described(self):
        return f"{type(self).__name__}: area {self.area():.2f}, border {self.border():.2f}"


class Circle(Figure):
    def __init__(self, centre, radius):
        self.centre = centre
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2

    def border(self):
        return 2 * math.pi * self.radius

    def moved(self, dx, dy):
        return Circle(self.centre.moved(dx, dy), self.radius)


class Polygon(Figure):
    def __init__(self, points):
        self.points = points

    def sides(self):
        return list(zip(self.points, self.points[1:] + self.points[:1]))

    def area(self):
        return abs(sum(a.x * b.y - b.x * a.y for a, b in self.sides())) / 2

    def border(self):
        return sum(a.distance(b) for a, b in self.sides())

    def moved(self, dx, dy):
        return Polygon([point.moved(dx, dy) for point in self.points])


class Rectangle(Polygon):
    def __init__(self, corner, width, height):
        right, top = corner.moved(width, 0), corner.moved(0, height)
        super().__init__([corner, right, corner.moved(width, height), top])


def largest(figures):
    best = figures[0]
    for figure in figures[1:]:
        if figure.is_larger(best):
            best = figure
    return best


def main():
    figures = [
        Circle(Point(0, 0), 2),
        Rectangle(Point(1, 1), 4, 3),
        Polygon([Point(0, 0), Point(5, 0), Point(2, 4)]),
    ]
    moved = [figure.moved(1, 2) for figure in figures]
    for figure in figures + moved:
        print(figure.described())
    print(largest(figures).described())


if __name__ == "__main__":
    main()
