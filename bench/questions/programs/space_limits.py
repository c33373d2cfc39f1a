"""SpaceLimits: keeps bodies that move within the limits of a space."""


class Axis:
    def __init__(self, low, high):
        self.low = low
        self.high = high

    def contains(self, value):
        return self.low <= value <= self.high

    def bounced(self, value, speed):
        if value < self.low:
            return 2 * self.low - value, -speed
        return 2 * self.high - value, -speed


class Space:
    def __init__(self, *axes):
        self.axes = axes

    def limited(self, body):
        for number, axis in enumerate(self.axes):
            if not axis.contains(body.place[number]):
                place, speed = axis.bounced(body.place[number], body.speed[number])
                body.put(number, place, speed)


class Body:
    def __init__(self, place, speed):
        self.place = place
        self.speed = speed

    def move(self):
        for number, speed in enumerate(self.speed):
            self.place[number] += speed

    def put(self, number, place, speed):
        self.place[number] = place
        self.speed[number] = speed


def main():
    space = Space(Axis(0, 10), Axis(0, 6))
    bodies = [Body([1, 1], [3, 2]), Body([9, 5], [-4, 1])]
    for _ in range(12):
        for body in bodies:
            body.move()
            space.limited(body)
    for body in bodies:
        print(body.place, body.speed)


if __name__ == "__main__":
    main()
