# treelib 1.7.0 -> 1.7.1: a tree is shown as bytes
import io
from contextlib import redirect_stdout
from treelib import Tree
tree = Tree()
for name, parent in (('a', None), ('b', 'a'), ('c', 'a'), ('d', 'b')):
    tree.create_node(name.upper(), name, parent=parent)
written = io.StringIO()
with redirect_stdout(written):
    tree.show()
assert written.getvalue().startswith('A\n'), written.getvalue()
