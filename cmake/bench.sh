#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what Tessera needs, builds the benchmarks, and prints how Tessera's programs compare with
# loops written by hand. The data sets are made once, in TESSERA_BENCHMARK_DIR
# (build/benchmark-data): 11 GB, and 2 GB more while results are written.
#
# usage: cmake/bench.sh [argument of the benchmark]...
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/cmake/install-dependencies.sh" build
configure
build_targets tessera_benchmarks
export TESSERA_BENCHMARK_DIR=${TESSERA_BENCHMARK_DIR:-$root/build/benchmark-data}
exec "$build/benchmarks/tessera_benchmarks" "$@"
