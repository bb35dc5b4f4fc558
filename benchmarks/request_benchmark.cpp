// SPDX-License-Identifier: Apache-2.0

/// \file
/// Reads in flight to a store: values of 4 KiB and of 1 MiB.
///
/// The store is that of the location in TESSERA_BENCHMARK_STORE, as "s3+http://host/bucket/folder".
/// Values that are missing are written first. A server of files that takes no writes can have them
/// from a run on a directory.

#include "tessera/store/open_store.hpp"

#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

std::shared_ptr<ts::key_value_store> store_of_environment() {
  const char* const location = std::getenv("TESSERA_BENCHMARK_STORE");
  if (location == nullptr) throw std::runtime_error("TESSERA_BENCHMARK_STORE is not set");
  return ts::open_store(location);
}

/// Values of one size, under the keys "<size>/<number>".
class values {
 public:
  values(ts::key_value_store& store, std::size_t size) : size_(size) {
    const std::vector<std::byte> value(size, std::byte{42});
    for (std::size_t i = 0; i < count; ++i) {
      if (store.size(key(i)) != size) store.write(key(i), value);
    }
  }

  [[nodiscard]] std::string key(std::size_t i) const {
    return std::to_string(size_) + "/" + std::to_string(i % count);
  }

 private:
  static constexpr std::size_t count = 64;

  std::size_t size_;
};

/// Reads of values of a size, with a number of them in flight: `state.range(1)`.
void read(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto in_flight = static_cast<std::size_t>(state.range(1));
  const std::shared_ptr<ts::key_value_store> store = store_of_environment();
  const values stored(*store, size);
  // Reads in flight write into the buffers until the queue is gone.
  std::vector<std::vector<std::byte>> buffers(in_flight, std::vector<std::byte>(size));
  const std::unique_ptr<ts::read_queue> queue = store->reads();
  if (queue == nullptr) return state.SkipWithError("the store reads by calls alone");
  std::deque<std::size_t> tickets;
  std::size_t next = 0;
  const auto submit = [&] {
    tickets.push_back(queue->submit({stored.key(next), {}, buffers[next % in_flight]}));
    ++next;
  };
  while (tickets.size() < in_flight) submit();
  for (auto iteration : state) {
    static_cast<void>(iteration);
    const auto part = queue->wait(tickets.front());
    tickets.pop_front();
    if (!part || part->size != size) return state.SkipWithError("a value is missing");
    submit();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

BENCHMARK(read)
    ->ArgNames({"bytes", "in_flight"})
    ->ArgsProduct({{4 * kib, mib}, {1, 16, 64}})
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
