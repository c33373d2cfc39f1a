# What a finalizer finds in the main module when the interpreter ends.
import sys
def g():
    try: yield
    finally: print("gen closed at exit")
gg=g(); next(gg)
class D:
    def __del__(s): print("del", sys, gg)
d=D()
print("main done")
sys.exit(3)
