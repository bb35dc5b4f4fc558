// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/nodes.hpp"

#include "tessera/expr/layout.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/plan/node.hpp"

#include "lower/fold_leaves.hpp"
#include "lower/operands.hpp"
#include "primitive/api/build.hpp"
#include "primitive/api/scans.hpp"
#include "primitive/api/strips.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace tessera {
namespace {

/// Returns the constant that a fold over no elements gives, as an array of `shape`.
array_handle make_empty_fold(std::string_view name, const index_vector& shape,
                             const index_vector& chunks, const fold_step& step) {
  using value = std::array<std::byte, sizeof(complex128)>;
  const fold_kernel& kernel = *step.kernel;
  std::vector<value> state(kernel.state_fields.size());
  std::vector<std::byte*> state_fields;
  for (value& field : state) state_fields.push_back(field.data());
  kernel.start(state_fields.data(), 1, step.parameters.get());
  std::vector<value> results(kernel.outputs.size());
  std::vector<std::byte*> outputs;
  for (value& result : results) outputs.push_back(result.data());
  kernel.finish(state_fields.data(), outputs.data(), 1, 0, step.parameters.get());
  return visit_dtype(kernel.outputs.front(), [&]<class T>(type_tag<T>) {
    T constant{};
    std::memcpy(static_cast<void*>(&constant), results.front().data(), sizeof constant);
    return make_generated(name, shape, chunks, generator::constant<T>(),
                          generator::constant_parameters<T>(constant));
  });
}

/// The most leaves of a scan: the most tasks that share a line. Each reads the prefix of its leaf.
constexpr index_t most_leaves = 64;

/// Returns the initial value of a scan, before any element, as an array of `shape`.
array_handle make_empty_scan(std::string_view name, const index_vector& shape,
                             const scan_kernel& kernel, const kernel_parameters& parameters) {
  using value = std::array<std::byte, sizeof(complex128)>;
  std::vector<value> state(kernel.state_fields.size());
  std::vector<std::byte*> state_fields;
  for (value& field : state) state_fields.push_back(field.data());
  kernel.start(state_fields.data(), 1, parameters.get());
  value result{};
  kernel.initial(state_fields.data(), result.data());
  return visit_dtype(kernel.output, [&]<class T>(type_tag<T>) {
    T constant{};
    std::memcpy(static_cast<void*>(&constant), result.data(), sizeof constant);
    return make_generated(name, shape, shape, generator::constant<T>(),
                          generator::constant_parameters<T>(constant));
  });
}

/// Returns the block of a fold over `domain` with output chunks `chunks`; reduced axes are whole.
index_vector block_of_fold(const index_vector& domain, const fold_sink& sink,
                           const index_vector& chunks) {
  index_vector block(domain.size());
  std::size_t position = 0;
  bool has_extra_axes = false;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (!sink.reduced[axis]) {
      block[axis] = chunks[position++];
      continue;
    }
    block[axis] = std::max<index_t>(1, domain[axis]);
    if (!std::exchange(has_extra_axes, true)) position += sink.extra_axes.size();
  }
  return block;
}

}  // namespace

array_handle make_copy(std::string_view name, const index_vector& shape, const index_vector& chunks,
                       const array_view& view) {
  operation op;
  op.name = name;
  op.schedule.domain = shape;
  op.schedule.block = op.schedule.step = clip_chunks(chunks, shape);
  op.operands = {view.map};
  op.primitive = copy_of(shape, view.array->type);
  const index_vector block = op.schedule.block;
  return make_output_array(std::move(op), {view.array}, shape, block);
}

namespace {

array_handle labelled_copy(const array_node& array, const std::string& label) {
  auto node = std::make_shared<array_node>(array);
  node->name = node->label = label;
  return node;
}

index_vector elementwise_min(index_vector a, const index_vector& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) a[axis] = std::min(a[axis], b[axis]);
  return a;
}

/// Returns the positions of the elements of `domain`: the index along the axis `reduced`, or the
/// row-major number if several axes are reduced.
strip_source make_positions(const index_vector& domain, axis_mask reduced) {
  index_vector shape = domain;
  index_map map = index_map::identity(domain.size());
  if (std::has_single_bit(reduced)) {
    const auto axis = static_cast<std::size_t>(std::countr_zero(reduced));
    shape = {domain[axis]};
    map = {domain.size(), {{axis, 0, 1}}};
  }
  const array_handle positions =
      make_generated("positions", shape, shape, generator::arange<std::int64_t>(),
                     generator::arange_parameters<std::int64_t>(0, 1));
  return strip_source({positions, map});
}

/// Returns the scan `scanned` of `domain` with the result of an empty state before it.
array_handle with_initial(std::string_view name, array_handle scanned, const index_vector& domain,
                          const index_vector& chunks, const scan_request& scan) {
  const std::size_t axis = scan.axis;
  index_vector initial_shape = domain;
  initial_shape[axis] = 1;
  region first = region::whole(initial_shape);
  region rest = region::whole(domain);
  ++rest.stop[axis];
  rest.start[axis] = 1;
  const index_map identity = index_map::identity(domain.size());
  std::vector<axis_map> shifted = identity.axes();
  shifted[axis].offset = -1;
  const array_handle initial = make_empty_scan(name, initial_shape, scan.kernel, scan.parameters);
  strip_sources parts;
  parts.add(strip_source(whole_of(initial)));
  parts.add(strip_source(whole_of(std::move(scanned))));
  return make_assembly(name, index_vector(rest.stop), chunks,
                       {{first, 0, identity}, {rest, 1, {domain.size(), std::move(shifted)}}},
                       parts);
}

}  // namespace

const kernel_parameters& empty_parameters() {
  static const kernel_parameters empty;
  return empty;
}

strip_source::strip_source() = default;
strip_source::strip_source(array_view operand) { operands.push_back(std::move(operand)); }
strip_source::strip_source(const strip_source&) = default;
strip_source::strip_source(strip_source&&) noexcept = default;
strip_source& strip_source::operator=(const strip_source&) = default;
strip_source& strip_source::operator=(strip_source&&) noexcept = default;
strip_source::~strip_source() = default;

void strip_source::add_operand(const array_view& view, const index_map& map) {
  operands.push_back(seen_through(view, map));
}

strip_sources::strip_sources() = default;
strip_sources::~strip_sources() = default;

void strip_sources::add(strip_source source) { items_.push_back(std::move(source)); }

array_handle make_map(std::string_view name, const index_vector& shape, const index_vector& chunks,
                      const strip_source& source) {
  if (source.kernel == nullptr) return make_copy(name, shape, chunks, source.operands.front());
  operand_list operands;
  piece whole_domain = operands.add_piece(region::whole(shape), source);
  operation op;
  op.name = map_name(name, whole_domain.program, operands);
  op.schedule.domain = shape;
  op.schedule.block = op.schedule.step = clip_chunks(chunks, shape);
  op.operands = operands.maps();
  op.primitive = map_of({std::move(whole_domain)}, result_dtype(source));
  const index_vector block = op.schedule.block;
  return make_output_array(std::move(op), operands.arrays(), shape, block);
}

array_handle make_assembly(std::string_view name, const index_vector& shape,
                           const index_vector& chunks, const std::vector<assembled_piece>& parts,
                           const strip_sources& sources) {
  std::vector<assembled_piece> non_empty;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(non_empty),
               [](const assembled_piece& part) { return !part.where.empty(); });
  const auto source_of = [&](const assembled_piece& part) {
    return seen_through(sources.items()[part.operand], part.map);
  };
  if (non_empty.size() == 1 && sources.items()[non_empty.front().operand].kernel == nullptr) {
    return make_copy(name, shape, chunks, source_of(non_empty.front()).operands.front());
  }
  operand_list operands;
  std::vector<piece> pieces;
  for (const assembled_piece& part : non_empty) {
    pieces.push_back(operands.add_piece(part.where, source_of(part)));
  }
  operation op;
  op.name = name;
  op.schedule.domain = shape;
  op.schedule.block = op.schedule.step = clip_chunks(chunks, shape);
  op.operands = operands.maps();
  op.primitive = map_of(std::move(pieces), result_dtype(sources.items().front()));
  const index_vector block = op.schedule.block;
  return make_output_array(std::move(op), operands.arrays(), shape, block);
}

array_handle make_fold(std::string_view name, const array_layout& folded,
                       const index_vector& chunks, const fold_request& fold,
                       const strip_sources& sources) {
  const index_vector& domain = folded.shape;
  fold_sink sink{.step = {&fold.kernel, fold.parameters},
                 .reduced = fold.reduced,
                 .extra_axes = index_vector(fold.extra_axes.begin(), fold.extra_axes.end()),
                 .is_labelled = fold.is_labelled};
  std::vector<strip_source> fold_sources = sources.items();
  if (fold.takes_positions) {
    fold_sources.insert(fold_sources.end() - (fold.is_labelled ? 1 : 0),
                        make_positions(domain, fold.reduced));
  }
  loop_schedule schedule{domain, domain, domain};
  bool is_empty = false;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    is_empty = is_empty || (sink.reduced[axis] && domain[axis] == 0);
    schedule.block[axis] = std::max<index_t>(1, domain[axis]);
  }
  const index_vector shape =
      kept_axes(schedule, {sink.step.kernel->outputs.front()}, sink.reduced, sink.extra_axes)
          .front()
          .shape(schedule);
  const index_vector clipped = clip_chunks(chunks, shape);
  if (is_empty) return make_empty_fold(name, shape, clipped, sink.step);

  operand_list operands;
  operation op;
  op.name = name;
  op.schedule.domain = domain;
  op.schedule.block = block_of_fold(domain, sink, clipped);
  const index_vector read = clip_chunks(folded.chunks, domain);
  const index_vector leaf = choose_leaf(domain, read, sink, least_for_value(sink, sources.items()));
  op.schedule.step =
      elementwise_min(choose_step(domain, read, leaf, sink.reduced), op.schedule.block);
  if (sink.step.kernel->merge != nullptr) sink.leaf = leaf;
  sink.reference_step = reference_step(op.schedule.step, domain);
  op.primitive = fold_of(operands.add_piece(region::whole(domain), fold_sources), std::move(sink));
  op.operands = operands.maps();
  return make_output_array(std::move(op), operands.arrays(), shape, clipped);
}

array_handle make_fold(std::string_view name, const array_layout& folded,
                       const index_vector& chunks, const fold_request& fold, const array_view& x) {
  strip_sources sources;
  sources.add(strip_source(x));
  return make_fold(name, folded, chunks, fold, sources);
}

array_handle make_scan(std::string_view name, const index_vector& domain,
                       const index_vector& read_chunks, const index_vector& chunks,
                       const scan_request& scan, const strip_source& source) {
  const std::size_t axis = scan.axis;
  const index_t chunk = clip_chunks(read_chunks, domain)[axis];
  const scan_sink sink{
      .kernel = &scan.kernel,
      .parameters = scan.parameters,
      .axis = axis,
      .leaf =
          chunk * std::max<index_t>(1, ceil_divide(ceil_divide(domain[axis], chunk), most_leaves)),
      .is_reversed = scan.is_reversed,
      .skipped = scan.skipped};
  operand_list operands;
  operation op;
  op.name = name;
  op.schedule.domain = domain;
  index_vector shape = domain;
  shape[axis] -= scan.skipped;
  const index_vector block = clip_chunks(chunks, shape);
  op.schedule.block = op.schedule.step = block;
  // A sweep writes whole chunks, and reads each chunk of the source once.
  const index_t written = op.schedule.step[axis];
  op.schedule.block[axis] = std::max<index_t>(1, domain[axis]);
  op.schedule.step[axis] = std::min(ceil_divide(chunk, written) * written, op.schedule.block[axis]);
  op.schedule.ordered.set(axis);
  op.primitive = scan_of(operands.add_piece(region::whole(domain), source), sink);
  op.operands = operands.maps();
  array_handle scanned = make_output_array(std::move(op), operands.arrays(), shape, block);
  return scan.has_initial ? with_initial(name, std::move(scanned), domain, chunks, scan) : scanned;
}

array_handle materialise(std::string_view name, const array_view& view, const index_vector& shape,
                         const index_vector& chunks) {
  const array_node& array = *view.array;
  const index_vector clipped = clip_chunks(chunks, shape);
  const bool is_whole = view.map.is_identity() && array.shape == shape;
  if (is_whole && clip_chunks(array.chunks, array.shape) == clipped) return view.array;
  array_handle copy = make_copy(name, shape, clipped, view);
  return is_whole && !array.label.empty() ? labelled_copy(*copy, array.label) : copy;
}

array_view with_label(const array_view& view, const index_vector& shape, const std::string& label) {
  const bool is_whole = view.map.is_identity() && shape == view.array->shape;
  const bool is_computed = std::holds_alternative<computed_source>(view.array->source);
  if (!is_whole && !is_computed) return view;
  return {labelled_copy(*view.array, label), view.map};
}

array_handle computed(const array_handle& array) {
  if (std::holds_alternative<computed_source>(array->source)) return array;
  return make_copy("copy", array->shape, array->chunks, whole_of(array));
}

array_handle make_generated(std::string_view name, const index_vector& shape,
                            const index_vector& chunks, const generator_kernel& kernel,
                            kernel_parameters parameters) {
  return std::make_shared<const array_node>(
      array_node{kernel.output, shape, clip_chunks(chunks, shape), std::string(name),
                 generated_source{&kernel, std::move(parameters)}});
}

array_view whole_of(array_handle array) {
  const std::size_t rank = array->shape.size();
  return {std::move(array), index_map::identity(rank)};
}

array_view seen_through(const array_view& view, const index_map& map) {
  return {view.array, compose(view.map, map)};
}

strip_source seen_through(strip_source source, const index_map& map) {
  for (array_view& view : source.operands) view = seen_through(view, map);
  return source;
}

}  // namespace tessera
