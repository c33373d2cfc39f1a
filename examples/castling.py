"""Castling on a chessboard, after the first example of the paper on balanced execution trees.

The tower stands on h1, the king on e1.  After castling on that side the tower belongs on f1
and the king on g1.  Where do they end up, and why?  (See the end.)
"""


class Position:
    def __init__(self):
        self.x = 0
        self.y = 0

    def locate(self, x, y):
        self.x = x
        self.y = y

    def up(self):
        self.y = self.y + 1

    def down(self):
        self.y = self.y - 1

    def right(self):
        self.x = self.x + 1

    def left(self):
        self.x = self.x - 1

    def square(self):
        return f"{' abcdefghijklmn'[self.x]}{self.y}"


class Chess:
    def castling(self, tower, king):
        if tower.x != 8:
            for _ in range(2):
                tower.left()
            for _ in range(2):
                king.right()
        else:
            for _ in range(3):
                tower.right()
            for _ in range(2):
                king.left()


def main():
    game = Chess()
    tower = Position()
    king = Position()
    king.locate(5, 1)
    tower.locate(8, 1)
    game.castling(tower, king)
    print(f"tower on {tower.square()}, king on {king.square()}; expected: f1 and g1")


if __name__ == "__main__":
    main()

# The mistake: Chess.castling has its two cases confused.  A tower from h1 goes two to the left and
# the king two to the right; the tower from a1 goes three to the right and the king two to the left.
