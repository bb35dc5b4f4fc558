// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the refusal for which an array between two operations exists.
///
/// Several passes merge a producer into its reader, so that the array between them goes. Each that
/// tried and refused has a refusal in the trace. The best one is the merge that came nearest: a
/// refusal with figures, as its merge is possible and costs too much; then a pass that the search
/// left out, with the costs of both plans; then a rule. Of equal ones the last pass tells most, as
/// it saw the plan as it is.

#include "plan/explained_merges.hpp"

#include "plan/graph.hpp"
#include "plan/labels.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/iteration_macros.hpp>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

/// The passes that merge a producer into its readers.
constexpr std::array<std::string_view, 6> merging_passes{"fuse_producers",      "duplicate",
                                                         "fuse_map_after_fold", "fuse_epilogues",
                                                         "merge_producers",     "fuse_levels"};

bool is_merging(std::string_view pass) {
  return std::ranges::find(merging_passes, pass) != merging_passes.end();
}

/// The serial numbers of two operations, the smaller one first.
using operation_pair = std::pair<std::size_t, std::size_t>;

operation_pair pair_of_serials(std::size_t a, std::size_t b) {
  return {std::min(a, b), std::max(a, b)};
}

/// A refusal to merge two operations.
struct refused_merge {
  std::string text;
  bool has_figures = false;
};

/// Returns the best refusal for each pair of operations.
std::map<operation_pair, refused_merge> best_refusals(const pass_trace& trace) {
  std::map<operation_pair, refused_merge> best;
  for (const pass_entry& entry : trace) {
    if (!is_merging(entry.pass)) continue;
    for (const pass_refusal& refusal : entry.refusals) {
      if (!refusal.partner) continue;
      refused_merge& known = best[pair_of_serials(refusal.serial, *refusal.partner)];
      if (known.has_figures && !refusal.has_figures) continue;
      known = {fmt::format("{}: {}", entry.pass, refusal.text), refusal.has_figures};
    }
  }
  return best;
}

/// Returns the reason for which the search left out a merging pass, or nothing.
std::string text_of_left_out(const bounded_plan::implementation& plan) {
  for (const named_pass& pass : all_passes) {
    if (!is_merging(pass.name)) continue;
    for (const left_out_pass& off : plan.graph->origin->left_out) {
      if (off.pass == pass.is_on) return fmt::format("{}: {}", pass.name, why_left_out(off));
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> refused_merges(const bounded_plan::implementation& plan,
                                        const pass_trace& trace) {
  std::vector<std::string> texts(plan.arrays.size());
  if (!plan.graph->origin) return texts;
  const std::map<operation_pair, refused_merge> best = best_refusals(trace);
  const std::string left_out = text_of_left_out(plan);
  // Passes add arrays that no pass may merge away, such as the states of parts.
  const std::size_t num_collected =
      boost::num_vertices(collect(plan.graph->origin->requests)->graph);
  const array_graph& graph = plan.graph->graph;
  BGL_FORALL_VERTICES(v, graph, array_graph) {
    if (is_operation(graph, v) || boost::in_degree(v, graph) == 0) continue;
    const std::size_t producer = graph[producer_of(graph, v)].serial;
    refused_merge nearest;
    for (const vertex reader : readers_of(graph, v)) {
      const auto match = best.find(pair_of_serials(producer, graph[reader].serial));
      if (match == best.end()) continue;
      const bool is_nearer = match->second.has_figures && !nearest.has_figures;
      if (nearest.text.empty() || is_nearer) nearest = match->second;
    }
    const bool may_go = graph[v].serial < num_collected && !array_at(graph, v).is_requested;
    const bool is_left_out = may_go && !nearest.has_figures && !left_out.empty();
    texts[graph[v].number] = is_left_out ? left_out : nearest.text;
  }
  return texts;
}

std::string with_refused_merge(std::string placed, const std::string& refusal) {
  if (refusal.empty()) return placed;
  return fmt::format("{}{}not merged into its reader by {}", placed, placed.empty() ? "" : "; ",
                     refusal);
}

}  // namespace tessera
