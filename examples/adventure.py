"""A text adventure.  The player finds a lamp in a place where nobody put one.  (See the end.)

The story: three rooms in a row, hall - study - cellar.  A lamp and a coin lie in the hall, a key
and a letter in the study; the cellar is empty, and its door is locked until the key has been used.
"""


class Trouble(Exception):
    """What the player wanted is not possible."""


class Item:
    def __init__(self, name, weight, opens=None):
        self.name = name
        self.weight = weight
        self.opens = opens


class Room:
    def __init__(self, name, items=[], locked=False):
        self.name = name
        self.items = items
        self.locked = locked
        self.exits = {}

    def put(self, item):
        self.items.append(item)

    def take(self, name):
        for index, item in enumerate(self.items):
            if item.name == name:
                return self.items.pop(index)
        raise Trouble(f"there is no {name} here")

    def describe(self):
        names = sorted(item.name for item in self.items)
        if not names:
            return f"The {self.name} is empty."
        return f"In the {self.name}: {', '.join(names)}."


class Player:
    STRENGTH = 10

    def __init__(self, room):
        self.room = room
        self.bag = {}

    @property
    def load(self):
        return sum(item.weight for item in self.bag.values())

    def take(self, name):
        item = self.room.take(name)
        if self.load + item.weight > self.STRENGTH:
            self.room.put(item)
            raise Trouble(f"the {name} is too heavy")
        self.bag[name] = item

    def drop(self, name):
        if name not in self.bag:
            raise Trouble(f"you have no {name}")
        self.room.put(self.bag.pop(name))

    def go(self, direction):
        if direction not in self.room.exits:
            raise Trouble(f"you can't go {direction}")
        room = self.room.exits[direction]
        if room.locked:
            raise Trouble(f"the {room.name} is locked")
        self.room = room

    def use(self, name):
        if name not in self.bag:
            raise Trouble(f"you have no {name}")
        item = self.bag[name]
        for room in self.room.exits.values():
            if room.locked and room.name == item.opens:
                room.locked = False
                return f"The {room.name} is open now."
        raise Trouble(f"the {name} is of no use here")


def connect(west, east):
    west.exits["east"] = east
    east.exits["west"] = west


def build_world():
    hall = Room("hall", [Item("lamp", 3), Item("coin", 1)])
    study = Room("study")
    study.put(Item("key", 1, opens="cellar"))
    study.put(Item("letter", 1))
    cellar = Room("cellar", locked=True)
    connect(hall, study)
    connect(study, cellar)
    return hall


class Game:
    def __init__(self, player):
        self.player = player
        self.moves = 0
        self.failed = 0

    def command(self, line):
        """Carry out a line of the player's and return what is answered."""
        verb, _, what = line.partition(" ")
        if verb == "look":
            return self.player.room.describe()
        if verb == "take":
            self.player.take(what)
            return f"You have the {what}."
        if verb == "drop":
            self.player.drop(what)
            return f"The {what} lies in the {self.player.room.name}."
        if verb == "go":
            self.player.go(what)
            return f"You are in the {self.player.room.name}."
        if verb == "use":
            return self.player.use(what)
        raise Trouble(f"nobody knows how to {verb}")

    def play(self, lines):
        for line in lines:
            self.moves += 1
            try:
                answer = self.command(line)
            except Trouble as trouble:
                self.failed += 1
                answer = f"No: {trouble}."
            yield line, answer


STORY = [
    "look",
    "take lamp",
    "go east",
    "look",
    "go east",
    "take key",
    "use key",
    "drop lamp",
    "go east",
    "look",
    "sing",
]


def main():
    game = Game(Player(build_world()))
    for line, answer in game.play(STORY):
        print(f"> {line}\n  {answer}")
    print(f"{game.moves} moves, {game.failed} failed")


if __name__ == "__main__":
    main()

# What is wrong: the cellar should be empty, but after "go east" and "look" it holds the lamp and the
# letter that lie in the study.
# The mistake: Room.__init__ has a list as default for its items, and it is one list for all rooms
# that are built without any.  It should be items=None, and then a new list in each room.
