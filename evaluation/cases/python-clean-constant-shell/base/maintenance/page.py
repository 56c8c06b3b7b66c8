"""The maintenance page, for administrators."""

import shutil


def disk_line() -> str:
    usage = shutil.disk_usage("/srv")
    return f"{usage.used * 100 // usage.total}% of the disk is used"
