// SPDX-License-Identifier: Apache-2.0
#include "lower/out_of_core_lines.hpp"

#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/line_kernel.hpp"
#include "tessera/lower/nodes.hpp"

#include "lower/operands.hpp"
#include "primitive/api/block_function.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <variant>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;
using radix_select::digit;
using radix_select::rank_query;

/// Builds an operation of a block kernel. The result has axes of the domain and at most one extra.
class block_op_builder {
 public:
  explicit block_op_builder(std::string name) { op_.name = std::move(name); }

  /// Adds an axis of the domain, with the block of a task and the step, and returns its number.
  std::size_t add_axis(index_t extent, index_t block, index_t step) {
    op_.schedule.domain.push_back(extent);
    op_.schedule.block.push_back(block);
    op_.schedule.step.push_back(step);
    return op_.schedule.rank() - 1;
  }
  std::size_t add_whole_axis(index_t extent) {
    const std::size_t axis = add_axis(extent, extent, extent);
    blocks_.whole.set(axis);
    return axis;
  }
  std::size_t add_streamed_axis(index_t extent, index_t step) {
    const std::size_t axis = add_axis(extent, extent, step);
    blocks_.streamed.set(axis);
    return axis;
  }

  /// Adds an operand whose axes go along `axes`; the kernel sees `kernel_axes`, in this order.
  void add_operand(const array_view& view, const std::vector<std::size_t>& axes,
                   const std::vector<std::size_t>& kernel_axes) {
    operands_.push_back({view, axes});
    blocks_.inputs.push_back(block_axes_along(kernel_axes));
  }

  /// Adds the axes of the result: `axes` of the domain, and an extra axis of `extra_length`, if
  /// any, which the kernel sees last.
  void add_result(const std::vector<std::size_t>& axes, std::optional<index_t> extra_length,
                  bool is_extra_first = false) {
    block_output_spec& output_spec = blocks_.outputs.emplace_back();
    if (extra_length && is_extra_first)
      output_spec.axes.push_back({axis_kind::extra, 0, *extra_length});
    for (const std::size_t axis : axes) {
      output_spec.order.push_back(output_spec.axes.size());
      output_spec.axes.push_back({axis_kind::along, axis});
    }
    if (extra_length && is_extra_first) output_spec.order.push_back(0);
    if (extra_length && !is_extra_first) {
      output_spec.order.push_back(output_spec.axes.size());
      output_spec.axes.push_back({axis_kind::extra, 0, *extra_length});
    }
  }

  [[nodiscard]] array_handle make(const block_kernel& kernel, kernel_parameters parameters,
                                  const index_vector& chunks) && {
    std::vector<array_handle> arrays;
    for (const operand& input : operands_) {
      op_.operands.push_back(compose(input.view.map, map_along(op_.schedule.rank(), input.axes)));
      arrays.push_back(input.view.array);
    }
    op_.primitive = std::make_shared<const block_function>(kernel, std::move(parameters), blocks_);
    return make_output_arrays(std::move(op_), std::move(arrays), {chunks}).front();
  }

 private:
  struct operand {
    array_view view;
    std::vector<std::size_t> axes;
  };

  operation op_;
  block_schedule blocks_;
  std::vector<operand> operands_;
};

/// Returns the digits of keys of `key_bits` bits, most significant first. Counts of a digit, for
/// `lines` lines and `count` ranks, take an eighth of `memory` bytes; a digit has 4 bits at least.
std::vector<digit> choose_digits(std::int32_t key_bits, double lines, index_t count,
                                 double memory) {
  constexpr double share = 1.0 / 8;
  constexpr std::int32_t least_bits = 4;
  std::int32_t bits = radix_select::most_bits;
  const auto bytes_of_counts = [&] {
    return 8.0 * lines * static_cast<double>(count) * static_cast<double>(index_t{1} << bits);
  };
  while (bits > least_bits && bytes_of_counts() > share * memory) --bits;
  const std::int32_t passes = (key_bits + bits - 1) / bits;
  std::vector<digit> digits;
  std::int32_t remaining = key_bits;
  for (std::int32_t pass = passes; pass > 0; --pass) {
    const std::int32_t width = (remaining + pass - 1) / pass;
    remaining -= width;
    digits.push_back({remaining, width, pass == passes});
  }
  return digits;
}

}  // namespace

double out_of_core_lines::memory_limit() const {
  return static_cast<double>(task_memory(spec_of_layout(layout)).count());
}

// The sum of a line, its result, the kernel's workspace, and a chunk encoded and decoded.
double out_of_core_lines::line_memory() const {
  block_shapes shapes{{{}}, {{}}, parameters.get()};
  index_vector chunk;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    chunk.push_back(std::min(layout.chunks[axis], layout.shape[axis]));
    if (!line_axes[axis]) {
      shapes.inputs[0].push_back(1);
      shapes.outputs[0].push_back(1);
    }
  }
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (line_axes[axis]) shapes.inputs[0].push_back(layout.shape[axis]);
  }
  if (line_result.length) shapes.outputs[0].push_back(*line_result.length);
  const dtype type = kernel.inputs.front();
  const double line = byte_size(shapes.inputs[0], type);
  double needed = byte_size(shapes.outputs[0], kernel.outputs.front());
  if (kernel.workspace != nullptr) needed += static_cast<double>(kernel.workspace(shapes));
  if (kernel.kept != nullptr) needed += static_cast<double>(kernel.kept(shapes));
  if (!std::holds_alternative<memory_source>(x.array->source)) {
    needed += line + 2 * std::min(byte_size(chunk, type), line);
  }
  return needed;
}

std::vector<std::size_t> out_of_core_lines::loop_axes() const {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    if (!line_axes[axis]) axes.push_back(axis);
  }
  return axes;
}

index_vector out_of_core_lines::block_with_length(index_t length) const {
  index_vector extents;
  for (const std::size_t axis : loop_axes()) extents.push_back(block[axis]);
  extents.push_back(length);
  return extents;
}

array_handle out_of_core_lines::count_digits(const std::string& pass, const array_handle& state,
                                             const digit& key_digit, bool is_descending) const {
  block_op_builder builder(pass);
  std::vector<std::size_t> axes;
  std::vector<std::size_t> lines;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    axes.push_back(axis);
    if (line_axes[axis]) {
      builder.add_streamed_axis(layout.shape[axis],
                                std::min(layout.chunks[axis], layout.shape[axis]));
      lines.push_back(axis);
    } else {
      builder.add_axis(layout.shape[axis], block[axis], block[axis]);
    }
  }
  std::vector<std::size_t> kernel_axes = loop_axes();
  std::vector<std::size_t> state_axes = kernel_axes;
  kernel_axes.insert(kernel_axes.end(), lines.begin(), lines.end());
  state_axes.push_back(builder.add_whole_axis(state->shape.back()));
  builder.add_operand(x, axes, kernel_axes);
  builder.add_operand(whole_of(state), state_axes, state_axes);
  const index_t length = radix_select::length_of_counts((state->shape.back() - 1) / 2, key_digit);
  builder.add_result(loop_axes(), length);
  return std::move(builder).make(radix_select::count(kernel.inputs.front()),
                                 radix_select::count_parameters(key_digit, is_descending),
                                 block_with_length(length));
}

array_handle out_of_core_lines::narrow_search(const array_handle& counts, const array_handle& state,
                                              const digit& key_digit,
                                              const rank_query& query) const {
  block_op_builder builder(fmt::format("{}: next digit", name));
  std::vector<std::size_t> axes;
  for (const std::size_t axis : loop_axes()) {
    axes.push_back(builder.add_axis(layout.shape[axis], block[axis], block[axis]));
  }
  std::vector<std::size_t> count_axes = axes;
  count_axes.push_back(builder.add_whole_axis(counts->shape.back()));
  std::vector<std::size_t> state_axes = axes;
  state_axes.push_back(builder.add_whole_axis(state->shape.back()));
  builder.add_operand(whole_of(counts), count_axes, count_axes);
  builder.add_operand(whole_of(state), state_axes, state_axes);
  const index_t length = radix_select::length_of_state(query.count());
  builder.add_result(axes, length);
  return std::move(builder).make(radix_select::narrow(),
                                 radix_select::narrow_parameters(key_digit, query),
                                 block_with_length(length));
}

array_handle out_of_core_lines::search(const rank_query& query) const {
  double lines = 1;
  index_vector shape;
  for (const std::size_t axis : loop_axes()) {
    lines *= static_cast<double>(block[axis]);
    shape.push_back(layout.shape[axis]);
  }
  shape.push_back(radix_select::length_of_state(1));
  const std::vector<digit> digits = choose_digits(radix_select::key_bits(kernel.inputs.front()),
                                                  lines, query.count(), memory_limit());
  array_handle state = make_generated(name, shape, block_with_length(shape.back()),
                                      generator::constant<std::int64_t>(),
                                      generator::constant_parameters<std::int64_t>(0));
  for (std::size_t pass = 0; pass < digits.size(); ++pass) {
    const std::string pass_name =
        fmt::format("{}: count, pass {} of {}", name, pass + 1, digits.size());
    const array_handle counts = count_digits(pass_name, state, digits[pass], query.is_descending);
    state = narrow_search(counts, state, digits[pass], query);
  }
  return state;
}

array_handle out_of_core_lines::make_quantiles(const index_vector& shape,
                                               const index_vector& chunks) const {
  rank_query query;
  query.quantiles = *static_cast<const line::quantile_query*>(parameters.get());
  const array_handle state = search(query);
  block_op_builder builder{std::string(name)};
  std::vector<std::size_t> axes;
  for (const std::size_t axis : loop_axes()) {
    axes.push_back(builder.add_axis(layout.shape[axis], block[axis], block[axis]));
  }
  std::vector<std::size_t> state_axes = axes;
  state_axes.push_back(builder.add_whole_axis(state->shape.back()));
  builder.add_operand(whole_of(state), state_axes, state_axes);
  builder.add_result(axes, line_result.length, line_result.is_first);
  return std::move(builder).make(radix_select::quantile(kernel.inputs.front()),
                                 radix_select::query_parameters(query), clip_chunks(chunks, shape));
}

index_t out_of_core_lines::run_length(std::size_t axis, index_t chunk) const {
  const index_t size = layout.shape[axis];
  const dtype type = kernel.inputs.front();
  const auto result_size = static_cast<double>(size_of(kernel.outputs.front()));
  const index_vector chunks = clip_chunks(layout.chunks, layout.shape);
  // A step sees one line of a chunk of several lines, as a copy.
  double read = transfer_memory(byte_size(chunks, type));
  if (num_elements(chunks) > chunks[axis]) read += byte_size({chunks[axis]}, type);
  const double write = transfer_memory(static_cast<double>(chunk) * result_size);
  // `argsort` holds key, position and result of an element; `sort` an element and a bit.
  const double element_bytes = &kernel == &line::argsort(type) ? 24 : result_size + 0.125;
  auto length = static_cast<index_t>((memory_limit() - std::max(read, write)) / element_bytes);
  if (length >= chunk) return std::min(size, length / chunk * chunk);
  const double most =
      std::max(memory_limit() / 16, memory_limit() - std::max(read, transfer_memory(0)));
  length = static_cast<index_t>(most / (element_bytes + 4 * result_size));
  return std::clamp<index_t>(length, 1, size);
}

array_view out_of_core_lines::separate_lines(std::size_t axis) const {
  constexpr index_t most_reads = 3;
  index_vector chunks = clip_chunks(layout.chunks, layout.shape);
  const index_t side_by_side = num_elements(chunks) / chunks[axis];
  const double size = byte_size(chunks, kernel.inputs.front());
  const bool is_held = 2 * size + transfer_memory(size) <= memory_limit();
  if (side_by_side <= most_reads || !is_held) return x;
  const index_t length = std::min(layout.shape[axis], side_by_side * chunks[axis]);
  chunks = index_vector(chunks.size(), 1);
  chunks[axis] = length;
  return whole_of(materialise(fmt::format("{}: lines", name), x, layout.shape, chunks));
}

// A task makes one run of one line. The line axis is the last of the runs, so a run is contiguous.
array_handle out_of_core_lines::make_sorted(const block_kernel& run,
                                            const index_vector& chunks) const {
  std::size_t lined_axis = 0;
  while (!line_axes[lined_axis]) ++lined_axis;
  const index_t size = layout.shape[lined_axis];
  const index_t chunk = chunks[lined_axis];
  rank_query query;
  query.run = run_length(lined_axis, chunk);
  query.size = size;
  query.is_descending = *static_cast<const bool*>(parameters.get());
  const array_handle state = search(query);
  const array_view source = separate_lines(lined_axis);
  block_op_builder builder{std::string(name)};
  std::vector<std::size_t> axes;
  for (const std::size_t axis : loop_axes()) {
    axes.push_back(builder.add_axis(layout.shape[axis], 1, 1));
  }
  std::vector<std::size_t> x_axes = axes;
  std::vector<std::size_t> state_axes = axes;
  axes.push_back(builder.add_axis(size, query.run, query.run));
  const bool are_copied = source.array != x.array;
  const index_t step = are_copied ? source.array->chunks[lined_axis] : layout.chunks[lined_axis];
  const std::size_t streamed_axis = builder.add_streamed_axis(size, std::min(step, size));
  state_axes.push_back(builder.add_whole_axis(state->shape.back()));
  x_axes.insert(x_axes.begin() + static_cast<std::ptrdiff_t>(lined_axis), streamed_axis);
  builder.add_operand(source, x_axes, {streamed_axis});
  builder.add_operand(whole_of(state), state_axes, {state_axes.back()});
  builder.add_result(axes, std::nullopt);
  index_vector chunks_of_runs(layout.shape.size(), 1);
  chunks_of_runs.back() = query.run % chunk == 0 ? chunk : query.run;
  array_handle runs =
      std::move(builder).make(run, radix_select::query_parameters(query), chunks_of_runs);
  std::vector<axis_map> to_result;
  for (const std::size_t axis : loop_axes()) to_result.emplace_back(axis, 0, 1);
  to_result.emplace_back(lined_axis, 0, 1);
  return materialise("rechunk", {std::move(runs), {layout.shape.size(), std::move(to_result)}},
                     layout.shape, chunks);
}

array_handle out_of_core_lines::make_ordered(const index_vector& shape,
                                             const index_vector& chunks) const {
  const dtype type = kernel.inputs.front();
  if (line_memory() <= memory_limit()) return nullptr;
  if (type == dtype::complex64 || type == dtype::complex128) return nullptr;
  if (&kernel == &line::quantile(type)) return make_quantiles(shape, chunks);
  if (layout.shape.size() + 2 > max_rank || line_axes.count() > 1) return nullptr;
  if (&kernel == &line::sort(type)) return make_sorted(radix_select::sorted_run(type), chunks);
  if (&kernel == &line::argsort(type)) {
    return make_sorted(radix_select::argsorted_run(type), chunks);
  }
  return nullptr;
}

}  // namespace tessera
