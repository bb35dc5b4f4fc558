// SPDX-License-Identifier: Apache-2.0
#include "kernel/take_cursor.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <string>

namespace tessera::detail {
namespace {

constexpr index_t most_in_short = std::numeric_limits<std::uint32_t>::max();

template <class I>
I read_as(const std::byte* at) {
  I value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Returns an index. An index beyond `index_t` becomes the greatest `index_t`, also out of range.
index_t read_index(const std::byte* at, dtype type) {
  switch (type) {
    case dtype::int64:
      return read_as<std::int64_t>(at);
    case dtype::int32:
      return read_as<std::int32_t>(at);
    case dtype::int16:
      return read_as<std::int16_t>(at);
    case dtype::int8:
      return read_as<std::int8_t>(at);
    case dtype::uint32:
      return read_as<std::uint32_t>(at);
    case dtype::uint16:
      return read_as<std::uint16_t>(at);
    case dtype::uint8:
      return read_as<std::uint8_t>(at);
    default:
      return static_cast<index_t>(
          std::min<std::uint64_t>(read_as<std::uint64_t>(at), std::numeric_limits<index_t>::max()));
  }
}

/// Returns the number of the step, of `lengths` along the axes, that contains `element`.
index_t number_of_step(const index_vector& element, const index_vector& lengths,
                       const index_vector& steps) {
  index_t number = 0;
  for (std::size_t g = 0; g < element.size(); ++g) {
    number = number * steps[g] + element[g] / lengths[g];
  }
  return number;
}

}  // namespace

std::size_t take_cursor::workspace(index_t num_entries, index_t num_steps, std::size_t num_axes) {
  if (num_steps <= 1) return 0;
  const std::size_t entry_bytes =
      num_entries <= most_in_short ? sizeof(std::uint32_t) : sizeof(index_t);
  return (num_axes + static_cast<std::size_t>(num_steps) + 1) * sizeof(index_t) +
         static_cast<std::size_t>(num_entries) * entry_bytes;
}

take_cursor::take_cursor(const block_call& call, const taken_elements& spec)
    : call_(call), spec_(spec), indices_(spec.indices.size()), element_(spec.num_axes) {
  const block_output& out = call.outputs[0];
  const block_input& in = call.inputs[0];
  const std::size_t last = spec.first_listed + spec.num_listed;
  for (std::size_t k = spec.first_listed; k < last; ++k) listed_.push_back(out.extents[k]);
  num_entries_ = num_elements(listed_);
  if (spec.num_listed > 0) {
    row_length_ = listed_.back();
    to_.stride = out.strides[last - 1];
    from_.stride = in.strides[last - 1];
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      indices_[i].stride = call.inputs[1 + i].strides[last - 1];
    }
  }
  index_vector start;
  for (std::size_t g = 0; g < spec.num_axes; ++g) {
    extents_.push_back(spec.shape[spec.first_axis + g]);
    lengths_.push_back(in.extents[out.extents.size() + g]);
    start.push_back(in.start[out.extents.size() + g]);
  }
  end_ = num_entries_;
  if (!call.workspace.empty()) go_to_step(start);
}

void take_cursor::go_to_step(const index_vector& start) {
  auto* const numbers = static_cast<index_t*>(static_cast<void*>(call_.workspace.data()));
  const bool is_first =
      std::all_of(start.begin(), start.end(), [](index_t position) { return position == 0; });
  // The last step along an axis may be shorter, so that lengths are kept from the first step.
  if (is_first) std::copy(lengths_.begin(), lengths_.end(), numbers);
  std::copy_n(numbers, lengths_.size(), lengths_.begin());
  for (std::size_t g = 0; g < spec_.num_axes; ++g) {
    steps_.push_back(ceil_divide(extents_[g], lengths_[g]));
  }
  index_t* const starts = numbers + lengths_.size();
  const index_t num_steps = num_elements(steps_);
  void* const order = starts + num_steps + 1;
  if (num_entries_ > most_in_short) {
    long_order_ = static_cast<index_t*>(order);
  } else {
    order_ = static_cast<std::uint32_t*>(order);
  }
  if (is_first) put_in_order({starts, static_cast<std::size_t>(num_steps) + 1});
  const index_t step = number_of_step(start, lengths_, steps_);
  at_ = starts[step];
  end_ = starts[step + 1];
  row_start_ = -1;
}

void take_cursor::put_in_order(std::span<index_t> starts) {
  std::fill(starts.begin(), starts.end(), 0);
  for (index_t entry = 0; entry < num_entries_; ++entry) {
    seek(entry);
    ++starts[static_cast<std::size_t>(number_of_step(element_, lengths_, steps_)) + 1];
  }
  for (std::size_t step = 1; step < starts.size(); ++step) starts[step] += starts[step - 1];
  for (index_t entry = 0; entry < num_entries_; ++entry) {
    seek(entry);
    const auto step = static_cast<std::size_t>(number_of_step(element_, lengths_, steps_));
    const index_t slot = starts[step]++;
    if (long_order_ != nullptr) {
      long_order_[slot] = entry;
    } else {
      order_[slot] = static_cast<std::uint32_t>(entry);
    }
  }
  // Each start is now the start of the next step.
  std::copy_backward(starts.begin(), starts.end() - 1, starts.end());
  starts.front() = 0;
}

std::size_t take_cursor::next(std::span<index_t> to, std::span<index_t> from) {
  const block_input& in = call_.inputs[0];
  const std::size_t rank = call_.outputs[0].extents.size();
  const auto num_left = static_cast<std::size_t>(end_ - at_);
  const std::size_t count = std::min(num_left, to.size());
  for (std::size_t i = 0; i < count; ++i) {
    seek(entry_at(at_++));
    to[i] = to_.first + column_ * to_.stride;
    from[i] = from_.first + column_ * from_.stride;
    for (std::size_t g = 0; g < element_.size(); ++g) {
      from[i] += (element_[g] - in.start[rank + g]) * in.strides[rank + g];
    }
  }
  return count;
}

void take_cursor::seek(index_t entry) {
  column_ = entry - row_start_;
  if (row_start_ < 0 || column_ < 0 || column_ >= row_length_) {
    begin_row(entry / row_length_);
    column_ = entry - row_start_;
  }
  if (indices_.size() == element_.size()) {
    for (std::size_t g = 0; g < element_.size(); ++g) element_[g] = checked(g, extents_[g]);
    return;
  }
  index_t number = checked(0, num_elements(extents_));
  for (std::size_t g = element_.size(); g-- > 0;) {
    element_[g] = number % extents_[g];
    number /= extents_[g];
  }
}

void take_cursor::begin_row(index_t row) {
  row_start_ = row * row_length_;
  to_.first = from_.first = 0;
  for (row_cursor& cursor : indices_) cursor.first = 0;
  for (std::size_t k = spec_.num_listed; k-- > 1;) {
    const std::size_t axis = spec_.first_listed + k - 1;
    const index_t position = row % listed_[k - 1];
    row /= listed_[k - 1];
    to_.first += position * call_.outputs[0].strides[axis];
    from_.first += position * call_.inputs[0].strides[axis];
    for (std::size_t i = 0; i < indices_.size(); ++i) {
      indices_[i].first += position * call_.inputs[1 + i].strides[axis];
    }
  }
}

const std::byte* take_cursor::data_of_index(std::size_t operand) const {
  const row_cursor& cursor = indices_[operand];
  return call_.inputs[1 + operand].data + cursor.first + column_ * cursor.stride;
}

index_t take_cursor::checked(std::size_t operand, index_t extent) const {
  const index_t given = read_index(data_of_index(operand), spec_.indices[operand]);
  const index_t index = given < 0 ? given + extent : given;
  if (index < 0 || index >= extent) refuse(operand, given, extent);
  return index;
}

void take_cursor::refuse(std::size_t operand, index_t given, index_t extent) const {
  index_vector position(listed_.size());
  index_t entry = row_start_ + column_;
  for (std::size_t k = listed_.size(); k-- > 0;) {
    position[k] = entry % listed_[k] + call_.outputs[0].start[spec_.first_listed + k];
    entry /= listed_[k];
  }
  const std::string axes_text = indices_.size() == element_.size()
                                    ? fmt::format("axis {}", spec_.first_axis + operand)
                                    : std::string("the elements");
  const bool is_beyond = given == std::numeric_limits<index_t>::max();
  const std::string index = is_beyond && spec_.indices[operand] == dtype::uint64
                                ? std::to_string(read_as<std::uint64_t>(data_of_index(operand)))
                                : std::to_string(given);
  throw shape_error(fmt::format(
      "{}: index {}, at {} of the indices, is out of range for {} of an array of shape {}; it must "
      "be in [{}, {})",
      spec_.function, index, format_shape(position), axes_text, format_shape(spec_.shape), -extent,
      extent));
}

}  // namespace tessera::detail
