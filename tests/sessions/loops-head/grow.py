"""Adds the neighbours of points to the very set that is gone through."""


def spread(points):
    for point in points:
        points.add(point + 10)


try:
    spread({1, 2})
except RuntimeError as error:
    print(error)
