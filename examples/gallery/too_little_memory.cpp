// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A plan that is refused
///
/// The memory of each task is known before the first byte is read. A plan that needs more than it
/// is allowed is refused with the reason; smaller chunks are the remedy, and the error says so.
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

using namespace ts::literals;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto x = ts::random::normal({1'000, 1'000}, {.chunks = {50, 1'000}, .seed = 18});
  ts::store(x, "data.zarr/large", {.chunks = {1'000, 1'000}});
  ts::store(x, "data.zarr/small");

  /// A chunk of 8 MB is decoded as a whole, and a task may take 4 MB.
  ts::spec tight = ts::default_spec();
  tight.allowed_memory = 4_MB;
  try {
    std::cout << ts::max(ts::open<double, 2>("data.zarr/large", tight)).compute() << '\n';
  } catch (const ts::memory_error& refused) {
    std::cout << "refused: " << refused.what() << "\n\n";
  }

  /// Chunks of 400 kB fit.
  const auto small = ts::open<double, 2>("data.zarr/small", tight);
  const auto plan = ts::plan(ts::stored(ts::max(small, ts::axis<0>), "results.zarr/greatest"));
  plan.visualize("plan.svg");
  std::cout << plan << '\n';
  plan.execute();
}
