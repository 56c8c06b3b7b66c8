#!/bin/sh
set -eu

source="${1:?folder to back up}"
target="${2:?archive to write}"

tar -cf "$target" "$source"
echo "backup of $source is in $target"
