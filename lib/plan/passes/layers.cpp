// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/layers.hpp"

#include "plan/tuning.hpp"

#include <algorithm>
#include <unordered_set>

namespace tessera {

layers::layers(array_graph& graph)
    : graph_(graph),
      layer_(graph[boost::graph_bundle].vertices, 0),
      budget_(tuning.visits_per_vertex * boost::num_vertices(graph) + tuning.extra_visits) {
  for (const vertex v : in_order(graph)) {
    std::size_t& layer = layer_[graph[v].serial];
    for (auto [edge, last] = boost::in_edges(v, graph); edge != last; ++edge) {
      layer = std::max(layer, (*this)[boost::source(*edge, graph)] + 1);
    }
  }
}

// The search goes backwards: an operation reads few arrays, but an array may have many readers. A
// search of Boost.Graph could neither stop at the layer of `a` nor end with its budget.
bool layers::may_lead(vertex a, vertex b) {
  const layers& self = *this;
  if (self[a] == self[b]) return false;
  if (self[a] > self[b]) std::swap(a, b);
  std::unordered_set<vertex> visited;
  std::vector<vertex> pending{b};
  while (!pending.empty()) {
    const vertex v = pending.back();
    pending.pop_back();
    for (auto [edge, last] = boost::in_edges(v, graph_); edge != last; ++edge) {
      const vertex before = boost::source(*edge, graph_);
      if (before == a || budget_ == 0) return true;
      if (self[before] <= self[a] || !visited.insert(before).second) continue;
      --budget_;
      pending.push_back(before);
    }
  }
  return false;
}

void layers::lift(vertex v, std::size_t layer) {
  std::vector<std::pair<vertex, std::size_t>> pending{{v, layer}};
  while (!pending.empty()) {
    const auto [lifted, least] = pending.back();
    pending.pop_back();
    std::size_t& now = layer_[graph_[lifted].serial];
    now = std::max(now, least);
    for (auto [edge, last] = boost::out_edges(lifted, graph_); edge != last; ++edge) {
      const vertex next = boost::target(*edge, graph_);
      if ((*this)[next] <= now) {
        if (budget_ > 0) --budget_;
        pending.emplace_back(next, now + 1);
      }
    }
  }
}

}  // namespace tessera
