#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fuzz targets with clang and runs each of them for a while, from its committed corpus.
# What libFuzzer finds lies in build/fuzz/found/<target>; an input that breaks something fails the run.
#
# usage: cmake/fuzz.sh [seconds for each target, 60] [target]...
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=${1:-60}
shift || true
build=$root/build/fuzz
fuzz=$root/tests/fuzz

"$root/cmake/install-dependencies.sh" tests
prepare_ccache
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
quietly configure cmake -S "$fuzz/project" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 \
  -DCMAKE_CXX_FLAGS=-O1 -DTESSERA_FUZZ_PROGRAMS=ON "${launcher[@]}"
build_targets

targets=("$@")
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(cd "$fuzz/corpus" && printf '%s\n' *)
fi

status=0
for target in "${targets[@]}"; do
  found=$build/found/$target
  log=$build/logs/$target.log
  mkdir -p "$found"
  if "$build/${target}_fuzz" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
    -artifact_prefix="$found/" "$found" "$fuzz/corpus/$target" >"$log" 2>&1; then
    echo "$target: $(grep -o '^Done .*' "$log")"
  else
    status=1
    echo "$target: broken, see $log and $found" >&2
    tail -n 30 "$log" >&2
  fi
done
exit "$status"
