// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rechunks from the producer of an array to its reader.
///
/// Problem: x in chunks c is read in blocks d that do not align with c, so that each chunk is read
/// by several tasks. Copies in between make each step align:
///     source chunks c -> [copy] -> chunks c1 -> [copy] -> chunks c2 -> [reader in blocks d]
/// The first copy may compute: an elementwise producer writes c1 itself. The last copy may be the
/// reader itself, which then reads c2; the array in its own chunks is not written at all.
/// `problem_of` describes the ends to the search of `plan/rechunk`: shape, chunks on both sides,
/// bytes of an element at each end, and the memory of a task. The search does not know all buffers,
/// so that a route that does not fit is searched again with less memory.
/// Invariant: a route fits in both cases, with open arrays in memory and with all arrays in
/// storage, as later passes do not take the copies back.

#include "plan/passes/rechunk_ends.hpp"

#include "core/api/array_kinds.hpp"
#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/passes/rechunk.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tessera {

namespace {

using rechunking::array_read;
using rechunking::problem;
using rechunking::route_end;

/// Tells whether `map` permutes axes: each axis of the array is one whole axis of the domain.
bool permutes_axes(const index_map& map, const index_vector& domain, const index_vector& shape) {
  if (map.gather() != nullptr) return false;
  axis_set axes_seen;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const axis_term* const term = map[k].only_term();
    if (term == nullptr || term->step != 1 || map[k].offset != 0) return false;
    if (axes_seen[term->axis] || domain[term->axis] != shape[k]) return false;
    axes_seen.set(term->axis);
  }
  return true;
}

/// Tells whether a reader is elementwise in its operand, so that it may take any blocks.
bool may_take_blocks(const operation& reader, std::size_t operand) {
  return reader.primitive->may_grow() && !reader.schedule.ordered.any() &&
         reader.outputs.size() == 1 && reader.operands[operand].is_identity();
}

/// Returns the chunks and the share of `array` that are read through `map`, or nullopt if an axis
/// depends on several axes or on a gather.
std::optional<array_read> read_through(const index_map& map, const index_vector& domain,
                                       const array_storage& array) {
  if (map.gather() != nullptr) return std::nullopt;
  array_read result{domain, static_cast<double>(array.cost.decoded), 1};
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    if (map[k].terms().empty()) continue;
    const axis_term* const term = map[k].only_term();
    if (term == nullptr) return std::nullopt;
    const index_t step = std::max<index_t>(1, std::abs(term->step));
    const index_t extent = domain[term->axis];
    result.chunks[term->axis] = std::min(extent, std::max<index_t>(1, array.chunks[k] / step));
    const auto shown = static_cast<double>(array.shape[k]) / static_cast<double>(step);
    result.share *= std::min(1.0, shown / static_cast<double>(extent));
  }
  return result;
}

/// The stored arrays that are read at the first end. Arrays in equal chunks count as one.
class source_arrays {
 public:
  source_arrays(const array_graph& graph, const rechunk_ends& ends, const spec& limits) {
    if (!ends.has_producer()) {
      const planned_array& array = array_at(graph, ends.array);
      add(index_map::identity(array.shape.size()), array.shape, array, limits);
      return;
    }
    const operation& op = operation_at(graph, ends.producer);
    const small_vector<vertex> inputs = inputs_of(graph, ends.producer);
    for (std::size_t i = 0; i < inputs.size() && is_known_; ++i) {
      add(op.operands[i], op.schedule.domain, array_at(graph, inputs[i]), limits);
    }
  }

  [[nodiscard]] bool is_known() const { return is_known_ && !arrays_.empty(); }
  [[nodiscard]] const std::vector<array_read>& arrays() const { return arrays_; }
  /// Returns the chunks of the array with the largest share.
  [[nodiscard]] const index_vector& chunks() const {
    return std::ranges::max_element(arrays_, {}, &array_read::share)->chunks;
  }
  /// Returns the bytes of all inputs of one element.
  [[nodiscard]] std::size_t itemsize() const {
    return static_cast<std::size_t>(std::ceil(itemsize_));
  }
  [[nodiscard]] std::size_t workspace() const { return workspace_; }
  [[nodiscard]] bool is_encoded() const { return is_encoded_; }

 private:
  void add(const index_map& map, const index_vector& domain, const planned_array& array,
           const spec& limits) {
    const array_storage from = storage_of(array, array_use::read, limits);
    if (from.medium != array_storage::kind::chunks) return;
    const std::optional<array_read> read = read_through(map, domain, from);
    is_known_ = read.has_value();
    if (!read) return;
    itemsize_ += read->share * static_cast<double>(from.type.size());
    workspace_ = std::max(workspace_, from.cost.workspace);
    is_encoded_ = is_encoded_ || from.cost.encoded > 0;
    const auto same = std::ranges::find_if(arrays_, [&](const array_read& earlier) {
      return earlier.chunks == read->chunks && earlier.chunk_bytes == read->chunk_bytes;
    });
    if (same == arrays_.end()) {
      arrays_.push_back(*read);
    } else {
      same->share += read->share;
    }
  }

  std::vector<array_read> arrays_;
  double itemsize_ = 0;
  std::size_t workspace_ = 0;
  bool is_encoded_ = false;
  bool is_known_ = true;
};

/// Tells whether the output of an operation is its operand, unchanged.
bool is_handed_on(const operation& op) {
  return op.primitive->demand(op.schedule, op.operands.size()).is_handed_on;
}

/// Returns the bytes of all operands and outputs of one element of a reader.
std::size_t bytes_in_reader(const array_graph& graph, vertex v) {
  std::size_t sum = 0;
  for (const vertex input : inputs_of(graph, v)) sum += array_at(graph, input).type.size();
  for (const vertex array : outputs_of(graph, v)) sum += array_at(graph, array).type.size();
  return sum;
}

/// Returns an array in `chunks` between the ends. If a fold reads it, it is placed in storage: the
/// steps of the fold, and with them its bits, must not depend on the memory of the host.
planned_array array_between(const array_graph& graph, const rechunk_ends& ends,
                            const index_vector& chunks, const spec& limits) {
  const planned_array& array = array_at(graph, ends.array);
  planned_array between{array.type, array.shape, chunks, array.name, {}};
  if (ends.has_reader() && operation_at(graph, ends.reader).primitive->reduced().any()) {
    between.placement =
        stored_placement{make_intermediate(0, array.type, array.shape, chunks, limits), true};
  }
  return between;
}

std::optional<problem> problem_of(const array_graph& graph, const rechunk_ends& ends,
                                  const spec& limits) {
  const source_arrays sources(graph, ends, limits);
  if (!sources.is_known()) return std::nullopt;
  const planned_array& array = array_at(graph, ends.array);
  problem search{.shape = array.shape,
                 .source = sources.chunks(),
                 .target = clipped(array.chunks, array.shape),
                 .itemsize = array.type.size(),
                 .costs = limits.costs,
                 .reads = sources.arrays(),
                 .first_itemsize = sources.itemsize()};
  const bool is_copied = !ends.has_producer() || is_handed_on(operation_at(graph, ends.producer));
  if (!is_copied) search.first_itemsize += search.itemsize;
  const array_storage to = storage_of(array, array_use::write, limits);
  const array_storage between =
      storage_of(array_between(graph, ends, search.source, limits), array_use::write, limits);
  std::size_t workspace = std::max(sources.workspace(), between.cost.workspace);
  if (!ends.has_reader()) {
    workspace = std::max(workspace, to.cost.workspace);
  } else {
    const operation& reader = operation_at(graph, ends.reader);
    search.target = taken_at_once(reader, ends.operand, array);
    search.end = route_end::block;
    if (may_take_blocks(reader, ends.operand)) {
      search.end = route_end::blocks;
      search.last_itemsize = bytes_in_reader(graph, ends.reader);
    }
  }
  const bool is_encoded = sources.is_encoded() || between.cost.encoded + to.cost.encoded > 0;
  const std::size_t reserved = limits.reserved_memory.count() + workspace;
  const std::size_t allowed = limits.allowed_memory.count();
  search.memory = allowed > reserved ? allowed - reserved : 0;
  search.chunk_copies = is_encoded ? 2 : 1;
  return search;
}

/// The placement of arrays: open arrays in memory if they fit, or all in storage, the case in which
/// tasks need most memory.
class storages {
 public:
  storages(const array_graph& graph, bool are_all_stored, const spec& limits)
      : graph_(graph), are_all_stored_(are_all_stored), limits_(limits) {}

  [[nodiscard]] array_storage of_stored(planned_array array, array_use use) const {
    if (array.is_open()) {
      array.placement = stored_placement{
          make_intermediate(0, array.type, array.shape, array.chunks, limits_), true};
    }
    return storage_of(array, use, limits_);
  }

  [[nodiscard]] array_storage of(const planned_array& array, array_use use) const {
    return are_all_stored_ ? of_stored(array, use) : storage_of(array, use, limits_);
  }

  [[nodiscard]] std::vector<array_storage> of(const small_vector<vertex>& arrays,
                                              array_use use) const {
    std::vector<array_storage> result;
    for (const vertex v : arrays) {
      result.push_back(of(array_at(graph_, v), use));
      result.back().array = v;
    }
    return result;
  }

 private:
  const array_graph& graph_;
  bool are_all_stored_;
  const spec& limits_;
};

}  // namespace

std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex producer) {
  const operation& op = operation_at(graph, producer);
  const small_vector<vertex> outputs = outputs_of(graph, producer);
  if (!op.primitive->may_grow() || outputs.size() != 1) return std::nullopt;
  const planned_array& array = array_at(graph, outputs.front());
  if (array.shape != op.schedule.domain || num_elements(array.shape) == 0) return std::nullopt;
  rechunk_ends ends{.producer = producer, .array = outputs.front()};
  const std::vector<use_of_array> uses = uses_of(graph, ends.array);
  if (array.is_requested || !array.is_open() || uses.size() != 1) {
    return ends;
  }
  const operation& reader = operation_at(graph, uses.front().reader);
  if (permutes_axes(reader.operands[uses.front().position], reader.schedule.domain, array.shape)) {
    ends.reader = uses.front().reader;
    ends.operand = uses.front().position;
  }
  return ends;
}

std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex array,
                                            const use_of_array& use, const spec& limits) {
  const operation& op = operation_at(graph, use.reader);
  const planned_array& read = array_at(graph, array);
  const std::size_t operand = use.position;
  if (num_elements(read.shape) == 0) return std::nullopt;
  if (!permutes_axes(op.operands[operand], op.schedule.domain, read.shape)) return std::nullopt;
  const array_storage from = storage_of(read, array_use::read, limits);
  if (from.medium != array_storage::kind::chunks) return std::nullopt;
  if (holds_whole_chunks(taken_at_once(op, operand, read), read.shape, from.chunks)) {
    return std::nullopt;
  }
  return rechunk_ends{.array = array, .reader = use.reader, .operand = operand};
}

std::optional<rechunk_between> rechunk_between::find(const array_graph& graph,
                                                     const rechunk_ends& ends, const spec& limits) {
  std::optional<problem> search = problem_of(graph, ends, limits);
  if (!search) return std::nullopt;
  // The search does not know all buffers: it is repeated with less memory.
  for (int attempt = 0; attempt < 4; ++attempt, search->memory = search->memory / 5 * 4) {
    std::vector<rechunking::route> routes = graph[boost::graph_bundle].routes->find(*search);
    if (routes.empty()) return std::nullopt;
    rechunk_between result(ends, search->end, std::move(routes));
    if (result.is_direct()) {
      if (!ends.has_producer()) return std::nullopt;
      const operation& producer = operation_at(graph, ends.producer);
      if (!is_copy(*producer.primitive) || !producer.operands.front().is_identity()) {
        return std::nullopt;
      }
    }
    // Open arrays may later be placed in memory or in storage: the route must fit in both.
    const auto all_fit = [&](bool are_all_stored) {
      result.planned_ = result.plan(graph, limits, are_all_stored);
      return std::ranges::all_of(result.planned_,
                                 [&](const auto& planned) { return fits(planned, limits); });
    };
    if (all_fit(true) && all_fit(false)) return result;
  }
  return std::nullopt;
}

operation rechunk_between::first(const array_graph& graph) const {
  operation op = ends_.has_producer()
                     ? operation_at(graph, ends_.producer)
                     : copy_operation(array_at(graph, ends_.array), copies().front().block);
  set_blocks(op, copies().front().block);
  return op;
}

operation rechunk_between::last(const array_graph& graph) const {
  if (!ends_.has_reader())
    return copy_operation(array_at(graph, ends_.array), copies().back().block);
  operation reader = operation_at(graph, ends_.reader);
  if (end_ == route_end::blocks) set_blocks(reader, copies().back().block);
  return reader;
}

planned_array rechunk_between::between(const array_graph& graph, std::size_t copy,
                                       const spec& limits) const {
  return array_between(graph, ends_, copies()[copy].chunks, limits);
}

std::vector<planned_operation> rechunk_between::plan(const array_graph& graph, const spec& limits,
                                                     bool are_all_stored) const {
  std::vector<planned_operation> planned;
  const storages storage(graph, are_all_stored, limits);
  std::vector<array_storage> before = storage.of(
      ends_.has_producer() ? inputs_of(graph, ends_.producer) : small_vector<vertex>{ends_.array},
      array_use::read);
  for (std::size_t i = 0; i < copies().size(); ++i) {
    const bool is_first = i == 0 && !is_direct();
    const bool is_last = i + 1 == copies().size();
    operation op = is_first  ? first(graph)
                   : is_last ? last(graph)
                             : copy_operation(array_at(graph, ends_.array), copies()[i].block);
    std::vector<array_storage> after{
        storage.of_stored(between(graph, i, limits), array_use::write)};
    if (is_last && ends_.has_reader()) {
      const array_storage from = before.front();
      before = storage.of(inputs_of(graph, ends_.reader), array_use::read);
      before[ends_.operand] = from;
      after = storage.of(outputs_of(graph, ends_.reader), array_use::write);
    } else if (is_last) {
      after = storage.of({ends_.array}, array_use::write);
    }
    planned.push_back(with_buffers(std::move(op), before, after));
    before = {storage.of_stored(between(graph, i, limits), array_use::read)};
  }
  return planned;
}

void rechunk_between::apply(array_graph& graph, const spec& limits) const {
  const auto add_between = [&](std::size_t copy) {
    return add_array(graph, between(graph, copy, limits));
  };
  const operation last_op = last(graph);
  vertex current = ends_.array;
  std::size_t next = 0;
  if (is_direct()) {
    current = inputs_of(graph, ends_.producer).front();
  } else if (ends_.has_producer()) {
    operation_at(graph, ends_.producer) = first(graph);
    if (copies().size() == 1) return;
    current = add_between(next++);
    remove_output(graph, ends_.producer, ends_.array);
    add_output(graph, ends_.producer, current, 0);
  }
  for (; next + 1 < copies().size(); ++next) {
    const vertex copy = add_between(next);
    add_operation(graph, copy_operation(array_at(graph, ends_.array), copies()[next].block),
                  {current}, {copy});
    current = copy;
  }
  if (!ends_.has_reader()) {
    add_operation(graph, last_op, {current}, {ends_.array});
    return;
  }
  small_vector<vertex> inputs = inputs_of(graph, ends_.reader);
  inputs[ends_.operand] = current;
  operation_at(graph, ends_.reader) = last_op;
  set_inputs(graph, ends_.reader, inputs);
  if (!ends_.has_producer()) return;
  remove(graph, ends_.array);
  if (is_direct()) remove(graph, ends_.producer);
}

}  // namespace tessera
