#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tries the launchers of examples/launchers one after the other, by hand before a release, and writes
# their rows of the table of examples/launchers/README.md. The systems come from PyPI, about 1.6 GB, into
# ~/.cache/tessera/launchers, and run without a network. The program chaos_program is built before.
#
# usage: cmake/launchers.sh <build folder> [launcher]...      dask ray spark beam lithops prefect parsl lambda
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(realpath "$1")/tests/chaos/chaos_program
shift
try=(python3 -B "$root/tests/launchers/try_launchers.py")

"${try[@]}" --install "$@"
page=$root/examples/launchers/README.md
unshare --net bash -c 'ip link set lo up && exec "$@"' bash "${try[@]}" --page "$page" "$program" "$@"
