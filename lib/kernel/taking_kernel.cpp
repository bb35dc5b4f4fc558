// SPDX-License-Identifier: Apache-2.0
/// \file
/// The kernel that takes elements of an array at the indices in other arrays.
///
/// Problem: the indices of a block lead anywhere into an array that is read in steps. A search for
/// the indices of each step would cost the number of steps times the number of indices.
///
/// Idea: `take_cursor` sorts the indices by the step of their element, once for each task. A step
/// then copies the elements of its own range of the order, a run of contiguous elements each.
///
/// Invariant: each index is copied in exactly one step; one that is out of range is an error before
/// any element is copied.
/// Reference: counting sort, Knuth, "The Art of Computer Programming", volume 3, 5.2.

#include "tessera/kernel/taking_kernel.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/api/parameters_fit.hpp"
#include "kernel/take_cursor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

using detail::take_cursor;

const taken_elements& taken_in(const void* parameters) {
  return *static_cast<const taken_elements*>(parameters);
}

/// Copies elements of `Size` bytes, of which each lies at its offset.
template <std::size_t Size>
void copy_each(std::byte* to, const std::byte* from, std::span<const index_t> to_offsets,
               const index_t* from_offsets) {
  for (std::size_t i = 0; i < to_offsets.size(); ++i) {
    std::memcpy(to + to_offsets[i], from + from_offsets[i], Size);
  }
}

/// The elements of one index: all along the axes of the result behind the axes of indices.
class taken_run {
 public:
  taken_run(const block_call& call, std::size_t first, std::size_t itemsize)
      : itemsize_(itemsize), size_(itemsize) {
    const block_output& out = call.outputs[0];
    const index_vector& from = call.inputs[0].strides;
    const auto item = static_cast<index_t>(itemsize);
    for (std::size_t k = first; k < out.extents.size(); ++k) {
      extents_.push_back(out.extents[k]);
      to_.push_back(out.strides[k] / item);
      from_.push_back(from[k]);
    }
    for (std::size_t k = extents_.size(); k-- > 0;) {
      const auto dense = static_cast<index_t>(size_);
      if (extents_[k] != 1 && (to_[k] * item != dense || from_[k] != dense)) is_dense_ = false;
      size_ *= static_cast<std::size_t>(extents_[k]);
    }
  }

  void copy(std::byte* to, const std::byte* from, std::span<const index_t> to_offsets,
            const index_t* from_offsets) const {
    if (is_dense_) {
      if (size_ == 1) return copy_each<1>(to, from, to_offsets, from_offsets);
      if (size_ == 2) return copy_each<2>(to, from, to_offsets, from_offsets);
      if (size_ == 4) return copy_each<4>(to, from, to_offsets, from_offsets);
      if (size_ == 8) return copy_each<8>(to, from, to_offsets, from_offsets);
      if (size_ == 16) return copy_each<16>(to, from, to_offsets, from_offsets);
    }
    for (std::size_t i = 0; i < to_offsets.size(); ++i) {
      if (is_dense_) {
        std::memcpy(to + to_offsets[i], from + from_offsets[i], size_);
      } else {
        detail::strided_gather(to + to_offsets[i], to_, from + from_offsets[i], from_, extents_,
                               itemsize_);
      }
    }
  }

 private:
  std::size_t itemsize_;
  /// In bytes.
  std::size_t size_;
  bool is_dense_ = true;
  index_vector extents_;
  /// Strides, in elements and in bytes.
  index_vector to_;
  index_vector from_;
};

void run_taking(const block_call& call) {
  constexpr std::size_t batch = 256;
  const taken_elements& spec = taken_in(call.parameters);
  const block_output& out = call.outputs[0];
  const block_input& in = call.inputs[0];
  if (num_elements(out.extents) == 0) return;
  const taken_run run(call, spec.first_listed + spec.num_listed, size_of(spec.type));
  const std::span in_front = std::span(out.extents).first(spec.first_listed);
  std::array<index_t, batch> to{};
  std::array<index_t, batch> from{};
  take_cursor cursor(call, spec);
  while (const std::size_t count = cursor.next(to, from)) {
    index_vector position(in_front.size());
    do {
      run.copy(out.data + offset_of(position, out.strides),
               in.data + offset_of(position, in.strides), std::span(to).first(count), from.data());
    } while (next_position(position, in_front));
  }
}

/// Returns the number of steps in which the array is read.
index_t num_steps_of(const taken_elements& spec, const block_shapes& of) {
  index_t num_steps = 1;
  for (std::size_t g = 0; g < spec.num_axes; ++g) {
    num_steps *=
        ceil_divide(spec.shape[spec.first_axis + g], of.inputs[0][of.outputs[0].size() + g]);
  }
  return num_steps;
}

std::size_t workspace_of_taking(const block_shapes& of) {
  const taken_elements& spec = taken_in(of.parameters);
  index_t num_entries = 1;
  for (std::size_t k = 0; k < spec.num_listed; ++k) {
    num_entries *= of.outputs[0][spec.first_listed + k];
  }
  return take_cursor::workspace(num_entries, num_steps_of(spec, of), spec.num_axes);
}

/// All steps together look at each index three times, and copy each element.
double work_of_taking(const block_shapes& of) {
  const auto elements = static_cast<double>(num_elements(of.outputs[0]));
  return 4 * elements / static_cast<double>(num_steps_of(taken_in(of.parameters), of));
}

/// Tells whether blocks have the axes of the parameters. A step along an axis of the array is no
/// longer than the axis.
bool takes_blocks(const block_shapes& of) {
  const taken_elements& spec = taken_in(of.parameters);
  if (of.outputs.size() != 1 || of.inputs.size() != 1 + spec.indices.size()) return false;
  const std::size_t rank = of.outputs[0].size();
  if (spec.first_listed + spec.num_listed > rank) return false;
  if (of.inputs[0].size() != rank + spec.num_axes) return false;
  for (std::size_t i = 1; i < of.inputs.size(); ++i) {
    if (of.inputs[i].size() != rank) return false;
  }
  for (std::size_t g = 0; g < spec.num_axes; ++g) {
    const index_t step = of.inputs[0][rank + g];
    if (step < 1 || step > spec.shape[spec.first_axis + g]) return false;
  }
  return true;
}

// Each element is written once, in the step of its index.
void start_taking(const block_call&) {}

kernel_parameters restore_taking(std::string_view identity) {
  detail::byte_reader bytes(identity);
  const auto take_size = [&] { return static_cast<std::size_t>(bytes.take<std::uint64_t>()); };
  taken_elements spec;
  spec.type = static_cast<dtype>(bytes.take<std::uint8_t>());
  for (std::size_t i = take_size(); i > 0; --i) {
    spec.indices.push_back(static_cast<dtype>(bytes.take<std::uint8_t>()));
  }
  for (std::size_t i = take_size(); i > 0; --i) spec.shape.push_back(bytes.take<index_t>());
  spec.first_axis = take_size();
  spec.num_axes = take_size();
  spec.first_listed = take_size();
  spec.num_listed = take_size();
  spec.function = bytes.take_bytes(take_size());
  bytes.require_end();
  return taking_parameters(spec);
}

/// The kernels by name, made at their first use; never destroyed.
struct taking_kernels {
  std::mutex mutex;
  std::map<std::string, block_kernel, std::less<>> kernels;
};

}  // namespace

bool detail::parameters_fit(const block_kernel& kernel, const block_shapes& of_domain) {
  if (kernel.run != &run_taking) return true;
  const taken_elements& spec = taken_in(of_domain.parameters);
  if (spec.type != kernel.inputs.front() ||
      !std::equal(spec.indices.begin(), spec.indices.end(), kernel.inputs.begin() + 1,
                  kernel.inputs.end())) {
    return false;
  }
  const auto in = of_domain.inputs[0].end() - static_cast<std::ptrdiff_t>(spec.num_axes);
  return std::equal(in, of_domain.inputs[0].end(),
                    spec.shape.begin() + static_cast<std::ptrdiff_t>(spec.first_axis));
}

const block_kernel& taking_kernel(dtype type, std::span<const dtype> indices) {
  static auto& known = *new taking_kernels;
  std::string name = "take<" + std::string(name_of(type));
  for (const dtype index : indices) name += ", " + std::string(name_of(index));
  name += ">";
  const std::lock_guard lock(known.mutex);
  const auto [entry, is_new] = known.kernels.try_emplace(std::move(name));
  block_kernel& kernel = entry->second;
  if (is_new) {
    kernel = {.name = entry->first,
              .label = "take",
              .inputs = {type},
              .outputs = {type},
              .run = &run_taking,
              .start = &start_taking,
              .takes = &takes_blocks,
              .workspace = &workspace_of_taking,
              .work = &work_of_taking,
              .restore = &restore_taking,
              .is_separable = true};
    kernel.inputs.insert(kernel.inputs.end(), indices.begin(), indices.end());
    register_kernel(kernel);
  }
  return kernel;
}

kernel_parameters taking_parameters(const taken_elements& spec) {
  const std::size_t rank = spec.shape.size();
  const std::size_t num_indices = spec.indices.size();
  if (spec.num_axes < 1 || spec.num_axes > rank || spec.first_axis > rank - spec.num_axes ||
      (num_indices != 1 && num_indices != spec.num_axes) || spec.first_listed > max_rank ||
      spec.num_listed > max_rank) {
    throw value_error("take: found parameters that lead along no axes of an array");
  }
  const auto bytes_of_size = [](std::size_t size) {
    return detail::bytes_of(static_cast<std::uint64_t>(size));
  };
  const auto bytes_of_type = [](dtype type) {
    return detail::bytes_of(static_cast<std::uint8_t>(type));
  };
  std::string identity = bytes_of_type(spec.type) + bytes_of_size(spec.indices.size());
  for (const dtype index : spec.indices) identity += bytes_of_type(index);
  identity += bytes_of_size(spec.shape.size());
  for (const index_t extent : spec.shape) identity += detail::bytes_of(extent);
  for (const std::size_t number :
       {spec.first_axis, spec.num_axes, spec.first_listed, spec.num_listed}) {
    identity += bytes_of_size(number);
  }
  identity += bytes_of_size(spec.function.size()) + spec.function;
  return {spec, std::move(identity)};
}

}  // namespace tessera
