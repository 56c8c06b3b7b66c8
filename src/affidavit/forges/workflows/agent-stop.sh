#!/bin/sh
# The Stop hook of Affidavit's plug-in. It is off unless AFFIDAVIT_STOP_HOOK=1: then the agent is told the
# findings of its uncommitted change until nothing blocks. A review that fails or is incomplete stops nobody.
[ "${AFFIDAVIT_STOP_HOOK:-}" = 1 ] || exit 0
findings=$(affidavit review --quiet --format agent </dev/null 2>&1)
code=$?
case $code in
0) exit 0 ;;
1) ;;
*)
	echo "{\"systemMessage\": \"affidavit: the change is NOT reviewed as a whole (exit code $code)\"}"
	exit 0
	;;
esac
printf 'Affidavit proved problems in your change. Fix them before you stop.\n%s\n' "$findings" >&2
exit 2
