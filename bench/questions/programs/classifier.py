"""Classifier: sorts people into classes by what is known of them."""

from dataclasses import dataclass


@dataclass
class Person:
    name: str
    age: int
    height: float
    weight: float


def index_of(person):
    return person.weight / person.height**2


def age_class(person):
    for limit, name in ((13, "child"), (18, "youth"), (65, "adult")):
        if person.age < limit:
            return name
    return "senior"


def weight_class(person):
    index = index_of(person)
    if index < 18.5:
        return "light"
    return "normal" if index < 25 else "heavy"


def classified(people):
    classes = {}
    for person in people:
        classes.setdefault((age_class(person), weight_class(person)), []).append(person.name)
    return classes


def main():
    people = [
        Person("Ana", 34, 1.68, 61.0),
        Person("Ben", 9, 1.31, 27.5),
        Person("Cleo", 71, 1.60, 70.2),
        Person("Dan", 16, 1.80, 59.0),
        Person("Eve", 45, 1.75, 88.0),
        Person("Finn", 33, 1.82, 79.0),
        Person("Gail", 12, 1.49, 40.1),
    ]
    for names in classified(people).items():
        print(*names)


if __name__ == "__main__":
    main()
