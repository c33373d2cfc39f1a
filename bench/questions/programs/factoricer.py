"""Factoricer: takes numbers apart into their prime factors."""


class Factorizer:
    """Finds prime factors, and keeps the primes that it needed."""

    def __init__(self):
        self.primes = [2]

    def is_prime(self, number):
        for prime in self.primes:
            if prime * prime > number:
                break
            if number % prime == 0:
                return False
        return True

    def next_prime(self):
        number = self.primes[-1] + 1
        while not self.is_prime(number):
            number += 1
        self.primes.append(number)
        return number

    def factors(self, number):
        found = []
        for place in range(number):
            prime = self.prime(place)
            while number % prime == 0:
                found.append(prime)
                number = self.divided(number, prime)
            if number == 1:
                break
        return found

    def prime(self, place):
        while place >= len(self.primes):
            self.next_prime()
        return self.primes[place]

    def divided(self, number, prime):
        return number // prime


def shown(factors):
    return " * ".join(map(str, factors))


def main():
    factorizer = Factorizer()
    for number in (84, 97, 360):
        print(number, "=", shown(factorizer.factors(number)))


if __name__ == "__main__":
    main()
