// SPDX-License-Identifier: Apache-2.0
/// \file
/// The order of operations with a low peak of memory.
///
/// Operations run one after the other. An intermediate is freed after its last reader. Finding the
/// order with the least peak is NP-hard (register allocation without recomputation), so that two
/// orders are simulated and the better one is taken:
/// - `in_order`: topological, depth first.
/// - greedy: among the ready operations, the one that frees most memory. Ties go to the reader of
///   the newest array, then to the operation that an evaluator of the results would reach first.
/// If the first order reaches the lower bound `least_peak`, the second is not tried.
/// Reference: Sethi and Ullman, "The generation of optimal code for arithmetic expressions" (1970).

#include "plan/order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// A simulation of operations that run one after the other, with the memory that arrays occupy.
class memory_simulation {
 public:
  explicit memory_simulation(const array_graph& graph)
      : graph_(graph),
        arrays_(graph[boost::graph_bundle].vertices),
        has_run_(graph[boost::graph_bundle].vertices, false) {
    for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
      if (is_operation(graph, *v)) continue;
      const planned_array& array = array_at(graph, *v);
      if (!array.is_open()) continue;
      of(*v).size = array.size().count();
      // Results, and outputs without readers, stay to the end.
      if (!array.is_requested) of(*v).num_pending = readers_of(graph, *v).size();
    }
  }

  /// Returns a lower bound of the peak of every order: the inputs and outputs of one operation, or
  /// the arrays that stay together with the inputs of the last operation.
  [[nodiscard]] std::uint64_t least_peak() const {
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t stays = 0;
    for (const array_state& array : arrays_) stays += array.num_pending == 0 ? array.size : 0;
    std::uint64_t most = 0;
    std::uint64_t least_at_end = none;
    for (auto [v, last] = boost::vertices(graph_); v != last; ++v) {
      if (!is_operation(graph_, *v)) continue;
      std::uint64_t read = 0;
      std::uint64_t freed = 0;
      for (const vertex input : inputs_of(*v)) {
        read += of(input).size;
        if (of(input).num_pending > 0) freed += of(input).size;
      }
      std::uint64_t output_bytes = 0;
      bool may_be_last = true;
      for (const vertex array : outputs_of(graph_, *v)) {
        output_bytes += of(array).size;
        may_be_last = may_be_last && boost::out_degree(array, graph_) == 0;
      }
      most = std::max(most, read + output_bytes);
      if (may_be_last) least_at_end = std::min(least_at_end, freed);
    }
    return least_at_end == none ? most : std::max(most, stays + least_at_end);
  }

  /// Returns the memory that running `v` next frees, less the size of its outputs.
  [[nodiscard]] std::int64_t freed_by(vertex v) const {
    std::int64_t freed = 0;
    for (const vertex input : inputs_of(v)) {
      if (of(input).num_pending == 1) freed += static_cast<std::int64_t>(of(input).size);
    }
    for (const vertex output : outputs_of(graph_, v)) {
      freed -= static_cast<std::int64_t>(of(output).size);
    }
    return freed;
  }

  /// Returns the time at which the newest input of `v` was computed; 0 for sources.
  [[nodiscard]] std::size_t newest_input(vertex v) const {
    std::size_t last = 0;
    for (const vertex input : inputs_of(v)) last = std::max(last, of(input).computed_at);
    return last;
  }

  void run(vertex v) {
    ++time_;
    has_run_[graph_[v].serial] = true;
    for (const vertex output : outputs_of(graph_, v)) {
      of(output).computed_at = time_;
      in_use_ += of(output).size;
    }
    peak_ = std::max(peak_, in_use_);
    for (const vertex input : inputs_of(v)) {
      array_state& read = of(input);
      if (read.num_pending > 0 && --read.num_pending == 0) in_use_ -= read.size;
    }
  }

  /// Returns the operations that are the only pending readers of an input of `v`, which has just
  /// run.
  [[nodiscard]] small_vector<vertex> sole_readers_after(vertex v) const {
    small_vector<vertex> sole_readers;
    for (const vertex input : inputs_of(v)) {
      if (of(input).num_pending == 1) sole_readers.push_back(last_reader_of(input));
    }
    return sole_readers;
  }

  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] bool has_run(vertex v) const { return has_run_[graph_[v].serial]; }
  [[nodiscard]] bool is_available(vertex array) const {
    return boost::in_degree(array, graph_) == 0 || of(array).computed_at > 0;
  }

 private:
  struct array_state {
    std::uint64_t size = 0;
    /// The number of pending readers; 0 if the array stays.
    std::size_t num_pending = 0;
    std::size_t computed_at = 0;
  };

  [[nodiscard]] array_state& of(vertex array) { return arrays_[graph_[array].serial]; }
  [[nodiscard]] const array_state& of(vertex array) const { return arrays_[graph_[array].serial]; }

  /// Returns the distinct arrays that `v` reads.
  [[nodiscard]] small_vector<vertex> inputs_of(vertex v) const {
    small_vector<vertex> inputs = tessera::inputs_of(graph_, v);
    if (inputs.size() < 2) return inputs;
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
  }
  [[nodiscard]] vertex last_reader_of(vertex array) const {
    const std::vector<use_of_array> uses = uses_of(graph_, array);
    return std::find_if(uses.begin(), uses.end(),
                        [this](const use_of_array& use) { return !has_run(use.reader); })
        ->reader;
  }

  const array_graph& graph_;
  std::vector<array_state> arrays_;
  std::vector<bool> has_run_;
  std::size_t time_ = 0;
  std::uint64_t in_use_ = 0;
  std::uint64_t peak_ = 0;
};

/// The ready operations, as a priority queue.
class ready_operations {
 public:
  ready_operations(const array_graph& graph, const memory_simulation& state)
      : state_(state), keys_(graph[boost::graph_bundle].vertices), graph_(graph) {}

  /// Inserts `v`, or updates its key. `rank` breaks ties.
  void put(vertex v, std::size_t rank) {
    key& current_key = keys_[graph_[v].serial];
    if (std::get<vertex>(current_key) != vertex{}) queue_.erase(current_key);
    current_key = {-state_.freed_by(v), -static_cast<std::int64_t>(state_.newest_input(v)), rank,
                   v};
    queue_.insert(current_key);
  }
  [[nodiscard]] bool has(vertex v) const {
    return std::get<vertex>(keys_[graph_[v].serial]) != vertex{};
  }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  vertex take() {
    const vertex next = std::get<vertex>(*queue_.begin());
    queue_.erase(queue_.begin());
    keys_[graph_[next].serial] = {};
    return next;
  }

 private:
  using key = std::tuple<std::int64_t, std::int64_t, std::size_t, vertex>;

  const memory_simulation& state_;
  std::set<key> queue_;
  std::vector<key> keys_;
  const array_graph& graph_;
};

/// Returns the vertices of a graph in postorder from the results, operand by operand, as a
/// recursive evaluator would visit them.
std::vector<vertex> evaluation_order(const array_graph& graph) {
  std::vector<bool> is_visited(graph[boost::graph_bundle].vertices, false);
  std::vector<vertex> order;
  std::vector<std::pair<vertex, small_vector<vertex>>> trail;
  const auto enter = [&](vertex v) {
    if (is_visited[graph[v].serial]) return;
    is_visited[graph[v].serial] = true;
    trail.emplace_back(v, inputs_of(graph, v));
    std::reverse(trail.back().second.begin(), trail.back().second.end());
  };
  for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
    if (boost::out_degree(*v, graph) == 0) enter(*v);
    while (!trail.empty()) {
      small_vector<vertex>& before = trail.back().second;
      if (before.empty()) {
        order.push_back(trail.back().first);
        trail.pop_back();
      } else {
        const vertex next = before.back();
        before.pop_back();
        enter(next);
      }
    }
  }
  return order;
}

/// Returns the operations of `order` in greedy order by freed memory.
std::vector<vertex> order_by_freed_memory(const array_graph& graph,
                                          const std::vector<vertex>& order,
                                          memory_simulation& state) {
  std::vector<std::size_t> ranks(graph[boost::graph_bundle].vertices);
  std::vector<std::size_t> num_missing(ranks.size(), 0);
  ready_operations ready(graph, state);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ranks[graph[order[i]].serial] = i;
    if (!is_operation(graph, order[i])) continue;
    for (auto [edge, last] = boost::in_edges(order[i], graph); edge != last; ++edge) {
      num_missing[graph[order[i]].serial] +=
          state.is_available(boost::source(*edge, graph)) ? 0 : 1;
    }
    if (num_missing[graph[order[i]].serial] == 0) ready.put(order[i], i);
  }
  std::vector<vertex> operations;
  while (!ready.empty()) {
    const vertex next = ready.take();
    operations.push_back(next);
    state.run(next);
    for (const vertex output : outputs_of(graph, next)) {
      for (const use_of_array& use : uses_of(graph, output)) {
        if (--num_missing[graph[use.reader].serial] == 0) {
          ready.put(use.reader, ranks[graph[use.reader].serial]);
        }
      }
    }
    for (const vertex v : state.sole_readers_after(next)) {
      if (ready.has(v)) ready.put(v, ranks[graph[v].serial]);
    }
  }
  return operations;
}

/// Returns the operations with the arrays of the graph between them: sources before their first
/// reader.
std::vector<vertex> with_arrays(const array_graph& graph, const std::vector<vertex>& operations) {
  std::vector<bool> is_available(graph[boost::graph_bundle].vertices, false);
  std::vector<vertex> order;
  const auto add = [&](const small_vector<vertex>& arrays) {
    for (const vertex array : arrays) {
      if (is_available[graph[array].serial]) continue;
      is_available[graph[array].serial] = true;
      order.push_back(array);
    }
  };
  for (const vertex v : operations) {
    add(inputs_of(graph, v));
    order.push_back(v);
    add(outputs_of(graph, v));
  }
  for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
    if (!is_operation(graph, *v)) add({*v});
  }
  return order;
}

}  // namespace

std::vector<vertex> order_of_least_peak(array_graph& graph) {
  std::vector<vertex> order = in_order(graph);
  const memory_simulation before(graph);
  memory_simulation in_this_order = before;
  for (const vertex v : order) {
    if (is_operation(graph, v)) in_this_order.run(v);
  }
  if (in_this_order.peak() <= before.least_peak()) return order;
  memory_simulation freeing = before;
  const std::vector<vertex> operations =
      order_by_freed_memory(graph, evaluation_order(graph), freeing);
  return freeing.peak() < in_this_order.peak() ? with_arrays(graph, operations) : order;
}

}  // namespace tessera
