#!/bin/sh
# Written by `affidavit init --hook pre-push`: what is pushed is reviewed first.
# `git push --no-verify` goes past it.
nothing=$(git hash-object --stdin </dev/null | tr '0-9a-f' '0')
while read -r _local_ref local_sha _remote_ref remote_sha; do
	if [ "$local_sha" = "$nothing" ]; then continue; fi
	if [ "$remote_sha" = "$nothing" ] || ! git cat-file -e "$remote_sha^{commit}" 2>/dev/null; then
		# A new branch, or one whose remote head is not here: what left the remote's main branch.
		if ! remote_sha=$(git merge-base "$local_sha" "refs/remotes/${1:-origin}/HEAD" 2>/dev/null); then
			echo "affidavit: not reviewed, since ${1:-origin} has no known main branch: git remote set-head ${1:-origin} -a" >&2
			continue
		fi
	fi
	if [ "$local_sha" = "$remote_sha" ]; then continue; fi
	affidavit review "$remote_sha...$local_sha" --quiet </dev/null || exit $?
done
