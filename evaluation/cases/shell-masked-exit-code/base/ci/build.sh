#!/usr/bin/env bash
# Builds into dist/ and prints the version; fails where the tests fail.
set -euo pipefail
make --silent test dist >&2
git describe --tags
