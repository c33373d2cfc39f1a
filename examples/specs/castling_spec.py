"""What the methods of castling.py should do."""

from sleuth.spec import model, predicate


@model("Position.left", total=True)
def left(self):
    self.x -= 1


@model("Position.right", total=True)
def right(self):
    self.x += 1


@predicate("Position.locate", total=True)
def locate_goes_there(call):
    after = call.after.self
    return (after.x, after.y) == (call.inputs.x, call.inputs.y)


@model("Chess.castling", total=True)
def castling(tower, king):
    """The tower from h1 belongs on f1, the one from a1 on d1; the king on g1 or c1."""
    tower.x, king.x = (6, 7) if tower.x == 8 else (4, 3)
