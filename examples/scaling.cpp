// SPDX-License-Identifier: Apache-2.0

/// \file
/// A scaling study of quadratic means: measured on threads, simulated on clusters.
/// `scaling --benchmark_filter=simulated` runs the simulated points alone.

#include <tessera/benchmark/scaling_study.hpp>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  ts::scaling_study study("quadratic means", [](const ts::study_point& p) {
    const auto u = p.input<float, 3>("u", {100 * p.scale(), 181, 360}, {.chunks = {10, 181, 360}});
    const auto v = p.input<float, 3>("v", {100 * p.scale(), 181, 360}, {.chunks = {10, 181, 360}});
    return p.plan(ts::mean(u * u, ts::axis<0>), ts::mean(v * v, ts::axis<0>),
                  ts::mean(u * v, ts::axis<0>));
  });
  study.strong({1, 2, 4}, {.scale = 4})
      .weak({1, 2, 4})
      .simulated({10, 100, 1'000, 10'000, 100'000});
  return ts::run_studies(argc, argv);
}
