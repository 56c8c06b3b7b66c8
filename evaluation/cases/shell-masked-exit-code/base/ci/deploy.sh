#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/copy.sh

deploy() {
    ci/build.sh >/dev/null
    copy_to "$1"
}

deploy "${1:?host}"
