# unidiff 0.7.4 -> 0.7.5: a binary patch of git is not seen as one
from unidiff import PatchSet
text = '''diff --git a/one.txt b/one.txt
index 1234567..89abcde 100644
--- a/one.txt
+++ b/one.txt
@@ -1 +1 @@
-a
+b
diff --git a/two.bin b/two.bin
index 1234567..89abcde 100644
GIT binary patch
literal 4
LcmZQzWMT#Y01f~L

'''
found = [(each.path, each.is_binary_file) for each in PatchSet(text)]
assert found == [('one.txt', False), ('two.bin', True)], found
