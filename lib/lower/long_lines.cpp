// SPDX-License-Identifier: Apache-2.0
#include "lower/long_lines.hpp"

#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/lines.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/primitive/blocks.hpp"

#include "lower/long_transform.hpp"
#include "lower/operands.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <variant>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;
using order_search::digit;
using order_search::places;

/// A function of blocks that is being made, whose result has axes of its domain and one of its own.
class order_operation {
 public:
  explicit order_operation(std::string name) { what_.name = std::move(name); }

  /// Adds an axis, of which a task takes a block, in steps, and returns it.
  std::size_t add_axis(index_t extent, index_t block, index_t stream) {
    what_.how.domain.push_back(extent);
    what_.how.block.push_back(block);
    what_.how.stream.push_back(stream);
    return what_.how.rank() - 1;
  }
  std::size_t add_whole_axis(index_t extent) {
    const std::size_t axis = add_axis(extent, extent, extent);
    how_.whole.set(axis);
    return axis;
  }
  std::size_t add_streamed_axis(index_t extent, index_t stream) {
    const std::size_t axis = add_axis(extent, extent, stream);
    how_.streamed.set(axis);
    return axis;
  }

  /// Adds an operand, whose axes are along `axes`; the kernel sees them as `seen`.
  void add_operand(const array_view& view, const std::vector<std::size_t>& axes,
                   const std::vector<std::size_t>& seen) {
    operands_.push_back({view, axes});
    how_.inputs.push_back(seen_along(seen));
  }

  /// Adds the axes of the result: those of the domain, and one of its own, which the kernel sees
  /// last; nothing: it has none.
  void add_result(const std::vector<std::size_t>& axes, std::optional<index_t> own,
                  bool is_own_first = false) {
    block_made& made = how_.outputs.emplace_back();
    if (own && is_own_first) made.axes.push_back({axis_kind::own, 0, *own});
    for (const std::size_t axis : axes) {
      made.order.push_back(made.axes.size());
      made.axes.push_back({axis_kind::along, axis});
    }
    if (own && is_own_first) made.order.push_back(0);
    if (own && !is_own_first) {
      made.order.push_back(made.axes.size());
      made.axes.push_back({axis_kind::own, 0, *own});
    }
  }

  [[nodiscard]] array_handle made_by(const block_kernel& kernel, kernel_parameters parameters,
                                     const index_vector& chunks) && {
    std::vector<array_handle> arrays;
    for (const operand& each : operands_) {
      what_.operands.push_back(compose(each.view.map, along(what_.how.rank(), each.axes)));
      arrays.push_back(each.view.array);
    }
    what_.body = std::make_shared<const block_function>(kernel, std::move(parameters), how_);
    return arrays_made_by(std::move(what_), std::move(arrays), {chunks}).front();
  }

 private:
  struct operand {
    array_view view;
    std::vector<std::size_t> axes;
  };

  operation what_;
  block_walk how_;
  std::vector<operand> operands_;
};

/// Returns the digits of keys of `key_bits`, the first one first, so that `lines` times `count`
/// counts of a digit take little of `room`.
std::vector<digit> digits_of(std::int32_t key_bits, double lines, index_t count, double room) {
  constexpr double share = 1.0 / 8;
  constexpr std::int32_t least_bits = 4;
  std::int32_t bits = order_search::most_bits;
  const auto bytes_of_counts = [&] {
    return 8.0 * lines * static_cast<double>(count) * static_cast<double>(index_t{1} << bits);
  };
  while (bits > least_bits && bytes_of_counts() > share * room) --bits;
  const std::int32_t passes = (key_bits + bits - 1) / bits;
  std::vector<digit> digits;
  std::int32_t left = key_bits;
  for (std::int32_t pass = passes; pass > 0; --pass) {
    const std::int32_t here = (left + pass - 1) / pass;
    left -= here;
    digits.push_back({left, here, pass == passes});
  }
  return digits;
}

}  // namespace

double long_lines::room() const {
  return static_cast<double>(memory_of_task(limits_of(of)).count());
}

// A line, what it becomes and what is made of it, and a chunk as it is read and decoded.
double long_lines::memory_of_line() const {
  block_shapes shapes{{{}}, {{}}, parameters.get()};
  index_vector chunk;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    chunk.push_back(std::min(of.chunks[axis], of.shape[axis]));
    if (!lined[axis]) {
      shapes.inputs[0].push_back(1);
      shapes.outputs[0].push_back(1);
    }
  }
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    if (lined[axis]) shapes.inputs[0].push_back(of.shape[axis]);
  }
  if (made.length) shapes.outputs[0].push_back(*made.length);
  const dtype type = kernel.inputs.front();
  const double line = bytes_in(shapes.inputs[0], type);
  double needed = bytes_in(shapes.outputs[0], kernel.outputs.front());
  if (kernel.workspace != nullptr) needed += static_cast<double>(kernel.workspace(shapes));
  if (kernel.kept != nullptr) needed += static_cast<double>(kernel.kept(shapes));
  if (!std::holds_alternative<memory_source>(x.array->source)) {
    needed += line + 2 * std::min(bytes_in(chunk, type), line);
  }
  return needed;
}

std::vector<std::size_t> long_lines::loops() const {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    if (!lined[axis]) axes.push_back(axis);
  }
  return axes;
}

index_vector long_lines::beside_lines(index_t length) const {
  index_vector extents;
  for (const std::size_t axis : loops()) extents.push_back(block[axis]);
  extents.push_back(length);
  return extents;
}

array_handle long_lines::counted(const std::string& pass, const array_handle& known,
                                 const digit& by, bool is_descending) const {
  order_operation what(pass);
  std::vector<std::size_t> axes;
  std::vector<std::size_t> lines;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    axes.push_back(axis);
    if (lined[axis]) {
      what.add_streamed_axis(of.shape[axis], std::min(of.chunks[axis], of.shape[axis]));
      lines.push_back(axis);
    } else {
      what.add_axis(of.shape[axis], block[axis], block[axis]);
    }
  }
  std::vector<std::size_t> seen = loops();
  std::vector<std::size_t> of_known = seen;
  seen.insert(seen.end(), lines.begin(), lines.end());
  of_known.push_back(what.add_whole_axis(known->shape.back()));
  what.add_operand(x, axes, seen);
  what.add_operand(whole_of(known), of_known, of_known);
  const index_t length = order_search::length_of_counts((known->shape.back() - 1) / 2, by);
  what.add_result(loops(), length);
  return std::move(what).made_by(order_search::count(kernel.inputs.front()),
                                 order_search::count_parameters(by, is_descending),
                                 beside_lines(length));
}

array_handle long_lines::narrowed(const array_handle& counts, const array_handle& known,
                                  const digit& by, const places& sought) const {
  order_operation what(fmt::format("{}: next digit", name));
  std::vector<std::size_t> axes;
  for (const std::size_t axis : loops()) {
    axes.push_back(what.add_axis(of.shape[axis], block[axis], block[axis]));
  }
  std::vector<std::size_t> of_counts = axes;
  of_counts.push_back(what.add_whole_axis(counts->shape.back()));
  std::vector<std::size_t> of_known = axes;
  of_known.push_back(what.add_whole_axis(known->shape.back()));
  what.add_operand(whole_of(counts), of_counts, of_counts);
  what.add_operand(whole_of(known), of_known, of_known);
  const index_t length = order_search::length_of_known(sought.count());
  what.add_result(axes, length);
  return std::move(what).made_by(order_search::narrow(),
                                 order_search::narrow_parameters(by, sought), beside_lines(length));
}

array_handle long_lines::known(const places& sought) const {
  double lines = 1;
  index_vector shape;
  for (const std::size_t axis : loops()) {
    lines *= static_cast<double>(block[axis]);
    shape.push_back(of.shape[axis]);
  }
  shape.push_back(order_search::length_of_known(1));
  const std::vector<digit> digits =
      digits_of(order_search::key_bits(kernel.inputs.front()), lines, sought.count(), room());
  array_handle known =
      make_generated(name, shape, beside_lines(shape.back()), generator::constant<std::int64_t>(),
                     generator::constant_parameters<std::int64_t>(0));
  for (std::size_t pass = 0; pass < digits.size(); ++pass) {
    const std::string words =
        fmt::format("{}: count, pass {} of {}", name, pass + 1, digits.size());
    const array_handle counts = counted(words, known, digits[pass], sought.is_descending);
    known = narrowed(counts, known, digits[pass], sought);
  }
  return known;
}

array_handle long_lines::quantiles(const index_vector& shape, const index_vector& chunks) const {
  places sought;
  sought.quantiles = *static_cast<const line::quantiles_sought*>(parameters.get());
  const array_handle at_last = known(sought);
  order_operation what{std::string(name)};
  std::vector<std::size_t> axes;
  for (const std::size_t axis : loops()) {
    axes.push_back(what.add_axis(of.shape[axis], block[axis], block[axis]));
  }
  std::vector<std::size_t> of_known = axes;
  of_known.push_back(what.add_whole_axis(at_last->shape.back()));
  what.add_operand(whole_of(at_last), of_known, of_known);
  what.add_result(axes, made.length, made.is_first);
  return std::move(what).made_by(order_search::quantile(kernel.inputs.front()),
                                 order_search::places_parameters(sought),
                                 clip_chunks(chunks, shape));
}

index_t long_lines::length_of_run(std::size_t axis, index_t chunk) const {
  const index_t size = of.shape[axis];
  const dtype type = kernel.inputs.front();
  const auto result_size = static_cast<double>(size_of(kernel.outputs.front()));
  const index_vector chunks = clip_chunks(of.chunks, of.shape);
  // Of a chunk of several lines, a step has one.
  double read = memory_to_move(bytes_in(chunks, type));
  if (num_elements(chunks) > chunks[axis]) read += bytes_in({chunks[axis]}, type);
  const double write = memory_to_move(static_cast<double>(chunk) * result_size);
  // An element of a run, and its place and key while it is sorted by places.
  const double each = &kernel == &line::argsort(type) ? 24 : result_size + 0.125;
  auto length = static_cast<index_t>((room() - std::max(read, write)) / each);
  if (length >= chunk) return std::min(size, length / chunk * chunk);
  const double most = std::max(room() / 16, room() - std::max(read, memory_to_move(0)));
  length = static_cast<index_t>(most / (each + 4 * result_size));
  return std::clamp<index_t>(length, 1, size);
}

array_view long_lines::apart(std::size_t axis) const {
  constexpr index_t most_reads = 3;
  index_vector chunks = clip_chunks(of.chunks, of.shape);
  const index_t side_by_side = num_elements(chunks) / chunks[axis];
  const double size = bytes_in(chunks, kernel.inputs.front());
  const bool is_held = 2 * size + memory_to_move(size) <= room();
  if (side_by_side <= most_reads || !is_held) return x;
  const index_t length = std::min(of.shape[axis], side_by_side * chunks[axis]);
  chunks = index_vector(chunks.size(), 1);
  chunks[axis] = length;
  return whole_of(materialise(fmt::format("{}: lines", name), x, of.shape, chunks));
}

// A task makes a run of a line; lines lie apart, so that each run lies side by side.
array_handle long_lines::sorted(const block_kernel& run, const index_vector& chunks) const {
  std::size_t lined_axis = 0;
  while (!lined[lined_axis]) ++lined_axis;
  const index_t size = of.shape[lined_axis];
  const index_t chunk = chunks[lined_axis];
  places sought;
  sought.run = length_of_run(lined_axis, chunk);
  sought.size = size;
  sought.is_descending = *static_cast<const bool*>(parameters.get());
  const array_handle at_last = known(sought);
  const array_view from = apart(lined_axis);
  order_operation what{std::string(name)};
  std::vector<std::size_t> axes;
  for (const std::size_t axis : loops()) axes.push_back(what.add_axis(of.shape[axis], 1, 1));
  std::vector<std::size_t> of_x = axes;
  std::vector<std::size_t> of_known = axes;
  axes.push_back(what.add_axis(size, sought.run, sought.run));
  const bool are_copied = from.array != x.array;
  const index_t step = are_copied ? from.array->chunks[lined_axis] : of.chunks[lined_axis];
  const std::size_t line = what.add_streamed_axis(size, std::min(step, size));
  of_known.push_back(what.add_whole_axis(at_last->shape.back()));
  of_x.insert(of_x.begin() + static_cast<std::ptrdiff_t>(lined_axis), line);
  what.add_operand(from, of_x, {line});
  what.add_operand(whole_of(at_last), of_known, {of_known.back()});
  what.add_result(axes, std::nullopt);
  index_vector own(of.shape.size(), 1);
  own.back() = sought.run % chunk == 0 ? chunk : sought.run;
  array_handle found = std::move(what).made_by(run, order_search::places_parameters(sought), own);
  std::vector<axis_map> back;
  for (const std::size_t axis : loops()) back.emplace_back(axis, 0, 1);
  back.emplace_back(lined_axis, 0, 1);
  return materialise("rechunk", {std::move(found), {of.shape.size(), std::move(back)}}, of.shape,
                     chunks);
}

array_handle long_lines::in_passes(const index_vector& shape, const index_vector& chunks) const {
  const dtype type = kernel.inputs.front();
  if (of.shape.size() >= max_rank) return nullptr;
  if (is_transform(kernel)) return transform_in_steps(*this, chunks);
  if (memory_of_line() <= room()) return nullptr;
  if (type == dtype::complex64 || type == dtype::complex128) return nullptr;
  if (&kernel == &line::quantile(type)) return quantiles(shape, chunks);
  if (of.shape.size() + 2 > max_rank || lined.count() > 1) return nullptr;
  if (&kernel == &line::sort(type)) return sorted(order_search::sorted_run(type), chunks);
  if (&kernel == &line::argsort(type)) return sorted(order_search::argsorted_run(type), chunks);
  return nullptr;
}

}  // namespace tessera
