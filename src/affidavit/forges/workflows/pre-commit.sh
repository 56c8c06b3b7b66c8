#!/bin/sh
# Written by `affidavit init --hook pre-commit`: what is staged is reviewed before it is committed.
# A finding at or above the gate stops the commit; `git commit --no-verify` goes past it. A review that could
# not be done, or only in part, is said and stops nothing, unless the hook was written with --strict.
strict=@STRICT@
affidavit review --staged --quiet
code=$?
if [ "$code" -le 1 ]; then exit "$code"; fi
part=
if [ "$code" -eq 3 ]; then part=" as a whole"; fi
echo "affidavit: what is staged is NOT reviewed$part (exit code $code)" >&2
if [ "$strict" = yes ]; then exit "$code"; fi
exit 0
