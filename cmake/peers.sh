#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds twelve programs and runs them beside Dask, Cubed, TensorStore, zarrs and NumPy, in turns on
# the same data with two threads each; checks that the results agree. Prints tables of times and
# memory, which are in build/peers/peers.md, with a plot in build/peers/peers.svg. The peers come
# from PyPI, in a virtual environment of pinned versions (benchmarks/peers/requirements.txt).
#
# usage: cmake/peers.sh [--small | --size=1] [--rounds=3] [--repeat=2] [--limit=600]
#                       [--programs=copy,matmul]
#
# A size of 1 takes 3 GB of disk, and 5 GB of memory where NumPy holds whole arrays; --small, for a
# trial, 200 MB.
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/cmake/install-dependencies.sh" build
configure
build_targets tessera_peers

folder=$root/build/peers
programs=$root/benchmarks/peers
python=${TESSERA_PYTHON:-/usr/bin/python3}
"$root/cmake/python-environment.sh" "$python" "$folder/environment" "$programs/requirements.txt"

version=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)
exec "$folder/environment/bin/python" -B "$programs/compare.py" --out="$folder" \
  --tessera="$build/benchmarks/tessera_peers" --version="$version" "$@"
