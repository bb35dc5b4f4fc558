// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface of sources far away: a read takes long to begin, and many reads may be in flight.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace tessera {

/// The costs of the requests for chunks of an array.
struct request_cost {
  /// The time until the first byte arrives.
  std::chrono::duration<double> latency{};
  /// The bytes per second of one request.
  bytes bandwidth{};
  /// The greatest useful number of requests of a process in flight.
  std::size_t most_in_flight = 1;
  /// The most bytes of a request.
  std::size_t largest = 0;
  /// The memory that the client keeps for each request in flight.
  std::size_t kept = 0;
};

/// A later read of a task: a box of the array, or one chunk.
struct expected_read {
  /// The elements, or, of a chunk, its position in the grid as start and stop.
  region box;
  bool is_chunk = false;

  [[nodiscard]] bool operator==(const expected_read&) const = default;
};

/// Returns the next read of a task in each call, and nullopt behind the last one.
using expected_reads = std::function<std::optional<expected_read>()>;

/// The memory for encoded chunks in flight: `num_places` places of equal size.
struct ring_memory {
  std::span<std::byte> places;
  std::size_t num_places = 0;
};

/// Reads chunks of one source for one task at a time, with several requests in flight.
///
/// Unexpected reads return the same elements, later. The destructor gives up the requests in
/// flight: no byte of the places is written afterwards.
/// Threads: one.
class chunk_reader {
 public:
  chunk_reader() = default;
  chunk_reader(const chunk_reader&) = delete;
  chunk_reader& operator=(const chunk_reader&) = delete;
  virtual ~chunk_reader() = default;

  /// Begins a task with the reads `expected`, each box by `steps`. Starts the first requests.
  virtual void begin(expected_reads expected, std::span<const index_t> steps) = 0;

  /// As `array_source::read_chunk`.
  [[nodiscard]] virtual bool read_chunk(std::span<const index_t> chunk,
                                        std::span<std::byte> decoded,
                                        std::span<std::byte> encoded) = 0;
  /// As `array_source::read_region`.
  virtual bool read_region(const region& box, std::span<std::byte> into,
                           std::span<std::byte> decoded, std::span<std::byte> encoded,
                           std::span<const index_t> steps, std::span<const index_t> strides) = 0;
};

/// A source in a store that may be far away.
class remote_source {
 public:
  /// Returns the costs of requests, or nullopt if the source is near: it reads by calls then.
  [[nodiscard]] virtual std::optional<request_cost> requests() const = 0;
  /// Returns a reader with a place for each request in flight. The source outlives the reader.
  /// Requires: `requests()` returns costs, of which a place has the `largest`.
  [[nodiscard]] virtual std::unique_ptr<chunk_reader> reader(const ring_memory& memory) const = 0;

 protected:
  ~remote_source() = default;
};

}  // namespace tessera
