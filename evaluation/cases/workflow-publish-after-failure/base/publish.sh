#!/bin/sh
set -eu
echo "publishing to the channel $1"
