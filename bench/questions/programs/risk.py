"""Risk: attacks on neighbouring countries, decided by dice."""

from itertools import cycle


class Country:
    def __init__(self, name, owner, armies):
        self.name = name
        self.owner = owner
        self.armies = armies

    def can_attack(self, other):
        return self.armies > 1 and self.owner != other.owner

    def lose(self, armies):
        self.armies -= armies


class Battle:
    def __init__(self, rolls):
        self.rolls = cycle(rolls)

    def thrown(self, dice):
        return sorted((next(self.rolls) for _ in range(dice)), reverse=True)

    def fight(self, attacker, defender):
        attack = self.thrown(min(attacker.armies - 1, 3))
        defence = self.thrown(min(defender.armies, 2))
        for one, other in zip(attack, defence):
            (defender if one > other else attacker).lose(1)
        if defender.armies == 0:
            self.conquer(attacker, defender)

    def conquer(self, attacker, defender):
        defender.owner = attacker.owner
        defender.armies = attacker.armies - 1
        attacker.armies = 1


def main():
    world = [Country("Siam", "red", 9), Country("India", "blue", 4), Country("China", "blue", 3)]
    battle = Battle([6, 5, 2, 5, 4, 3, 6, 1, 4, 2, 2])
    for attacker, defender in zip(world, world[1:]):
        while attacker.can_attack(defender):
            battle.fight(attacker, defender)
    for country in world:
        print(country.name, country.owner, country.armies)


if __name__ == "__main__":
    main()
