#!/bin/sh
# Write tests/proof/signed again, after the contents of a report have changed: sh tools/sign_kept_report.sh
# The key is new each time and is thrown away.
set -eu
kept=$(cd "$(dirname "$0")/../tests/proof/signed" && pwd)
affidavit=$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/affidavit
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
ssh-keygen -q -t ed25519 -N "" -C "" -f "$place/key"
git init -q -b main "$place/shop"
cd "$place/shop"
git config user.name Ada
git config user.email ada@example.org
git config commit.gpgsign false
git remote add origin https://example.org/shop.git
mkdir .affidavit
echo "ada@example.org $(cut -d ' ' -f 1,2 "$place/key.pub")" > .affidavit/allowed_signers
echo "Opens at nine." > notes.txt
git add . && git commit -q -m "Begin the shop"
echo "Opens at ten." > notes.txt
git commit -q -a -m "Open later"
"$affidavit" review HEAD --no-store --format report=../report.json
"$affidavit" sign ../report.json --key ../key
git bundle create -q ../shop.bundle main
cp ../report.json ../report.json.sig ../shop.bundle "$kept"
