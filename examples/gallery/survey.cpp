// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Counts and groups of a survey
///
/// Answers of a survey are numbers of categories: how many gave each answer, and the mean income of
/// each region, by groups.
#include <cstdint>
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  constexpr ts::index_t people = 50'000;
  const auto region =
      ts::random::integers<std::int32_t>(0, 5, {people}, {.chunks = {5'000}, .seed = 15});
  const auto income =
      ts::random::lognormal({people}, {.chunks = {5'000}, .seed = 16, .mean = 10, .stddev = 0.5});
  ts::store(ts::stored(region, "data.zarr/region"),
            ts::stored(income * (1 + 0.1 * region), "data.zarr/income"));

  const auto regions = ts::open<std::int32_t, 1>("data.zarr/region");
  const auto incomes = ts::open<double, 1>("data.zarr/income");
  const auto plan =
      ts::plan(ts::stored(ts::bincount(regions, 5), "results.zarr/people"),
               ts::stored(ts::groupby_reduce(incomes, regions, ts::op::mean{}, 5, ts::axis<0>),
                          "results.zarr/mean"),
               ts::stored(ts::quantile(incomes, {0.1, 0.5, 0.9}), "results.zarr/deciles"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [counts, means, deciles] = plan.compute();
  std::cout << "people of each region:\n"
            << counts.compute() << "\nmean incomes:\n"
            << means.compute() << "\na tenth earns less than, a half, a tenth more than:\n"
            << deciles.compute() << '\n';
}
