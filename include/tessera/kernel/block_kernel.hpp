// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels of whole blocks: functions that see many elements of each operand at once.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

/// An operand of a block kernel: elements that lie by strides, in bytes.
struct block_input {
  const std::byte* data = nullptr;
  index_vector extents;
  index_vector strides;
  /// The place of its first element in all that the kernel sees of the operand, block by block.
  index_vector start;
};

/// An output of a block kernel.
struct block_output {
  std::byte* data = nullptr;
  index_vector extents;
  index_vector strides;
  index_vector start;
};

/// A call of a block kernel. Outputs overlap neither operands nor each other.
struct block_call {
  std::span<const block_input> inputs;
  std::span<const block_output> outputs;
  const void* parameters = nullptr;
  std::span<std::byte> workspace;
};

/// The extents of the blocks of a call.
struct block_shapes {
  std::vector<index_vector> inputs;
  std::vector<index_vector> outputs;
  const void* parameters = nullptr;
};

/// Makes blocks of outputs from blocks of operands.
struct block_kernel {
  std::string_view name;
  /// The name in messages.
  std::string_view label;
  std::vector<dtype> inputs;
  std::vector<dtype> outputs;
  void (*run)(const block_call&) = nullptr;
  /// Makes the outputs ready for several runs, each of which adds the result of a part of the
  /// operands; null if one run takes all parts.
  void (*start)(const block_call&) = nullptr;
  /// Tells whether it can be called with blocks of these extents; null: any.
  bool (*takes)(const block_shapes&) = nullptr;
  /// Returns the bytes of the workspace that a call needs; null: none.
  std::size_t (*workspace)(const block_shapes&) = nullptr;
  /// Returns the bytes that a call allocates by itself, and may keep; null: none.
  std::size_t (*kept)(const block_shapes&) = nullptr;
  /// Returns how many steps of a light kernel on an element, an addition, take as long as a call;
  /// null: one for each element that it takes or makes.
  double (*work)(const block_shapes&) = nullptr;
  /// Null if parameters are not portable.
  restore_function restore = nullptr;
  /// Whether it makes the same of parts of a block, one after the other: of parts along the axes
  /// that it does not ask to be whole.
  bool is_separable = false;
  /// The fold of an element of the first output that combines the results of runs on parts of the
  /// streamed operands; null: only one run after the other can.
  const fold_kernel* adds_up = nullptr;
};

namespace detail {

/// Returns how many elements a call takes and makes.
[[nodiscard]] double elements_in(const block_shapes& of);

/// The work of a function that states none: twelve steps for each element.
[[nodiscard]] double work_of_unknown(const block_shapes& of);

/// Restores the parameters of a kernel that has none. Throws: value_error <- there are bytes.
[[nodiscard]] kernel_parameters no_parameters(std::string_view identity);

}  // namespace detail
}  // namespace tessera
