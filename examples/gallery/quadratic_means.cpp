// SPDX-License-Identifier: Apache-2.0

/// \file
/// # Energy of a wind
///
/// The means of `u * u`, `v * v` and `u * v` over time. They share one pass over both winds, with
/// sums in blocks of the memory of a task.
#include <cstdint>
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto wind = [](std::uint64_t seed, double phase) {
    const auto noise =
        ts::random::normal<float>({120, 61, 120}, {.chunks = {20, 61, 120}, .seed = seed});
    const auto day = ts::arange<float>(120.0F)(ts::whole, ts::newaxis, ts::newaxis);
    const auto east = ts::arange<float>(120.0F) * 0.0523599F;
    return 10 * ts::sin(5 * east - 0.3 * day + phase) + noise;
  };
  ts::store(ts::stored(wind(13, 0.0), "data.zarr/u"), ts::stored(wind(14, 0.5), "data.zarr/v"));

  const auto u = ts::open<float, 3>("data.zarr/u");
  const auto v = ts::open<float, 3>("data.zarr/v");
  const auto plan = ts::plan(ts::stored(ts::mean(u * u, ts::axis<0>), "results.zarr/uu"),
                             ts::stored(ts::mean(v * v, ts::axis<0>), "results.zarr/vv"),
                             ts::stored(ts::mean(u * v, ts::axis<0>), "results.zarr/uv"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  const auto [uu, vv, uv] = plan.compute();
  std::cout << "mean energy " << ts::mean((uu + vv) / 2.0F).compute() << ", flux "
            << ts::mean(uv).compute() << '\n';
}
