// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels of strips, generators and folds as the planner and the tasks see them: plain functions,
/// without templates. Those of scans and of blocks have headers of their own.
///
/// A kernel is a constant object with static storage duration; it is compared and travels by its
/// name, which is the name of its C++ type.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The longest strip, in elements, that a kernel is ever given.
inline constexpr index_t max_strip = 2048;

/// A contiguous run of elements of every operand of a strip kernel.
struct strip {
  index_t size = 0;
  /// One pointer per operand to `size` contiguous elements of the operand's dtype.
  const std::byte* const* inputs = nullptr;
  /// One pointer per result; a result never overlaps an operand.
  std::byte* const* outputs = nullptr;
  const void* parameters = nullptr;
};

/// Makes a kernel's parameters anew from their `kernel_parameters::identity()`.
///
/// Throws: value_error <- the bytes are not those of parameters of this kernel.
using restore_function = kernel_parameters (*)(std::string_view identity);

/// Computes strips from strips, element by element.
struct strip_kernel {
  std::string_view name;
  /// The text of the kernel, in terms of operands `{0}`, `{1}`: "sqrt({0} * {0} + {1})".
  std::string label;
  std::vector<dtype> inputs;
  std::vector<dtype> outputs;
  void (*run)(const strip&) = nullptr;
  /// Null if parameters are not portable.
  restore_function restore = nullptr;
  /// Its time on an element of each operand, in additions.
  double weight = 1;
};

/// Computes the elements of a virtual array from their position alone.
struct generator_kernel {
  std::string_view name;
  std::string_view label;
  dtype output{};
  /// Writes elements `first`, `first + step`, ... of the array, counted in row-major order.
  void (*run)(std::byte* out, index_t size, index_t first, index_t step,
              const void* parameters) = nullptr;
  restore_function restore = nullptr;
};

/// The count of elements in a state that labels choose.
inline constexpr index_t unknown_count = -1;

/// The input of a fold: a strip of each operand.
struct fold_strip {
  index_t size = 0;
  /// One pointer per input to `size` contiguous elements of its dtype.
  const std::byte* const* inputs = nullptr;
  /// The number of elements that each state has taken before, by the shape of the domain; or
  /// `unknown_count`, if labels choose the states.
  index_t num_taken = 0;
  const void* parameters = nullptr;
  /// Whether the last input is one element, the same all along the strip.
  bool is_last_one = false;
};

/// The most strips of neighbouring layers that a fold takes at once.
inline constexpr std::size_t layers_at_once = 4;

/// The loop by which a fold computes the output of a strip kernel while it takes it, so that no
/// strip lies between them.
struct fused_take {
  /// The name of that kernel, which has one result and no parameters.
  std::string_view kernel;
  /// Its operands, as they are the inputs of the strip.
  std::vector<std::size_t> operands;
  /// As those of the fold, for the same bits. The latter is null if there is none; of several
  /// layers, `inputs` has the operands of one strip after the other.
  void (*take_each)(std::byte* const* state_fields, const fold_strip& strip) = nullptr;
  void (*take_layers)(std::byte* const* state_fields, const fold_strip& strip) = nullptr;
};

/// Folds any number of elements into one, keeping a state that may be merged with another.
///
/// The state of one output element is `state_length` values in each of `state_fields`, one behind
/// the other. States of neighbouring output elements are neighbours in each field.
struct fold_kernel {
  std::string_view name;
  std::string_view label;
  /// The dtypes of the operands: an element of each is taken, all at the same index.
  std::vector<dtype> inputs;
  std::vector<dtype> outputs;
  std::vector<dtype> state_fields;
  /// Makes `size` states that have taken nothing.
  void (*start)(std::byte* const* state_fields, index_t size, const void* parameters) = nullptr;
  /// Folds element `i` of the strip into state `i`.
  void (*take_each)(std::byte* const* state_fields, const fold_strip& strip) = nullptr;
  /// As `take_each` of `layers_at_once` strips, one after the other, but states are read and
  /// written once. `inputs` has one pointer for each strip. Requires: `num_taken` is a multiple of
  /// `layers_at_once`. Null if the fold has no such function, or has several inputs.
  void (*take_layers)(std::byte* const* state_fields, const fold_strip& strip) = nullptr;
  /// Folds all elements of the strip into the one state.
  void (*take_all)(std::byte* const* state_fields, const fold_strip& strip) = nullptr;
  /// Folds element `i` of the strip into state `states[i]`, or skips it if that is negative. Null
  /// if states must know from outside how many elements they have taken.
  void (*take_at)(std::byte* const* state_fields, const fold_strip& strip,
                  const index_t* states) = nullptr;
  /// Merges state `i` of `others`, which has taken `other_taken`, into state `i`. Null for folds
  /// of several values a state, whose fields are their inputs: values are taken as elements are.
  void (*merge)(std::byte* const* state_fields, const std::byte* const* others, index_t size,
                index_t num_taken, index_t other_taken, const void* parameters) = nullptr;
  /// Writes the results of `size` states, `state_length` values for each, to each output.
  void (*finish)(const std::byte* const* state_fields, std::byte* const* outputs, index_t size,
                 index_t num_taken, const void* parameters) = nullptr;
  restore_function restore = nullptr;
  /// The number of values of a state in each state field; null: one.
  index_t (*state_length)(const void* parameters) = nullptr;
  /// Whether the last input may come as one element, if it is the same all along a strip.
  bool takes_last_as_one = false;
  /// Of a fold of one input: the kernels that it can compute itself.
  std::vector<fused_take> fused = {};
};

}  // namespace tessera
