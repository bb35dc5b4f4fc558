// SPDX-License-Identifier: Apache-2.0
/// \file
/// Golden programs of products, gathers, transforms and decompositions.

#include "unit/plan/goldens/golden.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace tessera::test {

namespace {

struct points {
  array<float, 2> queries;
  array<float, 2> x;
};

points open_points(const golden_arrays& in) {
  return {in.open<float, 2>("q", {{1000, 16}, {1000, 16}}, {{1000, 16}, {1000, 16}}),
          in.open<float, 2>("x", {{1'000'000, 16}, {50'000, 16}}, {{100'000, 16}, {5000, 16}})};
}

array<std::int64_t, 1> corners(const golden_arrays& in, index_t count, index_t end) {
  std::vector<std::int64_t> numbers;
  for (index_t i = 0; i < count; ++i) numbers.push_back(i * 7919 % end);
  return asarray(numbers, {.spec = in.limits()});
}

}  // namespace

corpus_outputs nearest_distance(const golden_arrays& in) {
  const auto [queries, x] = open_points(in);
  const auto products = in.part(matmul(queries, matrix_transpose(x)));
  return outputs_of(min(products, axis<1>));
}

corpus_outputs nearest_neighbours(const golden_arrays& in) {
  const auto [queries, x] = open_points(in);
  const auto products = in.part(matmul(queries, matrix_transpose(x)));
  const auto squares = in.part(sum(queries * queries, axis<1>, keepdims));
  const auto distances = squares - 2.0F * products + in.part(sum(x * x, axis<1>));
  return outputs_of(in.to_store(argtopk(-distances, 10, axis<1>), "r"));
}

corpus_outputs bootstrap(const golden_arrays& in) {
  const index_t n = in.pick(100'000, 10'000);
  const auto x = in.open<float, 1>("x", {{n}, {n}}, {{n}, {n}});
  const auto draws = random::integers<std::int64_t>(
      0, n, {1000, n}, {.chunks = {10, n}, .spec = in.limits(), .seed = 1});
  return outputs_of(mean(in.part(take(x, draws)), axis<1>));
}

corpus_outputs welch(const golden_arrays& in) {
  const index_t length = in.pick(4096, 1024);
  const auto s = in.open<float, 1>("s", {{8'388'608}, {1'048'576}}, {{2'097'152}, {262'144}});
  std::vector<float> taper;
  for (index_t i = 0; i < length; ++i) {
    taper.push_back(
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                                static_cast<double>(length))));
  }
  const auto segments = sliding_window_view(s, length, axis<0>)(slice(0, none, length / 2)) *
                        asarray(taper, {.spec = in.limits()});
  const auto spectra = in.part(rfft(in.part(segments), axis<1>));
  return outputs_of(in.to_store(mean(square(abs(spectra)), axis<0>), "r"));
}

corpus_outputs phase_correlation(const golden_arrays& in) {
  const index_t n = in.pick(2048, 512);
  const auto frames =
      in.open<std::uint16_t, 3>("frames", {{8, n, n}, {1, n, n}}, {{8, n, n}, {1, n, n}});
  const auto first = in.open<std::uint16_t, 2>("reference", {{n, n}, {n, n}}, {{n, n}, {n, n}});
  const auto spectrum = in.part(fft2(astype<float>(first)));
  const auto cross = in.part(in.part(fft2(astype<float>(frames))) * conj(spectrum));
  const auto correlation = in.part(real(in.part(ifft2(cross / abs(cross)))));
  return outputs_of(argmax(reshape(correlation, {8, n * n}), axis<1>));
}

corpus_outputs sparse_regrid(const golden_arrays& in) {
  const index_t points = in.pick(93 * 180, 24 * 45);
  const index_t cells = in.pick(6000, 375);
  const golden_extents pairs{{cells, 4}, {cells, 4}};
  const auto t =
      in.open<float, 3>("t", {{1825, 93, 180}, {365, 31, 60}}, {{1825, 24, 45}, {365, 8, 15}});
  const auto weights = in.open<float, 2>("weights", pairs, pairs);
  const auto lines = reshape(t, {1825, points});
  const auto values = in.part(take(lines, corners(in, cells * 4, points), axis<1>));
  const array<float, 2> result = sum(reshape(values, {1825, cells, 4}) * weights, axis<2>);
  if (in.is_full()) return outputs_of(in.to_store(result, "r"));
  // Parts apart have more memory, and automatic chunks would be larger.
  return outputs_of(in.to_store(rechunk(result, {365, cells}), "r"));
}

corpus_outputs principal_components(const golden_arrays& in) {
  const auto x = in.open<double, 2>("x", {{200'000, 64}, {10'000, 64}}, {{50'000, 64}, {2500, 64}});
  const auto [u, s, vh] = svd(in.part(x - in.part(mean(x, axis<0>))));
  const auto variance = square(s) / static_cast<double>(x.shape()[0] - 1);
  const slice first(0, 3);
  return outputs_of(in.to_store(vh(first), "components"),
                    in.to_store((u * s)(whole, first), "scores"),
                    in.to_store(variance(first), "variance"));
}

corpus_outputs singular_values(const golden_arrays& in) {
  const auto x = in.open<float, 2>("x", {{15'219, 1825}, {1000, 1825}}, {{3805, 456}, {250, 456}});
  return outputs_of(svdvals(x));
}

}  // namespace tessera::test
