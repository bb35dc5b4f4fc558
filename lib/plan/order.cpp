// SPDX-License-Identifier: Apache-2.0
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

/// Operations that are run one after the other, and what they hold meanwhile.
class rehearsal {
 public:
  explicit rehearsal(const array_graph& graph)
      : graph_(graph),
        arrays_(graph[boost::graph_bundle].vertices),
        has_run_(graph[boost::graph_bundle].vertices, false) {
    for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
      if (is_operation(graph, *v)) continue;
      const planned_array& array = array_at(graph, *v);
      if (!std::holds_alternative<open_place>(array.place)) continue;
      of(*v).size = array.size().count();
      // Results stay, and what nobody reads is held to the end.
      if (!array.is_requested) of(*v).num_left = readers_of(graph, *v).size();
    }
  }

  /// Returns what is held at some time in whichever order: what an operation reads and makes, and
  /// all that stays, with what the last operation reads.
  [[nodiscard]] std::uint64_t least_peak() const {
    constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t stays = 0;
    for (const array_state& array : arrays_) stays += array.num_left == 0 ? array.size : 0;
    std::uint64_t most = 0;
    std::uint64_t least_at_end = none;
    for (auto [v, last] = boost::vertices(graph_); v != last; ++v) {
      if (!is_operation(graph_, *v)) continue;
      std::uint64_t read = 0;
      std::uint64_t freed = 0;
      for (const vertex input : inputs_of(*v)) {
        read += of(input).size;
        if (of(input).num_left > 0) freed += of(input).size;
      }
      std::uint64_t made = 0;
      bool may_be_last = true;
      for (const vertex array : outputs_of(graph_, *v)) {
        made += of(array).size;
        may_be_last = may_be_last && boost::out_degree(array, graph_) == 0;
      }
      most = std::max(most, read + made);
      if (may_be_last) least_at_end = std::min(least_at_end, freed);
    }
    return least_at_end == none ? most : std::max(most, stays + least_at_end);
  }

  /// Returns the memory that running `v` next frees; less than zero where it takes more.
  [[nodiscard]] std::int64_t freed_by(vertex v) const {
    std::int64_t freed = 0;
    for (const vertex input : inputs_of(v)) {
      if (of(input).num_left == 1) freed += static_cast<std::int64_t>(of(input).size);
    }
    for (const vertex made : outputs_of(graph_, v)) {
      freed -= static_cast<std::int64_t>(of(made).size);
    }
    return freed;
  }

  /// Returns when the last of the inputs of `v` was made; zero for sources.
  [[nodiscard]] std::size_t last_made(vertex v) const {
    std::size_t last = 0;
    for (const vertex input : inputs_of(v)) last = std::max(last, of(input).made_at);
    return last;
  }

  void run(vertex v) {
    ++time_;
    has_run_[graph_[v].serial] = true;
    for (const vertex made : outputs_of(graph_, v)) {
      of(made).made_at = time_;
      held_ += of(made).size;
    }
    peak_ = std::max(peak_, held_);
    for (const vertex input : inputs_of(v)) {
      array_state& read = of(input);
      if (read.num_left > 0 && --read.num_left == 0) held_ -= read.size;
    }
  }

  /// Returns the operations that are the only ones left to read an input of `v`, which has just
  /// run.
  [[nodiscard]] few<vertex> left_alone_by(vertex v) const {
    few<vertex> alone;
    for (const vertex input : inputs_of(v)) {
      if (of(input).num_left == 1) alone.push_back(last_reader_of(input));
    }
    return alone;
  }

  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] bool has_run(vertex v) const { return has_run_[graph_[v].serial]; }
  [[nodiscard]] bool is_there(vertex array) const {
    return boost::in_degree(array, graph_) == 0 || of(array).made_at > 0;
  }

 private:
  struct array_state {
    std::uint64_t size = 0;
    /// How many operations are left that read it; zero where it stays.
    std::size_t num_left = 0;
    std::size_t made_at = 0;
  };

  [[nodiscard]] array_state& of(vertex array) { return arrays_[graph_[array].serial]; }
  [[nodiscard]] const array_state& of(vertex array) const { return arrays_[graph_[array].serial]; }

  /// Returns the arrays that `v` reads, each once.
  [[nodiscard]] few<vertex> inputs_of(vertex v) const {
    few<vertex> inputs = tessera::inputs_of(graph_, v);
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
  std::uint64_t held_ = 0;
  std::uint64_t peak_ = 0;
};

/// The operations that could run, the one that is run next first.
class ready_operations {
 public:
  ready_operations(const array_graph& graph, const rehearsal& state)
      : state_(state), keys_(graph[boost::graph_bundle].vertices), graph_(graph) {}

  /// Puts `v`, of the place `place` in the order that breaks ties, where it belongs now.
  void put(vertex v, std::size_t place) {
    key& now = keys_[graph_[v].serial];
    if (std::get<vertex>(now) != vertex{}) queue_.erase(now);
    now = {-state_.freed_by(v), -static_cast<std::int64_t>(state_.last_made(v)), place, v};
    queue_.insert(now);
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

  const rehearsal& state_;
  std::set<key> queue_;
  std::vector<key> keys_;
  const array_graph& graph_;
};

/// Returns the vertices of a graph as an evaluator comes by them that begins at the results: first
/// what the first operand needs, then what the next one does.
std::vector<vertex> as_evaluated(const array_graph& graph) {
  std::vector<bool> is_seen(graph[boost::graph_bundle].vertices, false);
  std::vector<vertex> order;
  std::vector<std::pair<vertex, few<vertex>>> trail;
  const auto enter = [&](vertex v) {
    if (is_seen[graph[v].serial]) return;
    is_seen[graph[v].serial] = true;
    trail.emplace_back(v, inputs_of(graph, v));
    std::reverse(trail.back().second.begin(), trail.back().second.end());
  };
  for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
    if (boost::out_degree(*v, graph) == 0) enter(*v);
    while (!trail.empty()) {
      few<vertex>& before = trail.back().second;
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

/// Returns the operations of `order`, always the one next that frees most.
std::vector<vertex> by_what_is_freed(const array_graph& graph, const std::vector<vertex>& order,
                                     rehearsal& state) {
  std::vector<std::size_t> places(graph[boost::graph_bundle].vertices);
  std::vector<std::size_t> num_missing(places.size(), 0);
  ready_operations ready(graph, state);
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[graph[order[i]].serial] = i;
    if (!is_operation(graph, order[i])) continue;
    for (auto [edge, last] = boost::in_edges(order[i], graph); edge != last; ++edge) {
      num_missing[graph[order[i]].serial] += state.is_there(boost::source(*edge, graph)) ? 0 : 1;
    }
    if (num_missing[graph[order[i]].serial] == 0) ready.put(order[i], i);
  }
  std::vector<vertex> operations;
  while (!ready.empty()) {
    const vertex next = ready.take();
    operations.push_back(next);
    state.run(next);
    for (const vertex made : outputs_of(graph, next)) {
      for (const use_of_array& use : uses_of(graph, made)) {
        if (--num_missing[graph[use.reader].serial] == 0) {
          ready.put(use.reader, places[graph[use.reader].serial]);
        }
      }
    }
    for (const vertex v : state.left_alone_by(next)) {
      if (ready.has(v)) ready.put(v, places[graph[v].serial]);
    }
  }
  return operations;
}

/// Puts the arrays of a graph between its operations: sources before their first reader.
std::vector<vertex> with_arrays(const array_graph& graph, const std::vector<vertex>& operations) {
  std::vector<bool> is_there(graph[boost::graph_bundle].vertices, false);
  std::vector<vertex> order;
  const auto add = [&](const few<vertex>& arrays) {
    for (const vertex array : arrays) {
      if (is_there[graph[array].serial]) continue;
      is_there[graph[array].serial] = true;
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
  const rehearsal before(graph);
  rehearsal in_this_order = before;
  for (const vertex v : order) {
    if (is_operation(graph, v)) in_this_order.run(v);
  }
  if (in_this_order.peak() <= before.least_peak()) return order;
  rehearsal freeing = before;
  const std::vector<vertex> operations = by_what_is_freed(graph, as_evaluated(graph), freeing);
  return freeing.peak() < in_this_order.peak() ? with_arrays(graph, operations) : order;
}

}  // namespace tessera
