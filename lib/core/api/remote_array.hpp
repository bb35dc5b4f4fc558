// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface of arrays far away: a request takes long to begin, and many may be in flight.

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
  /// Whether writes may be in flight, too.
  bool has_writes = false;
  /// Whether reads of boxes may be in flight, too; else reads of whole chunks alone.
  bool has_boxes = true;
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

/// Writes chunks of one array, with several requests in flight.
///
/// The destructor waits for the requests in flight and ignores their failures.
/// Threads: one.
class chunk_writer {
 public:
  chunk_writer() = default;
  chunk_writer(const chunk_writer&) = delete;
  chunk_writer& operator=(const chunk_writer&) = delete;
  virtual ~chunk_writer() = default;

  /// As `array_sink::write_chunk`, except that a failure may be thrown by a later call. The buffers
  /// are free when it returns.
  virtual void write_chunk(std::span<const index_t> chunk, const std::byte* data,
                           std::span<std::byte> encoded, std::span<std::byte> scratch) = 0;
  /// Waits until all chunks are written. Throws the first failure.
  virtual void finish() = 0;
};

/// An array in a store that may be far away.
class remote_array {
 public:
  /// Returns the costs of requests, or nullopt if the array is near: it is read and written by
  /// calls then.
  [[nodiscard]] virtual std::optional<request_cost> requests() const = 0;

 protected:
  ~remote_array() = default;
};

/// An array that may be far away, and that tasks read and write. It outlives readers and writers.
class remote_port : public remote_array {
 public:
  /// Returns a reader with a place for each request in flight.
  /// Requires: `requests()` returns costs, of which a place has the `largest`.
  [[nodiscard]] virtual std::unique_ptr<chunk_reader> reader(const ring_memory& memory) const = 0;
  /// Returns a writer with a place for each request in flight.
  /// Requires: as above, and `has_writes`.
  [[nodiscard]] virtual std::unique_ptr<chunk_writer> writer(const ring_memory& memory) const = 0;

 protected:
  ~remote_port() = default;
};

}  // namespace tessera
