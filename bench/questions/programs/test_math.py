"""TestMath: small functions on numbers, each tried out."""


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def lcm(a, b):
    return a * b // gcd(a, b)


def power(base, exponent):
    if exponent == 0:
        return 1
    half = power(base, exponent // 2)
    return half * half * (base if exponent % 2 else 1)


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def digits(n):
    return [n] if n < 10 else digits(n // 10) + [n % 10]


def is_palindrome(n):
    return digits(n) == digits(n)[::-1]


def main():
    print(gcd(252, 105), lcm(21, 6))
    print(power(3, 13))
    print([n for n in range(20) if is_prime(n)])
    print(is_palindrome(12321), is_palindrome(1234))


if __name__ == "__main__":
    main()
