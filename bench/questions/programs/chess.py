"""Chess: castling, a rook and a king moved field by field (the example of Balancing)."""


class Piece:
    def __init__(self, name, column, row):
        self.name = name
        self.column = column
        self.row = row

    def left(self):
        self.column -= 1

    def right(self):
        self.column += 1

    def up(self):
        self.row += 1


class Board:
    def __init__(self):
        self.king = Piece("king", 5, 1)
        self.rook = Piece("rook", 1, 1)
        self.pawns = [Piece("pawn", column, 2) for column in range(1, 9)]

    def castling(self):
        for _ in range(3):
            self.rook.right()
        for _ in range(2):
            self.king.left()

    def opening(self):
        for pawn in self.pawns[2:5]:
            pawn.up()
        self.pawns[3].up()
        self.castling()

    def shown(self):
        return [(p.name, p.column, p.row) for p in (self.king, self.rook, *self.pawns)]


def main():
    board = Board()
    board.opening()
    print(board.shown())


if __name__ == "__main__":
    main()
