#!/bin/sh
# Written by `affidavit init --hook pre-commit`: what is staged is reviewed before it is committed.
# `git commit --no-verify` goes past it.
exec affidavit review --staged --quiet
