// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The reads of a stored array by a task: one after the other, or several in flight.

#include "tessera/core/array_source.hpp"
#include "tessera/core/region.hpp"

#include "core/api/remote_array.hpp"
#include "plan/api/planned.hpp"
#include "task/live_array.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace tessera {

/// Reads the array of a window in buffers of the task's schedule. If the plan gives the window a
/// ring, the next reads of the task are in flight.
class chunk_port {
 public:
  chunk_port(const planned_operation& planned, const planned_window& window,
             const live_array& array, std::span<std::byte> memory);

  [[nodiscard]] bool has_ring() const { return reader_ != nullptr; }

  /// Begins a task that makes the reads `expected`, each box by `steps`. Requires: there is a ring.
  void begin(expected_reads expected, std::span<const index_t> steps);

  /// As `array_source::read_chunk`.
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded);
  /// As `array_source::read_region`.
  bool read_region(const region& box, std::span<std::byte> into, std::span<const index_t> steps,
                   std::span<const index_t> strides);

 private:
  const array_source* source_;
  std::span<std::byte> encoded_;
  /// The buffer of a decoded chunk.
  std::span<std::byte> chunk_;
  std::unique_ptr<chunk_reader> reader_;
};

}  // namespace tessera
