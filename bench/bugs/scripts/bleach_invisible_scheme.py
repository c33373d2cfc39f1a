# bleach 6.3.0 -> 6.4.0: an invisible character hides a scheme that is not allowed
import bleach
found = bleach.clean('<p>say <a href="javascript\u200b:alert(1)" title="t">here</a></p>', tags={'a', 'p'})
assert found == '<p>say <a title="t">here</a></p>', found
