#!/bin/sh
# Prints how full the disk of a folder is, in percent.
used_percent() {
    df -P "$1" | awk 'NR == 2 { sub("%", "", $5); print $5 }'
}
