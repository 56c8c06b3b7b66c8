#!/usr/bin/env bash
set -euo pipefail

archive="${1:?archive}"
target="${2:?folder}"
target="${target%/}"

mkdir -p "$target"
tar -xzf "$archive" -C "$target"
