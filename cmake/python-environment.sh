#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a virtual environment of Python with the packages of a list, from PyPI. An environment that
# is complete, of the same list, is left as it is.
#
# usage: cmake/python-environment.sh <python> <folder> <requirements>
set -euo pipefail

python=$1
folder=$2
requirements=$3

complete=$folder/complete.txt
cmp --silent "$requirements" "$complete" && exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# refuse <sentence>: the reason is the last line of the log.
refuse() {
  echo "$1: $(tail -n 1 "$log")" >&2
  exit 1
}

rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
"$python" -m venv "$folder" >"$log" 2>&1 ||
  refuse "$python makes no virtual environment; install Debian's python3-venv"
# Packages that would have to be compiled are refused.
"$folder/bin/python" -m pip install --only-binary :all: --requirement "$requirements" >"$log" 2>&1 ||
  refuse "PyPI does not give the packages of $requirements, which the tests of other programs need"
cp "$requirements" "$complete"
