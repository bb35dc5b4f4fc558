// SPDX-License-Identifier: Apache-2.0

/// \file
/// # From maps to time series
///
/// Data come as maps, a chunk for each time; a user wants a series for each place. A rechunk reads
/// and writes both in their own chunks, with as many intermediate copies as its memory needs, and
/// says why.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

using namespace ts::literals;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  ts::spec small = ts::default_spec();
  small.allowed_memory = 2_MB;
  const auto maps =
      ts::random::normal<float>({64, 180, 360}, {.chunks = {1, 180, 360}, .seed = 11});
  ts::store(maps, "data.zarr/maps");

  const auto stored = ts::open<float, 3>("data.zarr/maps", small);
  const auto series = ts::rechunk(stored, {64, 30, 30});
  const auto plan = ts::plan(ts::stored(series, "results.zarr/series"));
  plan.visualize("plan.svg");
  std::cout << plan.explain() << '\n';
  plan.execute();

  /// A series is one chunk now.
  const auto here = ts::open<float, 3>("results.zarr/series")(ts::whole, 90, 180);
  ts::store(here, "results.zarr/here");
  std::cout << "standard deviation at one place: " << ts::stddev(here).compute() << '\n';
}
