// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/block_view.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/function_of_axes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tessera::detail {

void throw_not_dense(std::span<const index_t> extents, std::span<const index_t> strides) {
  throw value_error(fmt::format(
      "block_view::span: a block of shape {} is not contiguous: its strides are {}, as at the ends "
      "of an array; `for (auto& element : x)`, x.rows(), x(i, j), x.fill(value), "
      "x.copy_to(values), x.copy_from(values) and, for one or two axes, eigen(x) take any strides",
      format_shape(extents), format_shape(strides)));
}

void check_block_size(std::span<const index_t> extents, std::size_t count) {
  if (num_elements(extents) == static_cast<index_t>(count)) return;
  throw shape_error(
      fmt::format("block_view: {} elements cannot be copied to or from a block of shape {}", count,
                  format_shape(extents)));
}

void check_block_shape(std::span<const index_t> extents, std::span<const index_t> source) {
  if (std::ranges::equal(extents, source)) return;
  throw shape_error(
      fmt::format("block_view: a block of shape {} cannot be copied to one of shape {}",
                  format_shape(source), format_shape(extents)));
}

bool fit_signature(const gufunc_signature& signature, const block_shapes& of) {
  if (of.inputs.size() != signature.num_inputs || of.outputs.size() != signature.num_results) {
    return false;
  }
  std::array<index_t, 2 * gufunc_signature::most> extents{};
  const index_vector& out = of.outputs.front();
  if (out.size() < signature.result(0).rank) return false;
  const std::size_t num_loops = out.size() - signature.result(0).rank;
  const std::size_t num_inputs = of.inputs.size();
  for (std::size_t i = 0; i < num_inputs + of.outputs.size(); ++i) {
    const index_vector& view = i < num_inputs ? of.inputs[i] : of.outputs[i - num_inputs];
    const gufunc_signature::group& group = signature.groups[i];
    if (view.size() != num_loops + group.rank) return false;
    for (std::size_t axis = 0; axis < num_loops; ++axis) {
      if (view[axis] != out[axis]) return false;
    }
    for (std::size_t k = 0; k < group.rank; ++k) {
      const index_t extent = view[num_loops + k];
      index_t& known = extents[group.letters[k]];
      if (known == 0) known = extent;
      if (known != extent) return false;
    }
  }
  return true;
}

}  // namespace tessera::detail
