"""Nested loops over numbers: a sieve, a matrix product, a grid."""
import sys


def sieve(limit):
    flags = [True] * (limit + 1)
    flags[0] = flags[1] = False
    number = 2
    while number * number <= limit:
        if flags[number]:
            for multiple in range(number * number, limit + 1, number):
                flags[multiple] = False
        number += 1
    return [i for i, flag in enumerate(flags) if flag]


def product(a, b):
    size = len(a)
    out = [[0] * size for _ in range(size)]
    for i in range(size):
        for j in range(size):
            total = 0
            for k in range(size):
                total += a[i][k] * b[k][j]
            out[i][j] = total
    return out


def life(grid):
    rows, columns = len(grid), len(grid[0])
    out = []
    for y in range(rows):
        line = []
        for x in range(columns):
            near = 0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    if dx or dy:
                        near += grid[(y + dy) % rows][(x + dx) % columns]
            line.append(1 if near == 3 or (near == 2 and grid[y][x]) else 0)
        out.append(line)
    return out


def main(size):
    total = 0
    for turn in range(size):
        total += len(sieve(120_000))
        matrix = [[(i * j + turn) % 10 for j in range(55)] for i in range(55)]
        total += product(matrix, matrix)[3][4]
        grid = [[(x * y + turn) % 3 == 0 for x in range(40)] for y in range(40)]
        for _ in range(4):
            grid = life(grid)
        total += sum(map(sum, grid))
    return total


if __name__ == "__main__":
    print(main(int(sys.argv[1]) if len(sys.argv) > 1 else 64))
