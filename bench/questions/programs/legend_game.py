"""LegendGame: two heroes of legend fight in turns until one has no life left."""


class Dice:
    """A die that always falls in the same order."""

    def __init__(self, seed):
        self.state = seed

    def rolled(self, sides):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return self.state // 65536 % sides + 1


class Weapon:
    def __init__(self, name, sides):
        self.name = name
        self.sides = sides

    def hit(self, dice):
        return dice.rolled(self.sides)


class Hero:
    def __init__(self, name, life, armour, weapon):
        self.name = name
        self.life = life
        self.armour = armour
        self.weapon = weapon

    def is_alive(self):
        return self.life > 0

    def attacks(self, other, dice):
        if dice.rolled(20) + 4 > other.armour:
            other.suffers(self.weapon.hit(dice))

    def suffers(self, damage):
        self.life = max(self.life - damage, 0)


class Game:
    def __init__(self, heroes, dice):
        self.heroes = heroes
        self.dice = dice
        self.rounds = 0

    def play(self):
        attacker, defender = self.heroes
        while attacker.is_alive() and defender.is_alive():
            self.rounds += 1
            attacker.attacks(defender, self.dice)
            attacker, defender = defender, attacker
        return next(hero for hero in self.heroes if hero.is_alive())


def main():
    roland = Hero("Roland", 20, 15, Weapon("Durendal", 8))
    grendel = Hero("Grendel", 32, 11, Weapon("claws", 6))
    game = Game([roland, grendel], Dice(7))
    winner = game.play()
    print(winner.name, "wins in round", game.rounds, "with", winner.life)


if __name__ == "__main__":
    main()
