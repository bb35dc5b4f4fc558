// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/nodes.hpp"

#include "tessera/expr/layout.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/primitive/copy.hpp"
#include "tessera/primitive/strips.hpp"

#include "lower/operands.hpp"

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
array_handle fold_of_nothing(std::string_view name, const index_vector& shape,
                             const index_vector& chunks, const fold_step& step) {
  using value = std::array<std::byte, sizeof(complex128)>;
  const fold_kernel& kernel = *step.kernel;
  std::vector<value> state(kernel.planes.size());
  std::vector<std::byte*> planes;
  for (value& plane : state) planes.push_back(plane.data());
  kernel.start(planes.data(), 1, step.parameters.get());
  std::vector<value> results(kernel.outputs.size());
  std::vector<std::byte*> outputs;
  for (value& result : results) outputs.push_back(result.data());
  kernel.finish(planes.data(), outputs.data(), 1, 0, step.parameters.get());
  return visit_dtype(kernel.outputs.front(), [&]<class T>(type_tag<T>) {
    T constant{};
    std::memcpy(static_cast<void*>(&constant), results.front().data(), sizeof constant);
    return make_generated(name, shape, chunks, generator::constant<T>(),
                          generator::constant_parameters<T>(constant));
  });
}

/// The most leaves of a scan: so many tasks may share a line, and take what is before them.
constexpr index_t most_leaves = 64;

/// Returns what a scan gives before it has taken anything, as an array of `shape`.
array_handle scan_of_nothing(std::string_view name, const index_vector& shape,
                             const scan_kernel& kernel, const kernel_parameters& parameters) {
  using value = std::array<std::byte, sizeof(complex128)>;
  std::vector<value> state(kernel.planes.size());
  std::vector<std::byte*> planes;
  for (value& plane : state) planes.push_back(plane.data());
  kernel.start(planes.data(), 1, parameters.get());
  value result{};
  kernel.initial(planes.data(), result.data());
  return visit_dtype(kernel.output, [&]<class T>(type_tag<T>) {
    T constant{};
    std::memcpy(static_cast<void*>(&constant), result.data(), sizeof constant);
    return make_generated(name, shape, shape, generator::constant<T>(),
                          generator::constant_parameters<T>(constant));
  });
}

/// Returns the block of a fold over `domain` that makes `chunks`: the reduced axes are whole.
index_vector fold_block(const index_vector& domain, const fold_sink& sink,
                        const index_vector& chunks) {
  index_vector block(domain.size());
  std::size_t made = 0;
  bool are_own_behind = false;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (!sink.reduced[axis]) {
      block[axis] = chunks[made++];
      continue;
    }
    block[axis] = std::max<index_t>(1, domain[axis]);
    if (!std::exchange(are_own_behind, true)) made += sink.own.size();
  }
  return block;
}

/// A leaf of a fold takes so many elements at least, and so many for each value of its state: what
/// it takes to make a state and to merge it is little then.
constexpr double least_leaf = 1 << 16;
constexpr double least_for_state = 32;

/// Returns the leaf of a fold over `domain` that is read in `chunks`: as many of these as a power
/// of two, the last axis first.
index_vector leaf_of(const index_vector& domain, const index_vector& chunks,
                     const fold_sink& sink) {
  index_vector leaf(domain.size(), 1);
  double elements = 1;
  double values = 1;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    elements *= static_cast<double>(chunks[axis]);
    if (!sink.reduced[axis]) values *= static_cast<double>(chunks[axis]);
  }
  for (const index_t length : sink.own) values *= static_cast<double>(length);
  double missing = std::max(least_leaf, least_for_state * values) / elements;
  for (std::size_t axis = domain.size(); axis-- > 0;) {
    if (!sink.reduced[axis]) continue;
    leaf[axis] = chunks[axis];
    while (missing > 1 && leaf[axis] < domain[axis]) {
      leaf[axis] *= 2;
      missing /= 2;
    }
  }
  return leaf;
}

/// Returns the nominal extents of `step` in `domain`.
index_vector nominal_of(index_vector step, const index_vector& domain) {
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    step[axis] = domain[axis] > 1 ? std::max<index_t>(2, step[axis]) : 1;
  }
  return step;
}

/// A step of a fold takes so many elements at least where a leaf has as many steps and more: what
/// it takes to begin one is little then.
constexpr double least_step = 1 << 12;
constexpr index_t many_steps = 16;

/// Returns the step of a fold over `domain` that is read in `chunks`, of leaves of `leaf`: several
/// of them, where they follow one another along one axis.
index_vector step_of(const index_vector& domain, const index_vector& chunks,
                     const index_vector& leaf, axis_set reduced) {
  index_vector step = chunks;
  axis_set cut;
  std::size_t along = 0;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (chunks[axis] >= domain[axis]) continue;
    cut.set(axis);
    along = axis;
  }
  if (cut.count() != 1 || !reduced[along]) return step;
  double elements = 1;
  for (const index_t extent : chunks) elements *= static_cast<double>(extent);
  while (elements < least_step && step[along] * many_steps < leaf[along]) {
    step[along] *= 2;
    elements *= 2;
  }
  return step;
}

}  // namespace

array_handle make_copy(std::string_view name, const index_vector& shape, const index_vector& chunks,
                       const array_view& view) {
  operation what;
  what.name = name;
  what.how.domain = shape;
  what.how.block = what.how.stream = clip_chunks(chunks, shape);
  what.operands = {view.map};
  what.body = copy_of(shape, view.array->type);
  const index_vector block = what.how.block;
  return array_made_by(std::move(what), {view.array}, shape, block);
}

namespace {

index_vector least(index_vector a, const index_vector& b) {
  for (std::size_t axis = 0; axis < a.size(); ++axis) a[axis] = std::min(a[axis], b[axis]);
  return a;
}

/// Returns where the elements of `domain` are: their index along the axis `reduced`, or in
/// row-major order where that is several.
strip_source positions_in(const index_vector& domain, axis_mask reduced) {
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

}  // namespace

strip_source::strip_source() = default;
strip_source::strip_source(array_view as_it_is) { operands.push_back(std::move(as_it_is)); }
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

void strip_sources::add(strip_source source) { all_.push_back(std::move(source)); }

array_handle make_map(std::string_view name, const index_vector& shape, const index_vector& chunks,
                      const strip_source& source) {
  if (source.kernel == nullptr) return make_copy(name, shape, chunks, source.operands.front());
  operand_list operands;
  piece whole_domain = operands.add_piece(region::whole(shape), source);
  operation what;
  what.name = map_name(name, whole_domain.program, operands);
  what.how.domain = shape;
  what.how.block = what.how.stream = clip_chunks(chunks, shape);
  what.operands = operands.maps();
  what.body = map_of({std::move(whole_domain)}, result_dtype(source));
  const index_vector block = what.how.block;
  return array_made_by(std::move(what), operands.arrays(), shape, block);
}

array_handle make_assembly(std::string_view name, const index_vector& shape,
                           const index_vector& chunks, const std::vector<assembled_piece>& parts,
                           const strip_sources& sources) {
  std::vector<assembled_piece> filled;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(filled),
               [](const assembled_piece& part) { return !part.where.empty(); });
  const auto source_of = [&](const assembled_piece& part) {
    return seen_through(sources.all()[part.operand], part.map);
  };
  if (filled.size() == 1 && sources.all()[filled.front().operand].kernel == nullptr) {
    return make_copy(name, shape, chunks, source_of(filled.front()).operands.front());
  }
  operand_list operands;
  std::vector<piece> pieces;
  for (const assembled_piece& part : filled) {
    pieces.push_back(operands.add_piece(part.where, source_of(part)));
  }
  operation what;
  what.name = name;
  what.how.domain = shape;
  what.how.block = what.how.stream = clip_chunks(chunks, shape);
  what.operands = operands.maps();
  what.body = map_of(std::move(pieces), result_dtype(sources.all().front()));
  const index_vector block = what.how.block;
  return array_made_by(std::move(what), operands.arrays(), shape, block);
}

array_handle make_fold(std::string_view name, const array_layout& folded,
                       const index_vector& chunks, const fold_request& fold,
                       const strip_sources& sources) {
  const index_vector& domain = folded.shape;
  fold_sink sink{.step = {&fold.kernel, fold.parameters},
                 .reduced = fold.reduced,
                 .own = index_vector(fold.own.begin(), fold.own.end()),
                 .is_labelled = fold.is_labelled};
  std::vector<strip_source> taken = sources.all();
  if (fold.takes_positions) {
    taken.insert(taken.end() - (fold.is_labelled ? 1 : 0), positions_in(domain, fold.reduced));
  }
  walk how{domain, domain, domain};
  bool takes_nothing = false;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    takes_nothing = takes_nothing || (sink.reduced[axis] && domain[axis] == 0);
    how.block[axis] = std::max<index_t>(1, domain[axis]);
  }
  const index_vector shape =
      kept_axes(how, {sink.step.kernel->outputs.front()}, sink.reduced, sink.own)
          .front()
          .shape(how);
  const index_vector clipped = clip_chunks(chunks, shape);
  if (takes_nothing) return fold_of_nothing(name, shape, clipped, sink.step);

  operand_list operands;
  operation what;
  what.name = name;
  what.how.domain = domain;
  what.how.block = fold_block(domain, sink, clipped);
  const index_vector read = clip_chunks(folded.chunks, domain);
  const index_vector leaf = leaf_of(domain, read, sink);
  what.how.stream = least(step_of(domain, read, leaf, sink.reduced), what.how.block);
  if (sink.step.kernel->merge != nullptr) sink.leaf = leaf;
  sink.nominal = nominal_of(what.how.stream, domain);
  what.body = fold_of(operands.add_piece(region::whole(domain), taken), std::move(sink));
  what.operands = operands.maps();
  // All of an axis of its own is made at once.
  const index_vector block = what.body->outputs(what.how).front().block(what.how);
  return array_made_by(std::move(what), operands.arrays(), shape, clip_chunks(block, shape));
}

array_handle make_scan(std::string_view name, const index_vector& domain,
                       const index_vector& stream, const index_vector& chunks, scan_sink sink,
                       const strip_source& source, bool has_initial) {
  const std::size_t axis = sink.axis;
  const index_t chunk = clip_chunks(stream, domain)[axis];
  sink.leaf =
      chunk * std::max<index_t>(1, ceil_divide(ceil_divide(domain[axis], chunk), most_leaves));
  operand_list operands;
  operation what;
  what.name = name;
  what.how.domain = domain;
  index_vector shape = domain;
  shape[axis] -= sink.skipped;
  const index_vector block = clip_chunks(chunks, shape);
  what.how.block = what.how.stream = block;
  // Legs write whole chunks, and read those of the source once.
  const index_t written = what.how.stream[axis];
  what.how.block[axis] = std::max<index_t>(1, domain[axis]);
  what.how.stream[axis] = std::min(ceil_divide(chunk, written) * written, what.how.block[axis]);
  what.how.ordered.set(axis);
  const scan_kernel& kernel = *sink.kernel;
  const kernel_parameters parameters = sink.parameters;
  what.body = scan_of(operands.add_piece(region::whole(domain), source), std::move(sink));
  what.operands = operands.maps();
  array_handle made = array_made_by(std::move(what), operands.arrays(), shape, block);
  if (!has_initial) return made;
  index_vector before = domain;
  before[axis] = 1;
  region first = region::whole(before);
  region others = region::whole(domain);
  ++others.stop[axis];
  others.start[axis] = 1;
  const index_map itself = index_map::identity(domain.size());
  std::vector<axis_map> moved = itself.axes();
  moved[axis].offset = -1;
  const array_handle initial = scan_of_nothing(name, before, kernel, parameters);
  strip_sources parts;
  parts.add(strip_source(whole_of(initial)));
  parts.add(strip_source(whole_of(std::move(made))));
  return make_assembly(name, index_vector(others.stop), chunks,
                       {{first, 0, itself}, {others, 1, {domain.size(), std::move(moved)}}}, parts);
}

array_handle materialise(std::string_view name, const array_view& view, const index_vector& shape,
                         const index_vector& chunks) {
  const array_node& array = *view.array;
  const index_vector clipped = clip_chunks(chunks, shape);
  const bool is_whole = view.map.is_identity() && array.shape == shape;
  if (is_whole && clip_chunks(array.chunks, array.shape) == clipped) return view.array;
  return make_copy(name, shape, clipped, view);
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
