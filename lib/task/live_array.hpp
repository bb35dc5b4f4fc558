// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays of a plan during a run.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/core/strided_copy.hpp"

#include "plan/api/planned.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace tessera {

/// An array of a plan during a run: in memory, in storage, or generated.
struct live_array {
  const planned_array* planned = nullptr;
  std::shared_ptr<std::byte[]> elements;
  /// The first element in the memory of this process.
  const std::byte* data = nullptr;
  /// The strides of an array in memory, in elements.
  index_vector strides;
  /// The part in this process of an array in the memory of several processes; nullptr: all of it.
  const region* here = nullptr;
  /// The stored array; the sink if this plan computes it.
  std::shared_ptr<const array_source> source;
  std::shared_ptr<const array_sink> sink;
};

/// Fills `chunk` with the fill value of `array`.
inline void fill_chunk(std::span<std::byte> chunk, const array_source& array) {
  const std::size_t itemsize = array.type().size();
  const std::array<index_t, 1> count{static_cast<index_t>(chunk.size() / itemsize)};
  detail::strided_fill(chunk.data(), std::array<index_t, 1>{1}, count, array.fill().data(),
                       itemsize);
}

}  // namespace tessera
