# Nobody else holds the main module, its namespace or the arguments; nothing foreign can be found.
import gc
import sys

print(sys.getrefcount(sys.modules["__main__"]), sys.getrefcount(globals()))
print(sys.getrefcount(sys.argv), sys.getrefcount(sys.orig_argv))
print(sorted(type(each).__name__ for each in gc.get_referrers(globals())))
print(len([each for each in gc.get_objects() if type(each).__name__ in ("module", "function")]))
del sys.modules["__main__"]
gc.collect()
print(__name__, __file__ is not None)
