# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What run.sh, test.sh and bench.sh share; they source it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release

# quietly <what> <command>...: runs a command; shows the end of its output only where it fails.
quietly() {
  local what=$1 log=$build/logs/$1.log
  shift
  mkdir -p "$build/logs"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" | cut -c 1-300 >&2
    echo "$what failed: $*" >&2
    echo "the end of its output is above, all of it in $log" >&2
    echo "free on its disk: $(df --human-readable --output=avail "$build" | tail -n 1)" >&2
    exit 1
  fi
}

# Prints how many compilers to run at once: one per processor, each with 1.5 GB of memory.
parallel_jobs() {
  local processors memory_kB
  processors=$(nproc)
  memory_kB=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  local fit=$((memory_kB / 1500000))
  ((fit < 2)) && fit=2
  echo $((processors < fit ? processors : fit))
}

# Gives ccache a place where there is no home, and lets two checkouts share what it holds.
prepare_ccache() {
  if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
    export CCACHE_DIR=$root/build/ccache
  fi
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}
  # Compilers list their headers anyway, so that ccache need not preprocess each source.
  export CCACHE_DEPEND=${CCACHE_DEPEND:-1}
  # What a precompiled header defines is the same wherever its content is.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
}

# configure <argument of cmake>...: sources are compiled sixteen at a time, as everything is built.
configure() {
  prepare_ccache
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  quietly configure cmake -S "$root" --preset release -DTESSERA_UNITY=ON "${launcher[@]}" "$@"
}

# build_targets <target>...: builds the targets, or everything without one.
build_targets() {
  local targets=()
  (($# > 0)) && targets=(--target "$@")
  quietly build cmake --build "$build" --parallel "$(parallel_jobs)" "${targets[@]}"
}
