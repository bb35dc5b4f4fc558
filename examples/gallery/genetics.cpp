// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Populations in genotypes
///
/// Genotypes of 400 people at 2,000 loci of the genome: 0, 1 or 2 copies of an allele. The program
/// computes frequencies, the excess over the heterozygosity of the Hardy-Weinberg law, and the
/// first principal component, which separates the two populations of the people.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto person = ts::arange<ts::index_t>(400, {.chunks = {100}})(ts::whole, ts::newaxis);
  const auto locus = ts::arange(2'000.0, {.chunks = {500}});
  const auto is_second = person >= 200;
  const auto p = 0.5 + ts::where(is_second, 0.15, -0.15) * ts::sin(locus);
  const auto chance = [](std::uint64_t seed) {
    return ts::random::uniform({400, 2'000}, {.chunks = {100, 500}, .seed = seed});
  };
  const auto copies =
      ts::astype<std::int8_t>(chance(5) < p) + ts::astype<std::int8_t>(chance(6) < p);
  ts::store(ts::astype<std::int8_t>(copies), "data.zarr/genotypes");

  const auto g = ts::astype<double>(ts::open<std::int8_t, 2>("data.zarr/genotypes"));
  const auto frequency = ts::mean(g, ts::axis<0>) / 2.0;
  const auto expected = 2 * frequency * (1 - frequency);
  const auto observed = ts::mean(ts::astype<double>(g == 1.0), ts::axis<0>);

  /// Components are eigenvectors of the relationship of people, a product of 400 x 400.
  const auto z = (g - 2 * frequency) / ts::sqrt(expected);
  const auto relationship = ts::matmul(z, ts::matrix_transpose(z)) / 2'000.0;
  const auto [variances, axes] = ts::eigh(ts::rechunk(relationship, {400, 400}));
  const auto plan = ts::plan(ts::stored(frequency, "results.zarr/frequency"),
                             ts::stored(observed - expected, "results.zarr/excess"),
                             ts::stored(axes(ts::whole, -1), "results.zarr/component"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  plan.execute();
  const auto component = ts::open<double, 1>("results.zarr/component");
  const double first = ts::mean(component(ts::slice(0, 200))).compute();
  const double second = ts::mean(component(ts::slice(200, 400))).compute();
  std::cout << "the populations lie " << std::abs(second - first) << " apart on the first axis\n";
}
