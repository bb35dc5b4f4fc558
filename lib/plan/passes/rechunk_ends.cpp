// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/rechunk_ends.hpp"

#include "tessera/core/array_kinds.hpp"

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/passes/rechunk.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <variant>

namespace tessera {

namespace {

using rechunking::array_read;
using rechunking::problem;
using rechunking::route_end;

/// Tells whether the axes of an array are axes of the domain, each another one, from end to end.
bool shows_as_it_is(const index_map& map, const index_vector& domain, const index_vector& shape) {
  if (map.behind() != nullptr) return false;
  axis_set seen;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const axis_term* const term = map[k].only_term();
    if (term == nullptr || term->step != 1 || map[k].offset != 0) return false;
    if (seen[term->axis] || domain[term->axis] != shape[k]) return false;
    seen.set(term->axis);
  }
  return true;
}

/// Tells whether a reader makes its elements one by one, in any blocks.
bool may_take_blocks(const operation& reader, std::size_t operand) {
  return reader.body->may_grow() && !reader.how.ordered.any() && reader.outputs.size() == 1 &&
         reader.operands[operand].is_identity();
}

/// Returns what is read of `array` through `map`; nothing where that is not known of an axis.
std::optional<array_read> read_through(const index_map& map, const index_vector& domain,
                                       const array_storage& array) {
  if (map.behind() != nullptr) return std::nullopt;
  array_read found{domain, static_cast<double>(array.cost.decoded), 1};
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    if (map[k].terms().empty()) continue;
    const axis_term* const term = map[k].only_term();
    if (term == nullptr) return std::nullopt;
    const index_t step = std::max<index_t>(1, std::abs(term->step));
    const index_t extent = domain[term->axis];
    found.chunks[term->axis] = std::min(extent, std::max<index_t>(1, array.chunks[k] / step));
    const auto shown = static_cast<double>(array.shape[k]) / static_cast<double>(step);
    found.share *= std::min(1.0, shown / static_cast<double>(extent));
  }
  return found;
}

/// The arrays that are read from storage at the first end, those in equal chunks as one.
class read_arrays {
 public:
  read_arrays(const array_graph& graph, const rechunk_ends& ends, const spec& limits) {
    if (!ends.has_maker()) {
      const planned_array& array = array_at(graph, ends.array);
      add(index_map::identity(array.shape.size()), array.shape, array, limits);
      return;
    }
    const operation& what = operation_at(graph, ends.maker);
    const few<vertex> inputs = inputs_of(graph, ends.maker);
    for (std::size_t i = 0; i < inputs.size() && is_known_; ++i) {
      add(what.operands[i], what.how.domain, array_at(graph, inputs[i]), limits);
    }
  }

  [[nodiscard]] bool is_known() const { return is_known_ && !all_.empty(); }
  [[nodiscard]] const std::vector<array_read>& all() const { return all_; }
  /// Returns the chunks of what most is read of.
  [[nodiscard]] const index_vector& chunks() const {
    return std::ranges::max_element(all_, {}, &array_read::share)->chunks;
  }
  /// Returns the bytes of all that an element is made of.
  [[nodiscard]] std::size_t itemsize() const {
    return static_cast<std::size_t>(std::ceil(itemsize_));
  }
  [[nodiscard]] std::size_t workspace() const { return workspace_; }
  [[nodiscard]] bool is_encoded() const { return is_encoded_; }

 private:
  void add(const index_map& map, const index_vector& domain, const planned_array& array,
           const spec& limits) {
    const array_storage from = storage_of(array, array_use::read, limits);
    if (from.how != array_storage::kind::chunks) return;
    const std::optional<array_read> read = read_through(map, domain, from);
    is_known_ = read.has_value();
    if (!read) return;
    itemsize_ += read->share * static_cast<double>(from.type.size());
    workspace_ = std::max(workspace_, from.cost.workspace);
    is_encoded_ = is_encoded_ || from.cost.encoded > 0;
    const auto same = std::ranges::find_if(all_, [&](const array_read& other) {
      return other.chunks == read->chunks && other.chunk_bytes == read->chunk_bytes;
    });
    if (same == all_.end()) {
      all_.push_back(*read);
    } else {
      same->share += read->share;
    }
  }

  std::vector<array_read> all_;
  double itemsize_ = 0;
  std::size_t workspace_ = 0;
  bool is_encoded_ = false;
  bool is_known_ = true;
};

/// Tells whether a task hands on its operand as it lies.
bool is_handed_on(const operation& what) {
  return what.body->demand(what.how, what.operands.size()).is_handed_on;
}

/// Returns the bytes that a task of a reader has of each element of its block.
std::size_t held_by_reader(const array_graph& graph, vertex v) {
  std::size_t all = 0;
  for (const vertex input : inputs_of(graph, v)) all += array_at(graph, input).type.size();
  for (const vertex made : outputs_of(graph, v)) all += array_at(graph, made).type.size();
  return all;
}

/// Returns an array in chunks of `chunks` between the ends. Where a fold reads it, it is in
/// storage: a step is taken as it would be of the array itself, or the bits would depend on the
/// host.
planned_array array_between(const array_graph& graph, const rechunk_ends& ends,
                            const index_vector& chunks, const spec& limits) {
  const planned_array& array = array_at(graph, ends.array);
  planned_array between{array.type, array.shape, chunks, array.name, {}};
  if (ends.has_reader() && operation_at(graph, ends.reader).body->reduced().any()) {
    between.place =
        stored_place{make_intermediate(0, array.type, array.shape, chunks, limits), true};
  }
  return between;
}

std::optional<problem> problem_of(const array_graph& graph, const rechunk_ends& ends,
                                  const spec& limits) {
  const read_arrays sources(graph, ends, limits);
  if (!sources.is_known()) return std::nullopt;
  const planned_array& made = array_at(graph, ends.array);
  problem of{.shape = made.shape,
             .source = sources.chunks(),
             .target = clipped(made.chunks, made.shape),
             .itemsize = made.type.size(),
             .costs = limits.costs,
             .reads = sources.all(),
             .first_itemsize = sources.itemsize()};
  const bool is_copied = !ends.has_maker() || is_handed_on(operation_at(graph, ends.maker));
  if (!is_copied) of.first_itemsize += of.itemsize;
  const array_storage to = storage_of(made, array_use::write, limits);
  const array_storage between =
      storage_of(array_between(graph, ends, of.source, limits), array_use::write, limits);
  std::size_t workspace = std::max(sources.workspace(), between.cost.workspace);
  if (!ends.has_reader()) {
    workspace = std::max(workspace, to.cost.workspace);
  } else {
    const operation& reader = operation_at(graph, ends.reader);
    of.target = taken_at_once(reader, ends.operand, made);
    of.end = route_end::block;
    if (may_take_blocks(reader, ends.operand)) {
      of.end = route_end::blocks;
      of.last_itemsize = held_by_reader(graph, ends.reader);
    }
  }
  const bool is_encoded = sources.is_encoded() || between.cost.encoded + to.cost.encoded > 0;
  const std::size_t taken = limits.reserved_memory.count() + workspace;
  const std::size_t allowed = limits.allowed_memory.count();
  of.memory = allowed > taken ? allowed - taken : 0;
  of.chunk_copies = is_encoded ? 2 : 1;
  return of;
}

/// How arrays are stored: those whose place is open where passes take them to be, or all in
/// storage, where tasks need most for them.
class storages {
 public:
  storages(const array_graph& graph, bool are_all_stored, const spec& limits)
      : graph_(graph), are_all_stored_(are_all_stored), limits_(limits) {}

  [[nodiscard]] array_storage of_stored(planned_array array, array_use use) const {
    if (std::holds_alternative<open_place>(array.place)) {
      array.place =
          stored_place{make_intermediate(0, array.type, array.shape, array.chunks, limits_), true};
    }
    return storage_of(array, use, limits_);
  }

  [[nodiscard]] array_storage of(const planned_array& array, array_use use) const {
    return are_all_stored_ ? of_stored(array, use) : storage_of(array, use, limits_);
  }

  [[nodiscard]] std::vector<array_storage> of(const few<vertex>& arrays, array_use use) const {
    std::vector<array_storage> found;
    for (const vertex v : arrays) {
      found.push_back(of(array_at(graph_, v), use));
      found.back().array = v;
    }
    return found;
  }

 private:
  const array_graph& graph_;
  bool are_all_stored_;
  const spec& limits_;
};

}  // namespace

std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex maker) {
  const operation& what = operation_at(graph, maker);
  const few<vertex> outputs = outputs_of(graph, maker);
  if (!what.body->may_grow() || outputs.size() != 1) return std::nullopt;
  const planned_array& made = array_at(graph, outputs.front());
  if (made.shape != what.how.domain || num_elements(made.shape) == 0) return std::nullopt;
  rechunk_ends ends{.maker = maker, .array = outputs.front()};
  const std::vector<use_of_array> uses = uses_of(graph, ends.array);
  if (made.is_requested || !std::holds_alternative<open_place>(made.place) || uses.size() != 1) {
    return ends;
  }
  const operation& reader = operation_at(graph, uses.front().reader);
  if (shows_as_it_is(reader.operands[uses.front().position], reader.how.domain, made.shape)) {
    ends.reader = uses.front().reader;
    ends.operand = uses.front().position;
  }
  return ends;
}

std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex array,
                                            const use_of_array& use, const spec& limits) {
  const operation& what = operation_at(graph, use.reader);
  const planned_array& read = array_at(graph, array);
  const std::size_t operand = use.position;
  if (num_elements(read.shape) == 0) return std::nullopt;
  if (!shows_as_it_is(what.operands[operand], what.how.domain, read.shape)) return std::nullopt;
  const array_storage from = storage_of(read, array_use::read, limits);
  if (from.how != array_storage::kind::chunks) return std::nullopt;
  if (holds_whole_chunks(taken_at_once(what, operand, read), read.shape, from.chunks)) {
    return std::nullopt;
  }
  return rechunk_ends{.array = array, .reader = use.reader, .operand = operand};
}

std::optional<rechunk_between> rechunk_between::find(const array_graph& graph,
                                                     const rechunk_ends& ends, const spec& limits) {
  std::optional<problem> of = problem_of(graph, ends, limits);
  if (!of) return std::nullopt;
  // What buffers take besides blocks and chunks is not known before the route is.
  for (int attempt = 0; attempt < 4; ++attempt, of->memory = of->memory / 5 * 4) {
    std::vector<rechunking::route> routes = rechunking::shortest_routes(*of);
    if (routes.empty()) return std::nullopt;
    rechunk_between found(ends, of->end, std::move(routes));
    if (found.is_direct()) {
      if (!ends.has_maker()) return std::nullopt;
      const operation& maker = operation_at(graph, ends.maker);
      if (maker.body->kind() != "copy" || !maker.operands.front().is_identity()) {
        return std::nullopt;
      }
    }
    // Wherever open arrays are put in the end: nobody then takes the copies back.
    const auto all_fit = [&](bool are_all_stored) {
      found.planned_ = found.plan(graph, limits, are_all_stored);
      return std::ranges::all_of(found.planned_,
                                 [&](const auto& one) { return fits(one, limits); });
    };
    if (all_fit(true) && all_fit(false)) return found;
  }
  return std::nullopt;
}

operation rechunk_between::first(const array_graph& graph) const {
  operation what = ends_.has_maker()
                       ? operation_at(graph, ends_.maker)
                       : copy_operation(array_at(graph, ends_.array), copies().front().block);
  walk_by(what, copies().front().block);
  return what;
}

operation rechunk_between::last(const array_graph& graph) const {
  if (!ends_.has_reader())
    return copy_operation(array_at(graph, ends_.array), copies().back().block);
  operation reader = operation_at(graph, ends_.reader);
  if (end_ == route_end::blocks) walk_by(reader, copies().back().block);
  return reader;
}

planned_array rechunk_between::between(const array_graph& graph, std::size_t copy,
                                       const spec& limits) const {
  return array_between(graph, ends_, copies()[copy].chunks, limits);
}

std::vector<planned_operation> rechunk_between::plan(const array_graph& graph, const spec& limits,
                                                     bool are_all_stored) const {
  std::vector<planned_operation> planned;
  const storages how(graph, are_all_stored, limits);
  std::vector<array_storage> before =
      how.of(ends_.has_maker() ? inputs_of(graph, ends_.maker) : few<vertex>{ends_.array},
             array_use::read);
  for (std::size_t i = 0; i < copies().size(); ++i) {
    const bool is_first = i == 0 && !is_direct();
    const bool is_last = i + 1 == copies().size();
    operation what = is_first  ? first(graph)
                     : is_last ? last(graph)
                               : copy_operation(array_at(graph, ends_.array), copies()[i].block);
    std::vector<array_storage> after{how.of_stored(between(graph, i, limits), array_use::write)};
    if (is_last && ends_.has_reader()) {
      const array_storage from = before.front();
      before = how.of(inputs_of(graph, ends_.reader), array_use::read);
      before[ends_.operand] = from;
      after = how.of(outputs_of(graph, ends_.reader), array_use::write);
    } else if (is_last) {
      after = how.of({ends_.array}, array_use::write);
    }
    planned.push_back(with_buffers(std::move(what), before, after));
    before = {how.of_stored(between(graph, i, limits), array_use::read)};
  }
  return planned;
}

void rechunk_between::apply(array_graph& graph, const spec& limits) const {
  const auto add_between = [&](std::size_t copy) {
    return add_array(graph, between(graph, copy, limits));
  };
  const operation last_one = last(graph);
  vertex current = ends_.array;
  std::size_t next = 0;
  if (is_direct()) {
    current = inputs_of(graph, ends_.maker).front();
  } else if (ends_.has_maker()) {
    operation_at(graph, ends_.maker) = first(graph);
    if (copies().size() == 1) return;
    current = add_between(next++);
    remove_output(graph, ends_.maker, ends_.array);
    add_output(graph, ends_.maker, current, 0);
  }
  for (; next + 1 < copies().size(); ++next) {
    const vertex made = add_between(next);
    add_operation(graph, copy_operation(array_at(graph, ends_.array), copies()[next].block),
                  {current}, {made});
    current = made;
  }
  if (!ends_.has_reader()) {
    add_operation(graph, last_one, {current}, {ends_.array});
    return;
  }
  few<vertex> inputs = inputs_of(graph, ends_.reader);
  inputs[ends_.operand] = current;
  operation_at(graph, ends_.reader) = last_one;
  set_inputs(graph, ends_.reader, inputs);
  if (!ends_.has_maker()) return;
  remove(graph, ends_.array);
  if (is_direct()) remove(graph, ends_.maker);
}

}  // namespace tessera
