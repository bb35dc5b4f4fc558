// SPDX-License-Identifier: Apache-2.0
/// \file
/// Golden programs of folds, scans and stencils.

#include "unit/plan/goldens/golden.hpp"

#include <cstdint>

namespace tessera::test {

namespace {

array<float, 3> open_field(const golden_arrays& in, std::string_view path) {
  return in.open<float, 3>(path, {{500, 361, 720}, {4, 361, 720}}, {{500, 90, 180}, {4, 90, 180}});
}

array<float, 3> open_series(const golden_arrays& in, std::string_view path) {
  return in.open<float, 3>(path, {{1825, 93, 180}, {365, 31, 60}}, {{1825, 24, 45}, {365, 8, 15}});
}

array<double, 2> open_square(const golden_arrays& in) {
  return in.open<double, 2>("square", {{2048, 2048}, {512, 512}, true},
                            {{512, 512}, {128, 128}, true});
}

/// Returns a step of heat on a periodic square.
array<double, 2> step_of(const array<double, 2>& x) {
  return x + 0.1 * (roll(x, 1, axis<0>) + roll(x, -1, axis<0>) + roll(x, 1, axis<1>) +
                    roll(x, -1, axis<1>) - 4.0 * x);
}

}  // namespace

corpus_outputs running_correlation(const golden_arrays& in) {
  const auto u = astype<double>(open_series(in, "u"));
  const auto v = astype<double>(open_series(in, "v"));
  const auto running = [&](const auto& x) {
    return in.part(rolling_mean(in.part(x), 60, axis<0>));
  };
  const auto mean_u = running(u);
  const auto mean_v = running(v);
  const auto variance_u = running(u * u) - mean_u * mean_u;
  const auto variance_v = running(v * v) - mean_v * mean_v;
  const auto covariance = running(u * v) - mean_u * mean_v;
  return outputs_of(in.to_store(astype<float>(covariance / sqrt(variance_u * variance_v)), "r"));
}

corpus_outputs rolling_square(const golden_arrays& in) {
  const auto u = open_field(in, "u");
  return outputs_of(in.to_store(rolling_mean(in.part(u * u), 30, axis<0>), "r"));
}

corpus_outputs heat_step(const golden_arrays& in) {
  return outputs_of(in.to_store(step_of(open_square(in)), "r"));
}

corpus_outputs two_heat_steps(const golden_arrays& in) {
  return outputs_of(in.to_store(step_of(in.part(step_of(open_square(in)))), "r"));
}

corpus_outputs ten_heat_steps(const golden_arrays& in) {
  array<double, 2> x = open_square(in);
  for (int step = 0; step < 9; ++step) x = in.part(step_of(x));
  return outputs_of(in.to_store(step_of(x), "r"));
}

corpus_outputs deviation_and_series(const golden_arrays& in) {
  const auto u = open_field(in, "u");
  return outputs_of(stddev(u, axis<0>), mean(u, axis<1, 2>));
}

corpus_outputs deviation_series_and_mean(const golden_arrays& in) {
  const auto u = open_field(in, "u");
  return outputs_of(stddev(u, axis<0>), mean(u, axis<1, 2>), mean(u));
}

corpus_outputs even_and_odd(const golden_arrays& in) {
  const auto u = open_field(in, "u");
  return outputs_of(mean(in.part(u(slice(0, none, 2))), axis<0>),
                    mean(in.part(u(slice(1, none, 2))), axis<0>));
}

corpus_outputs exceedance(const golden_arrays& in) {
  const auto u = open_field(in, "u");
  const auto high = in.part(quantile(u, 0.9, axis<0>));
  return outputs_of(high, mean(u, axis<0>), sum(astype<float>(u > high), axis<0>));
}

corpus_outputs image_pyramid(const golden_arrays& in) {
  const index_t n = in.pick(2048, 1024);
  const index_t chunk = in.pick(1024, 512);
  const golden_extents extents{{8, n, n}, {1, chunk, chunk}};
  const auto base = in.open<std::uint16_t, 3>("image", extents, extents);
  const auto coarser = [&](const array<float, 3>& x) {
    return in.part(coarsen(op::mean{}, x, {1, 2, 2}));
  };
  const array<float, 3> first = coarser(astype<float>(base));
  const array<float, 3> second = coarser(first);
  const array<float, 3> third = coarser(second);
  const auto pixels = [](const array<float, 3>& x) { return astype<std::uint16_t>(x); };
  return outputs_of(in.to_store(base, "0/x"), in.to_store(pixels(first), "1/x"),
                    in.to_store(pixels(second), "2/x"), in.to_store(pixels(third), "3/x"),
                    in.to_store(pixels(coarser(third)), "4/x"));
}

corpus_outputs weighted_histogram(const golden_arrays& in) {
  const index_t n = in.pick(10'000'000, 1'000'000);
  const auto line = [&](std::string_view path) {
    return in.open<double, 1>(path, {{n}, {n / 20}}, {{n}, {n / 20}});
  };
  const bins some{in.pick(1000, 316), 0, 1};
  return outputs_of(histogram2d(line("x"), line("y"), some, some, weights(line("w"))));
}

corpus_outputs quadratic_means(const golden_arrays& in) {
  const golden_extents full{{182'500, 721, 1440}, {10, 721, 1440}};
  const golden_extents reduced{{182'500, 10, 10}, {10, 10, 10}};
  const auto u = in.open<float, 3>("u", full, reduced);
  const auto v = in.open<float, 3>("v", full, reduced);
  return outputs_of(mean(in.part(u * u), axis<0>), mean(in.part(v * v), axis<0>),
                    mean(in.part(u * v), axis<0>));
}

}  // namespace tessera::test
