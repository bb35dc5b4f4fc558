// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where the arrays of a plan are while it runs.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/plan/planned.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace tessera {

/// Where an array of a plan is while the plan runs: in memory, in storage, or nowhere (generated).
struct live_array {
  const planned_array* planned = nullptr;
  std::shared_ptr<std::byte[]> elements;
  /// The first element that is in this process's memory.
  const std::byte* data = nullptr;
  /// In elements; of arrays in memory.
  index_vector strides;
  /// What is here of an array in the memory of several processes; null: all of it.
  const region* here = nullptr;
  /// What is in storage: to read it, and to write it where this plan makes it.
  std::shared_ptr<const array_source> source;
  std::shared_ptr<const array_sink> sink;
};

/// Writes copies of the fill value of `array` all over `chunk`.
inline void fill_chunk(std::span<std::byte> chunk, const array_source& array) {
  const std::size_t itemsize = array.type().size();
  const std::array<index_t, 1> count{static_cast<index_t>(chunk.size() / itemsize)};
  detail::strided_fill(chunk.data(), std::array<index_t, 1>{1}, count, array.fill().data(),
                       itemsize);
}

}  // namespace tessera
