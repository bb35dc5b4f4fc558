#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the documentation into build/docs: the book, the gallery, the architecture, the reference.
# Needs Debian's doxygen and python3. Programs of the gallery are shown with what they print where
# build/release has them.
#
# usage: cmake/docs.sh [<folder>]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/build/docs}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root" && sed "s|@OUTPUT@|$work|" cmake/docs/Doxyfile.in | doxygen - >"$work/log" 2>&1) || {
  tail -n 20 "$work/log" >&2
  exit 1
}
/usr/bin/env python3 -B "$root/cmake/docs/build.py" "$root" "$work/xml" "$out"
