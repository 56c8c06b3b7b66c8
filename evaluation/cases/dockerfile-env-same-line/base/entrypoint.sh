#!/bin/sh
set -eu
exec /opt/tools/bin/report "$@"
