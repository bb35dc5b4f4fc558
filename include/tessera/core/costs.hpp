// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The costs of reading, writing and computing: the figures by which plans are chosen.

#include "tessera/core/bytes.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace tessera {

/// The costs of one worker's work, and the number of workers. Plans are chosen by these figures
/// rather than by measurements of a machine, so that they are the same everywhere.
///
/// Example: `ts::spec{.costs = ts::costs::object_store()}`, or in own figures
/// `{.read_bandwidth = 400_MB, .write_bandwidth = 200_MB, .latency = 5ms}`.
struct costs {
  using seconds = std::chrono::duration<double>;

  /// Bytes in a second that one worker reads from storage and writes to it, decoded.
  bytes read_bandwidth{1'000'000'000};
  bytes write_bandwidth{1'000'000'000};
  /// From a request until its first byte: a request for each chunk that is read or written.
  seconds latency{1e-4};
  /// The requests that a task keeps on their way at once.
  std::size_t requests_in_flight = 1;
  /// Bytes in a second that the storage moves for all workers together; not set: no limit.
  std::optional<bytes> total_bandwidth = std::nullopt;
  /// Bytes in a second that one worker reads from memory or writes to it.
  bytes memory_bandwidth{8'000'000'000};
  /// One step of a program, as an addition, on one element.
  seconds element_step{0.25e-9};
  /// The fixed cost of a task.
  seconds task{2e-6};
  /// The number of workers that plans are made for. Not set: as many as the executor has, or
  /// `many_workers` if a plan is made for no executor.
  std::optional<std::size_t> workers = std::nullopt;

  static constexpr std::size_t many_workers = 64;

  /// Returns how many workers these figures are for.
  [[nodiscard]] constexpr std::size_t num_workers() const { return workers.value_or(many_workers); }

  /// Returns the costs of a local file system, or one that many hosts share: the default.
  [[nodiscard]] static constexpr costs file_system() { return {}; }
  /// Returns the costs of an object store, as S3 is, in the same data centre.
  [[nodiscard]] static constexpr costs object_store() {
    return {.read_bandwidth = bytes{100'000'000},
            .write_bandwidth = bytes{100'000'000},
            .latency = seconds{20e-3}};
  }

  /// Returns these figures; members with their default values are taken from `fallback`.
  [[nodiscard]] costs or_else(const costs& fallback) const;

  /// Returns the time in which one worker reads `size` bytes of storage, or writes them, with
  /// `num_requests` requests.
  [[nodiscard]] constexpr seconds to_read(double size, double num_requests) const {
    return seconds{size / static_cast<double>(read_bandwidth.count())} + wait(num_requests);
  }
  [[nodiscard]] constexpr seconds to_write(double size, double num_requests) const {
    return seconds{size / static_cast<double>(write_bandwidth.count())} + wait(num_requests);
  }
  /// Returns the time that one worker waits for that many first bytes.
  [[nodiscard]] constexpr seconds wait(double num_requests) const {
    return latency * (num_requests / static_cast<double>(requests_in_flight));
  }

  [[nodiscard]] bool operator==(const costs&) const = default;
};

/// Throws value_error <- a bandwidth or a count is zero, or a time is negative or not a number.
void check_costs(const costs& figures);

/// Returns the figures in a line: "reads 1.0 GB/s, writes 1.0 GB/s, latency 100 us, ...".
[[nodiscard]] std::string format(const costs& figures);

}  // namespace tessera
