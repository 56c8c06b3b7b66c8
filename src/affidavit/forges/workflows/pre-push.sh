#!/bin/sh
# Written by `affidavit init --hook pre-push`: what is pushed is reviewed first.
# A finding at or above the gate stops the push; `git push --no-verify` goes past it. What could not be
# reviewed, or only in part, is said and stops nothing, unless the hook was written with --strict.
strict=@STRICT@
remote=${1:-origin}
nothing=$(git hash-object --stdin </dev/null | tr '0-9a-f' '0')
# What that remote has, as far as it is known here; of one that is new here, what all others have.
known=--remotes=$remote
if [ -z "$(git for-each-ref --count=1 "refs/remotes/$remote/")" ]; then known=--remotes; fi
not_reviewed() {
	echo "affidavit: $1 is NOT reviewed$2" >&2
	if [ "$strict" = yes ]; then exit 1; fi
}
while read -r local_ref local_sha _remote_ref remote_sha; do
	# A branch or a tag that is deleted brings nothing.
	if [ "$local_sha" = "$nothing" ]; then continue; fi
	# A tag is looked at as the commit that it names.
	if ! head=$(git rev-parse --quiet --verify "$local_sha^{commit}"); then
		not_reviewed "$local_ref" ": it names no commit"
		continue
	fi
	there=
	if [ "$remote_sha" != "$nothing" ] && git cat-file -e "$remote_sha^{commit}" 2>/dev/null; then there=$remote_sha; fi
	if [ -z "$(git rev-list --max-count=1 "$head" --not "$known" ${there:+"$there"})" ]; then continue; fi
	# Where what is new leaves what is there.
	base=$(git rev-list --boundary "$head" --not "$known" ${there:+"$there"} | sed -n 's/^-//p' |
		xargs git merge-base "$head" 2>/dev/null | head -n 1)
	if [ -z "$base" ]; then
		not_reviewed "$local_ref" ": it has no commit in common with what is known of $remote (git fetch $remote)"
		continue
	fi
	affidavit review "$base..$head" --quiet </dev/null
	code=$?
	case $code in
	0) ;;
	1) exit 1 ;;
	3) not_reviewed "$local_ref" " as a whole (exit code 3)" ;;
	*) not_reviewed "$local_ref" " (exit code $code)" ;;
	esac
done
