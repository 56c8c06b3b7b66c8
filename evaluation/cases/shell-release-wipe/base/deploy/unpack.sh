#!/usr/bin/env bash
set -eo pipefail
cd "$(dirname "$0")"
. ./settings.sh

target="/srv/application"
mkdir -p "$target"
tar -xzf "$ARCHIVE_NAME" -C "$target"
echo "unpacked into $target"
