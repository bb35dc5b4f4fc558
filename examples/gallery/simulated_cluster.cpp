// SPDX-License-Identifier: Apache-2.0

/// \file
/// # A run on a cluster that is not there
///
/// A plan is simulated before nodes are asked for: the same scheduler, a virtual clock, no data.
/// Here the anomaly of 75 GB runs on 1 to 1,000 workers, each of which reads and writes 200 MB a
/// second after 30 milliseconds.
#include <chrono>
#include <iostream>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

using namespace ts::literals;
using namespace std::literals;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  const auto u =
      ts::random::normal<float>({10'000, 987, 1'920}, {.chunks = {10, 987, 1'920}, .seed = 12});
  const auto anomaly = u - ts::mean(u, ts::axis<0>, ts::keepdims);
  const auto plan = ts::plan(ts::stored(anomaly, "results.zarr/anomaly"));
  std::cout << plan << '\n';

  std::vector<double> seconds;
  for (const std::size_t workers : {1, 10, 100, 1'000}) {
    const auto report =
        ts::simulate(plan, {.workers = workers, .latency = 30ms, .bandwidth = 200_MB, .seed = 1});
    seconds.push_back(std::chrono::duration<double>(report.elapsed).count());
    std::cout << workers << " workers: " << seconds.back() << " s, busy "
              << 100 * report.utilisation() << " % of it\n";
  }
  ts::store(ts::asarray(seconds), "results.zarr/seconds");
}
