"""A diff whose names and lines are markup that would run, were it taken for any."""

NAME = "<svg onload=alert(4)>.py"
HOSTILE_DIFF = f"""diff --git a/{NAME} b/{NAME}
new file mode 100644
--- /dev/null
+++ b/{NAME}
@@ -0,0 +1,4 @@
+print("<img src=x onerror=alert(3)>")
+import os  # </script><script>alert(5)</script>
+url = "javascript:alert(6)"
+undefined_name("{{{{ 7 * 7 }}}}")
"""
