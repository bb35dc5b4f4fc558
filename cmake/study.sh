#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the scaling studies of five programs (quadratic means, anomaly, rechunk, matmul,
# group-by): measured on 1 to as many threads as there are cores, simulated to 100,000 workers with
# the figures of an object store. Tables and plots are in build/study, a folder for each program;
# build/study/published.md has two cases that Cubed has published, simulated.
#
# usage: cmake/study.sh [argument of scaling_studies]...
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/cmake/install-dependencies.sh" build
configure
build_targets scaling_studies

folder=$root/build/study
workers=1
for ((count = 2; count <= $(nproc); count *= 2)); do
  workers+=,$count
done

mkdir -p "$folder"
studies=$build/benchmarks/scaling_studies
"$studies" --workers="$workers" --study_out="$folder" "$@"
"$studies" --published="$folder/data/published" | tee "$folder/published.md"
