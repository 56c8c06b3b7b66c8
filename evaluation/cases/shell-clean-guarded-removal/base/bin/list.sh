#!/usr/bin/env bash
set -euo pipefail
find "${1:?folder}" -maxdepth 1 -mindepth 1 -printf '%f\n' | sort
