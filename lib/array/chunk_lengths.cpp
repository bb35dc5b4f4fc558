// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/chunk_lengths.hpp"

#include "tessera/core/error.hpp"
#include "tessera/expr/layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Chooses the lengths of `chunks` that are 0 so that a chunk has at most `budget` elements.
void choose(index_vector& chunks, const index_vector& shape, const index_vector& unit,
            double budget) {
  std::vector<std::size_t> open;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (chunks[axis] == 0) {
      open.push_back(axis);
    } else {
      budget /= static_cast<double>(chunks[axis]);
    }
  }
  // Short axes first: the rest of the budget goes to the longer ones.
  std::stable_sort(open.begin(), open.end(),
                   [&shape](std::size_t a, std::size_t b) { return shape[a] < shape[b]; });
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::size_t axis = open[i];
    const index_t step = unit.empty() ? 1 : std::max<index_t>(unit[axis], 1);
    const index_t extent = std::max<index_t>(shape[axis], 1);
    const double side = std::pow(std::max(budget, 1.0), 1.0 / static_cast<double>(open.size() - i));
    const auto length = static_cast<index_t>(std::min(side, static_cast<double>(extent)));
    chunks[axis] =
        length >= extent ? extent : std::min(extent, std::max(step, length / step * step));
    budget /= static_cast<double>(chunks[axis]);
  }
}

/// Returns the bytes of a chunk of automatic length. Its transfer takes ten times as long as its
/// request, some of them fit a task, and every codec accepts it: Blosc takes less than 2 GiB.
double automatic_bytes(const spec& limits) {
  constexpr double chunks_in_task = 10;
  constexpr double most = 1e9;
  const costs& figures = limits.costs;
  const double asking =
      figures.wait(1).count() * static_cast<double>(figures.read_bandwidth.count());
  const auto allowed = static_cast<double>(limits.allowed_memory.count());
  const auto reserved = static_cast<double>(limits.reserved_memory.count());
  return std::min({std::max(static_cast<double>(automatic_chunk_bytes), 10 * asking), most,
                   std::max(allowed - reserved, 0.0) / chunks_in_task});
}

}  // namespace

chunk_lengths::chunk_lengths() = default;
chunk_lengths::chunk_lengths(const chunk_lengths& rhs) = default;
chunk_lengths::chunk_lengths(chunk_lengths&& rhs) noexcept = default;
chunk_lengths& chunk_lengths::operator=(const chunk_lengths& rhs) = default;
chunk_lengths& chunk_lengths::operator=(chunk_lengths&& rhs) noexcept = default;
chunk_lengths::~chunk_lengths() = default;

chunk_lengths::chunk_lengths(automatic_t) {}
chunk_lengths::chunk_lengths(whole_t) : for_all_(whole) {}
chunk_lengths::chunk_lengths(std::initializer_list<chunk_length> lengths)
    : given_(true), lengths_(lengths) {}
chunk_lengths::chunk_lengths(std::vector<chunk_length> lengths)
    : given_(true), lengths_(std::move(lengths)) {}

chunk_lengths chunk_lengths::for_all(chunk_length length) {
  chunk_lengths lengths;
  lengths.for_all_ = length;
  return lengths;
}

index_vector chunk_lengths::resolve(std::string_view function, const index_vector& shape,
                                    std::size_t item_size, const spec& limits,
                                    const index_vector& unit) const {
  if (given_ && lengths_.size() != shape.size()) {
    throw shape_error(
        fmt::format("{}: {} chunk lengths are given for an array of shape {}; give "
                    "one for each of its {} axes",
                    function, lengths_.size(), format_shape(shape), shape.size()));
  }
  index_vector chunks(shape.size(), 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const chunk_length& given = given_ ? lengths_[axis] : for_all_;
    const index_t extent = std::max<index_t>(shape[axis], 1);
    if (given.length_kind() == chunk_length::kind::automatic) continue;
    chunks[axis] = given.length_kind() == chunk_length::kind::whole ? extent : given.length();
    if (chunks[axis] < 1) {
      throw value_error(
          fmt::format("{}: the chunk length of axis {} is {}; it must be at least 1, "
                      "tessera::whole or tessera::automatic",
                      function, axis, chunks[axis]));
    }
    chunks[axis] = std::min(chunks[axis], extent);
  }
  choose(chunks, shape, unit, automatic_bytes(limits) / static_cast<double>(item_size));
  return chunks;
}

}  // namespace tessera
