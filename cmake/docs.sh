#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the documentation into build/docs: the book, the gallery, the architecture, the reference.
# Needs Debian's doxygen and python3, and python3-zarr for pictures of results. Programs of the gallery
# are shown with their output if build/release, or the folder $TESSERA_EXAMPLES, has them.
#
# usage: cmake/docs.sh [<folder> [<depfile>]]    the depfile, for a build tool, names the sources of the pages;
#                                               problems of pages are told, and do not end the build
#        cmake/docs.sh --readme     renews the tables of README and book
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Debian's own interpreter first: it is the one that has Debian's zarr-python.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
if [[ ${1:-} == --readme ]]; then
  exec "$python" -B "$root/cmake/docs/tables.py" "$root"
fi
out=${1:-$root/build/docs}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root" && sed "s|@OUTPUT@|$work|" cmake/docs/Doxyfile.in | doxygen - >"$work/log" 2>&1) || {
  tail -n 20 "$work/log" >&2
  exit 1
}
"$python" -B "$root/cmake/docs/build.py" "$root" "$work/xml" "$out" || [[ -n ${2:-} && -f $out/index.html ]]

if [[ -n ${2:-} ]]; then
  # With folders: a page that is added changes its folder.
  {
    printf '%s:\n' "$out/index.html"
    find "$root"/{README.md,.github,cmake/docs,cmake/docs.sh,examples,include,tests/compile_fail} -print
  } | sed 's/[ #]/\\&/g; 2,$s/^/  /; $!s/$/ \\/' >"$2"
fi
